#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/bingham.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// Called once per draw, from several threads at a time; the frame is reused afterwards.
using FrameVisitor = std::function<void(std::size_t index, const Matrix& frame)>;

/// `count` independent draws on `threads` threads. One word of `stream` names a family of
/// substreams, one for every block of draws, so the frames do not depend on the number of threads
/// and a second call gives new ones.
void for_each_draw(const BinghamSampler& sampler, std::size_t count, RandomStream& stream,
                   unsigned threads, const FrameVisitor& visit);
void for_each_draw(const ApproximateSampler<Matrix>& sampler, std::size_t count,
                   RandomStream& stream, unsigned threads, const FrameVisitor& visit);

/// The same, kept: count p x k frames in memory.
std::vector<Matrix> draw_many(const BinghamSampler& sampler, std::size_t count,
                              RandomStream& stream, unsigned threads);
std::vector<Matrix> draw_many(const ApproximateSampler<Matrix>& sampler, std::size_t count,
                              RandomStream& stream, unsigned threads);

}  // namespace eigenveil
