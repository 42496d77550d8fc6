#include "mechanism/matrix_free/matrix_free.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

/// Scales that differ by more would leave the small columns without digits.
constexpr double kMostScaleRatio = 0x1p12;
/// Keeps G v, in grid steps, far inside 128 bits for 2^40 rows.
constexpr double kMostMu = 0x1p16;
/// Steps a typical cell keeps when the grid is made coarser.
constexpr double kCellSteps = 16.0;

/// The coarsest grid that still resolves cells: one of R / sqrt(p) where a norm bounds the row.
std::int64_t coarsest_grid(const RowBound& bound) {
  const double spread =
      bound.has_ranges() ? 1.0 : std::sqrt(static_cast<double>(bound.dimension()));
  return std::min(bound.max_abs(), static_cast<std::int64_t>(std::ceil(kCellSteps * spread)));
}

bool is_fast(const MomentPlan& plan) {
  return plan.noise().diagonal <= MatrixFreePlan::kWantedSteps;
}

Result<MomentPlan> plan_on_grid(MomentRequest request, std::int64_t max_abs) {
  return request.bound.with_max_abs(max_abs).and_then([&](RowBound&& bound) {
    request.bound = std::move(bound);
    return plan_gauss(request);
  });
}

/// The finest grid, from the one asked for downwards by halves, whose noise is drawn fast.
Result<MomentPlan> plan_on_fast_grid(const MomentRequest& request) {
  const std::int64_t coarsest = coarsest_grid(request.bound);
  std::int64_t max_abs = request.bound.max_abs();
  Result<MomentPlan> plan = plan_on_grid(request, max_abs);
  while (plan && !is_fast(*plan) && max_abs > coarsest) {
    max_abs = std::max(coarsest, max_abs / 2);
    plan = plan_on_grid(request, max_abs);
  }
  return plan;
}

Result<void> check_units(const RowBound& bound, Units units) {
  const Vector scales = column_scales(bound, units);
  if (scales.maxCoeff() > kMostScaleRatio * scales.minCoeff()) {
    return bad_request(
        fmt::format("without a matrix the public ranges may differ {:.0f} times in width at most; "
                    "take {{units scaled}}",
                    kMostScaleRatio),
        "units");
  }
  return {};
}

/// Bits of whole numbers v with R |v| < 2^52, so that x . v is exact.
int bits_of_vectors(const RowBound& bound) {
  const double norm2 = static_cast<double>(bound.norm2_bound());
  const double p = static_cast<double>(bound.dimension());
  return std::min(kVectorBits, std::ilogb(0x1p52 / std::sqrt(norm2 * p)));
}

double to_double(Int128 steps, int exponent) {
  return std::ldexp(static_cast<double>(steps), exponent);
}

HashKey new_key(RandomStream stream) {
  HashKey key;
  const std::array<std::uint64_t, 4> words = {stream.bits64(), stream.bits64(), stream.bits64(),
                                              stream.bits64()};
  static_assert(sizeof words == sizeof key);
  std::memcpy(key.data(), words.data(), sizeof key);
  return key;
}

}  // namespace

Result<MatrixFreePlan> MatrixFreePlan::make(const MatrixFreeRequest& request) {
  if (const Result<void> fits = check_units(request.moment.bound, request.units); !fits) {
    return error_of(fits);
  }
  Result<MomentPlan> moment = plan_on_fast_grid(request.moment);
  if (!moment) {
    return error_of(moment);
  }
  if (moment->noise().diagonal > kMostSteps) {
    return bad_request(
        "without a matrix the noise may have a standard deviation of 2^40 grid steps at most; "
        "spend more, or take a coarser {grid}",
        "grid");
  }
  if (moment->sensitivity() > kMostMu * moment->noise().diagonal) {
    return bad_request("the budget is so large that nothing would be hidden; spend less");
  }
  return noise_grid_exponent(moment->noise()).map([&](int exponent) {
    const int bits = bits_of_vectors(moment->bound());
    return MatrixFreePlan(request, *std::move(moment), std::min(exponent, 0), bits);
  });
}

MatrixFreePlan::MatrixFreePlan(MatrixFreeRequest request, MomentPlan moment, int grid_exponent,
                               int vector_bits)
    : request_(std::move(request)),
      moment_(std::move(moment)),
      grid_exponent_(grid_exponent),
      vector_bits_(vector_bits) {
  request_.moment.bound = moment_.bound();
}

MatrixFreeRun::MatrixFreeRun(const MatrixFreePlan& plan, RandomStream& stream, int threads)
    : plan_(plan),
      threads_(threads),
      guarantee_(as_run(plan.guarantee(), stream)),
      process_(::getpid()),
      key_(new_key(RandomStream::secure())),
      noise_(plan.moment().shape(), plan.moment().noise(), plan.grid_exponent(), stream),
      search_(column_scales(plan.bound(), plan.request().units),
              {plan.request().components, plan.request().passes, plan.vector_bits()}) {
  start_pass();
}

void MatrixFreeRun::start_pass() {
  pass_ = std::make_unique<ProductPass>(plan_.bound(), search_.block(), key_, threads_);
}

Result<void> MatrixFreeRun::add(RowReader& rows) {
  return pass_->add(rows);
}

