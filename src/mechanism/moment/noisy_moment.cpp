#include "mechanism/moment/noisy_moment.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/outward.hpp"
#include "core/parallel.hpp"
#include "eigenveil/random/rounded_noise.hpp"
#include "mechanism/moment/noise_tiles.hpp"
#include "mechanism/subspace/grid_position.hpp"
#include "random/rounded_wishart.hpp"

namespace eigenveil {
namespace {

/// Where the released entries lie in order: count, sums, packed upper triangle.
struct EntryLayout {
  explicit EntryLayout(const MomentShape& shape)
      : first_sum(shape.releases_count() ? 1 : 0),
        first_product(first_sum + (shape.releases_sums() ? shape.dimension : 0)) {}
  std::size_t first_sum;
  std::size_t first_product;
};

/// One released entry, with its place in the triangle if it is a product.
struct Entry {
  std::size_t index = 0;
  std::size_t row = 0;
  std::size_t column = 0;
  bool product = false;
  bool diagonal = false;  ///< the count is the diagonal entry of the extended row's constant
};

/// Calls visit(entry) for what stands beside the matrix.
template <class Visit>
void for_each_before_products(const EntryLayout& layout, const Visit& visit) {
  for (std::size_t i = 0; i < layout.first_product; ++i) {
    visit(Entry{i, 0, 0, false, i < layout.first_sum});
  }
}

/// And for the entries of a tile on and above the diagonal, column by column.
template <class Visit>
void for_each_product(const EntryLayout& layout, const NoiseTile& tile, const Visit& visit) {
  for (std::size_t column = tile.first_column; column < tile.first_column + tile.columns;
       ++column) {
    const std::size_t end = std::min(tile.first_row + tile.rows, column + 1);
    for (std::size_t row = tile.first_row; row < end; ++row) {
      visit(Entry{layout.first_product + triangle_index(row, column), row, column, true,
                  row == column});
    }
  }
}

/// Count and sums, then all products, where they are released.
struct NoisyEntries {
  Vector before_products;
  Matrix products;

  void put(const Entry& entry, double value) {
    if (!entry.product) {
      before_products[static_cast<Eigen::Index>(entry.index)] = value;
      return;
    }
    const auto row = static_cast<Eigen::Index>(entry.row);
    const auto column = static_cast<Eigen::Index>(entry.column);
    products(row, column) = products(column, row) = value;
  }
};

/// Entries that share a noise scale, noised a few at a time: the memory does not grow with them.
class NoisyGroup {
 public:
  NoisyGroup(NoiseLaw law, double scale, int exponent, RandomStream& stream, NoisyEntries& noisy)
      : law_(law),
        scale_in_steps_(std::ldexp(scale, -exponent)),
        exponent_(exponent),
        stream_(stream),
        noisy_(noisy) {}

  void add(const Entry& entry, Int128 exact) {
    const GridPosition position = on_grid(exact, exponent_);
    entries_.push_back(entry);
    steps_.push_back(position.steps);
    fractions_.push_back(position.fraction);
    if (entries_.size() == kAtOnce) {
      add_noise();
    }
  }

  void add_noise() {
    rounded_.resize(fractions_.size());
    const auto round = law_ == NoiseLaw::Gaussian ? round_with_gaussian : round_with_laplace;
    round(stream_, scale_in_steps_, fractions_, rounded_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      noisy_.put(entries_[i], std::ldexp(static_cast<double>(steps_[i] + rounded_[i]), exponent_));
    }
    entries_.clear();
    steps_.clear();
    fractions_.clear();
  }

 private:
  /// A multiple of the blocks in which noise is drawn: a seed gives the same numbers as at once.
  static constexpr std::size_t kAtOnce = 2048;
  static_assert(kAtOnce % kNoiseBlock == 0);

