#include "mechanism/oja/oja.hpp"

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/symmetric_noise.hpp"
#include "random/haar.hpp"

namespace eigenveil {
namespace {

constexpr int kUlps = 8;

/// Rounding of a p-vector to the grid moves it by at most grid * sqrt(p) between neighbours.
Eigen::Index rounding_side(std::size_t dimension) {
  return static_cast<Eigen::Index>(std::ceil(std::sqrt(static_cast<double>(dimension))));
}

}  // namespace

double oja_sensitivity(double radius, const std::optional<double>& contribution,
                       Relation relation) {
  const double whole = up(radius * radius);
  if (!contribution) {
    return whole;
  }
  return std::min(whole, relation == Relation::ReplaceOne ? 2.0 * *contribution : *contribution);
}

Result<OjaPlan> OjaPlan::make(const OjaRequest& request) {
  if (request.relation != Relation::ReplaceOne && request.relation != Relation::ZeroRow) {
    return bad_request(
        "method oja puts rows into batches by their position, and a row that is added or removed "
        "moves all later ones: give {neighbours replace-one} or {neighbours zero-row}");
  }
  if (request.contribution && !(*request.contribution > 0.0)) {
    return bad_request("{contribution} must be positive");
  }
  OjaPlan plan(request);
  const Result<GaussianDp> budget =
      budget_per_row(request.budget, request.group_size).and_then(gaussian_budget);
  if (!budget) {
    return error_of(budget);
  }
  const Result<Loss> loss = group_loss(*budget, request.group_size);
  if (!loss) {
    return error_of(loss);
  }
  // A sum of B terms of size R² is off by at most B (B + p) R² 2^-52: every partial sum, up to B
  // R², is rounded.
  const double whole = request.row_radius * request.row_radius;
  const auto batch = static_cast<double>(request.batch);
  const double arithmetic =
      2.0 * batch * (batch + static_cast<double>(request.dimension)) * whole * 0x1p-52;
  plan.sensitivity_ =
      up(oja_sensitivity(request.row_radius, request.contribution, request.relation) + arithmetic,
         kUlps);
  const Result<double> sd =
      symmetric_noise_sd(plan.sensitivity_, budget->mu, rounding_side(request.dimension));
  if (!sd) {
    return error_of(sd);
  }
  plan.noise_sd_ = *sd;
  std::vector<std::string> assumptions = {
      "idealised real arithmetic: batch sums are computed in double precision, with room for their "
      "rounding in the sensitivity",
      "which batch a row is in follows from its position, which a neighbour does not change"};
  for (std::string& entry : noise_assumptions(NoiseLaw::Gaussian)) {
    assumptions.push_back(std::move(entry));
  }
  plan.guarantee_ = {request.relation,       *loss, Basis::ProvedRealArithmetic,
                     std::move(assumptions), true,  request.group_size};
  return plan;
}

OjaPlan OjaPlan::for_rows(std::size_t rows) const {
  if (rows >= request_.batch) {
    return *this;
  }
  OjaRequest shorter = request_;
  shorter.batch = std::max<std::size_t>(rows, 1);
  return make(shorter).value_or(*this);  // more noise than needed is as private
}

OjaPass::OjaPass(const OjaPlan& plan, RandomStream& stream)
    : plan_(&plan),
      stream_(&stream),
      direction_(haar_frame(stream, static_cast<Eigen::Index>(plan.request().dimension), 1)),
      running_(Vector::Zero(direction_.size())),
      batch_sum_(Vector::Zero(direction_.size())) {}

void OjaPass::add(const Vector& row) {
  const double score = row.dot(direction_);
  double weight = score;
  if (const std::optional<double>& most = plan_->request().contribution) {
    const double length = std::abs(score) * row.norm();
    if (length > *most) {
      weight *= *most / length;
    }
  }
  batch_sum_ += weight * row;
  if (++in_batch_ == plan_->request().batch) {
    step();
  }
}

void OjaPass::step() {
  const double sd = plan_->for_rows(in_batch_).noise_sd();
  const Vector noisy = add_vector_noise(batch_sum_, symmetric_noise(sd), *stream_);
  ++steps_;
  // Weights grow with the step: early batches saw a worse direction. Oja's step size is then about
  // 2 / (step * eigenvalue).
  running_ += static_cast<double>(steps_) * noisy;
  const double norm = running_.norm();
  if (norm > 0.0) {
    direction_ = running_ / norm;
  }
  batch_sum_.setZero();
  in_batch_ = 0;
}

Release<Vector> OjaPass::finish() {
  if (in_batch_ > 0) {
    step();
  }
  Eigen::Index largest = 0;
  direction_.cwiseAbs().maxCoeff(&largest);
  const Vector direction = direction_[largest] < 0.0 ? Vector(-direction_) : direction_;
  return trusted::assume_released(direction, as_run(plan_->guarantee(), *stream_), "oja");
}

Result<std::size_t> add_rows(OjaPass& pass, RowReader& reader, const RowBound& bound, Units units) {
  const Vector scale = bound.unit() * column_scales(bound, units);
  RawRows block;
  std::size_t count = 0;
  while (true) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return count;
    }
    const BoundedRows rows = BoundedRows::clip(bound, block.values.data(), block.rows);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const Eigen::Map<const Vector> steps(rows.values().data() + i * rows.dimension(),
                                           static_cast<Eigen::Index>(rows.dimension()));
      pass.add(steps.cwiseProduct(scale));
    }
    count += rows.rows();
  }
}

double predicted_oja_error(const OjaPlan& plan, double rows, const Vector& spectrum) {
  const auto batch = static_cast<double>(plan.request().batch);
  const double steps = std::max(1.0, rows / batch);
  const double gap = spectrum[0] - (spectrum.size() > 1 ? spectrum[1] : 0.0);
  const double noise = plan.noise_sd() / (std::min(batch, rows) * gap);
  return 2.0 * std::min(1.0, static_cast<double>(spectrum.size() - 1) * noise * noise * 4.0 /
                                 (3.0 * steps));
}

}  // namespace eigenveil
