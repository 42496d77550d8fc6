#include "mechanism/moment/second_moment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil {
namespace {

constexpr const char* kBadConstant =
    "the constant of an extended row must be a whole number from 1 to 2^53";

tl::unexpected<Error> unsupported(Relation relation) {
  return bad_request(
      fmt::format("neighbours '{}' say nothing about a row within a norm bound; use add-remove, "
                  "replace-one or zero-row",
                  name_of(relation)));
}

/// A shape made for other rows would carry their sensitivity.
bool fits(const ExactGram& gram, const MomentShape& shape) {
  return shape.dimension == gram.dimension() && shape.norm2_bound == gram.bound().norm2_bound();
}

template <class Norm>
Result<Bounded<SecondMoment, Norm>> bounded(const ExactGram& gram, const MomentShape& shape,
                                            const Result<double>& sensitivity) {
  if (!fits(gram, shape)) {
    return bad_request("the plan was made for rows with another dimension or norm bound");
  }
  if (!sensitivity) {
    return error_of(sensitivity);
  }
  return trusted::assume_bounded<Norm>(SecondMoment(gram, shape), *sensitivity, shape.relation);
}

/// A constant t beside the rows.
bool has_constant(const MomentShape& shape) {
  return shape.extension == Extension::Count || shape.extension == Extension::Full;
}

/// By which neighbours the entries move (docs/proofs/pairwise.md).
Relation moving(const MomentShape& shape) {
  return shape.extension == Extension::Indicators && shape.relation == Relation::ZeroRow
             ? Relation::ReplaceOne
             : shape.relation;
}

/// A public shape can be written by hand: a negative t would lower the l1 sensitivity, one above
/// 2^53 is not a double.
bool has_sound_constant(const MomentShape& shape) {
  return !has_constant(shape) || (shape.constant >= 1 && shape.constant <= std::int64_t{1} << 53U);
}

/// Integers above 2^53 round; one step up keeps the bound.
double upper_double(Int128 value) {
  return up(static_cast<double>(value));
}

}  // namespace

bool MomentShape::releases_count() const {
  return (extension == Extension::Count || extension == Extension::Full) &&
         !row_count_is_public(relation);
}

std::size_t MomentShape::entries() const {
  return (releases_count() ? 1 : 0) + (releases_sums() ? dimension : 0) + triangle_size(dimension);
}

MomentShape moment_shape(const RowBound& bound, Extension extension, Relation relation,
                         double constant_share) {
  MomentShape shape;
  shape.dimension = bound.dimension();
  shape.norm2_bound = bound.norm2_bound();
  shape.extension = extension;
  shape.relation = relation;
  const double radius = std::sqrt(static_cast<double>(bound.norm2_bound()));
  shape.constant = std::max<std::int64_t>(1, std::llround(constant_share * radius));
  return shape;
}

Result<double> frobenius_sensitivity(const MomentShape& shape) {
  if (!has_sound_constant(shape)) {
    return bad_request(kBadConstant);
  }
  const double r2 = upper_double(shape.norm2_bound);
  const double t = static_cast<double>(shape.constant);
  const double t2 = up(t * t);
  const bool full = shape.extension == Extension::Full;
  switch (moving(shape)) {
    case Relation::AddRemove:
      if (full) {
        return up(r2 + t2);  // |(t, x)|²
      }
      return shape.extension == Extension::Count ? up(std::hypot(r2, t2), 2) : r2;
    case Relation::ReplaceOne: {
      if (!full && shape.dimension == 1) {
        return r2;  // |x² - y²|
      }
      const double extended = full ? up(r2 + t2) : r2;
      return up(up(std::sqrt(2.0)) * extended);
    }
    case Relation::ZeroRow:  // sqrt(R⁴ + 2 t² R²): the count does not move
      return full ? up(std::sqrt(up(r2 * up(r2 + 2.0 * t2)))) : r2;
    default:
      return unsupported(shape.relation);
  }
}

