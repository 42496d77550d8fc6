#include "data/exact_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "data/text_cell.hpp"
#include "data/text_table.hpp"
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

detail::CellKind kind_of(std::string_view field) {
  switch (parse_exact_cell(field).kind) {
    case ExactCell::Kind::Missing:
      return detail::CellKind::Missing;
    case ExactCell::Kind::Bad:
      return detail::CellKind::Bad;
    default:
      return detail::CellKind::Number;
  }
}

class ExactTextTable {
 public:
  ExactTextTable(const detail::CsvLayout& layout, bool affine) : layout_(layout), affine_(affine) {
    rows_.schema = layout.selection.schema;
  }

  Result<void> take(const RawChunk& chunk) {
    const char* at = chunk.bytes.data();
    const char* end = at + chunk.size;
    std::uint64_t line = chunk.first_record;
    while (at < end) {
      const char* stop = detail::record_end(at);
      const Result<void> added = add(detail::split_record(at, stop, layout_.delimiter), line);
      if (!added) {
        return added;
      }
      line += detail::count_byte(at, static_cast<std::size_t>(stop + 1 - at), '\n');
      at = stop + 1;
    }
    return {};
  }
  ExactRows rows() && { return std::move(rows_); }

 private:
  Result<void> add(const std::vector<std::string_view>& fields, std::uint64_t line) {
    const std::size_t width = layout_.selection.slots.size();
    if (fields.size() != width && layout_.bad_cell == BadCell::Refuse) {
      return bad_request(
          fmt::format("line {} has {} fields instead of {}", line, fields.size(), width));
    }
    std::vector<ExactCell> cells;
    bool usable = true;
    for (const std::size_t column : layout_.selection.sources) {
      const ExactCell cell = column < fields.size() ? parse_exact_cell(fields[column])
                                                    : ExactCell{ExactCell::Kind::Missing, 0, 1};
      usable = usable && cell.kind == ExactCell::Kind::Number;
      if ((cell.kind == ExactCell::Kind::Missing && layout_.missing == MissingCell::Refuse) ||
          (cell.kind == ExactCell::Kind::Bad && layout_.bad_cell == BadCell::Refuse)) {
        return bad_request(fmt::format(
            "line {}, column {} holds no whole number, fraction or decimal", line, column + 1));
      }
      cells.push_back(cell);
    }
    if (affine_) {
      cells.push_back({ExactCell::Kind::Number, 1, 1});
    }
    rows_.points.push_back(usable ? clear_denominators(cells) : std::vector<std::int64_t>());
    return {};
  }

  const detail::CsvLayout& layout_;
  bool affine_;
  ExactRows rows_;
};

Result<ExactRows> read_exact_text(detail::TextTable table, bool affine) {
  ExactTextTable exact(table.layout(), affine);
  RawChunk chunk;
  while (true) {
    stop_if_cancelled();
    const Result<bool> more = table.next(chunk);
    if (!more) {
      return error_of(more);
    }
    if (!*more) {
      return std::move(exact).rows();
    }
    if (const Result<void> taken = exact.take(chunk); !taken) {
      return error_of(taken);
    }
  }
}

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
  if (options.decimal != 0) {
    return bad_request("exact rows are read with a decimal point; leave out {decimal}.", "decimal");
  }
  std::optional<Result<detail::TextSource>> text =
      detail::open_text_source(input, options.encoding);
  if (!text) {
    return open_rows(input, options).and_then([&](const std::unique_ptr<RowReader>& reader) {
      return read_exact_rows(*reader, options.bad_cell, affine);
    });
  }
  return std::move(*text)
      .and_then([&](detail::TextSource source) {
        return detail::TextTable::open(std::move(source.bytes), source.delimiter, options, kind_of);
      })
      .and_then([&](detail::TextTable table) { return read_exact_text(std::move(table), affine); });
}

}  // namespace eigenveil
