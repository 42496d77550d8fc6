#include "mechanism/subspace/stability_histogram.hpp"

#include <algorithm>
#include <map>

#include "core/outward.hpp"

namespace eigenveil {

Result<StabilityHistogram> StabilityHistogram::make(const ApproxDp& budget) {
  // Two counts move, each by one: half of the budget each.
  return TruncatedLaplace::make(1, budget.epsilon / 2.0, down(budget.delta / 2.0))
      .map([](TruncatedLaplace noise) { return StabilityHistogram(std::move(noise)); });
}

std::int64_t StabilityHistogram::sure_votes(std::size_t groups) const {
  return noise_.bound() + threshold(groups) + 1;
}

std::int64_t StabilityHistogram::threshold(std::size_t groups) const {
  return std::max(noise_.bound(), static_cast<std::int64_t>(groups / 2));
}

double StabilityHistogram::pass_probability(std::int64_t votes, std::size_t groups) const {
  double probability = 0.0;
  const std::int64_t smallest = std::max(threshold(groups) + 1 - votes, -noise_.bound());
  for (std::int64_t x = smallest; x <= noise_.bound(); ++x) {
    probability += noise_.probability(x);
  }
  return std::min(1.0, probability);
}

std::optional<NoisyWinner> StabilityHistogram::winner(const std::vector<Vote>& votes,
                                                      RandomStream& stream) const {
  struct Cell {
    std::size_t group;
    std::int64_t count;
  };
  std::map<Digest, Cell> cells;
  for (std::size_t group = 0; group < votes.size(); ++group) {
    if (votes[group]) {
      ++cells.try_emplace(*votes[group], Cell{group, 0}).first->second.count;
    }
  }
  const std::int64_t least = threshold(votes.size());
  std::optional<NoisyWinner> best;
  for (const auto& [key, cell] : cells) {
    const std::int64_t noisy = cell.count + noise_.draw(stream);
    if (noisy > least && (!best || noisy > best->noisy_count)) {
      best = NoisyWinner{cell.group, noisy};
    }
  }
  return best;
}

}  // namespace eigenveil