  NoiseLaw law_;
  double scale_in_steps_;
  int exponent_;
  RandomStream& stream_;
  NoisyEntries& noisy_;
  std::vector<Entry> entries_;
  std::vector<Int128> steps_;
  std::vector<double> fractions_;
  std::vector<std::int64_t> rounded_;
};

/// Noise from one stream on the entries that `for_each` visits: the diagonal first.
template <class ForEach>
void add_noise_to(const ForEach& for_each, const SecondMoment& moment, const NoiseScale& scale,
                  int exponent, RandomStream& stream, NoisyEntries& noisy) {
  for (const bool diagonal : {true, false}) {
    NoisyGroup group(scale.law, diagonal ? scale.diagonal : scale.off_diagonal, exponent, stream,
                     noisy);
    for_each([&](const Entry& entry) {
      if (entry.diagonal == diagonal) {
        group.add(entry, moment.entry(entry.index));
      }
    });
    group.add_noise();
  }
}

/// The diagonal where the trace has noise of its own: the exact integers are the trace and
/// c_j = d_0 + ... + d_(j-1) - j d_j, orthogonal to it and to each other, of squared length j
/// (j+1). Each gets independent noise, and the diagonal is put together from what was released
/// (docs/proofs/trace_noise.md).
class DiagonalContrasts {
 public:
  DiagonalContrasts(const SecondMoment& moment, const NoiseScale& scale, int exponent)
      : moment_(moment),
        layout_(moment.shape()),
        p_(moment.shape().dimension),
        scale_(scale),
        exponent_(exponent) {}

  Vector noisy(RandomStream& stream) const {
    const double p = static_cast<double>(p_);
    std::vector<double> shares(p_);  // c_j / (j (j + 1))
    Int128 before = diagonal(0);
    for (std::size_t j = 1; j < p_; ++j) {
      const Int128 own = diagonal(j);
      const double length2 = static_cast<double>(j) * static_cast<double>(j + 1);
      shares[j] = rounded(before - static_cast<Int128>(j) * own,
                          up(scale_.diagonal * up(std::sqrt(length2))), stream) /
                  length2;
      before += own;
    }
    const double spread = up(std::sqrt(up(p * scale_.trace_ratio)));
    const double mean = rounded(before, up(scale_.diagonal * spread), stream) / p;
    Vector entries(static_cast<Eigen::Index>(p_));
    double later = 0.0;
    for (std::size_t i = p_; i-- > 0;) {
      entries[static_cast<Eigen::Index>(i)] = mean + later - static_cast<double>(i) * shares[i];
      later += shares[i];
    }
    return entries;
  }

 private:
  Int128 diagonal(std::size_t i) const {
    return moment_.entry(layout_.first_product + triangle_index(i, i));
  }

  double rounded(Int128 exact, double sd, RandomStream& stream) const {
    const GridPosition position = on_grid(exact, exponent_);
    std::int64_t noisy = 0;
    round_with_gaussian(stream, std::ldexp(sd, -exponent_), {&position.fraction, 1}, {&noisy, 1});
    return std::ldexp(static_cast<double>(position.steps + noisy), exponent_);
  }

  const SecondMoment& moment_;
  EntryLayout layout_;
  std::size_t p_;
  NoiseScale scale_;
  int exponent_;
};

/// The noise is one matrix, drawn for the Gram of (t, x) where sums are released, else for that of
/// x; a count beside it is a 1 x 1 matrix of its own, whose noise is Laplace's.
class WishartEntries {
 public:
  WishartEntries(const SecondMoment& moment, const NoiseScale& scale, int exponent,
                 NoisyEntries& noisy)
      : moment_(moment),
        layout_(moment.shape()),
        border_(moment.shape().releases_sums() ? 1 : 0),
        scale_(scale),
        exponent_(exponent),
        noisy_(noisy) {}

