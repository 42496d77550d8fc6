#include "mechanism/matrix_free/component_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/principal_components.hpp"

namespace eigenveil {
namespace {

constexpr Eigen::Index kExtraVectors = 10;
/// A component is found when its residual is this small beside the largest eigenvalue.
constexpr double kTolerance = 1e-7;
/// One below the noise is settled when a pass moves it by less than this: it is noise, and where
/// exactly among near-equal eigenvalues is nobody's interest.
constexpr double kNoiseSettles = 2e-3;
constexpr int kFewestPasses = 6;
/// Standard deviations of its error that are added to the sum of squares of the rest.
constexpr double kAllowedErrors = 3.0;
constexpr double kBasisBytes = 0x1p29;

Eigen::Index block_of(Eigen::Index dimension, Eigen::Index components) {
  return std::min(dimension, components + kExtraVectors);
}

Eigen::Index basis_of(Eigen::Index dimension, Eigen::Index block) {
  const double fits = kBasisBytes / (2.0 * sizeof(double) * static_cast<double>(dimension));
  return std::clamp(static_cast<Eigen::Index>(std::min(fits, 1e6)), 4 * block, 16 * block);
}

/// Public random signs: any start would do, and all releases may share it.
Matrix random_signs(Eigen::Index rows, Eigen::Index columns) {
  constexpr std::uint64_t kPublicSeed = 0x6d61747269780000U;
  RandomStream stream = RandomStream::seeded(kPublicSeed);
  Matrix signs(rows, columns);
  std::uint64_t bits = 0;
  for (Eigen::Index i = 0; i < signs.size(); ++i) {
    bits = i % 64 == 0 ? stream.bits64() : bits >> 1U;
    signs.data()[i] = (bits & 1U) != 0 ? 1.0 : -1.0;
  }
  return signs;
}

}  // namespace

ComponentSearch::ComponentSearch(const Vector& scales, const Limits& limits)
    : limits_(limits),
      scales_(scales),
      solver_(scales.size(), block_of(scales.size(), limits.components),
              basis_of(scales.size(), block_of(scales.size(), limits.components))) {
  hand_out(random_signs(scales.size(), block_of(scales.size(), limits.components)));
}

/// Integers next to f D w, with f as large as they may be.
void ComponentSearch::hand_out(const Matrix& block) {
  integers_ = scales_.asDiagonal() * block;
  factors_.resize(block.cols());
  for (Eigen::Index j = 0; j < block.cols(); ++j) {
    factors_[j] = std::ldexp(1.0, limits_.vector_bits) / integers_.col(j).cwiseAbs().maxCoeff();
    integers_.col(j) = (integers_.col(j) * factors_[j]).array().round();
  }
}

bool ComponentSearch::add(const Matrix& product, const ReleasedFrame& frame) {
  const auto inverse = scales_.cwiseInverse().asDiagonal();
  const auto by_factor = factors_.cwiseInverse().asDiagonal();
  // The block as it was multiplied: w = D⁻¹ v / f.
  Matrix block = inverse * integers_ * by_factor;
  const Eigen::RowVectorXd along_mean = frame.mean.transpose() * integers_ * by_factor;
  Matrix image = product * by_factor * (frame.unit2 / frame.count);
  image -= frame.mean * along_mean;
  image = scales_.asDiagonal() * image;
  if (passes_ == 0) {
    first_image_ = image;
  }
  before_ = solver_.values();
  solver_.add(std::move(block), std::move(image));
  ++passes_;
  settle(frame);
  if (passes_ >= limits_.passes || open_.empty()) {
    return false;
  }
  const Matrix next = solver_.next();
  if (next.cols() == 0) {
    open_.clear();
    return false;
  }
  hand_out(next);
  return true;
}

Vector ComponentSearch::relative_residuals() const {
  const double largest = solver_.values().cwiseAbs().maxCoeff();
  const Vector found = solver_.residuals().head(limits_.components);
  return largest > 0.0 ? Vector(found / largest) : Vector::Zero(found.size());
}

double ComponentSearch::squares_of_rest(const Matrix& loadings, double noise_norm) const {
  const Eigen::Index k = limits_.components;
  const auto signs = static_cast<double>(first_image_.cols());
  const Vector& values = solver_.values();
  const Vector residuals = relative_residuals();
  const Vector inside = (loadings.transpose() * first_image_).rowwise().squaredNorm() / signs;
  double squares = first_image_.squaredNorm() / signs;
  for (Eigen::Index j = 0; j < k; ++j) {
    squares -= residuals[j] <= kTolerance ? inside[j] : std::min(inside[j], values[j] * values[j]);
  }
  const double next = solver_.residuals().size() > k ? values[k] + solver_.residuals()[k] : 0.0;
  const double largest = std::max({next, -values[values.size() - 1], noise_norm});
  const double error = kAllowedErrors * std::sqrt(2.0 / signs) * largest;
  const double root = error / 2.0 + std::sqrt(error * error / 4.0 + std::max(0.0, squares));
  return root * root;
}

Vector ComponentSearch::assumed_eigenvalues(const ReleasedFrame& frame,
                                            const Matrix& loadings) const {
  const Eigen::Index p = scales_.size();
  const Eigen::Index k = limits_.components;
  if (p == k || solver_.values().size() == p) {
    return solver_.values();
  }
  Vector values(p);
  values.head(k) = solver_.values().head(k);
  const auto rest = static_cast<double>(p - k);
  const double mean = (frame.trace - values.head(k).sum()) / rest;
  const double squares = squares_of_rest(loadings, frame.reach.norm);
  const double spread = std::sqrt(std::max(0.0, squares / rest - mean * mean));
  for (Eigen::Index j = k; j < p; ++j) {
    values[j] = mean + ((j - k) % 2 == 0 ? spread : -spread);
  }
  return values;
}

Vector ComponentSearch::edge(const ReleasedFrame& frame, const Matrix& loadings) const {
  return noise_edge(assumed_eigenvalues(frame, loadings), loadings, scales_, frame.reach) +
         solver_.residuals().head(limits_.components);
}

/// Only what products with A show decides.
void ComponentSearch::settle(const ReleasedFrame& frame) {
  const Vector residuals = relative_residuals();
  const Vector& values = solver_.values();
  Vector below = Vector::Zero(limits_.components);
  if (passes_ >= kFewestPasses) {
    below = edge(frame, solver_.vectors(limits_.components));
  }
  open_.clear();
  for (Eigen::Index j = 0; j < limits_.components; ++j) {
    const bool found = residuals[j] <= kTolerance;
    const bool noise = passes_ >= kFewestPasses && values[j] < below[j] &&
                       std::abs(values[j] - before_[j]) < kNoiseSettles * below[j];
    if (!found && !noise) {
      open_.push_back(j);
    }
  }
}

}  // namespace eigenveil
