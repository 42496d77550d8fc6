#pragma once

#include <cstdint>
#include <memory>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

namespace detail {
struct BinghamStages;
struct BinghamBuffers;
}  // namespace detail

/// What the spectrum alone says about drawing from it, before anything is drawn.
struct BinghamOutlook {
  Eigen::Index captured = 0;  ///< columns the law ties to an eigenvector; the others roam the bulk
  double expected_tries = 1.0;  ///< order of magnitude of the proposals one draw needs
};

/// Exact draws of the real matrix Bingham law: p x k frames V with orthonormal columns and density
/// exp(exponent tr(V^T diag(eigenvalues) V)) with respect to the uniform (Haar) measure, in the
/// eigenbasis (rotating back is the caller's). Never a p x p matrix per draw unless k is close to
/// p. k = 1 works everywhere. For k >= 2 the number of proposals is moderate in every regime up to
/// some 35 columns that no eigenvector captures. `make` refuses by `expected_tries`, because an
/// exact sampler must not approximate instead; it is a prediction, and near the edge of
/// capture, with several columns there, a draw may not end in reasonable time. The number of
/// proposals depends on the spectrum: do not publish it, nor the time a draw took. Proof:
/// docs/proofs/bingham_samplers.md. Exact in real arithmetic; doubles are rounded.
class BinghamSampler final : public ExactSampler<Matrix> {
 public:
  static constexpr double kDefaultMostTries = 1e5;
  /// k >= 2: eigenvalues of a small matrix are computed with an error of 2^-52 of its largest
  /// entry.
  static constexpr double kLargestExponentForFrames = 1e12;

  /// `eigenvalues` largest first (as symmetric_eigen gives them), exponent >= 0, 1 <= columns <= p.
  /// Refuses when the outlook expects more than `most_expected_tries` proposals per draw.
  static Result<BinghamSampler> make(const Vector& eigenvalues, double exponent,
                                     Eigen::Index columns,
                                     double most_expected_tries = kDefaultMostTries);

  const BinghamOutlook& outlook() const { return outlook_; }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index columns() const { return columns_; }

  /// Tries until a proposal is accepted: ends with probability one, has no cap.
  Matrix draw(RandomStream& stream) const override;

  /// The same with at most `most_tries` proposals, then an error. Draws that succeed have exactly
  /// the target law, since proposals are independent; what stands in otherwise is the caller's.
  Result<Matrix> draw_within(RandomStream& stream, std::uint64_t most_tries) const;

  /// Buffers of one thread for many draws.
  class Workspace {
   public:
    Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    ~Workspace();

   private:
    friend class BinghamSampler;
    std::unique_ptr<detail::BinghamBuffers> buffers_;
  };

  /// `draw` without allocations once `frame` and `workspace` have been used.
  void draw_into(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

 private:
  explicit BinghamSampler(std::shared_ptr<const detail::BinghamStages> stages);
  bool propose(std::uint64_t attempt, RandomStream& stream, Workspace& workspace,
               Matrix& frame) const;

  Eigen::Index rows_ = 0;
  Eigen::Index columns_ = 0;
  BinghamOutlook outlook_;
  std::shared_ptr<const detail::BinghamStages> stages_;
};

}  // namespace eigenveil