  void add_noise(RandomStream& stream) {
    const MomentShape& shape = moment_.shape();
    if (shape.releases_count() && border_ == 0) {
      const double fraction = on_grid(moment_.entry(0), exponent_).fraction;
      std::int64_t rounded = 0;
      round_with_laplace(stream, std::ldexp(2.0 * scale_.factor, -exponent_), {&fraction, 1},
                         {&rounded, 1});
      noisy_.before_products[0] = value_at(0, rounded);
    }
    round_with_wishart(
        stream, std::ldexp(scale_.factor, -exponent_), shape.noise_dimension(),
        [&](std::size_t row, std::size_t column) {
          const auto index = index_of(row, column);
          return index ? on_grid(moment_.entry(*index), exponent_).fraction : 0.0;
        },
        [&](std::size_t row, std::size_t column, std::int64_t rounded) {
          put(row, column, rounded);
        });
  }

 private:
  /// Nothing for the corner where the count is public.
  std::optional<std::size_t> index_of(std::size_t row, std::size_t column) const {
    if (row >= border_) {
      return layout_.first_product + triangle_index(row - border_, column - border_);
    }
    if (column > 0) {
      return layout_.first_sum + column - 1;
    }
    return layout_.first_sum > 0 ? std::optional<std::size_t>(0) : std::nullopt;
  }

  double value_at(std::size_t index, std::int64_t rounded) const {
    const Int128 steps = on_grid(moment_.entry(index), exponent_).steps;
    return std::ldexp(static_cast<double>(steps + rounded), exponent_);
  }

  void put(std::size_t row, std::size_t column, std::int64_t rounded) {
    const auto index = index_of(row, column);
    if (!index) {
      return;
    }
    const double value = value_at(*index, rounded);
    if (row < border_) {
      noisy_.before_products[static_cast<Eigen::Index>(*index)] = value;
      return;
    }
    const auto i = static_cast<Eigen::Index>(row - border_);
    const auto j = static_cast<Eigen::Index>(column - border_);
    noisy_.products(i, j) = noisy_.products(j, i) = value;
  }

