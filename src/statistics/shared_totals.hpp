#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

class GramWorker;

/// Totals that several workers add to. Columns are locked in stripes, so that workers which flush
/// together do not wait for each other.
class SharedTotals {
 public:
  explicit SharedTotals(std::size_t dimension);
  /// What `worker` did not flush yet. Starts at another stripe for every `number`.
  void add(std::size_t number, const GramWorker& worker);
  /// Everything: also what the workers did not flush.
  GramTotals take(std::span<const std::unique_ptr<GramWorker>> workers) &&;

 private:
  static constexpr std::size_t kStripes = 8;
  std::size_t first_column(std::size_t stripe) const;
  void allocate();
  void add_stripe(std::size_t stripe, const GramWorker& worker);

  std::size_t dimension_;
  GramTotals totals_;
  std::once_flag allocated_;  // at the first flush: most tables have none before the end
  std::mutex sums_lock_;
  std::array<std::mutex, kStripes> locks_;
};

}  // namespace eigenveil
