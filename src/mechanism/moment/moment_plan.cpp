#include "mechanism/moment/moment_plan.hpp"

#include <cmath>
#include <utility>

#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/wishart/wishart.hpp"

namespace eigenveil {
namespace {

Result<double> sensitivity_for(NoiseLaw law, const MomentShape& shape) {
  switch (law) {
    case NoiseLaw::Laplace:
      return upper_triangle_l1_sensitivity(shape);
    case NoiseLaw::Wishart:
      return nuclear_sensitivity(shape);
    default:
      return frobenius_sensitivity(shape);
  }
}

NoiseScale noise_for(NoiseLaw law, const PerRowLoss& per_row, double sensitivity,
                     const MomentShape& shape) {
  switch (law) {
    case NoiseLaw::Laplace:
      return laplace_noise_scale(sensitivity, std::get<PureDp>(per_row));
    case NoiseLaw::Wishart:
      return wishart_noise_scale(sensitivity, std::get<PureDp>(per_row), shape);
    default:
      return gaussian_noise_scale(shape, sensitivity, std::get<GaussianDp>(per_row));
  }
}

}  // namespace

Loss as_loss(const PerRowLoss& per_row) {
  return std::visit([](const auto& loss) -> Loss { return loss; }, per_row);
}

NoiseLaw sharpest_law(const PerRowLoss& per_row) {
  return std::holds_alternative<PureDp>(per_row) ? NoiseLaw::Wishart : NoiseLaw::Gaussian;
}

double count_constant_share(NoiseLaw law, std::size_t dimension) {
  switch (law) {
    case NoiseLaw::Laplace:
      // The l1 sensitivity of the triangle grows with p, so a constant that grows with it costs the
      // count only 1/8 more noise.
      return std::sqrt(static_cast<double>(dimension) + 1.0) / 4.0;
    case NoiseLaw::Wishart:
      return std::sqrt(0.125);  // R² + t²: 1/8 more noise, with or without the mean
    default:
      return 0.5;  // in the Frobenius norm the count costs 3% more noise, count and mean 25%
  }
}

Result<CalibratedNoise> calibrate_noise(const MomentShape& shape, const PerRowLoss& per_row,
                                        NoiseLaw law) {
  const Result<double> sensitivity = sensitivity_for(law, shape);
  if (!sensitivity) {
    return error_of(sensitivity);
  }
  const NoiseScale noise = noise_for(law, per_row, *sensitivity, shape);
  // Keeps (row count) * (budget) * 2^21 grid steps far inside 128 bits for 2^53 rows.
  if (noise.diagonal < *sensitivity * 0x1p-40) {
    return bad_request("the budget is so large that nothing would be hidden; spend less");
  }
  if (const Result<int> exponent = noise_grid_exponent(noise); !exponent) {
    return error_of(exponent);
  }
  return CalibratedNoise{*sensitivity, noise};
}

Result<MomentPlan> MomentPlan::make(const MomentRequest& request, PerRowLoss per_row,
                                    NoiseLaw law) {
  MomentShape shape = moment_shape(request.bound, request.extension, request.relation,
                                   count_constant_share(law, request.bound.dimension()));
  shape.trace = request.trace;
  const Result<CalibratedNoise> noise = calibrate_noise(shape, per_row, law);
  if (!noise) {
    return error_of(noise);
  }
  const Result<Loss> loss = group_loss(as_loss(per_row), request.group_size);
  if (!loss) {
    return error_of(loss);
  }
  const Guarantee guarantee{
      request.relation,  *loss, Basis::Proved, noise_assumptions(noise->scale.law), true,
      request.group_size};
  return MomentPlan(request.bound, shape, *noise, per_row, guarantee);
}

MomentPlan::MomentPlan(RowBound bound, MomentShape shape, CalibratedNoise noise, PerRowLoss per_row,
                       Guarantee guarantee)
    : bound_(std::move(bound)),
      shape_(shape),
      noise_(noise),
      per_row_(per_row),
      guarantee_(std::move(guarantee)) {}

std::string MomentPlan::method() const {
  switch (noise_.scale.law) {
    case NoiseLaw::Laplace:
      return "laplace";
    case NoiseLaw::Wishart:
      return "wishart";
    default:
      return "gauss";
  }
}

double MomentPlan::product_sd() const {
  return diagonal_sd(noise_.scale, shape_) * bound_.unit() * bound_.unit();
}

double MomentPlan::off_diagonal_sd() const {
  return standard_deviation(noise_.scale.law, noise_.scale.off_diagonal) * bound_.unit() *
         bound_.unit();
}

double MomentPlan::trace_sd() const {
  return eigenveil::trace_sd(noise_.scale, shape_) * bound_.unit() * bound_.unit();
}

double MomentPlan::sum_sd() const {
  // The constant t that carries the sums is in grid units: its entry is a product with it.
  return shape_.releases_sums() ? standard_deviation(noise_.scale.law, noise_.scale.off_diagonal) /
                                      static_cast<double>(shape_.constant) * bound_.unit()
                                : 0.0;
}

double MomentPlan::count_sd() const {
  const double t = static_cast<double>(shape_.constant);
  return shape_.releases_count() ? corner_sd(noise_.scale, shape_) / (t * t) : 0.0;
}

Result<Release<NoisyMoment>> MomentPlan::run(const ExactGram& gram, RandomStream& stream) const {
  Result<Release<NoisyTotals>> release = [&]() -> Result<Release<NoisyTotals>> {
    if (const auto* mu = std::get_if<GaussianDp>(&per_row_)) {
      return frobenius_bounded(gram, shape_).and_then([&](const auto& moment) {
        return add_gaussian_noise(moment, *mu, stream);
      });
    }
    const PureDp epsilon = std::get<PureDp>(per_row_);
    if (noise_.scale.law == NoiseLaw::Laplace) {
      return l1_bounded(gram, shape_).and_then([&](const auto& moment) {
        return add_laplace_noise(moment, epsilon, stream);
      });
    }
    return nuclear_bounded(gram, shape_).and_then([&](const auto& moment) {
      return add_wishart_noise(moment, epsilon, stream);
    });
  }();
  if (!release) {
    return error_of(release);
  }
  // The same draw, stated for groups of rows.
  return trusted::assume_released<NoisyMoment>(
      in_scaled_units(std::move(*release).take(), gram.schema(), gram.bound()),
      as_run(guarantee_, stream), method());
}

Guarantee as_run(Guarantee guarantee, const RandomStream& stream) {
  guarantee.secure_random = stream.is_secure();
  if (!stream.is_secure() && guarantee.basis != Basis::NotPrivate) {
    guarantee.would_be = guarantee.basis;
    guarantee.basis = Basis::NotPrivate;
  }
  return guarantee;
}

}  // namespace eigenveil
