#include "privacy/privacy_loss_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bisection.hpp"
#include "privacy/hockey_stick.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

using detail::DeltaPoint;
using detail::round_up;
using detail::StickPoint;
using detail::Wide;

bool is_power_of_two(double step) {
  int exponent = 0;
  return std::isfinite(step) && step > 0.0 && std::frexp(step, &exponent) == 0.5;
}

/// Upper bound on a sum of `terms` non-negative products computed in any order: each operation has
/// relative error 2^-53, and (1 + 2^-53)^n <= 1 + n 2^-52 for the n that fit in memory.
double sum_bound(double sum, std::size_t terms) {
  return up(sum * (1.0 + static_cast<double>(terms + 8) * 0x1p-52));
}

/// Atoms on the grid whose hockey-stick curve passes through the minorant: the second law has mass
/// fall(left) - fall(right) at a point, the first law e^epsilon times that. The lowest point takes
/// whatever is left, which moves all smaller losses up to it.
std::vector<double> atoms_of(const std::vector<StickPoint>& hull, double step) {
  const auto index = [&](double epsilon) { return std::lround(epsilon / step); };
  const long first = index(hull.front().epsilon);
  std::vector<double> masses(static_cast<std::size_t>(index(hull.back().epsilon) - first) + 1);
  const Wide slack("1e-45");  // falls times growth are at most 1, each good to 1e-47
  Wide above = hull.back().delta;
  Wide right_fall = 0;
  for (std::size_t i = hull.size() - 1; i > 0; --i) {
    const Wide left_fall = detail::fall_between(hull[i - 1], hull[i]);
    const Wide mass = std::max(Wide(0), hull[i].growth * (left_fall - right_fall)) + slack;
    masses[static_cast<std::size_t>(index(hull[i].epsilon) - first)] = round_up(mass);
    above += mass;
    right_fall = left_fall;
  }
  masses.front() = round_up(std::max(Wide(0), 1 - above) + slack * hull.size());
  return masses;
}

std::vector<double> convolve(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> sum(first.size() + second.size() - 1, 0.0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == 0.0) {
      continue;
    }
    for (std::size_t j = 0; j < second.size(); ++j) {
      sum[i + j] += first[i] * second[j];
    }
  }
  const std::size_t terms = std::min(first.size(), second.size());
  for (double& mass : sum) {
    mass = mass == 0.0 ? 0.0 : sum_bound(mass, terms);
  }
  return sum;
}

}  // namespace

PrivacyLossDistribution::PrivacyLossDistribution(double step, std::int64_t first,
                                                 std::vector<double> masses, double infinite_mass)
    : step_(step), first_(first), masses_(std::move(masses)), infinite_mass_(infinite_mass) {}

Result<PrivacyLossDistribution> PrivacyLossDistribution::of(const Loss& loss, double step) {
  if (!is_power_of_two(step)) {
    return bad_request("the step of a privacy loss grid must be a power of two");
  }
  const double floor = eigenveil::delta_at(loss, detail::kInfinity);
  const double top = eigenveil::epsilon_at(loss, std::min(1.0, up(floor + kTailMass)));
  const double cells = std::ceil(top / step);
  if (!(2.0 * cells + 1.0 <= static_cast<double>(kMaxSize))) {
    return bad_request(
        fmt::format("a privacy loss grid of step {} cannot hold losses up to {}", step, top));
  }
  std::vector<DeltaPoint> points;
  for (double k = 0.0; k <= cells; k += 1.0) {
    points.push_back({k * step, eigenveil::delta_at(loss, k * step)});
  }
  const std::vector<StickPoint> hull = detail::convex_minorant(points);
  return PrivacyLossDistribution(step, std::lround(hull.front().epsilon / step),
                                 atoms_of(hull, step), round_up(hull.back().delta));
}

Result<PrivacyLossDistribution> PrivacyLossDistribution::from_masses(double step,
                                                                     std::int64_t first,
                                                                     std::vector<double> masses,
                                                                     double infinite_mass) {
  const auto is_mass = [](double mass) { return mass >= 0.0 && mass <= 1.0; };
  if (!is_power_of_two(step)) {
    return bad_request("the step of a privacy loss grid must be a power of two");
  }
  if (masses.empty() || masses.size() > kMaxSize || !is_mass(infinite_mass) ||
      !std::all_of(masses.begin(), masses.end(), is_mass)) {
    return bad_request("the masses of a privacy loss distribution must lie between 0 and 1");
  }
  return PrivacyLossDistribution(step, first, std::move(masses), infinite_mass);
}

