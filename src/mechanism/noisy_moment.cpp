#include "eigenveil/mechanism/noisy_moment.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "eigenveil/core/parallel.hpp"
#include "eigenveil/random/rounded_noise.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kEntriesPerTask = 1U << 16U;

/// An exact integer as a whole number of grid steps 2^e and the fraction of a step that is left.
struct GridPosition {
  Int128 steps = 0;
  double fraction = 0.0;
};

GridPosition on_grid(Int128 value, int exponent) {
  if (exponent <= 0) {
    return {value * (static_cast<Int128>(1) << -exponent), 0.0};
  }
  const Int128 steps = value >> exponent;  // floor
  const Int128 rest = value - (steps << exponent);
  return {steps, std::ldexp(static_cast<double>(rest), -exponent)};
}

/// Walks the released entries in order: count, sums, packed upper triangle.
class EntryLayout {
 public:
  explicit EntryLayout(const MomentShape& shape)
      : first_sum_(shape.releases_count() ? 1 : 0),
        first_product_(first_sum_ + (shape.releases_sums() ? shape.dimension : 0)) {}
  std::size_t first_sum() const { return first_sum_; }
  std::size_t first_product() const { return first_product_; }

  /// Column c of a packed triangle starts at c (c + 1) / 2; its last entry is the diagonal one.
  bool is_diagonal(std::size_t index) const {
    if (index < first_product_) {
      return index < first_sum_;
    }
    const std::size_t position = index - first_product_;
    const auto column = static_cast<std::size_t>(
        (std::sqrt(8.0 * static_cast<double>(position) + 1.0) - 1.0) / 2.0);
    for (std::size_t c = column > 0 ? column - 1 : 0; c <= column + 1; ++c) {
      if (triangle_index(c, c) == position) {
        return true;
      }
    }
    return false;
  }

 private:
  std::size_t first_sum_;
  std::size_t first_product_;
};

void round_with_law(NoiseLaw law, RandomStream& stream, double steps,
                    const std::vector<double>& offsets, std::vector<std::int64_t>& rounded) {
  rounded.resize(offsets.size());
  if (law == NoiseLaw::Gaussian) {
    round_with_gaussian(stream, steps, offsets, rounded);
  } else {
    round_with_laplace(stream, steps, offsets, rounded);
  }
}

/// One task's entries, split by the scale they need.
class TaskEntries {
 public:
  TaskEntries(const SecondMoment& moment, const EntryLayout& layout, int exponent,
              std::size_t begin, std::size_t end) {
    for (std::size_t index = begin; index < end; ++index) {
      Group& group = layout.is_diagonal(index) ? diagonal_ : off_diagonal_;
      const GridPosition position = on_grid(moment.entry(index), exponent);
      group.indices.push_back(index);
      group.steps.push_back(position.steps);
      group.fractions.push_back(position.fraction);
    }
  }

  void add_noise(const NoiseScale& scale, int exponent, RandomStream& stream, double* noisy) {
    diagonal_.add_noise(scale.law, std::ldexp(scale.diagonal, -exponent), exponent, stream, noisy);
    off_diagonal_.add_noise(scale.law, std::ldexp(scale.off_diagonal, -exponent), exponent, stream,
                            noisy);
  }

 private:
  struct Group {
    std::vector<std::size_t> indices;
    std::vector<Int128> steps;
    std::vector<double> fractions;

    void add_noise(NoiseLaw law, double scale_in_steps, int exponent, RandomStream& stream,
                   double* noisy) {
      std::vector<std::int64_t> rounded;
      round_with_law(law, stream, scale_in_steps, fractions, rounded);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        noisy[indices[i]] = std::ldexp(static_cast<double>(steps[i] + rounded[i]), exponent);
      }
    }
  };
  Group diagonal_;
  Group off_diagonal_;
};

