#include "data/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/parameter_names.hpp"
#include "core/plain_text.hpp"
#include "data/people.hpp"
#include "data/record_cutter.hpp"
#include "data/text_cell.hpp"

namespace eigenveil::detail {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// End of the field at `at`: a delimiter or line feed outside quotes.
const char* field_end(const char* at, char delimiter) {
  bool quoted = false;
  for (;; ++at) {
    if (*at == '"') {
      quoted = !quoted;
    } else if (!quoted && (*at == delimiter || *at == '\n')) {
      return at;
    }
  }
}

std::string_view field_between(const char* begin, const char* end) {
  const bool carriage_return = *end == '\n' && end != begin && end[-1] == '\r';
  return {begin, static_cast<std::size_t>(end - begin) - static_cast<std::size_t>(carriage_return)};
}

bool is_empty_line(const char* at) {
  return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

class RecordParser {
 public:
  RecordParser(const CsvLayout& layout, const RawChunk& chunk, double* values)
      : layout_(layout), chunk_(chunk), values_(values) {}

  Result<void> run() {
    const char* at = chunk_.bytes.data();
    const char* end = at + chunk_.size;
    while (at < end) {
      record_ = at;
      at = parse_record(at);
      if (at == nullptr) {
        return tl::unexpected<Error>(error_);
      }
      values_ += layout_.cells();
      ++rows_;
    }
    return {};
  }
  std::size_t rows() const { return rows_; }

 private:
  /// Returns the start of the next record, or nullptr after filling error_.
  const char* parse_record(const char* at) {
    for (std::size_t cell = layout_.selection.sources.size(); cell < layout_.cells(); ++cell) {
      values_[cell] = kMissing;  // nobody's, unless the record names a person
    }
    const std::vector<std::size_t>& slots = layout_.selection.slots;
    const std::size_t last = slots.size() - 1;
    for (std::size_t field = 0;; ++field) {
      const std::size_t slot = slots[field];
      if (field == layout_.person_field) {
        at = parse_person(at);
      } else if (slot == ColumnSelection::kSkip) {
        at = field_end(at, layout_.delimiter);
      } else {
        at = holds_words(slot) ? parse_word(at, slot) : parse_number(at, slot);
        if (at == nullptr) {
          return nullptr;
        }
      }
      if (field == last) {
        break;
      }
      if (*at == '\n') {
        return pad_record(field + 1) ? at + 1 : nullptr;
      }
      ++at;
    }
    return *at == '\n' ? at + 1 : drop_surplus(at);
  }

  /// A record without a name, or with one whose quotes are misplaced, is nobody's.
  const char* parse_person(const char* at) {
    const char* end = field_end(at, layout_.delimiter);
    const std::string_view field = field_between(at, end);
    std::string_view text;
    if (field_text(field, memory_, text)) {
      hash_person(layout_.person_key, text, values_ + layout_.selection.sources.size());
    }
    return end;
  }

  bool holds_words(std::size_t slot) const {
    return !layout_.words.empty() && !layout_.words[slot].empty();
  }

  const char* parse_number(const char* at, std::size_t slot) {
    const char* next =
        layout_.decimal == 0 ? read_plain_number(at, layout_.delimiter, values_[slot]) : nullptr;
    return next != nullptr ? next : parse_cell(at, slot);
  }

  /// The position in the list, from 1; 0 for a word that is not in it.
  const char* parse_word(const char* at, std::size_t slot) {
    const char* end = field_end(at, layout_.delimiter);
    const std::string_view field = field_between(at, end);
    std::string_view text;
    if (!field_text(field, memory_, text)) {
      return parse_cell(at, slot);  // misplaced quotes
    }
    const std::optional<double> code = layout_.words[slot].code(text);
    if (!code) {
      return parse_cell(at, slot);  // missing
    }
    if (*code == 0.0 && layout_.bad_cell == BadCell::Refuse && !is_utf8(text)) {
      // In another encoding a listed word would be taken for one that is not listed.
      return fail(fmt::format(
          "line {}, column {}: a word that is no UTF-8 (it is not shown). Give {{encoding "
          "latin-1}} if the table is, or count such words as not listed with {{bad_cell "
          "midpoint}}.",
          line(), shown(layout_.selection.schema.columns[slot])));
    }
    values_[slot] = *code;
    return end;
  }

  const char* parse_cell(const char* at, std::size_t slot) {
    const char* end = field_end(at, layout_.delimiter);
    const Cell cell = classify_cell(field_between(at, end), layout_.decimal);
    values_[slot] = cell.kind == CellKind::Number ? cell.value : kMissing;
    if (cell.kind == CellKind::Missing && layout_.missing == MissingCell::Refuse) {
      return refuse_missing(slot);
    }
    if (cell.kind == CellKind::Bad && layout_.bad_cell == BadCell::Refuse) {
      return fail(fmt::format(
          "line {}, column {}: not a number (the value is not shown). Leave the column out with "
          "{{columns}} or {{exclude}}, or count such cells as missing with {{bad_cell midpoint}}; "
          "{{one_hot}} turns words into 0/1 columns, {{decimal comma}} reads decimal commas, "
          "{{decimal point}} commas between thousands.",
          line(), shown(layout_.selection.schema.columns[slot])));
    }
    return end;
  }

  /// A record that ends after `fields` fields.
  bool pad_record(std::size_t fields) {
    const std::vector<std::size_t>& slots = layout_.selection.slots;
    if (layout_.bad_cell == BadCell::Refuse && is_empty_line(record_)) {
      fail(fmt::format(
          "line {} is empty, and every line is a row: remove it, or count its cells as missing "
          "with {{bad_cell midpoint}}.",
          line()));
      return false;
    }
    if (layout_.bad_cell == BadCell::Refuse) {
      fail(fmt::format("line {}: the record has too few fields ({} instead of {}).", line(), fields,
                       slots.size()));
      return false;
    }
    for (std::size_t field = fields; field < slots.size(); ++field) {
      if (slots[field] == ColumnSelection::kSkip) {
        continue;
      }
      values_[slots[field]] = kMissing;
      if (layout_.missing == MissingCell::Refuse) {
        refuse_missing(slots[field]);
        return false;
      }
    }
    return true;
  }

  const char* drop_surplus(const char* at) {
    if (layout_.bad_cell == BadCell::Refuse) {
      return fail(fmt::format("line {}: the record has too many fields (more than {}).", line(),
                              layout_.selection.slots.size()));
    }
    return record_end(at) + 1;
  }

  const char* refuse_missing(std::size_t slot) {
    return fail(fmt::format("line {}, column {}: the value is missing.", line(),
                            shown(layout_.selection.schema.columns[slot])));
  }

  const char* fail(std::string message) {
    error_ = Error{ErrorCode::BadRequest, std::move(message)};
    return nullptr;
  }

  /// Line on which the record starts; counted only when needed.
  std::uint64_t line() const {
    const char* begin = chunk_.bytes.data();
    return chunk_.first_record + count_byte(begin, static_cast<std::size_t>(record_ - begin), '\n');
  }

  const CsvLayout& layout_;
  const RawChunk& chunk_;
  double* values_;
  const char* record_ = nullptr;
  std::size_t rows_ = 0;
  std::string memory_;
  Error error_;
};

}  // namespace

const char* record_end(const char* at) {
  return field_end(at, '\n');
}

std::vector<std::string_view> split_record(const char* at, const char* end, char delimiter) {
  std::vector<std::string_view> fields;
  while (true) {
    const char* stop = field_end(at, delimiter);
    fields.push_back(field_between(at, stop));
    if (stop == end) {
      return fields;
    }
    at = stop + 1;
  }
}

Result<void> parse_records(const CsvLayout& layout, const RawChunk& chunk, RawRows& block) {
  const std::size_t dimension = layout.cells();
  block.rows = 0;
  block.dimension = dimension;
  block.values.resize(chunk.records * dimension);
  RecordParser parser(layout, chunk, block.values.data());
  if (Result<void> parsed = parser.run(); !parsed) {
    return parsed;
  }
  block.rows = parser.rows();
  block.values.resize(block.rows * dimension);
  return {};
}

}  // namespace eigenveil::detail