  const SecondMoment& moment_;
  EntryLayout layout_;
  std::size_t border_;
  NoiseScale scale_;
  int exponent_;
  NoisyEntries& noisy_;
};

NoisyEntries noisy_entries(const SecondMoment& moment, const NoiseScale& scale, int exponent,
                           RandomStream& stream) {
  const EntryLayout layout(moment.shape());
  const std::size_t entries = moment.shape().entries();
  const auto p = static_cast<Eigen::Index>(moment.shape().dimension);
  NoisyEntries noisy{Vector(static_cast<Eigen::Index>(layout.first_product)), Matrix(p, p)};
  if (scale.law == NoiseLaw::Wishart) {
    WishartEntries(moment, scale, exponent, noisy).add_noise(stream);
    return noisy;
  }
  const auto add_noise = [&](const auto& for_each, RandomStream& own) {
    add_noise_to(for_each, moment, scale, exponent, own, noisy);
  };
  const auto beside = [&](const auto& visit) { for_each_before_products(layout, visit); };
  if (entries <= kEntriesOfOneStream) {
    const NoiseTile whole{0, moment.shape().dimension, 0, moment.shape().dimension};
    add_noise(
        [&](const auto& visit) {
          beside(visit);
          for_each_product(layout, whole, visit);
        },
        stream);
    return noisy;
  }
  // A fresh family per call: two releases from one stream must never share their noise.
  const RandomStream family = stream.split();
  RandomStream first = trusted::substream(family, 0);
  add_noise(beside, first);
  parallel_for(noise_tiles(moment.shape().dimension), default_threads(), [&](std::size_t index) {
    RandomStream own = trusted::substream(family, index + 1);
    const NoiseTile tile = noise_tile(moment.shape().dimension, index);
    add_noise([&](const auto& visit) { for_each_product(layout, tile, visit); }, own);
  });
  return noisy;
}

}  // namespace

double standard_deviation(NoiseLaw law, double scale) {
  return law == NoiseLaw::Laplace ? std::sqrt(2.0) * scale : scale;
}

std::string_view name_of(NoiseLaw law) {
  switch (law) {
    case NoiseLaw::Laplace:
      return "rounded Laplace";
    case NoiseLaw::Wishart:
      return "rounded two-sided Wishart";
    default:
      return "rounded Gaussian";
  }
}

double spectral_factor(NoiseLaw law) {
  // The edge of G Gᵀ - H Hᵀ is p sqrt((11 + 5 sqrt 5) / 2), its entries have variance 2 (p + 1).
  return law == NoiseLaw::Wishart ? std::sqrt((11.0 + 5.0 * std::sqrt(5.0)) / 16.0) : 1.0;
}

double diagonal_sd(const NoiseScale& scale, const MomentShape& shape) {
  const double p = static_cast<double>(shape.dimension);
  const double spread =
      scale.trace_ratio == 1.0 ? 1.0 : std::sqrt((p - 1.0 + scale.trace_ratio) / p);
  return standard_deviation(scale.law, scale.diagonal) * spread;
}

double trace_sd(const NoiseScale& scale, const MomentShape& shape) {
  const double p = static_cast<double>(shape.dimension);
  return standard_deviation(scale.law, scale.diagonal) * std::sqrt(p * scale.trace_ratio);
}

double shared_sd(NoiseLaw law, double diagonal_sd, double off_diagonal_sd) {
  const double own = 2.0 * off_diagonal_sd * off_diagonal_sd;
  const double beyond = diagonal_sd * diagonal_sd - own;
  // Outward rounding is no noise.
  return law == NoiseLaw::Gaussian && beyond > 1e-12 * own ? std::sqrt(beyond) : 0.0;
}

double corner_sd(const NoiseScale& scale, const MomentShape& shape) {
  if (scale.law == NoiseLaw::Wishart && !shape.releases_sums()) {
    return standard_deviation(NoiseLaw::Laplace, 2.0 * scale.factor);
  }
  return standard_deviation(scale.law, scale.diagonal);
}

std::vector<std::string> noise_assumptions(NoiseLaw law) {
  std::vector<std::string> assumptions = {
      "random bits: ChaCha20 keyed by the operating system cannot be told from true randomness"};
  if (law != NoiseLaw::Laplace) {
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
  NoisyEntries noisy = noisy_entries(moment, scale, grid_exponent, stream);
  if (scale.trace_ratio != 1.0) {  // in place of the diagonal's own noise, which is forgotten
    noisy.products.diagonal() = DiagonalContrasts(moment, scale, grid_exponent).noisy(stream);
  }

  NoisyTotals released;
  released.products = std::move(noisy.products);
  released.law = scale.law;
  released.product_sd = diagonal_sd(scale, shape);
  released.off_diagonal_sd = standard_deviation(scale.law, scale.off_diagonal);
  released.trace_sd = trace_sd(scale, shape);
  if (shape.releases_sums()) {
    const auto first = static_cast<Eigen::Index>(layout.first_sum);
    released.sums =
        noisy.before_products.segment(first, static_cast<Eigen::Index>(shape.dimension)) / t;
    released.sum_sd = released.off_diagonal_sd / t;
  }
  if (row_count_is_public(shape.relation)) {
    released.count = static_cast<double>(moment.count());
    released.count_is_public = true;
  } else if (shape.releases_count()) {
    released.count = noisy.before_products[0] / (t * t);
    released.count_sd = corner_sd(scale, shape) / (t * t);
  }
  return released;
}

NoisyMoment in_scaled_units(NoisyTotals totals, const Schema& schema, const RowBound& bound) {
  const double unit = bound.unit();
  NoisyMoment moment{schema, bound, totals.count, totals.count_is_public, {}, {}};
  totals.products *= unit * unit;
  moment.products = std::move(totals.products);
  moment.product_sd = totals.product_sd * unit * unit;
  moment.off_diagonal_sd = totals.off_diagonal_sd * unit * unit;
  moment.trace_sd = totals.trace_sd * unit * unit;
  if (totals.sums) {
    moment.sums = *totals.sums * unit;
  }
  moment.sum_sd = totals.sum_sd * unit;
  moment.count_sd = totals.count_sd;
  moment.law = totals.law;
  return moment;
}

}  // namespace eigenveil
