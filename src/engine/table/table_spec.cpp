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

Result<void> check_stages(const TableSpec& spec) {
  if (spec.project && !spec.projected_norm) {
    return bad_request(
        "{project} needs {projected_norm R}, the norm that rows have inside of the basis at most; "
        "longer ones are scaled down to it. Take it from public people that the basis was not "
        "made from, their median or a high quantile, never from the table",
        "projected_norm");
  }
  if (spec.projected_norm && !spec.project) {
    return bad_request("{projected_norm} goes with {project}", "projected_norm");
  }
  if (spec.outside_norm && !spec.project) {
    return bad_request("{outside_norm} goes with {project}", "outside_norm");
  }
  if (spec.outside_norm && !(*spec.outside_norm >= 1e-120 && *spec.outside_norm <= 1e120)) {
    return bad_request("{outside_norm} must be a positive number between 1e-120 and 1e120",
                       "outside_norm");
  }
  if (spec.outside_norm && spec.counts_inside()) {
    return bad_request(
        "{outside_norm} goes with neither {weights} nor, under replace-one, {person}: their rows "
        "have columns of their own",
        "outside_norm");
  }
  if (spec.project && spec.normalise_rows) {
    return bad_request("give {project} or {normalise_rows}, not both", "project");
  }
  if ((spec.project || spec.normalise_rows) && spec.row_norm) {
    return bad_request(spec.project
                           ? "rows inside of a basis are bounded by {projected_norm}; leave out "
                             "{row_norm}"
                           : "{normalise_rows} scales every row to norm 1; leave out {row_norm}",
                       "row_norm");
  }
  if (spec.pairwise && (spec.project || spec.normalise_rows || spec.rank_transform ||
                        spec.allele_frequencies || spec.missing == MissingCell::Refuse)) {
    return bad_request(
        "{missing pairwise} counts which cells of a column are there; leave out {project}, "
        "{normalise_rows}, {rank_transform} and {allele_frequencies}, which mix or fill them",
        "missing");
  }
  if (spec.rank_transform &&
      (spec.project || spec.normalise_rows || !spec.weights.empty() || !spec.person.empty())) {
    return bad_request("{rank_transform} goes with no other stage", "rank_transform");
  }
  return {};
}

Result<void> check_people(const TableSpec& spec) {
  if (spec.person.empty() != (spec.rows_per_person == 0)) {
    return bad_request(
        "{person} and {rows_per_person G} go together: the first G rows of every person are kept, "
        "and noise hides G rows",
        "rows_per_person");
  }
  if (spec.weights.empty() != (spec.weight_bound == 0.0)) {
    return bad_request(
        "{weights} and {weight_bound W} go together: weights are clipped to 0..W, and noise hides "
        "a row that counts W times",
        "weight_bound");
  }
  if (!spec.weights.empty() && !(spec.weight_bound >= 1e-6 && spec.weight_bound <= 1e12)) {
    return bad_request("{weight_bound} must be a number from 1e-6 to 1e12", "weight_bound");
  }
  if (!spec.weights.empty() && (spec.allele_frequencies || spec.weights == spec.person)) {
    return bad_request("{weights} is a column of its own, and goes with no {allele_frequencies}",
                       "weights");
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
  if (const Result<void> sound = check_stages(*this); !sound) {
    return sound;
  }
  if (!bounded()) {
    return bad_request(kMissingBound, "row_norm");
  }
  if (const Result<void> sound = check_people(*this); !sound) {
    return sound;
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

Result<ReadOptions> read_options(const TableSpec& spec, ReadOptions format, bool is_text) {
  // A basis with names says which columns it is for.
  format.columns = spec.columns.empty() && spec.project ? spec.project->columns : spec.columns;
  if (!spec.weights.empty()) {
    format.appended.push_back(spec.weights);
  }
  if (is_text) {
    format.person = spec.person;
    format.person_key = spec.person_key;
  } else if (!spec.person.empty()) {
    format.appended.push_back(spec.person);
  }
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
