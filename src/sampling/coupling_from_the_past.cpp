#include "sampling/coupling_from_the_past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <utility>

#include "core/multiversion.hpp"
#include "eigenveil/core/cancellation.hpp"
#include "sampling/interval_coupler.hpp"

namespace eigenveil {
namespace {

/// Blocks that do not coalesce before they get longer.
constexpr int kBlocksOfOneLength = 4;

/// A pattern cut by parity of the row number, column by column, so that the neighbours of
/// consecutive sites are consecutive in memory. Columns 0 and k+1 hold the bounds +infinity and 0,
/// row 0 is zero.
class SplitPattern {
 public:
  explicit SplitPattern(const GelfandTsetlinPattern& pattern)
      : half_(static_cast<std::size_t>(pattern.rows()) / 2 + 1) {
    const auto rows = static_cast<std::size_t>(pattern.rows());
    const auto columns = static_cast<std::size_t>(pattern.cols());
    for (std::vector<double>& plane : planes_) {
      plane.assign(half_ * (columns + 2), 0.0);
      std::fill_n(plane.begin(), half_, std::numeric_limits<double>::infinity());
    }
    for (std::size_t i = 1; i <= rows; ++i) {
      for (std::size_t j = 1; j <= columns; ++j) {
        column(i % 2, j)[i / 2] =
            pattern(static_cast<Eigen::Index>(i - 1), static_cast<Eigen::Index>(j - 1));
      }
    }
  }

  double* column(std::size_t parity, std::size_t j) { return planes_[parity].data() + j * half_; }
  const double* column(std::size_t parity, std::size_t j) const {
    return planes_[parity].data() + j * half_;
  }

  GelfandTsetlinPattern joined(Eigen::Index rows, Eigen::Index columns) const {
    GelfandTsetlinPattern pattern(rows, columns);
    for (Eigen::Index i = 1; i <= rows; ++i) {
      for (Eigen::Index j = 1; j <= columns; ++j) {
        pattern(i - 1, j - 1) =
            column(static_cast<std::size_t>(i % 2), static_cast<std::size_t>(j))[i / 2];
      }
    }
    return pattern;
  }

 private:
  std::size_t half_;
  std::array<std::vector<double>, 2> planes_;
};

/// The interval that the neighbours leave to consecutive sites of column j: `below` and `above` are
/// the rows i-1 and i+1, in columns j-1, j, j+1.
EIGENVEIL_MULTIVERSION void find_intervals(std::size_t count, const double* below_left,
                                           const double* below, const double* above,
                                           const double* above_right, double* __restrict lower,
                                           double* __restrict upper) {
  for (std::size_t s = 0; s < count; ++s) {
    lower[s] = below[s] > above_right[s] ? below[s] : above_right[s];
    upper[s] = below_left[s] < above[s] ? below_left[s] : above[s];
  }
}

}  // namespace

/// One to three patterns in increasing order, driven by the same Poisson points.
class PatternCoupling::Chains {
 public:
  explicit Chains(const PatternCoupling& law)
      : law_(law),
        batches_{detail::CouplerBatch(law.sites_[0]), detail::CouplerBatch(law.sites_[1])} {
    for (std::size_t parity = 0; parity < 2; ++parity) {
      std::size_t site = 0;
      for (const Run& run : law.runs_[parity]) {
        for (std::size_t m = run.first; m < run.first + run.count; ++m, ++site) {
          const double rate = law.row_rates_[static_cast<Eigen::Index>(2 * m + parity) - 1];
          batches_[parity].rate[site] = rate;
          batches_[parity].inverse_rate[site] = rate > 0.0 ? 1.0 / rate : 0.0;
        }
      }
    }
  }

  /// Updates every free entry of every pattern once; true when first and last pattern are equal.
  bool sweep(std::span<SplitPattern> patterns, RandomStream& stream) {
    stop_if_cancelled();
    const std::size_t apart = update(1, patterns, stream);
    return apart + update(0, patterns, stream) == 0;
  }

 private:
  std::size_t update(std::size_t parity, std::span<SplitPattern> patterns, RandomStream& stream) {
    detail::CouplerBatch& batch = batches_[parity];
    const std::size_t other = 1 - parity;
    for (std::size_t c = 0; c < patterns.size(); ++c) {
      std::size_t site = c * batch.stride;
      for (const Run& run : law_.runs_[parity]) {
        const std::size_t above = run.first + parity;  // row i+1; row i-1 is one place before
        find_intervals(run.count, patterns[c].column(other, run.column - 1) + above - 1,
                       patterns[c].column(other, run.column) + above - 1,
                       patterns[c].column(other, run.column) + above,
                       patterns[c].column(other, run.column + 1) + above, &batch.lower[site],
                       &batch.upper[site]);
        site += run.count;
      }
    }
    const std::size_t apart = detail::couple_intervals(batch, patterns.size(), stream);
    for (std::size_t c = 0; c < patterns.size(); ++c) {
      const double* value = batch.value.data() + c * batch.stride;
      for (const Run& run : law_.runs_[parity]) {
        std::copy_n(value, run.count, patterns[c].column(parity, run.column) + run.first);
        value += run.count;
      }
    }
    return apart;
  }

