#include "cli/sample_data/writers.hpp"

#include <fmt/format.h>

#include <functional>
#include <iterator>

#include "core/atomic_output.hpp"
#include "core/bytes.hpp"
#include "core/npy_header.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Writes what `append_line(i, text)` adds for i = 0 .. lines-1, about a megabyte at a time.
Outcome write_lines(const std::string& path, std::string text, std::int64_t lines,
                    const std::function<void(std::int64_t, std::string&)>& append_line) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return error_of(file);
  }
  for (std::int64_t line = 0; line < lines; ++line) {
    append_line(line, text);
    if (text.size() >= kPiece) {
      if (Outcome written = file->append(text); !written) {
        return written;
      }
      text.clear();
    }
  }
  return file->append(text).and_then([&] { return file->publish(); });
}

}  // namespace

Outcome write_csv(SampleTable& table, std::int64_t rows, const std::string& path, char delimiter) {
  std::string header;
  for (const SampleColumn& column : table.columns()) {
    header += (header.empty() ? "" : std::string(1, delimiter)) + column.name;
  }
  std::vector<double> values(table.columns().size());
  return write_lines(path, header + '\n', rows, [&](std::int64_t, std::string& text) {
    table.next_row(values);
    for (const double value : values) {
      fmt::format_to(std::back_inserter(text), "{}{}", value, delimiter);
    }
    text.back() = '\n';
  });
}

Outcome write_npy(SampleTable& table, std::int64_t rows, const std::string& path) {
  std::vector<double> values(table.columns().size());
  return write_lines(path, npy_header("<f8", {rows, std::ssize(values)}), rows,
                     [&](std::int64_t, std::string& text) {
                       table.next_row(values);
                       ByteWriter bytes;
                       for (const double value : values) {
                         bytes.real(value);
                       }
                       text += bytes.view();
                     });
}

Outcome write_bounds(const SampleTable& table, bool named, const std::string& path) {
  const std::vector<SampleColumn>& columns = table.columns();
  return write_lines(path, "column,low,high\n", static_cast<std::int64_t>(columns.size()),
                     [&](std::int64_t line, std::string& text) {
                       const SampleColumn& column = columns[static_cast<std::size_t>(line)];
                       text += fmt::format("{},{},{}\n",
                                           named ? column.name : fmt::format("c{}", line + 1),
                                           column.low, column.high);
                     });
}

Outcome write_populations(std::int64_t people, const std::string& path) {
  return write_lines(
      path, "person,population\n", people, [people](std::int64_t person, std::string& text) {
        text +=
            fmt::format("person_{},population_{}\n", person + 1, population_of(person, people) + 1);
      });
}

}  // namespace eigenveil::cli
