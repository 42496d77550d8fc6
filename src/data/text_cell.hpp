#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eigenveil::detail {

enum class CellKind : std::uint8_t { Number, Missing, Bad };

struct Cell {
  CellKind kind = CellKind::Bad;
  double value = 0.0;  ///< of a Number
};

/// Without spaces around it.
std::string_view trimmed(std::string_view text);
/// Empty, NA, N/A, NaN, null or ?, in any case.
bool is_missing_token(std::string_view text);

/// The text of a field without quotes and surrounding spaces; false if its quotes are misplaced.
/// `memory` holds the text when quotes were doubled.
bool field_text(std::string_view field, std::string& memory, std::string_view& text);

/// A finite decimal number, a missing token, or neither.
Cell classify_cell(std::string_view field);

/// The same where a decimal mark was declared, ',' or '.' (ReadOptions::decimal); 0: as above.
Cell classify_cell(std::string_view field, char decimal);

/// Reads the common case in one pass: a plain decimal number at `at` that ends where the field
/// does (`delimiter`, LF or CRLF). Returns the position of the delimiter or LF, or nullptr if the
/// field is anything else, including numbers that need more care. A LF must follow
/// somewhere, and eight more bytes must be readable.
const char* read_plain_number(const char* at, char delimiter, double& value);

}  // namespace eigenveil::detail
