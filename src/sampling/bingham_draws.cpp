#include "sampling/bingham_draws.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"

namespace eigenveil {
namespace {

/// Long enough to pay for a substream's first refill, short enough to spread over threads.
constexpr std::size_t kDrawsPerSubstream = 64;

/// Runs `work(first, last, substream)` on every block of draws.
template <class Work>
void in_blocks(std::size_t count, RandomStream& stream, unsigned threads, const Work& work) {
  const RandomStream family = stream.split();
  const std::size_t blocks = (count + kDrawsPerSubstream - 1) / kDrawsPerSubstream;
  std::atomic<std::size_t> next_block = 0;
  const std::size_t wanted = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(blocks, 1));
  run_workers(wanted, [&](std::size_t) {
    auto draw_block = work();
    for (std::size_t block = next_block++; block < blocks; block = next_block++) {
      RandomStream substream = trusted::substream(family, block);
      const std::size_t first = block * kDrawsPerSubstream;
      draw_block(first, std::min(first + kDrawsPerSubstream, count), substream);
    }
  });
}

template <class Sampler>
std::vector<Matrix> keep_draws(const Sampler& sampler, std::size_t count, RandomStream& stream,
                               unsigned threads) {
  std::vector<Matrix> frames(count);
  for_each_draw(sampler, count, stream, threads,
                [&frames](std::size_t index, const Matrix& frame) { frames[index] = frame; });
  return frames;
}

}  // namespace

void for_each_draw(const BinghamSampler& sampler, std::size_t count, RandomStream& stream,
                   unsigned threads, const FrameVisitor& visit) {
  in_blocks(count, stream, threads, [&] {
    return [&sampler, &visit, workspace = BinghamSampler::Workspace(), frame = Matrix()](
               std::size_t first, std::size_t last, RandomStream& substream) mutable {
      for (std::size_t index = first; index < last; ++index) {
        sampler.draw_into(substream, workspace, frame);
        visit(index, frame);
      }
    };
  });
}

void for_each_draw(const ApproximateSampler<Matrix>& sampler, std::size_t count,
                   RandomStream& stream, unsigned threads, const FrameVisitor& visit) {
  in_blocks(count, stream, threads, [&] {
    return [&sampler, &visit](std::size_t first, std::size_t last, RandomStream& substream) {
      for (std::size_t index = first; index < last; ++index) {
        visit(index, sampler.draw(substream));
      }
    };
  });
}

std::vector<Matrix> draw_many(const BinghamSampler& sampler, std::size_t count,
                              RandomStream& stream, unsigned threads) {
  return keep_draws(sampler, count, stream, threads);
}

std::vector<Matrix> draw_many(const ApproximateSampler<Matrix>& sampler, std::size_t count,
                              RandomStream& stream, unsigned threads) {
  return keep_draws(sampler, count, stream, threads);
}

}  // namespace eigenveil
