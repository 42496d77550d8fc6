#include "audit/attacked_tables.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace eigenveil {
namespace {

constexpr double kRowNorm = 3.0;
constexpr double kHalfWidth = 5.0;
constexpr double kTooLong = 2.0;

/// Columns are orthogonal corners of the cube, as unit vectors.
Matrix hadamard(Eigen::Index dimension) {
  Matrix axes(dimension, dimension);
  for (Eigen::Index i = 0; i < dimension; ++i) {
    for (Eigen::Index j = 0; j < dimension; ++j) {
      const bool odd = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 != 0;
      axes(i, j) = odd ? -1.0 : 1.0;
    }
  }
  return axes / std::sqrt(static_cast<double>(dimension));
}

Result<RowBound> make_bound(AttackedBound kind, std::size_t dimension) {
  if (kind != AttackedBound::Ranges) {
    return RowBound::row_norm(dimension, kind == AttackedBound::RowNorm ? kRowNorm : 1.0);
  }
  if (!std::has_single_bit(dimension)) {
    return bad_request("ranges are attacked with 1, 2, 4, ... columns");
  }
  std::vector<ColumnRange> ranges;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double midpoint = 1.0 - 7.0 * static_cast<double>(j);
    ranges.push_back({midpoint - kHalfWidth, midpoint + kHalfWidth});
  }
  return RowBound::ranges(std::move(ranges));
}

}  // namespace

std::string_view name_of(AttackedBound bound) {
  switch (bound) {
    case AttackedBound::RowNorm:
      return "row-norm";
    case AttackedBound::Ranges:
      return "ranges";
    case AttackedBound::UnitNorm:
      break;
  }
  return "unit-norm";
}

Result<AttackedBound> parse_attacked_bound(std::string_view name) {
  for (const AttackedBound bound :
       {AttackedBound::UnitNorm, AttackedBound::RowNorm, AttackedBound::Ranges}) {
    if (name == name_of(bound)) {
      return bound;
    }
  }
  return bad_request("rows are attacked under unit-norm, row-norm or ranges");
}

std::string describe(const AttackSetting& setting) {
  const char* bound = setting.bound == AttackedBound::UnitNorm  ? "row norm 1"
                      : setting.bound == AttackedBound::RowNorm ? "row norm 3"
                                                                : "ranges";
  return fmt::format("{}, {}{}", name_of(setting.relation), bound,
                     setting.group_size > 1 ? fmt::format(", {} rows", setting.group_size) : "");
}

Result<AttackedTables> AttackedTables::make(const AttackSetting& setting, std::size_t dimension) {
  return make_bound(setting.bound, dimension).map([&](const RowBound& bound) {
    const auto p = static_cast<Eigen::Index>(dimension);
    AttackedTables tables(setting, bound);
    const bool ranges = setting.bound == AttackedBound::Ranges;
    tables.scales_ = Vector::Constant(p, ranges ? kHalfWidth : 1.0);
    tables.radius_ = ranges ? kHalfWidth * std::sqrt(static_cast<double>(p))
                     : setting.bound == AttackedBound::RowNorm ? kRowNorm
                                                               : 1.0;
    tables.excess_ = setting.bound == AttackedBound::UnitNorm ? 1.0 : kTooLong;
    tables.axes_ = ranges ? hadamard(p) : Matrix(Matrix::Identity(p, p));
    return tables;
  });
}

std::pair<AttackedTables::Rows, AttackedTables::Rows> AttackedTables::neighbours(
    const Rows& base, const Vector& row, const Vector& replacement) const {
  const auto group = static_cast<std::size_t>(setting_.group_size);
  Rows first = base;
  Rows second = base;
  first.insert(first.end(), group, row);
  if (setting_.relation == Relation::ReplaceOne) {
    second.insert(second.end(), group, replacement);
  } else if (setting_.relation == Relation::ZeroRow) {
    second.insert(second.end(), group, Vector::Zero(row.size()));
  }
  return {std::move(first), std::move(second)};
}

std::vector<double> AttackedTables::raw(const Rows& rows) const {
  std::vector<double> cells;
  for (const Vector& row : rows) {
    for (Eigen::Index j = 0; j < row.size(); ++j) {
      cells.push_back(bound_.midpoint(static_cast<std::size_t>(j)) + excess_ * row[j]);
    }
  }
  return cells;
}

ExactGram AttackedTables::gram(const Rows& rows) const {
  GramAccumulator accumulator(Schema::numbered(bound_.dimension()), bound_, 1);
  const std::vector<double> cells = raw(rows);
  // Both can fail only beyond 2^53 rows.
  static_cast<void>(
      accumulator.add(MatrixView::row_major(cells.data(), rows.size(), bound_.dimension())));
  return accumulator.finish().value();
}

}  // namespace eigenveil
