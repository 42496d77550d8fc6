#include "mechanism/mask/mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/mask/triangular_factor.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/solver_error.hpp"
#include "privacy/pair_per_row.hpp"
#include "random/chi_square.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

MaskShape shape_of(const MaskRequest& request, std::int64_t rows) {
  Int128 norm2 = request.bound.norm2_bound();
  const auto t = static_cast<Int128>(request.intercept ? intercept_constant(request.bound) : 0);
  norm2 += t * t;
  const double radius = up(up(std::sqrt(up(static_cast<double>(norm2)))) * request.bound.unit());
  // With an intercept a zeroed row is (t, 0), not the zero row.
  return {rows, static_cast<std::int64_t>(request.bound.dimension()) + (request.intercept ? 1 : 0),
          radius, request.intercept ? up(static_cast<double>(t) * request.bound.unit()) : 0.0};
}

/// The exact Gram of the rows (t, v) or v, in scaled units.
Matrix scaled_gram(const ExactGram& gram, bool intercept) {
  const GramTotals& totals = trusted::totals(gram);
  const auto p = static_cast<Eigen::Index>(gram.dimension());
  const Eigen::Index first = intercept ? 1 : 0;
  const double unit = gram.bound().unit();
  Matrix full(p + first, p + first);
  std::size_t next = 0;
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      const double value = static_cast<double>(totals.products[next++]) * unit * unit;
      full(first + row, first + column) = full(first + column, first + row) = value;
    }
  }
  if (intercept) {
    const double t = static_cast<double>(intercept_constant(gram.bound())) * unit;
    full(0, 0) = t * t * static_cast<double>(totals.count);
    for (Eigen::Index column = 0; column < p; ++column) {
      full(0, column + 1) = full(column + 1, 0) =
          t * unit * static_cast<double>(totals.sums[static_cast<std::size_t>(column)]);
    }
  }
  return full;
}

/// S with SᵀS the nearest positive semidefinite matrix.
Matrix root_of(const Matrix& gram) {
  const SymmetricEigen eigen = symmetric_eigen(gram);
  return eigen.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

/// The factor is rounded to sigma / 128, or a little finer: far below the noise, and far above what
/// doubles may have done to it.
int grid_exponent(double sigma) {
  return std::ilogb(sigma) - 7;
}

/// What doubles may do to the factor; docs/proofs/masking.md, "What the code does in doubles".
struct DoubleErrors {
  double shift = 0.0;        ///< of the mean, by the root of the Gram, in standard deviations
  double probability = 0.0;  ///< that an entry of the factor is rounded otherwise, about
};

/// u = solver_error(p): |S^ - S|_F² <= sqrt(p) u tr(Gram) up to a rotation (Powers and Stoermer).
/// The factor of a table of norm z whose smallest singular value is s is off by about e = 2 u z² /
/// s, which moves an entry across a boundary of the grid g with probability 2 e / g, twice that for
/// an uneven density.
DoubleErrors double_errors(const MaskShape& shape, double sigma) {
  const auto n = static_cast<double>(shape.rows);
  const auto p = static_cast<double>(shape.dimension);
  const double u = solver_error(shape.dimension);
  const double z = std::sqrt(n) * (shape.row_norm + sigma);
  const double s = sigma * (std::sqrt(n) - std::sqrt(p));
  const double error = 2.0 * u * z * z / s;
  const double entries = p * (p + 1.0) / 2.0;
  return {shape.row_norm * std::sqrt(std::sqrt(p) * u * n) / sigma,
          std::min(1.0, entries * 4.0 * error / std::ldexp(1.0, grid_exponent(sigma)))};
}

void round_to_grid(Matrix& values, double sigma) {
  const int exponent = grid_exponent(sigma);
  for (double& value : values.reshaped()) {
    value = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  }
}

/// How far a group of rows moves the table, in Frobenius norm.
double group_change(const MaskRequest& request) {
  const double rows = up(std::sqrt(static_cast<double>(request.group_size)));
  return up(rows * row_change(request.bound, request.relation));
}

/// What is proved at `sigma`: by the mask if it is at least `masked`, else by the noise alone.
Loss loss_at(const MaskRequest& request, const MaskShape& shape, double sigma, double masked,
             const ApproxDp& target) {
  if (sigma < masked) {
    // Then sigma is at least change / mu of the target, and the quotient at most that mu.
    return GaussianDp{std::min(up(group_change(request) / sigma), gaussian_mu_for(target))};
  }
  if (request.group_size > 1) {
    return target;
  }
  return mask_curve(shape, sigma, target.epsilon, request.relation);
}

Guarantee guarantee_of(const MaskRequest& request, Loss loss) {
  Guarantee guarantee;
  guarantee.relation = request.relation;
  guarantee.loss = std::move(loss);
  guarantee.group_size = request.group_size;
  guarantee.basis = Basis::ProvedRealArithmetic;
  guarantee.assumptions = noise_assumptions(NoiseLaw::Gaussian);
  guarantee.assumptions.emplace_back(
      "idealised real arithmetic: the noisy second moment is drawn in double precision from the "
      "exact one and its factor rounded to a public grid, which is not part of the loss stated "
      "(method gauss has no such gap)");
  guarantee.secure_random = true;
  return guarantee;
}

std::string in_words(const DoubleErrors& errors, double epsilon) {
  return fmt::format(
      "of doubles at this number of rows: the solver may move the mean by {:.1e} standard "
      "deviations of the noise, and rounding errors may show with a probability of about {:.1e}, "
      "which comes to {:.1e} on delta",
      errors.shift, errors.probability,
      std::min(1.0, (1.0 + std::exp(epsilon)) * errors.probability));
}

}  // namespace

