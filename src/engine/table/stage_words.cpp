#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/parameter_names.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/scores.hpp"
#include "engine/table/prepared_table.hpp"

namespace eigenveil {
namespace {

FactLine people_in_words(const PeopleLimit& people) {
  return {"people", fmt::format("the first {} row{} of every person in column {} count, and are "
                                "protected together; rows without one are dropped",
                                people.rows, people.rows == 1 ? "" : "s", shown(people.column))};
}

void set_people(const PeopleLimit& people, ReleaseDocument& document) {
  trusted::guarantee_of(document).person = people.column;
  set_field(document.parameters, "person", people.column);
  set_field(document.parameters, "rows_per_person", std::int64_t{people.rows});
}

}  // namespace

void state_people(const PeopleLimit& people, ReleaseDocument& document) {
  if (people.given()) {
    set_people(people, document);
    document.remarks.push_back(people_in_words(people));
  }
}

std::vector<FactLine> PreparedTable::remarks() const {
  std::vector<FactLine> lines;
  if (spec_.project) {
    lines.push_back({"basis", fmt::format("{} public directions of {} columns: nothing outside of "
                                          "their span can show, and shares are of the variance "
                                          "inside",
                                          spec_.project->dimension(), columns_.dimension())});
  }
  if (spec_.normalise_rows) {
    lines.push_back(
        {"rows", fmt::format("every row is scaled to norm 1 about {}: variances are of "
                             "normalised rows, directions are those of the data where it is "
                             "elliptical about that point",
                             spec_.range || spec_.bounds || spec_.center || !frequencies_.empty()
                                 ? "the public centre"
                                 : "zero (give {range} or a public {center} where values do "
                                   "not lie around it)")});
  }
  if (has_people()) {
    lines.push_back(people_in_words(spec_.people()));
  }
  if (spec_.pairwise) {
    lines.push_back(
        {"pairs",
         fmt::format("{} columns are counted pair by pair; constant {:.3g} for their counts, rows "
                     "of norm {:.4g} instead of {:.4g}",
                     counted_->indicated.size(), counted_->constant, bound_.radius(),
                     counted_->bound.radius())});
  }
  if (!spec_.weights.empty()) {
    lines.push_back(
        {"weights", fmt::format("column {}, clipped to 0..{:g}; the row count is the sum "
                                "of weights. Weights that were computed from other "
                                "rows of the table (raking) are not covered",
                                shown(spec_.weights), spec_.weight_bound)});
  }
  return lines;
}

namespace {

/// Rows of a table are directions: in terms of the columns of the data.
void to_columns(ReleasedTable& table, const PublicBasis& basis, const Schema& columns,
                const std::vector<std::string>& directions) {
  if (table.row_names != directions) {
    return;
  }
  if (table.column_names == directions) {
    table.description += " (in coordinates of the public basis)";
    return;
  }
  table.values = basis.directions * table.values;
  table.row_names = columns.columns;
  table.counted_alleles = columns.counted_alleles;
}

}  // namespace

/// What loadings of columns are about, in their units: the mean, which was that of coordinates, and
/// the public ranges.
void PreparedTable::describe_columns(ReleaseDocument& document) const {
  using Numbers = std::vector<double>;
  const auto p = static_cast<Eigen::Index>(columns_.dimension());
  Vector midpoints = Vector::Zero(p);
  for (Eigen::Index j = 0; j < p && !spec_.scaled; ++j) {
    midpoints[j] = cells_.midpoint(static_cast<std::size_t>(j));
  }
  if (const auto* mean = field<Numbers>(document.result, "noisy_mean")) {
    const Vector inside =
        spec_.project->directions * Eigen::Map<const Vector>(mean->data(), std::ssize(*mean));
    const Vector columns = midpoints + inside;
    set_field(document.result, "noisy_mean", Numbers(columns.begin(), columns.end()));
  }
  if (!cells_.has_ranges() || !frequencies_.empty()) {
    set_field(document.parameters, "public_center", Numbers(midpoints.begin(), midpoints.end()));
    return;
  }
  Numbers low;
  Numbers high;
  for (std::size_t j = 0; j < columns_.dimension(); ++j) {
    low.push_back(cells_.midpoint(j) - cells_.half_width(j));
    high.push_back(cells_.midpoint(j) + cells_.half_width(j));
  }
  set_field(document.parameters, "range_low", std::move(low));
  set_field(document.parameters, "range_high", std::move(high));
}

/// Which columns are levels of which column of the table, for whoever reads the same table again.
void PreparedTable::describe_levels(Fields& parameters) const {
  std::vector<std::string> made;
  std::vector<std::string> of;
  for (const Categories& list : levels_) {
    for (std::size_t k = 0; k < list.codes.size(); ++k) {
      made.push_back(level_name(list, k));
      of.push_back(list.column);
    }
  }
  if (!made.empty()) {
    set_field(parameters, kLevelColumns, std::move(made));
    set_field(parameters, kLevelsOf, std::move(of));
  }
}

ReleaseDocument PreparedTable::finish(ReleaseDocument document) const {
  Fields& parameters = document.parameters;
  if (spec_.project) {
    const std::vector<std::string> directions = direction_names(*spec_.project);
    for (ReleasedTable& table : document.tables) {
      to_columns(table, *spec_.project, columns_, directions);
    }
    set_field(parameters, "projected_on",
              fmt::format("a public basis of {} directions of {} columns",
                          spec_.project->dimension(), columns_.dimension()));
    set_field(parameters, "basis_sha256", hex(spec_.project->digest()));
    set_field(parameters, "projected_norm", *spec_.projected_norm);
    if (columns_.fills_gaps) {
      set_field(parameters, "missing_cells",
                std::string("any that are missing count as the public centre of their column, "
                            "before coordinates are made: variances come out too small"));
    }
    if (spec_.outside_norm) {
      set_field(parameters, "outside_norm", *spec_.outside_norm);
    }
    if (document.task == "pca") {
      describe_columns(document);
      set_field(parameters, "columns", columns_.columns);
      if (!columns_.counted_alleles.empty()) {
        set_field(parameters, "counted_alleles", columns_.counted_alleles);
      }
    }
    if (!columns_.allele_frequencies.empty()) {
      set_field(parameters, "allele_frequencies", columns_.allele_frequencies);
      set_field(parameters, "units", std::string("standardised by public frequencies"));
      if (field<std::vector<double>>(document.result, "noisy_mean") == nullptr) {
        set_field(parameters, "center", std::string("public allele frequencies"));
      }
    }
  }
  describe_levels(parameters);
  if (spec_.normalise_rows) {
    set_field(parameters, "units", std::string("rows of norm 1 about the public centre"));
  }
  if (has_people()) {
    set_people(spec_.people(), document);
  }
  if (!spec_.weights.empty()) {
    set_field(parameters, "weights", spec_.weights);
    set_field(parameters, "weight_bound", spec_.weight_bound);
  }
  const std::vector<FactLine> lines = remarks();
  document.remarks.insert(document.remarks.end(), lines.begin(), lines.end());
  if (document.task == "pca" && !spec_.rank_transform &&
      (spec_.normalise_rows || !has_score_units(document))) {
    document.remarks.push_back(
        {"scores",
         "people cannot be drawn on these components: leave out {standardize} and "
         "{normalise_rows} for axes that {on} of scores takes"});
  }
  return document;
}

}  // namespace eigenveil
