#include "audit/stage_cases.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "audit/moment_pair.hpp"
#include "data/array_rows.hpp"
#include "data/counted_rows.hpp"
#include "data/people.hpp"
#include "data/projection.hpp"
#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kColumns = 3;
constexpr double kFar = 1e6;  ///< cells that no stage may let through as they are
constexpr double kWeightBound = 4.0;

using Row = std::vector<double>;
using Stage = std::function<std::unique_ptr<RowReader>(std::unique_ptr<RowReader>)>;

/// A stage in front of the exact pass, the bound of what leaves it, and two rows at its ends: the
/// victim's, and the one that moves the statistic farthest from it.
struct StagedTable {
  std::string name;
  Stage stage;
  RowBound bound;
  Extension extension = Extension::None;
  Row victim;
  Row other;
  std::vector<Mutant> mutants;  ///< by what they spend

  ExactGram gram(const Row& row) const {
    Row cells = {0.1, 0.2, 0.0};  // somebody else
    cells.insert(cells.end(), row.begin(), row.end());
    std::unique_ptr<RowReader> reader =
        stage(*read_array({cells.data(), cells.size() / kColumns, kColumns, kColumns * 8, 8},
                          Schema{{"x", "y", "z"}}, BadCell::Midpoint, MissingCell::Midpoint));
    GramAccumulator totals(reader->schema(), bound, 1);
    (void)totals.add(*reader);
    return *totals.finish();
  }
};

RowBound unit_ball(std::size_t columns) {
  return *RowBound::row_norm(columns, 1.0);
}

/// Rows (c, c m, x) in three columns of norm 1: (c, x) of two rows that are orthogonal.
StagedTable pairwise_table() {
  const RowBound cells = unit_ball(kColumns);
  const CountedBound made =
      *counted_bound(cells, {.constant = 0.4, .indicated = {0, 1}}, RowBound::kDefaultMaxAbs);
  const double c2 = made.rows.constant * made.rows.constant;
  const double norm2 = 1.0 + 3.0 * c2;
  const double cosine = -3.0 * c2;
  return {"pairwise",
          [=](std::unique_ptr<RowReader> rows) {
            return count_rows_inside(std::move(rows), cells, made.rows);
          },
          made.bound,
          Extension::Indicators,
          {kFar, 0.0, 0.0},
          {kFar * cosine, kFar * std::sqrt(1.0 - cosine * cosine), 0.0},
          {{"indicators left out of the norm", norm2 / (1.0 + c2)}}};
}

/// The last column is the weight, nine where four is the most.
StagedTable weighted_table() {
  const RowBound cells = unit_ball(kColumns - 1);
  const CountedBound made =
      *counted_bound(cells, {.constant = 0.5, .weight_bound = kWeightBound, .weighted = true},
                     RowBound::kDefaultMaxAbs);
  const double cosine = -made.rows.constant * made.rows.constant;
  return {"weights",
          [=](std::unique_ptr<RowReader> rows) {
            return count_rows_inside(std::move(rows), cells, made.rows);
          },
          made.bound,
          Extension::None,
          {kFar, 0.0, 9.0},
          {kFar * cosine, kFar * std::sqrt(1.0 - cosine * cosine), 9.0},
          {{"noise for weight 1", kWeightBound}}};
}

StagedTable projected_table() {
  const RowBound cells = unit_ball(kColumns);
  PublicBasis basis;
  basis.directions = Matrix::Zero(kColumns, 2);
  basis.directions(0, 0) = 1.0;
  basis.directions(1, 1) = 0.6;
  basis.directions(2, 1) = 0.8;
  return {"projection",
          [=](std::unique_ptr<RowReader> rows) {
            return project_rows(std::move(rows), cells, false, basis);
          },
          unit_ball(2),
          Extension::None,
          {kFar, 0.0, 0.0},
          {0.0, 0.0, kFar},
          {{"coordinates of twice the norm let in", 4.0}}};
}

/// Coordinates (x, y) of norm 1 and, as a third column, what lies outside of them, of norm 1: two
/// rows (1, 0, c) and (-c^2, sqrt(1 - c^4), c) are orthogonal and as long as any.
StagedTable outside_table() {
  const RowBound cells = unit_ball(kColumns);
  const OutsideColumn outside{1.0, 1.0, std::sqrt(kOutsideShare)};
  PublicBasis basis;
  basis.directions = Matrix::Identity(kColumns, 2);
  const double cosine = -kOutsideShare;
  return {"what a basis leaves out",
          [=](std::unique_ptr<RowReader> rows) {
            return project_rows(std::move(rows), cells, false, basis, outside);
          },
          *RowBound::row_norm(kColumns, std::sqrt(1.0 + kOutsideShare)),
          Extension::None,
          {kFar, 0.0, kFar},
          {kFar * cosine, kFar * std::sqrt(1.0 - cosine * cosine), kFar},
          {{"three times the norm outside let in",
            (1.0 + 9.0 * kOutsideShare) / (1.0 + kOutsideShare)}}};
}

StagedTable normalised_table() {
  const RowBound cells = unit_ball(kColumns);
  return {"rows of norm 1",
          [=](std::unique_ptr<RowReader> rows) {
            return normalise_rows(std::move(rows), cells, false);
          },
          cells,
          Extension::None,
          {kFar, 0.0, 0.0},
          {0.0, -kFar, 0.0},
          {{"rows of norm 2", 4.0}}};
}

}  // namespace

Result<std::vector<Attack>> stage_attacks(const AuditRequest& request) {
  const Relation relation = request.setting.relation;
  const Result<GaussianDp> budget = gaussian_budget(request.budget);
  if (!budget) {
    return error_of(budget);
  }
  std::vector<Attack> attacks;
  for (const StagedTable& table : {pairwise_table(), weighted_table(), projected_table(),
                                   outside_table(), normalised_table()}) {
    const ExactGram with = table.gram(table.victim);
    const ExactGram without = table.gram(relation == Relation::AddRemove ? Row() : table.other);
    const auto plan = [&](double factor) {
      return plan_gauss({table.bound, GaussianDp{factor * budget->mu}, relation, table.extension});
    };
    const Result<MomentPlan> shipped = plan(1.0);
    if (!shipped) {
      return error_of(shipped);
    }
    const Loss claim = *budget;
    attacks.push_back(
        {moment_pair(table.name, claim, *shipped, with, without), AttackKind::Shipped, {}});
    if (!request.mutants) {
      continue;
    }
    std::vector<Mutant> mutants = table.mutants;
    mutants.push_back({"noise x 0.9", 1.0 / 0.9});
    for (const Mutant& mutant : mutants) {
      attacks.push_back(
          {moment_pair(table.name + ": " + mutant.name, claim, *plan(mutant.factor), with, without),
           AttackKind::Mutant,
           {}});
    }
  }
  return attacks;
}

}  // namespace eigenveil
