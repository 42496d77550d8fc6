#include "data/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter_names.hpp"
#include "data/column_selection.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLargestHeader = std::size_t{1} << 16;

/// The three entries of the dictionary in the header.
struct Description {
  std::optional<std::string> type;
  std::optional<bool> column_major;
  std::optional<std::vector<std::size_t>> shape;
};

/// A strict reader of the one Python literal that can stand in a header. Functions return false or
/// nothing when the text is anything else.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  bool description(Description& found) {
    if (!take('{')) {
      return false;
    }
    while (!take('}')) {
      const std::optional<std::string> key = quoted();
      if (!key || !take(':') || !entry(*key, found)) {
        return false;
      }
      if (!take(',') && !next_is('}')) {
        return false;
      }
    }
    skip_spaces();
    return text_.empty() && found.type && found.column_major && found.shape;
  }
  bool structured() const { return structured_; }

 private:
  bool entry(const std::string& key, Description& found) {
    if (key == "descr" && !found.type) {
      structured_ = next_is('[');
      return (found.type = quoted()).has_value();
    }
    if (key == "fortran_order" && !found.column_major) {
      return (found.column_major = boolean()).has_value();
    }
    if (key == "shape" && !found.shape) {
      return (found.shape = shape()).has_value();
    }
    return false;
  }

  std::optional<std::string> quoted() {
    skip_spaces();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) {
      return std::nullopt;
    }
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string inside(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return inside;
  }

  std::optional<bool> boolean() {
    skip_spaces();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<std::vector<std::size_t>> shape() {
    std::vector<std::size_t> extents;
    if (!take('(')) {
      return std::nullopt;
    }
    while (!take(')')) {
      const std::optional<std::size_t> extent = integer();
      if (!extent) {
        return std::nullopt;
      }
      extents.push_back(*extent);
      if (!take(',') && (!next_is(')') || extents.size() == 1)) {
        return std::nullopt;
      }
    }
    return extents;
  }

  std::optional<std::size_t> integer() {
    skip_spaces();
    std::size_t value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      if (__builtin_mul_overflow(value, std::size_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::size_t>(text_[digits] - '0'), &value)) {
        return std::nullopt;
      }
    }
    text_.remove_prefix(digits);
    return digits > 0 ? std::optional(value) : std::nullopt;
  }

  void skip_spaces() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) {
      text_.remove_prefix(1);
    }
  }
  bool next_is(char wanted) {
    skip_spaces();
    return !text_.empty() && text_[0] == wanted;
  }
  bool take(char wanted) {
    const bool found = next_is(wanted);
    text_.remove_prefix(static_cast<std::size_t>(found));
    return found;
  }

  std::string_view text_;
  bool structured_ = false;
};

struct NumberType {
  std::string_view name;
  NumberKind kind;
  std::size_t bytes;
};

constexpr std::array kNumberTypes = {
    NumberType{"f4", NumberKind::Float, 4},    NumberType{"f8", NumberKind::Float, 8},
    NumberType{"i1", NumberKind::Signed, 1},   NumberType{"i2", NumberKind::Signed, 2},
    NumberType{"i4", NumberKind::Signed, 4},   NumberType{"i8", NumberKind::Signed, 8},
    NumberType{"u1", NumberKind::Unsigned, 1}, NumberType{"u2", NumberKind::Unsigned, 2},
    NumberType{"u4", NumberKind::Unsigned, 4}, NumberType{"u8", NumberKind::Unsigned, 8},
    NumberType{"b1", NumberKind::Boolean, 1},
};

