#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/privacy/release.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Integer points, row by row; a point outside of the public bound counts as the zero point.
class ExactPoints {
 public:
  ExactPoints(std::size_t dimension, std::int64_t max_abs)
      : dimension_(dimension), max_abs_(max_abs) {}
  /// `point` has `dimension` coordinates; an empty one stands for a point that was not usable.
  void add(const std::vector<std::int64_t>& point);
  std::size_t rows() const { return rows_; }
  std::size_t dimension() const { return dimension_; }
  std::int64_t max_abs() const { return max_abs_; }
  const std::int64_t* row(std::size_t index) const { return values_.data() + index * dimension_; }

 private:
  std::size_t dimension_;
  std::int64_t max_abs_;
  std::size_t rows_ = 0;
  std::vector<std::int64_t> values_;
};

enum class ExactAggregate : std::uint8_t { Auto, GapMax, Votes };

/// Everything public.
struct ExactSubspaceRequest {
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::size_t subspace = 1;  ///< k
  ApproxDp budget{};
  ExactAggregate aggregate = ExactAggregate::Auto;
  /// gapmax: points that may lie elsewhere, or together in a smaller subspace (l of Singhal and
  /// Steinke); nothing: as many as the number of rows allows.
  std::optional<std::int64_t> exceptions;
  std::int64_t max_abs = 1000;  ///< public bound on integer coordinates
  bool published = false;       ///< Singhal and Steinke's rule, which is not private
};

/// A subspace in canonical form, or NULL, which is a legal answer.
struct ExactSubspace {
  bool found = false;
  /// Reduced row-echelon basis, exact: k rows of d fractions such as "-3/2".
  std::vector<std::vector<std::string>> echelon;
  Matrix frame;  ///< d x k, orthonormal, for the same subspace
};

/// Learning the k-dimensional subspace that holds the points exactly. (epsilon, delta)-DP for
/// replacing one point by any other, for every data set; basis proved. Membership and rank are
/// decided in a prime field that is large enough to agree with the integers.
/// Proof: docs/proofs/exact_subspace.md.
class ExactSubspacePlan {
 public:
  static Result<ExactSubspacePlan> make(const ExactSubspaceRequest& request);
  /// What every plan for this budget and aggregate states, whatever the sizes are. Where the
  /// aggregate is left open: what either rests on.
  static Guarantee stated(const ApproxDp& budget, ExactAggregate aggregate, bool published);

  const ExactSubspaceRequest& request() const { return request_; }
  bool by_votes() const { return request_.aggregate == ExactAggregate::Votes; }
  std::string aggregate_name() const { return by_votes() ? "votes" : "gapmax"; }
  std::int64_t exceptions() const { return exceptions_; }  ///< l
  std::int64_t floor() const { return floor_; }            ///< scores below count as this
  std::int64_t noise_bound() const { return noise_bound_; }
  std::size_t groups() const { return request_.rows / request_.subspace; }
  /// Smallest number of rows with which the subspace comes out with probability 1 if
  /// `sufficient_exceptions` of them lie elsewhere: those asked for, or else as few as possible.
  std::int64_t sufficient_rows() const { return sufficient_rows_; }
  std::int64_t sufficient_exceptions() const;
  /// l + k + ln(1/delta)/epsilon with the l of `sufficient_rows`: no method needs less, up to a
  /// constant factor.
  double lower_bound() const;
  int field_bits() const { return field_bits_; }
  const Guarantee& guarantee() const { return guarantee_; }

  /// Total: the answer is a subspace or NULL. `points` must have the planned shape.
  Release<ExactSubspace> run(const ExactPoints& points, RandomStream& stream) const;

 private:
  ExactSubspacePlan() = default;
  Result<void> plan_votes();
  Result<void> plan_gap_max();
  Result<void> choose_field();
  ExactSubspaceRequest request_;
  std::int64_t exceptions_ = 0;
  std::int64_t floor_ = 0;
  std::int64_t noise_bound_ = 0;
  std::int64_t sufficient_rows_ = 0;
  std::uint64_t trials_ = 0;
  int field_bits_ = 127;
  ApproxDp noise_budget_{};
  Guarantee guarantee_;
};

}  // namespace eigenveil