Result<bool> MatrixFreeRun::end_pass() {
  const RowProducts rows = pass_->finish();
  pass_.reset();
  if (rows.count > MatrixFreePlan::kMostRows) {
    return bad_request("without a matrix a table may have 2^40 rows at most");
  }
  if (fingerprint_ && *fingerprint_ != rows.fingerprint) {
    return bad_request(
        "the rows changed between two passes over them, so the release was stopped; its budget is "
        "spent");
  }
  if (process_ != ::getpid()) {
    return bad_request("a release cannot go on in another process; its budget is spent");
  }
  const bool first = !std::exchange(fingerprint_, rows.fingerprint).has_value();
  std::vector<std::int64_t> diagonal(first ? plan_.bound().dimension() : 0);
  std::vector<Int128> totals = rows.products;
  const Int128 steps_per_unit = static_cast<Int128>(1) << -plan_.grid_exponent();
  for (Int128& total : totals) {
    total *= steps_per_unit;
  }
  noise_.add_product(search_.block(), threads_, totals, first ? &diagonal : nullptr);
  if (first) {
    release_frame(rows, diagonal);
  }
  Matrix product(search_.block().rows(), search_.block().cols());
  std::transform(totals.begin(), totals.end(), product.data(),
                 [](Int128 total) { return static_cast<double>(total); });
  totals = {};
  const bool again = search_.add(product, frame_);
  if (again) {
    start_pass();
  }
  return again;
}

/// Count, mean and diagonal, with their noise: what the first pass releases beside A V.
void MatrixFreeRun::release_frame(const RowProducts& rows,
                                  const std::vector<std::int64_t>& diagonal) {
  const MomentShape& shape = plan_.moment().shape();
  const int exponent = plan_.grid_exponent();
  const Int128 steps = static_cast<Int128>(1) << -exponent;
  const auto t = static_cast<double>(shape.constant);
  const double unit = plan_.bound().unit();
  const auto p = static_cast<Eigen::Index>(shape.dimension);
  if (row_count_is_public(shape.relation)) {
    noisy_count_ = static_cast<double>(rows.count);
  } else {
    const Int128 exact =
        static_cast<Int128>(shape.constant) * shape.constant * static_cast<Int128>(rows.count);
    noisy_count_ = to_double(exact * steps + noise_.on_count(), exponent) / (t * t);
  }
  frame_.scales = column_scales(plan_.bound(), plan_.request().units);
  frame_.mean = Vector::Zero(p);
  frame_.count = std::max(noisy_count_, 1.0);
  frame_.unit2 = std::ldexp(unit * unit, exponent);
  const bool private_mean = plan_.request().center == Center::PrivateMean;
  frame_.trace = 0.0;
  for (Eigen::Index j = 0; j < p; ++j) {
    const auto column = static_cast<std::size_t>(j);
    if (private_mean) {
      const Int128 sum = static_cast<Int128>(shape.constant) * rows.sums[column] * steps;
      frame_.mean[j] =
          to_double(sum + noise_.on_sums()[column], exponent) / t * unit / frame_.count;
    }
    const double square = to_double(rows.squares[column] * steps + diagonal[column], exponent);
    const double variance = square * unit * unit / frame_.count - frame_.mean[j] * frame_.mean[j];
    frame_.trace += variance * frame_.scales[j] * frame_.scales[j];
  }
  const MomentPlan& moment = plan_.moment();
  frame_.reach = noise_reach({.scales = frame_.scales,
                              .product = moment.off_diagonal_sd(),
                              .sum = moment.sum_sd(),
                              .count = moment.count_sd()},
                             frame_.scales.cwiseProduct(frame_.mean).norm(), frame_.count);
}

Release<MatrixFreeComponents> MatrixFreeRun::finish() const {
  const Eigen::Index k = search_.components();
  MatrixFreeComponents found;
  PrincipalComponents& components = found.components;
  components.loadings = search_.solver().vectors(k);
  for (Eigen::Index j = 0; j < k; ++j) {
    fix_sign(components.loadings.col(j));
  }
  components.explained_variance = search_.solver().values().head(k).cwiseMax(0.0);
  components.total_variance = std::max(frame_.trace, components.explained_variance.sum());
  components.explained_share =
      components.total_variance > 0.0
          ? Vector(components.explained_variance / components.total_variance)
          : Vector::Zero(k);
  components.noise_floor = frame_.reach.floor;
  components.noise_edge = search_.edge(frame_, components.loadings);
  found.count = noisy_count_;
  found.count_is_public = row_count_is_public(plan_.moment().shape().relation);
  found.mean = frame_.mean;
  found.scaled_mean = frame_.mean;
  found.scales = frame_.scales;
  if (plan_.request().units == Units::Original) {
    for (Eigen::Index j = 0; j < found.mean.size(); ++j) {
      found.mean[j] =
          plan_.bound().midpoint(static_cast<std::size_t>(j)) + frame_.scales[j] * found.mean[j];
    }
  }
  found.relative_residuals = search_.relative_residuals();
  found.passes = search_.passes();
  found.not_converged = search_.open();
  return trusted::assume_released<MatrixFreeComponents>(std::move(found), guarantee_, "gauss");
}

}  // namespace eigenveil
