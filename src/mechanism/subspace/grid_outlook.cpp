#include "mechanism/subspace/grid_outlook.hpp"

#include <algorithm>
#include <cmath>

#include "random/normal.hpp"

namespace eigenveil::detail {
namespace {

constexpr int kRuns = 1000;
constexpr std::size_t kScales = 16;  ///< groups of this many sizes stand for all
constexpr std::size_t kShares = 200;
/// Walls further than this many deviations cut nothing off.
constexpr double kReach = 7.0;
/// Cuts beyond this split any groups; with fewer than the smallest none is ever split.
constexpr double kMostCuts = 30.0;
constexpr double kFewestCuts = 1e-9;

/// Quantiles of the deviations, over their root mean square.
std::vector<double> scales_of(std::vector<double> spreads) {
  std::sort(spreads.begin(), spreads.end());
  double mean = 0.0;
  for (const double spread : spreads) {
    mean += spread / static_cast<double>(spreads.size());
  }
  std::vector<double> scales;
  for (std::size_t i = 0; i < kScales; ++i) {
    const std::size_t at = (2 * i + 1) * spreads.size() / (2 * kScales);
    scales.push_back(std::sqrt(spreads[at] / mean));
  }
  return scales;
}

/// P(count + noise passes) averaged over binomial counts, for shares 0, 1/200, ..., 1.
std::vector<double> wins_by_share(const StabilityHistogram& histogram, std::size_t groups) {
  const auto t = static_cast<double>(groups);
  std::vector<double> passes;
  std::vector<double> log_choose;
  for (std::size_t c = 0; c <= groups; ++c) {
    const auto count = static_cast<double>(c);
    passes.push_back(histogram.pass_probability(static_cast<std::int64_t>(c), groups));
    log_choose.push_back(std::lgamma(t + 1.0) - std::lgamma(count + 1.0) -
                         std::lgamma(t - count + 1.0));
  }
  std::vector<double> wins = {passes.front()};
  for (std::size_t i = 1; i < kShares; ++i) {
    const double share = static_cast<double>(i) / kShares;
    double sum = 0.0;
    for (std::size_t c = 0; c <= groups; ++c) {
      const auto count = static_cast<double>(c);
      sum += passes[c] *
             std::exp(log_choose[c] + count * std::log(share) + (t - count) * std::log1p(-share));
    }
    wins.push_back(sum);
  }
  wins.push_back(passes.back());
  return wins;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace

GridOutlook::GridOutlook(const StabilityHistogram& histogram, std::size_t groups,
                         const std::vector<double>& spreads)
    : groups_(groups), scales_(scales_of(spreads)), wins_(wins_by_share(histogram, groups)) {
  RandomStream stream = RandomStream::seeded(0x47726964U);
  const double end = kMostCuts * kReach * scales_.back();
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> walls;
    for (double at = 0.0; at < end;) {
      at -= std::log1p(-uniform(stream));
      walls.push_back(at);
    }
    walls_.push_back(std::move(walls));
  }
}

double GridOutlook::share_that_stays(const std::vector<double>& walls, double cuts) const {
  double share = 0.0;
  for (const double scale : scales_) {
    double stays = 1.0;
    for (const double wall : walls) {
      const double distance = wall / (cuts * scale);
      if (distance > kReach || stays < 1e-6) {
        break;
      }
      stays *= normal_cdf(distance);
    }
    share += stays / static_cast<double>(scales_.size());
  }
  return share;
}

GridOutlook::Chances GridOutlook::at(double cuts) const {
  Chances chances;
  for (const std::vector<double>& walls : walls_) {
    const double share = share_that_stays(walls, std::clamp(cuts, kFewestCuts, kMostCuts));
    const double place = share * static_cast<double>(kShares);
    const auto below = std::min(kShares - 1, static_cast<std::size_t>(place));
    const double above = place - static_cast<double>(below);
    chances.answer += ((1.0 - above) * wins_[below] + above * wins_[below + 1]) / kRuns;
    chances.one_cell += std::pow(share, static_cast<double>(groups_)) / kRuns;
  }
  return chances;
}

double GridOutlook::largest_cuts(double answer) const {
  double low = kFewestCuts;
  double high = kMostCuts;
  while (high > 1.001 * low) {
    const double middle = std::sqrt(low * high);
    (at(middle).answer >= answer ? low : high) = middle;
  }
  return low;
}

}  // namespace eigenveil::detail
