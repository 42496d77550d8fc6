#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/relation.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// How the rows of an attacked pair are bounded, so that a wrong unit shows.
enum class AttackedBound : std::uint8_t {
  UnitNorm,  ///< row norm 1
  RowNorm,   ///< row norm 3, rows given twice as long
  Ranges,    ///< column ranges of width 10 about other midpoints, cells given beyond them
};
std::string_view name_of(AttackedBound bound);  ///< "unit-norm", as on the command line
Result<AttackedBound> parse_attacked_bound(std::string_view name);

/// Which neighbours are told apart, of what table.
struct AttackSetting {
  Relation relation = Relation::AddRemove;
  AttackedBound bound = AttackedBound::UnitNorm;
  int group_size = 1;  ///< rows that change together
};
std::string describe(const AttackSetting& setting);  ///< "add-remove, row norm 3, 2 rows"

/// Tables with rows along orthogonal axes, every row as long as its bound allows. They go the way
/// of every table: raw cells, clipping, grid, exact Gram.
class AttackedTables {
 public:
  using Rows = std::vector<Vector>;

  /// Ranges have orthogonal corners where the dimension is a power of two (Hadamard); others are
  /// refused.
  static Result<AttackedTables> make(const AttackSetting& setting, std::size_t dimension);

  const AttackSetting& setting() const { return setting_; }
  const RowBound& bound() const { return bound_; }
  /// From scaled units to those of the table.
  const Vector& scales() const { return scales_; }
  /// Norm of the longest row about the midpoints: known here without asking the code under attack.
  double radius() const { return radius_; }
  /// Unit vectors; the longest row along axis i is radius() times it.
  Vector axis(std::size_t index) const { return axes_.col(static_cast<Eigen::Index>(index)); }
  Vector row(std::size_t index) const { return radius_ * axis(index); }

  /// `base` with a group of `row` against its neighbour: without them, with zero rows, or with
  /// `replacement` in their place.
  std::pair<Rows, Rows> neighbours(const Rows& base, const Vector& row,
                                   const Vector& replacement) const;
  /// Cells as a file would have them, row after row.
  std::vector<double> raw(const Rows& rows) const;
  ExactGram gram(const Rows& rows) const;

 private:
  AttackedTables(AttackSetting setting, RowBound bound)
      : setting_(setting), bound_(std::move(bound)) {}

  AttackSetting setting_;
  RowBound bound_;
  Vector scales_;
  double radius_ = 1.0;
  double excess_ = 1.0;  ///< how much too long rows are given
  Matrix axes_;
};

}  // namespace eigenveil
