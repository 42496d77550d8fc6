#include "cli/explore/dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/atomic_output.hpp"
#include "core/outside_json.hpp"
#include "data/column_selection.hpp"
#include "data/open.hpp"
#include "data/public_files.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::cli {
namespace {

bool same_ranges(const std::vector<NamedNumbers>& lines, const std::vector<NamedRange>& ranges) {
  return std::equal(lines.begin(), lines.end(), ranges.begin(), ranges.end(),
                    [](const NamedNumbers& line, const NamedRange& range) {
                      return line.column == range.column && line.numbers[0] == range.range.low &&
                             line.numbers[1] == range.range.high;
                    });
}

}  // namespace

Result<ExploreSource> with_header(ExploreSource source, const std::string& word,
                                  std::size_t width) {
  constexpr std::size_t kMostColumns = 4096;
  ReadOptions options = text_format({"auto", source.separator, source.decimal,
                                     source.encoding.empty() ? "utf-8" : source.encoding});
  const std::optional<ReadOptions::Header> header = parse_header(word);
  if (source.input.empty() || !header || *header == ReadOptions::Header::Auto) {
    return bad_request("the first line of a table holds names (present, numbers) or not (absent)");
  }
  if (*header == ReadOptions::Header::Absent) {
    if (width < 2 || width > kMostColumns) {
      return bad_request(fmt::format(
          "without names the number of columns must be typed, 2 to {}: it is not read off a row",
          kMostColumns));
    }
    source.columns = detail::default_column_names(width);
    source.header = word;
    return source;
  }
  options.header = *header;
  for (const NamedRange& range : source.bounds) {
    options.bounded_columns.push_back(range.column);
  }
  return open_rows(source.input, options).map([&](const std::unique_ptr<RowReader>& reader) {
    source.columns = reader->schema().columns;
    source.header = word;
    return source;
  });
}

Result<std::vector<NamedRange>> typed_ranges(const std::string& body,
                                             const std::vector<std::string>& columns) {
  const nlohmann::json json = json_from_outside<nlohmann::json>(body);
  if (!json.is_object() || !json.contains("ranges") || !json["ranges"].is_object() ||
      columns.empty()) {
    return bad_request("ranges are typed for the columns of a table");
  }
  std::vector<NamedRange> ranges;
  for (const std::string& column : columns) {
    const auto found = json["ranges"].find(column);
    const bool numbers = found != json["ranges"].end() && found->is_array() && found->size() == 2 &&
                         (*found)[0].is_number() && (*found)[1].is_number();
    if (!numbers) {
      return bad_request(fmt::format("column {} needs a low and a high end", column));
    }
    const ColumnRange range{(*found)[0].get<double>(), (*found)[1].get<double>()};
    if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) {
      return bad_request(
          fmt::format("the low end of column {} must lie below its high end", column));
    }
    ranges.push_back({column, range});
  }
  return ranges;
}

Result<void> write_dictionary(const std::string& file, const std::vector<NamedRange>& ranges,
                              bool again) {
  if (!again && std::filesystem::exists(file)) {
    return bad_request(fmt::format("there is a file {} already: take another name", file));
  }
  std::string text = "column,low,high\n";
  for (const NamedRange& range : ranges) {
    if (range.column.find_first_of("\"\r\n") != std::string::npos) {
      return bad_request(
          fmt::format("column {} has a quote or a line break in its name, which a dictionary "
                      "cannot hold: give one range for all, or rename it",
                      range.column));
    }
    const bool quoted = range.column.find_first_of(", ") != std::string::npos;
    text += fmt::format("{0}{1}{0},{2},{3}\n", quoted ? "\"" : "", range.column, range.range.low,
                        range.range.high);
  }
  return write_file_atomically(file, text)
      .and_then([&] {
        return read_named_numbers(file, {"low", "high"});
      })
      .and_then([&](const std::vector<NamedNumbers>& lines) -> Result<void> {
        const bool same = same_ranges(lines, ranges);
        if (!same) {
          return bad_request("a name of a column does not survive in a dictionary: rename it");
        }
        return {};
      });
}

Result<void> dictionary_is_unchanged(const ExploreSource& source) {
  if (source.bounds_file.empty()) {
    return {};
  }
  return read_named_numbers(source.bounds_file, {"low", "high"})
      .and_then([&](const std::vector<NamedNumbers>& lines) -> Result<void> {
        if (!same_ranges(lines, source.bounds)) {
          return bad_request(
              "the dictionary has changed since this page read it: start the program again");
        }
        return {};
      });
}

}  // namespace eigenveil::cli
