#include "data/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/byte_source.hpp"
#include "data/csv_reader.hpp"
#include "data/idx_reader.hpp"
#include "data/npy_reader.hpp"
#include "data/plink_reader.hpp"
#include "data/text_table.hpp"

namespace eigenveil {
namespace {

using detail::FileDescriptor;
using Opened = Result<std::unique_ptr<RowReader>>;

Opened open_idx(FileDescriptor file, const ReadOptions& options) {
  const std::string path = file.path();
  const std::optional<std::size_t> size = file.size();
  return detail::open_idx(detail::plain_source(std::move(file)), path, size, options);
}
Opened open_idx_gz(FileDescriptor file, const ReadOptions& options) {
  const std::string path = file.path();
  auto source = detail::gzip_source(std::move(file));
  if (!source) {
    return error_of(source);
  }
  return detail::open_idx(*std::move(source), path, std::nullopt, options);
}

/// One row per format that is not text: a new reader is a new row.
struct Format {
  std::string_view ending;
  Opened (*open)(FileDescriptor file, const ReadOptions& options);
};

constexpr std::array kFormats = {
    Format{".npy", detail::open_npy}, Format{".bed", detail::open_plink},
    Format{".idx", open_idx},         Format{".idx.gz", open_idx_gz},
    Format{"-ubyte", open_idx},       Format{"-ubyte.gz", open_idx_gz},
};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

std::string known_endings() {
  std::string endings = ".csv .tsv .txt (also .gz) ";
  for (const Format& format : kFormats) {
    endings += fmt::format("{} ", format.ending);
  }
  return endings;
}

}  // namespace

std::optional<ReadOptions::Header> parse_header(std::string_view word) {
  const auto* const found = std::find(kHeaderWords.begin(), kHeaderWords.end(), word);
  return found == kHeaderWords.end()
             ? std::nullopt
             : std::optional(static_cast<ReadOptions::Header>(found - kHeaderWords.begin()));
}

Result<std::unique_ptr<RowReader>> open_rows(const std::string& input, const ReadOptions& options) {
  if (std::optional<Result<detail::TextSource>> text =
          detail::open_text_source(input, options.encoding)) {
    return std::move(*text).and_then([&](detail::TextSource source) {
      return detail::open_delimited(std::move(source.bytes), source.delimiter, options);
    });
  }
  const std::string name = lower_case(input);
  const auto* format = std::ranges::find_if(
      kFormats, [&name](const Format& candidate) { return name.ends_with(candidate.ending); });
  if (format == kFormats.end()) {
    return bad_request(fmt::format(
        "the format of {} is unknown; the name must end in one of {}or be - for CSV on standard "
        "input.",
        shown(input), known_endings()));
  }
  Result<FileDescriptor> file = FileDescriptor::open(input);
  if (!file) {
    return error_of(file);
  }
  return format->open(std::move(*file), options);
}

}  // namespace eigenveil
