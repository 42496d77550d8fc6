#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/keyed_hash.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A text column whose cells are words: the public list is all that is recognised.
struct WordColumn {
  std::string column;
  std::vector<std::string> words;
};

/// Of the bytes of a text table.
enum class TextEncoding : unsigned char { Utf8, Latin1, Utf16 };

/// How a file is to be read; everything here is public.
struct ReadOptions {
  std::vector<std::string> columns;       ///< selection by name, in this order; empty: all
  std::vector<std::string> exclude = {};  ///< of those, left out
  /// Further columns of numbers, after the others and not among them.
  std::vector<std::string> appended = {};
  /// Text tables: the column that names the person of a row. It is not among the others; after all
  /// of them come kHashedCells columns (data/people.hpp) with the hash of the cell under `key`,
  /// missing where the cell is missing.
  std::string person = {};
  HashKey person_key = {};
  BadCell bad_cell = BadCell::Refuse;
  MissingCell missing = MissingCell::Midpoint;
  /// Text tables. Auto: the first record is a header if no field of it is a number and at least one
  /// is a name (neither a number nor a missing token); it is data if every field is a number or
  /// missing; a mixture is refused, because taking a row for names would publish its cells.
  /// Present: names, and refused where a field is a number, unless `columns` or `bounded_columns`
  /// say the same names. Numbers: names, whatever they look like.
  enum class Header : unsigned char { Auto, Present, Absent, Numbers } header = Header::Auto;
  /// Text tables, Header::Absent: fields per record; 0: those of the first record. The number of
  /// columns is published, so with BadCell::Midpoint no row is asked: `width` is given, or it is
  /// what the names c1, c2, ... in `columns` (else in `bounded_columns`) reach to.
  std::size_t width = 0;
  std::vector<std::string> bounded_columns;  ///< public names from elsewhere, as a bounds file
  char separator = 0;             ///< text tables: between fields; 0: comma, or tab for .tsv
  std::vector<WordColumn> words;  ///< text tables: cells read as 1, 2, ... of the list, 0 otherwise
  /// Text tables: the decimal mark where it was declared, ',' or '.'. Digits before it may then be
  /// in groups of three (1.234,5 or 1,234.5; also by spaces and apostrophes), and with ',' the
  /// usual separator of .csv is a semicolon. 0: a point, without groups.
  char decimal = 0;
  TextEncoding encoding = TextEncoding::Utf8;
  std::size_t chunk_bytes = 0;  ///< bytes per chunk; 0: the reader picks (tests move boundaries)
};

/// The words of every face for it, in the order of the values; nothing for another word.
constexpr std::array<const char*, 4> kHeaderWords = {"auto", "present", "absent", "numbers"};
std::optional<ReadOptions::Header> parse_header(std::string_view word);

/// Opens a table by the ending of its name: .csv .tsv .txt (.gz; .txt with tabs like .tsv), .npy,
/// .bed (PLINK, with .bim and .fam beside it), .idx or -ubyte (IDX, also .gz), or "-" (CSV on
/// standard input).
///
/// Text tables (RFC 4180, UTF-8 with or without byte order mark, LF or CRLF):
///  - A line feed ends a record, and the delimiter a field, where the number of quotes before it is
///    even. A field is plain, or wholly quoted with inner quotes doubled; any other use of a quote
///    makes a bad cell. Spaces around a field are dropped.
///  - Missing: empty, NA, N/A, NaN, null, ? in any case. A number is decimal and finite; any other
///    text, an infinity and an overflow are bad cells. Only selected columns are looked at.
///  - A column of `words` holds text: the position in the list from 1, or 0 for any other word.
///  - Without a header, or where a name is empty, columns are called c1, c2, ...
///  - Every record is a row, whatever it holds, so that no cell has a say in the number of rows. A
///    line feed ends a record: the last one may lack it, and nothing follows it. An empty line is a
///    record of one empty field: a missing cell in a table of one column, a record with too few
///    fields in any other. A table without rows is a table.
///  - A record with too few or too many fields is refused; with BadCell::Midpoint absent fields are
///    missing and surplus ones ignored.
/// Arrays (.npy, one or two dimensions): columns are called c1, c2, ...; NaN is missing, an
/// infinity is a bad cell. IDX arrays likewise: the first dimension counts rows, the others are
/// flattened. Genotypes (.bed): people are rows, variants columns, a cell is the number of copies
/// of the .bim file's allele 1 (0, 1, 2); docs/formats.md says how variants are named. A damaged
/// file (an unclosed quote, a record over 64 MiB, a truncated or corrupt archive) is an error
/// whatever the options. Messages name line and column, never a value.
Result<std::unique_ptr<RowReader>> open_rows(const std::string& input, const ReadOptions& options);

/// Whether a table of this name is text, whose cells may be words and names of people.
bool is_text_table(const std::string& input);

/// The largest k among names c<k>, as columns without a header are called; 0 if a name is none.
std::size_t width_of_names(const std::vector<std::string>& names);

}  // namespace eigenveil