Vector noisy_entries(const SecondMoment& moment, const NoiseScale& scale, int exponent,
                     RandomStream& stream) {
  const EntryLayout layout(moment.shape());
  const std::size_t entries = moment.shape().entries();
  Vector noisy(static_cast<Eigen::Index>(entries));
  const auto add_noise = [&](std::size_t begin, std::size_t end, RandomStream& own) {
    TaskEntries(moment, layout, exponent, begin, end).add_noise(scale, exponent, own, noisy.data());
  };
  if (entries <= kEntriesPerTask) {
    add_noise(0, entries, stream);
    return noisy;
  }
  // A fresh family per call: two releases from one stream must never share their noise.
  const RandomStream family = stream.substream(stream.bits64());
  const std::size_t tasks = (entries + kEntriesPerTask - 1) / kEntriesPerTask;
  parallel_for(tasks, default_threads(), [&](std::size_t task) {
    RandomStream own = family.substream(task);
    const std::size_t begin = task * kEntriesPerTask;
    add_noise(begin, std::min(entries, begin + kEntriesPerTask), own);
  });
  return noisy;
}

Matrix unpack(const double* packed, std::size_t dimension) {
  const auto p = static_cast<Eigen::Index>(dimension);
  Matrix full(p, p);
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      full(row, column) = full(column, row) = *packed++;
    }
  }
  return full;
}

}  // namespace

double standard_deviation(NoiseLaw law, double scale) {
  return law == NoiseLaw::Gaussian ? scale : std::sqrt(2.0) * scale;
}

std::vector<std::string> noise_assumptions(NoiseLaw law) {
  std::vector<std::string> assumptions = {
      "random bits: ChaCha20 keyed by the operating system cannot be told from true randomness"};
  if (law == NoiseLaw::Gaussian) {
    assumptions.emplace_back(
        "normal quantile: the error bound of its published approximation, which was checked "
        "against 50-digit references and not proved");
  }
  return assumptions;
}

Result<int> noise_grid_exponent(const NoiseScale& scale) {
  if (!(scale.diagonal > 0.0) || !(scale.off_diagonal > 0.0)) {
    return bad_request("the noise scale must be positive; give a positive budget");
  }
  const int exponent = std::ilogb(scale.diagonal) - kNoiseStepsLog2;
  if (exponent > 52) {
    return bad_request(
        "the budget is so small that the noise leaves the range of exact arithmetic; spend more");
  }
  if (exponent < -40) {
    return bad_request(
        "the budget is so large that the noise falls below the range of exact arithmetic; spend "
        "less");
  }
  return exponent;
}

NoisyTotals add_rounded_noise(const SecondMoment& moment, const NoiseScale& scale,
                              int grid_exponent, RandomStream& stream) {
  const MomentShape& shape = moment.shape();
  const EntryLayout layout(shape);
  const double t = static_cast<double>(shape.constant);
  const Vector noisy = noisy_entries(moment, scale, grid_exponent, stream);

  NoisyTotals released;
  released.products = unpack(noisy.data() + layout.first_product(), shape.dimension);
  released.product_sd = standard_deviation(scale.law, scale.diagonal);
  released.off_diagonal_sd = standard_deviation(scale.law, scale.off_diagonal);
  if (shape.releases_sums()) {
    const auto first = static_cast<Eigen::Index>(layout.first_sum());
    released.sums = noisy.segment(first, static_cast<Eigen::Index>(shape.dimension)) / t;
    released.sum_sd = released.off_diagonal_sd / t;
  }
  if (row_count_is_public(shape.relation)) {
    released.count = static_cast<double>(moment.count());
    released.count_is_public = true;
  } else if (shape.releases_count()) {
    released.count = noisy[0] / (t * t);
    released.count_sd = released.product_sd / (t * t);
  }
  return released;
}

NoisyMoment in_scaled_units(const NoisyTotals& totals, const Schema& schema,
                            const RowBound& bound) {
  const double unit = bound.unit();
  NoisyMoment moment{schema, bound, totals.count, totals.count_is_public, {}, {}};
  moment.products = totals.products * (unit * unit);
  moment.product_sd = totals.product_sd * unit * unit;
  moment.off_diagonal_sd = totals.off_diagonal_sd * unit * unit;
  if (totals.sums) {
    moment.sums = *totals.sums * unit;
  }
  moment.sum_sd = totals.sum_sd * unit;
  moment.count_sd = totals.count_sd;
  return moment;
}

}  // namespace eigenveil
