#include "mechanism/sharp/sharp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/random/rounded_noise.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "sampling/bingham.hpp"
#include "sampling/bingham_gibbs.hpp"

namespace eigenveil {
namespace {

constexpr double kMargin = 3.0;
/// The count's noise gets a fixed grid: 2^-20 of a row.
constexpr int kCountGridBits = 20;

Result<void> check_request(const SharpRequest& request) {
  const auto p = static_cast<Eigen::Index>(request.bound.dimension());
  if (request.components >= p) {
    return bad_request("method sharp needs k below the number of columns");
  }
  if (request.relation != Relation::AddRemove && request.relation != Relation::ZeroRow) {
    return bad_request(
        "method sharp is analysed for one row added, removed or zeroed; choose "
        "{neighbours add-remove} or {neighbours zero-row}");
  }
  const double shares =
      request.variance_share + (request.public_spectrum ? 0.0 : request.calibration_share);
  if (!(request.variance_share > 0.0) || !(request.calibration_share > 0.0)) {
    return bad_request("the shares for variance and calibration must be positive");
  }
  if (!(shares < 1.0)) {
    return bad_request(
        "the shares for variance and calibration leave nothing for the draw; together they must "
        "stay below 1");
  }
  if (request.public_spectrum && request.public_spectrum->size() != p) {
    return bad_request("the public spectrum must hold one eigenvalue for every column");
  }
  return {};
}

std::vector<std::string> assumptions_of(const SharpRequest& request, const Blur& blur) {
  std::vector<std::string> list = {
      "random bits: ChaCha20 keyed by the operating system cannot be told from true randomness",
      "asymptotic: mu is the limit for data like this as rows and columns grow together, not a "
      "bound at this size; the worst-case epsilon of the draw is printed beside it",
      "idealised real arithmetic: calibration is in double precision, rounded to a public grid"};
  for (std::string& entry : draw_assumptions(blur)) {
    list.push_back(std::move(entry));
  }
  if (request.components > 1) {
    list.push_back(fmt::format(
        "several components: where no exact sampler is efficient for the spectrum found, a Gibbs "
        "chain of {} sweeps stands in for it; how far its law is from the exact one is not proved",
        kSubstituteSweeps));
  }
  if (request.public_spectrum) {
    list.emplace_back("the spectrum given is public knowledge and describes these rows");
  }
  if (request.ranks) {
    list.emplace_back(
        "ranks: that one row shifts the ranks of all others is negligible in the limit, and is not "
        "covered by the worst-case epsilon");
  }
  return list;
}

double noisy_count(double exact, double mu, RandomStream& stream) {
  const std::array<double, 1> offset{0.0};
  std::array<std::int64_t, 1> noise{};
  round_with_gaussian(stream, up(std::ldexp(1.0, kCountGridBits) / mu), offset, noise);
  return exact + std::ldexp(static_cast<double>(noise[0]), -kCountGridBits);
}

/// Exact if one of a public number of proposals is accepted, a fixed chain otherwise: total, and
/// bounded in time, whatever the spectrum (docs/proofs/sharp.md, "The sampler must not show").
Matrix draw_frame(const SymmetricEigen& eigen, double exponent, Eigen::Index columns,
                  RandomStream& stream) {
  if (const auto exact = BinghamSampler::make(eigen.values, exponent, columns)) {
    if (const auto frame = exact->draw_within(stream, kSharpTries)) {
      return eigen.vectors * *frame;
    }
  }
  const auto chain = BinghamGibbsSampler::make(eigen.values, exponent, columns, kSubstituteSweeps);
  return eigen.vectors * chain->draw(stream);
}

}  // namespace

Result<SharpPlan> SharpPlan::make(const SharpRequest& request) {
  if (const Result<void> checked = check_request(request); !checked) {
    return error_of(checked);
  }
  const Result<GaussianDp> per_row =
      budget_per_row(request.budget, request.group_size).and_then(gaussian_budget);
  if (!per_row) {
    return error_of(per_row);
  }
  // Squares add (composition of Gaussian DP), so shares are shares of mu².
  const bool counted = !row_count_is_public(request.relation);
  const double calibration = request.public_spectrum ? 0.0 : request.calibration_share;
  const auto part = [&](double share) { return down(per_row->mu * down(std::sqrt(share)), 2); };
  const double inside = counted ? request.variance_share / 2.0 : request.variance_share;
  const Result<ProjectionPlan> projection =
      ProjectionPlan::make({request.bound, request.scales, request.components, request.relation,
                            GaussianDp{part(inside)}});
  if (!projection) {
    return error_of(projection);
  }
  const double count_mu = counted ? part(inside) : 0.0;
  if (counted && !(count_mu >= 0x1p-18 && count_mu <= 0x1p20)) {
    return bad_request("mu must lie between about 1e-5 and 1e6 for method sharp");
  }
  const Result<Loss> loss = group_loss(*per_row, request.group_size);
  if (!loss) {
    return error_of(loss);
  }
  SharpPlan plan(request, *projection);
  plan.row_count_mu_ = count_mu;
  plan.calibration_mu_ = calibration > 0.0 ? part(calibration) : 0.0;
  const DrawBudget draw = split_draw_mu(part(1.0 - request.variance_share - calibration),
                                        {request.scales.size(), request.components, {}});
  plan.draw_mu_ = draw.draw;
  plan.blur_ = draw.blur;
  plan.row_norm2_bound_ = scaled_norm2_bound(request.bound, request.scales);
  plan.guarantee_ = {
      request.relation,  *loss, Basis::Asymptotic, assumptions_of(request, draw.blur), true,
      request.group_size};
  return plan;
}

SharpSettlement SharpPlan::settle(const Vector& moment_eigenvalues, double true_rows,
                                  RandomStream& stream) const {
  const auto p = static_cast<double>(moment_eigenvalues.size());
  SharpSettlement settled;
  settled.rows = row_count_mu_ > 0.0 ? std::max(1.0, noisy_count(true_rows, row_count_mu_, stream))
                                     : std::max(1.0, true_rows);
  if (request_.public_spectrum) {
    const auto sharp =
        SharpPrivacy::make(*request_.public_spectrum, settled.rows, request_.components);
    settled.beta = sharp ? sharp->beta(draw_mu_) : std::nullopt;
  } else {
    // Rows scaled to squared norm at most p, divided by the released count.
    const Vector normalised = moment_eigenvalues * (p / (row_norm2_bound_ * settled.rows));
    settled.calibration = add_calibration_noise(
        calibration_statistics(normalised, settled.rows, request_.components, calibration_mu_),
        stream);
    settled.beta = calibrated_beta(
        *settled.calibration,
        {p, settled.rows, calibration_mu_, draw_mu_, request_.published ? 0.0 : kMargin});
  }
  settled.worst_case_epsilon =
      settled.beta ? up(p * p * *settled.beta / (2.0 * settled.rows), 4) : 0.0;
  return settled;
}

Matrix SharpPlan::draw(const SymmetricEigen& moment, const SharpSettlement& settled,
                       RandomStream& stream) const {
  const auto p = static_cast<double>(moment.values.size());
  if (!settled.beta) {
    return Matrix::Zero(moment.values.size(), request_.components);
  }
  const double exponent = p * p * *settled.beta / (2.0 * settled.rows * row_norm2_bound_);
  const Matrix frame = draw_frame(moment, exponent, request_.components, stream);
  return round_frame(blurred_frame(frame, blur_, stream));
}

Matrix trusted::draw_sharp(const SharpPlan& plan, const Matrix& moment, double rows,
                           RandomStream& stream) {
  const SymmetricEigen eigen = symmetric_eigen(moment);
  return plan.draw(eigen, plan.settle(eigen.values, rows, stream), stream);
}

Result<SharpPlan::Outcome> SharpPlan::run(const ExactGram& gram, RandomStream& stream) const {
  const SymmetricEigen eigen = symmetric_eigen(scaled_moment(gram, request_.scales));
  const auto true_rows = static_cast<double>(trusted::totals(gram).count);
  SharpSettlement settled = settle(eigen.values, true_rows, stream);
  const Guarantee guarantee = as_run(guarantee_, stream);
  DrawnSubspace drawn{gram.schema(), draw(eigen, settled, stream), {}};
  if (!settled.beta) {
    return Outcome{std::move(settled),
                   trusted::assume_released(std::move(drawn), guarantee, "sharp")};
  }
  return projection_.run(gram, drawn.frame, stream)
      .map([&](const Release<NoisyProjection>& inside) {
        drawn.projection = inside.value();
        return Outcome{std::move(settled),
                       trusted::assume_released(std::move(drawn), guarantee, "sharp")};
      });
}

NormalisedSpectrum trusted::normalised_spectrum(const ExactGram& gram) {
  const Vector scales = Vector::Ones(static_cast<Eigen::Index>(gram.dimension()));
  const double rows = std::max(1.0, static_cast<double>(totals(gram).count));
  const double factor =
      static_cast<double>(gram.dimension()) / (scaled_norm2_bound(gram.bound(), scales) * rows);
  return {symmetric_eigen(scaled_moment(gram, scales)).values * factor, rows};
}

}  // namespace eigenveil