void PrivacyLossDistribution::cut_tails() {
  double cut = 0.0;
  while (masses_.size() > 1 && cut + masses_.back() <= kTailMass) {
    cut = masses_.back() == 0.0 ? cut : up(cut + masses_.back());
    masses_.pop_back();
  }
  infinite_mass_ = cut == 0.0 ? infinite_mass_ : std::min(1.0, up(infinite_mass_ + cut));
  // The lower tail moves up to the first loss that is kept.
  double moved = 0.0;
  std::size_t kept = 0;
  while (kept + 1 < masses_.size() && moved + masses_[kept] <= kTailMass) {
    moved = masses_[kept] == 0.0 ? moved : up(moved + masses_[kept]);
    ++kept;
  }
  masses_.erase(masses_.begin(), masses_.begin() + static_cast<std::ptrdiff_t>(kept));
  masses_.front() = moved == 0.0 ? masses_.front() : up(masses_.front() + moved);
  first_ += static_cast<std::int64_t>(kept);
}

Result<PrivacyLossDistribution> PrivacyLossDistribution::compose(
    const PrivacyLossDistribution& other) const {
  if (step_ != other.step_) {
    return bad_request("privacy loss distributions compose on one grid; their steps differ");
  }
  if (masses_.size() + other.masses_.size() > kMaxSize) {
    return bad_request("the composed privacy loss needs too many grid points; take a larger step");
  }
  const bool shorter = masses_.size() <= other.masses_.size();
  std::vector<double> sum =
      shorter ? convolve(masses_, other.masses_) : convolve(other.masses_, masses_);
  // Products that underflow lose less than the smallest double each.
  const double pairs =
      static_cast<double>(masses_.size()) * static_cast<double>(other.masses_.size());
  const Wide lost = Wide(pairs) * Wide(std::numeric_limits<double>::denorm_min());
  const Wide p(infinite_mass_);
  const Wide q(other.infinite_mass_);
  PrivacyLossDistribution result(step_, first_ + other.first_, std::move(sum),
                                 std::min(1.0, round_up(p + q - p * q + lost)));
  result.cut_tails();
  return result;
}

Result<PrivacyLossDistribution> PrivacyLossDistribution::compose_with_itself(int count) const {
  if (count < 1) {
    return bad_request("a release is composed with itself at least once");
  }
  PrivacyLossDistribution power = *this;
  Result<PrivacyLossDistribution> total = from_masses(step_, 0, {1.0}, 0.0);
  for (int rest = count; total; rest /= 2) {
    if (rest % 2 == 1) {
      total = total->compose(power);
    }
    if (rest < 2) {
      break;
    }
    Result<PrivacyLossDistribution> squared = power.compose(power);
    if (!squared) {
      return squared;
    }
    power = *std::move(squared);
  }
  return total;
}

double PrivacyLossDistribution::delta_at(double epsilon) const {
  if (!(epsilon >= 0.0)) {
    return 1.0;
  }
  double sum = 0.0;
  for (std::size_t i = masses_.size(); i-- > 0;) {
    const double loss = step_ * static_cast<double>(first_ + static_cast<std::int64_t>(i));
    if (loss <= epsilon) {
      break;
    }
    sum += masses_[i] * -std::expm1(epsilon - loss);
  }
  return std::min(
      1.0, sum == 0.0 ? infinite_mass_ : up(infinite_mass_ + sum_bound(sum, masses_.size())));
}

double PrivacyLossDistribution::epsilon_at(double delta) const {
  const double top =
      step_ * static_cast<double>(first_ + static_cast<std::int64_t>(masses_.size()));
  const auto passes = [&](double epsilon) { return delta_at(epsilon) <= delta; };
  if (passes(0.0)) {
    return 0.0;
  }
  return top > 0.0 && passes(top) ? detail::first_passing(0.0, top, passes) : detail::kInfinity;
}

TradeOffCurve PrivacyLossDistribution::trade_off_curve(int lines) const {
  const std::int64_t last = first_ + static_cast<std::int64_t>(masses_.size()) - 1;
  const std::int64_t top = std::max<std::int64_t>(last, 0);
  const std::int64_t stride = std::max<std::int64_t>(1, (top + lines - 1) / std::max(lines, 1));
  std::vector<DeltaPoint> points;
  for (std::int64_t k = 0; k < top + stride; k += stride) {
    const double epsilon = step_ * static_cast<double>(std::min(k, top));
    points.push_back({epsilon, delta_at(epsilon)});
  }
  return detail::curve_through(points);
}

}  // namespace eigenveil
