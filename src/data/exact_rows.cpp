#include "eigenveil/data/exact_rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numeric>

#include "eigenveil/core/integers.hpp"
#include "text_cell.hpp"
#include "text_lines.hpp"

namespace eigenveil {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

bool parse_whole(std::string_view text, std::int64_t& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  return stopped == end && failure == std::errc() && value >= -kLargest && value <= kLargest;
}

/// 12.50 is 1250 / 100.
bool parse_decimal(std::string_view text, ExactCell& cell) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) {
    return false;
  }
  const std::string digits =
      std::string(text.substr(0, point)) + std::string(text.substr(point + 1));
  const std::size_t places = text.size() - point - 1;
  if (places > 15 || digits.empty() || digits == "-" || digits == "+" ||
      !parse_whole(digits, cell.numerator)) {
    return false;
  }
  for (std::size_t i = 0; i < places; ++i) {
    cell.denominator *= 10;
  }
  return true;
}

/// Multiplies a row by the least common denominator; empty when it leaves 64 bits.
std::vector<std::int64_t> clear_denominators(const std::vector<ExactCell>& cells) {
  Int128 common = 1;
  for (const ExactCell& cell : cells) {
    common =
        common / std::gcd(static_cast<std::int64_t>(common), cell.denominator) * cell.denominator;
    if (common > kLargest) {
      return {};
    }
  }
  std::vector<std::int64_t> point;
  for (const ExactCell& cell : cells) {
    const Int128 value = cell.numerator * (common / cell.denominator);
    if (value > kLargest || value < -kLargest) {
      return {};
    }
    point.push_back(static_cast<std::int64_t>(value));
  }
  return point;
}

std::vector<std::string_view> split(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(delimiter);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      return fields;
    }
    line.remove_prefix(end + 1);
  }
}

class ExactTextTable {
 public:
  ExactTextTable(const ReadOptions& options, bool affine, char delimiter)
      : options_(options), affine_(affine), delimiter_(delimiter) {}

  Result<ExactRows> read(detail::TextLines lines) {
    std::string_view line;
    while (true) {
      const Result<bool> more = lines.next(line);
      if (!more) {
        return error_of(more);
      }
      if (!*more) {
        return std::move(rows_);
      }
      if (line.find_first_not_of(" \t") == std::string_view::npos) {
        continue;
      }
      if (const Result<void> taken = take(line, lines.number()); !taken) {
        return error_of(taken);
      }
    }
  }

 private:
  Result<void> take(std::string_view line, std::size_t number) {
    std::vector<ExactCell> cells;
    const std::vector<std::string_view> fields = split(line, delimiter_);
    std::size_t good = 0;
    for (const std::string_view field : fields) {
      cells.push_back(parse_exact_cell(field));
      good += cells.back().kind == ExactCell::Kind::Bad ? 0 : 1;
    }
    if (rows_.schema.columns.empty()) {
      const bool named = options_.header == ReadOptions::Header::Present ||
                         (options_.header == ReadOptions::Header::Auto && good == 0);
      if (!named && options_.header == ReadOptions::Header::Auto && good < cells.size()) {
        return bad_request(
            "the first line mixes names and numbers; say --header present or --header absent");
      }
      name_columns(fields, named);
      if (named) {
        return {};
      }
    }
    if (cells.size() != width_) {
      return bad_request(
          fmt::format("line {} has {} fields instead of {}", number, cells.size(), width_));
    }
    return add(cells, number);
  }

  void name_columns(const std::vector<std::string_view>& fields, bool named) {
    width_ = fields.size();
    for (std::size_t i = 0; i < width_; ++i) {
      rows_.schema.columns.push_back(named ? std::string(fields[i]) : fmt::format("c{}", i + 1));
    }
  }

  Result<void> add(std::vector<ExactCell>& cells, std::size_t number) {
    bool usable = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].kind == ExactCell::Kind::Number) {
        continue;
      }
      usable = false;
      const bool missing = cells[i].kind == ExactCell::Kind::Missing;
      if (missing ? options_.missing == MissingCell::Refuse
                  : options_.bad_cell == BadCell::Refuse) {
        return bad_request(
            fmt::format("line {}, column {} holds no whole number or fraction", number, i + 1));
      }
    }
    if (affine_) {
      cells.push_back({ExactCell::Kind::Number, 1, 1});
    }
    rows_.points.push_back(usable ? clear_denominators(cells) : std::vector<std::int64_t>());
    return {};
  }

  ReadOptions options_;
  bool affine_;
  char delimiter_;
  std::size_t width_ = 0;
  ExactRows rows_;
};

}  // namespace

ExactCell parse_exact_cell(std::string_view field) {
  ExactCell cell;
  std::string memory;
  std::string_view text;
  if (!detail::field_text(field, memory, text)) {
    return cell;
  }
  const std::size_t slash = text.find('/');
  const bool number = slash == std::string_view::npos
                          ? parse_whole(text, cell.numerator) || parse_decimal(text, cell)
                          : parse_whole(text.substr(0, slash), cell.numerator) &&
                                parse_whole(text.substr(slash + 1), cell.denominator) &&
                                cell.denominator > 0;
  if (number) {
    cell.kind = ExactCell::Kind::Number;
  } else if (detail::classify_cell(field).kind == detail::CellKind::Missing) {
    cell.kind = ExactCell::Kind::Missing;
  }
  return cell;
}

Result<ExactRows> read_exact_rows(RowReader& reader, BadCell bad_cell, bool affine) {
  ExactRows rows{reader.schema(), {}};
  RawRows block;
  while (true) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return rows;
    }
    for (std::size_t r = 0; r < block.rows; ++r) {
      std::vector<std::int64_t> point;
      for (std::size_t c = 0; c < block.dimension; ++c) {
        const double value = block.values[r * block.dimension + c];
        if (std::abs(value) <= 0x1p53 && std::trunc(value) == value) {
          point.push_back(static_cast<std::int64_t>(value));
        } else if (!std::isnan(value) && bad_cell == BadCell::Refuse) {
          return bad_request(
              fmt::format("row {}, column {} is no whole number", rows.points.size() + 1, c + 1));
        }
      }
      if (point.size() < block.dimension) {
        point.clear();
      } else if (affine) {
        point.push_back(1);
      }
      rows.points.push_back(std::move(point));
    }
  }
}

Result<ExactRows> read_exact_rows(const std::string& input, const ReadOptions& options,
                                  bool affine) {
  const std::string name = input.ends_with(".gz") ? input.substr(0, input.size() - 3) : input;
  const bool text = name == "-" || name.ends_with(".csv") || name.ends_with(".tsv");
  if (!text) {
    return open_rows(input, options).and_then([&](const std::unique_ptr<RowReader>& reader) {
      return read_exact_rows(*reader, options.bad_cell, affine);
    });
  }
  if (!options.columns.empty()) {
    return bad_request(
        "--columns is not available for exact points in text; write the table with "
        "the columns wanted");
  }
  return detail::TextLines::open(input).and_then([&](detail::TextLines lines) {
    return ExactTextTable(options, affine, name.ends_with(".tsv") ? '\t' : ',')
        .read(std::move(lines));
  });
}

}  // namespace eigenveil
