#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/coupling_from_the_past.hpp"
#include "sampling/orbit_rejection.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// The law with density exp(exponent * tr(diag(diagonal) H)), with respect to the unitarily
/// invariant measure, on the Hermitian d x d matrices H with eigenvalues l_1 >= ... >= l_k >= 0 and
/// d - k zeros.
struct OrbitLaw {
  Vector diagonal;    ///< d values in any order
  Vector spectrum;    ///< l, k values, largest first, 1 <= k <= d
  double exponent{};  ///< finite, not negative
};

/// Exact draws from an OrbitLaw: a d x k frame V with orthogonal columns, Vᴴ V = diag(l), H = V Vᴴ.
/// Only H is specified; the phases of the columns (and, for equal l, their basis) carry nothing.
/// A cascade of exact samplers with fixed numbers of attempts; the law of V Vᴴ is the target's
/// whichever of them answers. Running time depends on the diagonal: never publish it.
/// Proof: docs/proofs/orbit_samplers.md.
class OrbitSampler final : public ExactSampler<ComplexMatrix> {
 public:
  static Result<OrbitSampler> make(const OrbitLaw& law);
  ComplexMatrix draw(RandomStream& stream) const override;

 private:
  OrbitSampler() = default;
  ComplexMatrix draw_sorted(RandomStream& stream) const;
  ComplexMatrix draw_projector(RandomStream& stream) const;

  Eigen::Index dimension_ = 0;
  Eigen::Index columns_ = 0;         ///< of V, zero eigenvalues included
  std::vector<Eigen::Index> order_;  ///< place of the i-th largest diagonal entry
  bool is_sorted_ = false;           ///< the diagonal was given largest first
  Vector spectrum_;                  ///< the positive part of l
  std::optional<GaussianBlock> block_;
  std::optional<MatrixAngularGaussian> angular_;
  std::optional<VertexRejection> vertex_;
  std::optional<TiltedProjector> tilted_;
  std::optional<CapturedTop> captured_;
  std::optional<PatternCoupling> coupling_;
};

/// `count` independent draws. Draw i uses its own substream, so the result does not depend on
/// `threads`; the stream moves on by one word, so that the next call gives other draws.
std::vector<ComplexMatrix> draw_many(const ExactSampler<ComplexMatrix>& sampler, std::size_t count,
                                     RandomStream& stream, unsigned threads);

}  // namespace eigenveil