  const PatternCoupling& law_;
  std::array<detail::CouplerBatch, 2> batches_;
};

PatternCoupling::PatternCoupling(Vector row_rates, Vector spectrum, std::size_t first_block)
    : row_rates_(std::move(row_rates)),
      spectrum_(std::move(spectrum)),
      first_block_(first_block),
      smallest_(smallest_pattern(spectrum_, row_rates_.size() + 1)),
      largest_(largest_pattern(spectrum_, row_rates_.size() + 1)) {
  assert((row_rates_.array() >= 0.0).all() && "the diagonal y is sorted, largest first");
  const Eigen::Index dimension = row_rates_.size() + 1;
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (Eigen::Index j = 1; j <= spectrum_.size(); ++j) {
      Run run{static_cast<std::size_t>(j), 0, 0};
      // Free rows of a column are consecutive: l_j > l_{j+d-i} fails from some row on.
      for (Eigen::Index i = j; i < dimension; ++i) {
        if (static_cast<std::size_t>(i % 2) == parity &&
            smallest_(i - 1, j - 1) < largest_(i - 1, j - 1)) {
          run.first = run.count == 0 ? static_cast<std::size_t>(i / 2) : run.first;
          ++run.count;
        }
      }
      if (run.count > 0) {
        runs_[parity].push_back(run);
        sites_[parity] += run.count;
      }
    }
  }
}

std::size_t PatternCoupling::block_sweeps() const {
  const auto dimension = static_cast<std::size_t>(row_rates_.size()) + 1;
  return first_block_ > 0 ? first_block_ : 2 * dimension * dimension + 8;
}

GelfandTsetlinPattern PatternCoupling::draw(RandomStream& stream) const {
  Chains chains(*this);
  const SplitPattern smallest(smallest_);
  const SplitPattern largest(largest_);
  // The value a coalescing block ends with starts the run; the value before the next coalescing
  // block is the draw.
  std::vector<SplitPattern> patterns;
  std::size_t sweeps = block_sweeps();
  bool met = false;
  for (int tried = 1; !met; ++tried) {
    patterns = {smallest, largest};
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
      met = chains.sweep({patterns.data(), met ? 1U : 2U}, stream) || met;
    }
    if (!met && tried % kBlocksOfOneLength == 0) {
      sweeps *= 2;  // only before the first that coalesces: what follows is as if it began there
    }
  }
  SplitPattern current = std::move(patterns.front());
  while (true) {
    patterns = {smallest, current, largest};
    met = false;
    for (std::size_t sweep = 0; sweep < sweeps && !met; ++sweep) {
      met = chains.sweep(patterns, stream);
    }
    if (met) {
      return current.joined(smallest_.rows(), smallest_.cols());
    }
    current = patterns[1];
  }
}

std::size_t PatternCoupling::sweeps_to_coalescence(RandomStream& stream, std::size_t limit) const {
  Chains chains(*this);
  std::vector<SplitPattern> patterns{SplitPattern(smallest_), SplitPattern(largest_)};
  std::size_t sweeps = 0;
  for (bool met = false; !met && sweeps < limit; ++sweeps) {
    met = chains.sweep(patterns, stream);
  }
  return sweeps;
}

double coupling_cost(Eigen::Index dimension, Eigen::Index rank) {
  const auto d = static_cast<double>(dimension);
  return rank <= 1 ? 0.0 : d * d * d * static_cast<double>(rank);
}

double coupling_seconds(Eigen::Index dimension, Eigen::Index rank) {
  // Measured at d = 100 and 200, k = 10 on a busy server processor; others differ by a factor of
  // two.
  constexpr double kSecondsPerUnit = 1.3e-7;
  return kSecondsPerUnit * coupling_cost(dimension, rank);
}

Result<void> check_coupling_cost(Eigen::Index dimension, Eigen::Index rank, double limit) {
  if (coupling_cost(dimension, rank) <= limit) {
    return {};
  }
  return bad_request(
      fmt::format("an exact draw from this orbit could take too long: the work grows like d^3 k = "
                  "{:.2g} for dimension d = {} and rank k = {}, and the limit is {:.2g}; use fewer "
                  "columns, a smaller rank, or {{unbounded_time}}",
                  coupling_cost(dimension, rank), dimension, rank, limit));
}

}  // namespace eigenveil
