#include "shared_totals.hpp"

#include <cmath>
#include <utility>

#include "gram_worker.hpp"

namespace eigenveil {

SharedTotals::SharedTotals(std::size_t dimension) : dimension_(dimension) {
  totals_.sums.resize(dimension);
}

/// Stripes of about equal area in the triangle.
std::size_t SharedTotals::first_column(std::size_t stripe) const {
  const double share = static_cast<double>(stripe) / static_cast<double>(kStripes);
  return static_cast<std::size_t>(std::sqrt(share) * static_cast<double>(dimension_));
}

void SharedTotals::add(std::size_t number, const GramWorker& worker) {
  std::call_once(allocated_, [this] { totals_.products.resize(triangle_size(dimension_)); });
  {
    const std::scoped_lock lock(sums_lock_);
    worker.add_sums(totals_);
  }
  for (std::size_t turn = 0; turn < kStripes; ++turn) {
    const std::size_t stripe = (5 * number + turn) % kStripes;
    const std::scoped_lock lock(locks_[stripe]);
    for (std::size_t j = first_column(stripe); j < first_column(stripe + 1); ++j) {
      worker.add_column(j, totals_.products.data() + triangle_index(0, j));
    }
  }
}

GramTotals SharedTotals::take(std::span<const std::unique_ptr<GramWorker>> workers) && {
  // Grows column by column: memory that is written once need not be zeroed first.
  totals_.products.reserve(triangle_size(dimension_));
  prefer_large_pages(totals_.products.data(), triangle_size(dimension_) * sizeof(Int128));
  for (std::size_t j = 0; j < dimension_; ++j) {
    const std::size_t first = triangle_index(0, j);
    if (totals_.products.size() == first) {
      totals_.products.resize(first + j + 1);
    }
    for (const auto& worker : workers) {
      worker->add_column(j, totals_.products.data() + first);
    }
  }
  for (const auto& worker : workers) {
    worker->add_sums(totals_);
  }
  return std::move(totals_);
}

}  // namespace eigenveil
