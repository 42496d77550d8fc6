#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/cell_word.hpp"
#include "data/column_selection.hpp"
#include "data/open.hpp"
#include "data/people.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

/// What parsing needs to know about a text table.
struct CsvLayout {
  char delimiter = ',';
  ColumnSelection selection;
  BadCell bad_cell = BadCell::Refuse;
  MissingCell missing = MissingCell::Midpoint;
  std::vector<PublicWords> words = {};  ///< per selected column; empty: numbers only
  /// Field that names the person of a record, kSkip: none; its hash fills the last cells of a row.
  std::size_t person_field = ColumnSelection::kSkip;
  HashKey person_key = {};
  char decimal = 0;  ///< as declared (ReadOptions)
  std::size_t cells() const {
    return selection.sources.size() + (person_field == ColumnSelection::kSkip ? 0 : kHashedCells);
  }
};

/// End of the record at `at`: its line feed outside quotes. There must be one.
const char* record_end(const char* at);
/// The fields of one record, which ends at `end`, as they stand in the text.
std::vector<std::string_view> split_record(const char* at, const char* end, char delimiter);

/// Turns a chunk of whole records into numbers.
Result<void> parse_records(const CsvLayout& layout, const RawChunk& chunk, RawRows& block);

}  // namespace eigenveil::detail
