#pragma once

#include <memory>
#include <string>

#include "data/people.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// People in a histogram: the first `rows` of everybody count, and a person is protected with all
/// of them. A person adds at most that many to the cells of a histogram, and takes nobody else's
/// rows along. Proof: docs/proofs/histograms.md, Claim 1.
struct CountedPeople {
  std::string column = {};  ///< that says whose a row is; empty: single rows are protected
  std::uint32_t rows = 0;   ///< of everybody
  BadCell untold = BadCell::Refuse;

  bool given() const { return !column.empty(); }
};

/// Those that a table was described with.
CountedPeople counted_people(const TableSpec& spec);

/// How many rows are protected together: those of a person, or `group_size` where nobody is one.
Result<int> rows_together(const CountedPeople& people, Relation relation, int group_size);

/// The columns of a reader without those that say whose a row is.
Result<Schema> without_person(const CountedPeople& people, Schema read);

/// The first rows of everybody; the table as it stands where nobody is a person.
Result<std::unique_ptr<RowReader>> rows_of_people(const CountedPeople& people,
                                                  std::unique_ptr<RowReader> table);

/// States them in a release.
void describe_people(const CountedPeople& people, ReleaseDocument& document);

}  // namespace eigenveil