std::int64_t public_rows(const ExactGram& gram, Relation relation) {
  return row_count_is_public(relation) ? static_cast<std::int64_t>(trusted::totals(gram).count) : 0;
}

std::int64_t intercept_constant(const RowBound& bound) {
  const double longest_row = std::sqrt(static_cast<double>(bound.norm2_bound()));
  return std::max<std::int64_t>(1, std::llround(std::min(1.0 / bound.unit(), longest_row)));
}

double row_change(const RowBound& bound, Relation relation) {
  const double norm =
      up(up(std::sqrt(up(static_cast<double>(bound.norm2_bound())))) * bound.unit());
  return relation == Relation::ZeroRow ? norm : 2.0 * norm;
}

Result<void> MaskPlan::check(const MaskRequest& request) {
  const Result<Budget> budget = check_budget(request.budget);
  if (!budget) {
    return error_of(budget);
  }
  const auto* target = std::get_if<ApproxDp>(&request.budget);
  if (target == nullptr) {
    return bad_request(
        "masking is calibrated for (epsilon, delta): give {epsilon E} and {delta D}, or choose "
        "{method gauss} for {rho} and {mu}");
  }
  const Result<ApproxDp> row = pair_per_row(*target, request.group_size);
  if (!row) {
    return error_of(row);
  }
  // The relation and the bound do not depend on how many rows there are.
  const MaskShape shape =
      shape_of(request, static_cast<std::int64_t>(request.bound.dimension()) + 2);
  return tight_mask_noise(shape, *row, request.relation).map([](double) {});
}

Result<MaskPlan::Noise> MaskPlan::noise(const MaskRequest& request, std::int64_t smallest_block) {
  if (const Result<void> checked = check(request); !checked) {
    return error_of(checked);
  }
  const ApproxDp target = std::get<ApproxDp>(request.budget);
  const MaskShape shape = shape_of(request, smallest_block);
  const Result<ApproxDp> row = pair_per_row(target, request.group_size);
  if (!row) {
    return error_of(row);
  }
  const Result<double> masked = tight_mask_noise(shape, *row, request.relation);
  if (!masked) {
    return error_of(masked);
  }
  // X + C alone is a Gaussian mechanism for all rows of the group.
  double sigma = std::min(*masked, up(group_change(request) / gaussian_mu_for(target)));
  if (request.published) {
    // The rule of Ding et al. asks for more; should it ever ask for less, the proof of ours
    // decides.
    const double change = row_change(request.bound, request.relation);
    sigma = std::max(sigma, *general_mask_noise(shape, change, *row));
  }
  return Noise{shape, *masked, sigma};
}

Result<MaskPlan> MaskPlan::make(const MaskRequest& request, std::int64_t smallest_block) {
  return noise(request, smallest_block).map([&](const Noise& noise) {
    const ApproxDp target = std::get<ApproxDp>(request.budget);
    Guarantee guarantee =
        guarantee_of(request, loss_at(request, noise.shape, noise.sigma, noise.masked, target));
    guarantee.assumptions.push_back(
        in_words(double_errors(noise.shape, noise.sigma), target.epsilon));
    return MaskPlan(request, noise.shape, noise.sigma, std::move(guarantee));
  });
}

Result<Guarantee> MaskPlan::promised(const MaskRequest& request) {
  return check(request).map(
      [&] { return guarantee_of(request, std::get<ApproxDp>(request.budget)); });
}

Result<Release<PseudoFactor>> MaskPlan::run(const ExactGram& gram, RandomStream& stream) const {
  if (!(gram.bound() == request_.bound)) {
    return bad_request("the plan was made for rows with another bound");
  }
  const auto n = static_cast<std::int64_t>(trusted::totals(gram).count);
  if (n < shape_.rows) {  // the number of rows is public for these neighbours
    return bad_request("a block has fewer rows than the plan was made for");
  }
  return trusted::assume_released<PseudoFactor>(
      trusted::draw_masked_factor(gram, request_.intercept, sigma_, stream),
      as_run(guarantee_, stream), "mask");
}

PseudoFactor trusted::draw_masked_factor(const ExactGram& gram, bool intercept, double sigma,
                                         RandomStream& stream) {
  const auto n = static_cast<std::int64_t>(trusted::totals(gram).count);
  const Matrix root = root_of(scaled_gram(gram, intercept));
  const Eigen::Index p = root.cols();
  Matrix noise(p, p);
  fill_standard_normal(stream, {noise.data(), static_cast<std::size_t>(noise.size())});
  const Matrix rest = wishart_factor(stream, static_cast<double>(n - p), p);
  Matrix stacked(p + rest.rows(), p);
  stacked.topRows(p) = root + sigma * noise;
  stacked.bottomRows(rest.rows()) = sigma * rest;
  Matrix factor = detail::triangular_factor(std::move(stacked));
  round_to_grid(factor, sigma);
  return {n, std::move(factor)};
}

Matrix noisy_gram(const NoisyMoment& moment, bool intercept) {
  if (!intercept) {
    return moment.products;
  }
  const Eigen::Index p = moment.products.rows();
  Matrix full(p + 1, p + 1);
  full(0, 0) = moment.count;
  full.block(1, 1, p, p) = moment.products;
  full.block(1, 0, p, 1) = *moment.sums;
  full.block(0, 1, 1, p) = moment.sums->transpose();
  return full;
}

PseudoFactor factor_of(const NoisyMoment& moment, bool intercept) {
  return {static_cast<std::int64_t>(std::llround(moment.count)),
          root_of(noisy_gram(moment, intercept))};
}

}  // namespace eigenveil
