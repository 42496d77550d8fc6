#pragma once

#include <complex>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

using ComplexMatrix = Eigen::MatrixXcd;

/// Draws a frame V whose law is exactly the target's, in real arithmetic. The only kind a
/// worst-case mechanism accepts. `draw` is const and thread-safe: state lives in the stream.
template <class Frame>
class ExactSampler {
 public:
  virtual ~ExactSampler() = default;
  virtual Frame draw(RandomStream& stream) const = 0;
};

/// Draws a frame whose law only comes close to the target's (Markov chains, large-p
/// approximations): for research and planning, labelled wherever it appears. Not convertible to
/// ExactSampler.
template <class Frame>
class ApproximateSampler {
 public:
  virtual ~ApproximateSampler() = default;
  virtual Frame draw(RandomStream& stream) const = 0;
};

}  // namespace eigenveil