Result<void> set_type(std::string_view type, NpyHeader& header) {
  std::string_view name = type.substr(std::min<std::size_t>(1, type.size()));
  if (name == "c8" || name == "c16") {
    header.complex_pairs = true;
    name = name == "c8" ? "f4" : "f8";
  }
  const auto* found = std::ranges::find(kNumberTypes, name, &NumberType::name);
  const bool ordered = type.starts_with('<') || type.starts_with('>');
  if (found == kNumberTypes.end() || (!ordered && !(type.starts_with('|') && found->bytes == 1))) {
    return bad_request(
        "the array does not hold float32, float64, integers or booleans; save it with "
        "astype('float64').");
  }
  header.kind = found->kind;
  header.item_bytes = found->bytes;
  header.big_endian = type.starts_with('>');
  return {};
}

Result<void> set_shape(const std::vector<std::size_t>& shape, NpyHeader& header) {
  if (shape.empty() || shape.size() > 2) {
    return bad_request(fmt::format(
        "the array has {} dimensions; a table has one row per person and one column per variable.",
        shape.size()));
  }
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  if (header.complex_pairs && header.columns <= kLargestDimension) {
    header.columns *= 2;
  }
  if (header.columns == 0 || header.columns > kLargestDimension) {
    return bad_request(
        fmt::format("the array must have between 1 and {} columns.", kLargestDimension));
  }
  return {};
}

Result<void> check_size(const FileDescriptor& file, const NpyHeader& header) {
  const std::size_t available = file.size().value_or(0) - header.data_offset;
  std::size_t wanted = 0;
  const bool overflow = __builtin_mul_overflow(header.rows, header.columns, &wanted) ||
                        __builtin_mul_overflow(wanted, header.item_bytes, &wanted);
  if (overflow || wanted > available) {
    return bad_request(fmt::format("{} is shorter than its header announces; is it truncated?",
                                   shown(file.path())));
  }
  if (wanted < available) {
    return bad_request(fmt::format("{} is longer than its header announces.", shown(file.path())));
  }
  return {};
}

/// The dictionary text; sets data_offset.
Result<std::string> header_text(const FileDescriptor& file, NpyHeader& header) {
  const auto malformed = [&file] {
    return bad_request(fmt::format("{} is not a valid .npy file.", shown(file.path())));
  };
  std::array<char, 12> prefix = {};
  const Result<std::size_t> got = file.read_at(0, prefix.data(), prefix.size());
  if (!got) {
    return error_of(got);
  }
  const auto byte = [&prefix](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(prefix[i])};
  };
  const std::size_t version = byte(6);
  if (*got < prefix.size() || !std::string_view(prefix.data(), prefix.size()).starts_with(kMagic) ||
      version < 1 || version > 3 || byte(7) != 0) {
    return malformed();
  }
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8U;
  if (version > 1) {
    length |= byte(10) << 16U | byte(11) << 24U;
  }
  if (length > kLargestHeader) {
    return malformed();
  }
  std::string text(length, '\0');
  const Result<std::size_t> filled = file.read_at(start, text.data(), length);
  if (!filled) {
    return error_of(filled);
  }
  if (*filled < length) {
    return malformed();
  }
  header.data_offset = start + length;
  return text;
}

}  // namespace

Result<NpyHeader> read_npy_header(const FileDescriptor& file) {
  if (!file.size()) {
    return bad_request(
        fmt::format("{} is not a regular file, which .npy needs.", shown(file.path())));
  }
  NpyHeader header;
  const Result<std::string> text = header_text(file, header);
  if (!text) {
    return error_of(text);
  }
  Description description;
  LiteralParser parser(*text);
  if (!parser.description(description)) {
    return bad_request(parser.structured()
                           ? "the array has named fields; save a plain two-dimensional array."
                           : fmt::format("{} is not a valid .npy file.", shown(file.path())));
  }
  header.column_major = *description.column_major;
  if (const Result<void> done = set_type(*description.type, header); !done) {
    return error_of(done);
  }
  if (const Result<void> done = set_shape(*description.shape, header); !done) {
    return error_of(done);
  }
  if (const Result<void> done = check_size(file, header); !done) {
    return error_of(done);
  }
  return header;
}

}  // namespace eigenveil::detail