Result<double> upper_triangle_l1_sensitivity(const MomentShape& shape) {
  if (!has_sound_constant(shape)) {
    return bad_request(kBadConstant);
  }
  const double p = static_cast<double>(shape.dimension);
  const double r2 = upper_double(shape.norm2_bound);
  const double t = static_cast<double>(shape.constant);
  const double sums = shape.releases_sums() ? up(t * up(std::sqrt(up(p * r2)))) : 0.0;  // t |x|_1
  switch (moving(shape)) {
    case Relation::AddRemove:
    case Relation::ZeroRow: {
      // sum over i <= j of |x_i x_j| = (|x|_1^2 + |x|_2^2) / 2 <= (p + 1) R^2 / 2
      const double triangle = up((p + 1.0) / 2.0 * r2);
      const double count = shape.releases_count() ? up(t * t) : 0.0;
      return up(up(triangle + sums) + count);
    }
    case Relation::ReplaceOne: {
      // <W, |A|> <= |W|_F |A|_F with A = x x' - y y', |A|_F <= sqrt(2) R^2, and W the weights 1 on
      // and 1/2 off the diagonal: sqrt(p (p + 3) / 2) R^2, attained for p = 2.
      const double triangle =
          shape.dimension == 1 ? r2 : up(up(std::sqrt(up(p * (p + 3.0) / 2.0))) * r2);
      return up(triangle + 2.0 * sums);
    }
    default:
      return unsupported(shape.relation);
  }
}

Result<double> nuclear_sensitivity(const MomentShape& shape) {
  if (!has_sound_constant(shape)) {
    return bad_request(kBadConstant);
  }
  const double r2 = upper_double(shape.norm2_bound);
  const double t = static_cast<double>(shape.constant);
  const double t2 = up(t * t);
  const bool full = shape.releases_sums();
  switch (moving(shape)) {
    case Relation::AddRemove:  // |(t, x)|², or |x|² and t² side by side
      return has_constant(shape) ? up(r2 + t2) : r2;
    case Relation::ReplaceOne:
      if (!full && shape.dimension == 1) {
        return r2;
      }
      return 2.0 * (full ? up(r2 + t2) : r2);
    case Relation::ZeroRow:
      // (t, x) -> (t, 0) is indefinite: |u u' - v v'|_* = sqrt((|u|² + |v|²)² - 4 (u.v)²), not
      // R² + t².
      return full ? up(std::sqrt(up(r2 * up(r2 + 4.0 * t2)))) : r2;
    default:
      return unsupported(shape.relation);
  }
}

SecondMoment::SecondMoment(const ExactGram& gram, const MomentShape& shape)
    : SecondMoment(trusted::totals(gram), shape) {}

Int128 SecondMoment::entry(std::size_t index) const {
  const Int128 t = shape_.constant;
  if (shape_.releases_count()) {
    if (index == 0) {
      return t * t * static_cast<Int128>(totals_->count);
    }
    --index;
  }
  if (shape_.releases_sums()) {
    if (index < shape_.dimension) {
      return t * totals_->sums[index];
    }
    index -= shape_.dimension;
  }
  return totals_->products[index];
}

Result<Bounded<SecondMoment, FrobeniusNorm>> frobenius_bounded(const ExactGram& gram,
                                                               const MomentShape& shape) {
  return bounded<FrobeniusNorm>(gram, shape, frobenius_sensitivity(shape));
}

Result<Bounded<SecondMoment, UpperTriangleL1Norm>> l1_bounded(const ExactGram& gram,
                                                              const MomentShape& shape) {
  return bounded<UpperTriangleL1Norm>(gram, shape, upper_triangle_l1_sensitivity(shape));
}

Result<Bounded<SecondMoment, NuclearNorm>> nuclear_bounded(const ExactGram& gram,
                                                           const MomentShape& shape) {
  return bounded<NuclearNorm>(gram, shape, nuclear_sensitivity(shape));
}

}  // namespace eigenveil
