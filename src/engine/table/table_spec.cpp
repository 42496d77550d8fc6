#include "engine/table/table_spec.hpp"

#include "data/one_hot.hpp"

namespace eigenveil {
namespace {

constexpr const char* kMissingBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain, "
    "and reading it off the data would leak. Give what you know without looking: {range LO:HI}, "
    "{bounds FILE} (per column; eigenveil bounds template INPUT writes one to fill in), or "
    "{row_norm R}";

Result<void> check_standardised(const TableSpec& spec) {
  const bool genotypes = !spec.range || (spec.range->low == 0.0 && spec.range->high == 2.0);
  if (spec.bounds || spec.center || !genotypes) {
    return bad_request(
        "{allele_frequencies} centres and scales genotypes itself; give {range 0:2} or {row_norm "
        "R} beside it, and leave out {bounds} and a public {center}",
        "allele_frequencies");
  }
  if (spec.grid == 1) {
    return bad_request(
        "{grid 1} would round standardised genotypes to zero; leave {grid} out beside "
        "{allele_frequencies}",
        "grid");
  }
  return {};
}

}  // namespace

std::vector<std::string> TableSpec::bounded_columns() const {
  std::vector<std::string> names;
  for (const NamedRange& one : bounds.value_or(std::vector<NamedRange>())) {
    names.push_back(one.column);
  }
  return names;
}

Result<void> TableSpec::check() const {
  if (!bounded()) {
    return bad_request(kMissingBound, "row_norm");
  }
  if (rank_transform) {
    if (range || bounds || allele_frequencies || center) {
      return bad_request(
          "{rank_transform} needs no range: leave out {range}, {bounds}, {allele_frequencies} and "
          "a public {center}",
          "rank_transform");
    }
    return {};
  }
  if (allele_frequencies) {
    return check_standardised(*this);
  }
  if (range && bounds) {
    return bad_request("give {range} or {bounds}, not both", "range");
  }
  return {};
}

Result<ReadOptions> read_options(const TableSpec& spec, ReadOptions format) {
  format.columns = spec.columns;
  format.exclude = spec.exclude;
  format.missing = spec.missing;
  format.bad_cell = spec.bad_cell;
  format.bounded_columns = spec.range ? std::vector<std::string>() : spec.bounded_columns();
  for (const WordList& list : spec.one_hot) {
    const Result<Categories> levels = categories_of(list.column, list.words);
    if (!levels) {
      return error_of(levels);
    }
    if (!levels->names.empty()) {
      format.words.push_back({levels->column, levels->names});
    }
  }
  return format;
}

}  // namespace eigenveil
