#include "statistics/shared_totals.hpp"

#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "statistics/gram_worker.hpp"

namespace eigenveil {

SharedTotals::SharedTotals(std::size_t dimension) : dimension_(dimension) {
  totals_.sums.resize(dimension);
}

/// Stripes of about equal area in the triangle.
std::size_t SharedTotals::first_column(std::size_t stripe) const {
  const double share = static_cast<double>(stripe) / static_cast<double>(kStripes);
  return static_cast<std::size_t>(std::sqrt(share) * static_cast<double>(dimension_));
}

void SharedTotals::allocate() {
  if (totals_.products.empty()) {
    totals_.products.reserve(triangle_size(dimension_));
    prefer_large_pages(totals_.products.data(), triangle_size(dimension_) * sizeof(Int128));
    totals_.products.resize(triangle_size(dimension_));
  }
}

void SharedTotals::add_stripe(std::size_t stripe, const GramWorker& worker) {
  for (std::size_t j = first_column(stripe); j < first_column(stripe + 1); ++j) {
    worker.add_column(j, totals_.products.data() + triangle_index(0, j));
  }
}

void SharedTotals::add(std::size_t number, const GramWorker& worker) {
  std::call_once(allocated_, [this] { allocate(); });
  {
    const std::scoped_lock lock(sums_lock_);
    worker.add_sums(totals_);
  }
  for (std::size_t turn = 0; turn < kStripes; ++turn) {
    const std::size_t stripe = (5 * number + turn) % kStripes;
    const std::scoped_lock lock(locks_[stripe]);
    add_stripe(stripe, worker);
  }
}

GramTotals SharedTotals::take(std::span<const std::unique_ptr<GramWorker>> workers) && {
  allocate();
  parallel_for(kStripes, static_cast<int>(workers.size()), [&](std::size_t stripe) {
    for (const auto& worker : workers) {
      add_stripe(stripe, *worker);
    }
  });
  for (const auto& worker : workers) {
    worker->add_sums(totals_);
  }
  return std::move(totals_);
}

}  // namespace eigenveil
