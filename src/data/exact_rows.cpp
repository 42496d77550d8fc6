#include "data/exact_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "data/column_selection.hpp"
#include "data/csv_header.hpp"
#include "data/text_cell.hpp"
#include "data/text_lines.hpp"
#include "eigenveil/core/cancellation.hpp"
#include "eigenveil/core/integers.hpp"

namespace eigenveil {
namespace {

constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

/// Digits with an optional sign. False if the text is anything else; `cell` goes Beyond when the
/// number does not fit.
bool parse_whole(std::string_view text, std::int64_t& value, ExactCell::Kind& kind) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || value > kLargestExact) {
    kind = ExactCell::Kind::Beyond;
  }
  value = negative ? -value : value;
  return true;
}

/// Times 10^power.
void scale_by_ten(std::int64_t power, ExactCell& cell) {
  for (; power < 0 && cell.numerator % 10 == 0 && cell.numerator != 0; ++power) {
    cell.numerator /= 10;
  }
  if (cell.numerator == 0) {
    return;
  }
  for (; power != 0; power += power < 0 ? 1 : -1) {
    std::int64_t& part = power < 0 ? cell.denominator : cell.numerator;
    part *= 10;
    if (part > kLargestExact || part < -kLargestExact) {
      cell.kind = ExactCell::Kind::Beyond;
      return;
    }
  }
}

/// 12.50 is 1250 / 100, and 1.5e3 is 1500.
bool parse_decimal(std::string_view text, ExactCell& cell) {
  std::int64_t exponent = 0;
  ExactCell::Kind exponent_kind = ExactCell::Kind::Number;
  if (const std::size_t mark = text.find_first_of("eE"); mark != std::string_view::npos) {
    if (!parse_whole(text.substr(mark + 1), exponent, exponent_kind)) {
      return false;
    }
    exponent = std::clamp(exponent, -kLargestExact, kLargestExact);
    text = text.substr(0, mark);
  }
  std::string digits(text);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);  // behind the point zeros say nothing
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
    const bool had_digits = text.find_first_of("0123456789") != std::string_view::npos;
    digits += had_digits && digits.find_first_of("0123456789") == std::string::npos ? "0" : "";
  }
  cell.kind = ExactCell::Kind::Number;
  if (!parse_whole(digits, cell.numerator, cell.kind)) {
    return false;
  }
  if (exponent_kind == ExactCell::Kind::Beyond && cell.numerator != 0) {
    cell.kind = ExactCell::Kind::Beyond;
  }
  if (cell.kind == ExactCell::Kind::Number) {
    scale_by_ten(exponent, cell);
  }
  return true;
}

bool parse_fraction(std::string_view text, std::size_t slash, ExactCell& cell) {
  cell.kind = ExactCell::Kind::Number;
  return parse_whole(text.substr(0, slash), cell.numerator, cell.kind) &&
         parse_whole(text.substr(slash + 1), cell.denominator, cell.kind) && cell.denominator > 0;
}

/// Multiplies a row by the least common denominator; empty when it leaves 64 bits.
std::vector<std::int64_t> clear_denominators(const std::vector<ExactCell>& cells) {
  Int128 common = 1;
  for (const ExactCell& cell : cells) {
    common =
        common / std::gcd(static_cast<std::int64_t>(common), cell.denominator) * cell.denominator;
    if (common > kLargestExact) {
      return {};
    }
  }
  std::vector<std::int64_t> point;
  for (const ExactCell& cell : cells) {
    const Int128 value = cell.numerator * (common / cell.denominator);
    if (value > kLargestExact || value < -kLargestExact) {
      return {};
    }
    point.push_back(static_cast<std::int64_t>(value));
  }
  return point;
}

/// At delimiters outside quotes.
std::vector<std::string_view> split(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    quoted = quoted != (line[at] == '"');
    if (!quoted && line[at] == delimiter) {
      fields.push_back(line.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  fields.push_back(line.substr(begin));
  return fields;
}

class ExactTextTable {
 public:
  ExactTextTable(const ReadOptions& options, bool affine, char delimiter)
      : options_(options), affine_(affine), delimiter_(delimiter) {}

  Result<ExactRows> read(detail::TextLines lines) {
    std::string_view line;
    while (true) {
      stop_if_cancelled();
      const Result<bool> more = lines.next(line);
      if (!more) {
        return error_of(more);
      }
      if (!*more) {
        return std::move(rows_);
      }
      // In a table of one column an empty line is a row whose cell is missing.
      if (width_ != 1 && line.find_first_not_of(" \t") == std::string_view::npos) {
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
    if (width_ == 0) {
      if (const Result<void> plausible = detail::check_separator(line, delimiter_);
          !plausible && options_.separator == 0) {
        return plausible;
      }
      const bool named = options_.header == ReadOptions::Header::Present ||
                         (options_.header == ReadOptions::Header::Auto && good == 0);
      if (!named && options_.header == ReadOptions::Header::Auto && good < cells.size()) {
        return bad_request(
            "the first line mixes names and numbers; say --header present or --header absent");
      }
      if (const Result<void> selected = name_columns(fields, named); !selected) {
        return selected;
      }
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

  Result<void> name_columns(const std::vector<std::string_view>& fields, bool named) {
    return detail::read_header(fields,
                               named ? ReadOptions::Header::Present : ReadOptions::Header::Absent)
        .and_then([&](const detail::CsvHeader& header) {
          return detail::select_columns(header.names, options_.columns);
        })
        .map([&](detail::ColumnSelection selection) {
          width_ = fields.size();
          rows_.schema = selection.schema;
          sources_ = std::move(selection.sources);
        });
  }

  Result<void> add(const std::vector<ExactCell>& cells, std::size_t number) {
    bool usable = true;
    std::vector<ExactCell> selected;
    for (const std::size_t column : sources_) {
      selected.push_back(cells[column]);
      const ExactCell::Kind kind = cells[column].kind;
      usable = usable && kind == ExactCell::Kind::Number;
      if ((kind == ExactCell::Kind::Missing && options_.missing == MissingCell::Refuse) ||
          (kind == ExactCell::Kind::Bad && options_.bad_cell == BadCell::Refuse)) {
        return bad_request(fmt::format(
            "line {}, column {} holds no whole number, fraction or decimal", number, column + 1));
      }
    }
    if (affine_) {
      selected.push_back({ExactCell::Kind::Number, 1, 1});
    }
    rows_.points.push_back(usable ? clear_denominators(selected) : std::vector<std::int64_t>());
    return {};
  }

  ReadOptions options_;
  bool affine_;
  char delimiter_;
  std::size_t width_ = 0;  ///< 0: nothing was read
  std::vector<std::size_t> sources_;
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
  const bool number = slash == std::string_view::npos ? parse_decimal(text, cell)
                                                      : parse_fraction(text, slash, cell);
  if (!number) {
    const bool missing = detail::classify_cell(field).kind == detail::CellKind::Missing;
    cell = {missing ? ExactCell::Kind::Missing : ExactCell::Kind::Bad, 0, 1};
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
        } else if ((std::isinf(value) || std::trunc(value) != value) && !std::isnan(value) &&
                   bad_cell == BadCell::Refuse) {
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
  return detail::TextLines::open(input).and_then([&](detail::TextLines lines) {
    const char usual = name.ends_with(".tsv") ? '\t' : ',';
    return ExactTextTable(options, affine, options.separator != 0 ? options.separator : usual)
        .read(std::move(lines));
  });
}

}  // namespace eigenveil
