#include "mechanism/mask/mask_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/outward.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/mask/masked_pair.hpp"

namespace eigenveil {
namespace {

using detail::MaskedRowLaw;

Result<void> check_shape(const MaskShape& shape) {
  if (shape.rows > kLargestMaskRows) {
    return bad_request(
        fmt::format("the noise of masking is certified for at most {} rows; use {{method gauss}}",
                    kLargestMaskRows));
  }
  if (shape.dimension < 1 || shape.rows <= shape.dimension) {
    return bad_request(
        fmt::format("masking needs more rows than columns in every block: {} row{} not hide {} "
                    "columns; use {{method gauss}}, or fewer columns",
                    shape.rows, shape.rows == 1 ? " does" : "s do", shape.dimension));
  }
  if (!(shape.row_norm > 0.0) || !std::isfinite(shape.row_norm)) {
    return bad_request("the bound on the norm of a row must be a positive, finite number");
  }
  return {};
}

Result<void> check_relation(Relation relation) {
  if (relation == Relation::ZeroRow || relation == Relation::ReplaceOne) {
    return {};
  }
  return bad_request(fmt::format(
      "masked rows come out as many as they went in, so their number is public: '{}' does not fit; "
      "use {{neighbours zero-row}} or {{neighbours replace-one}}",
      name_of(relation)));
}

/// The laws of a row and of what it may become. R^2 / sigma^2 is rounded up: more separation, never
/// less.
class MovedRow {
 public:
  MovedRow(const MaskShape& shape, double sigma, Relation relation)
      : row_(law_of(shape, shape.row_norm, sigma)),
        becomes_(relation == Relation::ReplaceOne ? row_ : law_of(shape, shape.zeroed_norm, sigma)),
        to_zero_(relation == Relation::ZeroRow && shape.zeroed_norm == 0.0),
        alike_(relation == Relation::ReplaceOne) {}

  double delta(double epsilon) const {
    if (to_zero_) {
      return row_.zero_row_delta(epsilon);
    }
    const double there = detail::delta_between_rows(row_, becomes_, epsilon);
    return alike_ ? there : std::max(there, detail::delta_between_rows(becomes_, row_, epsilon));
  }

 private:
  static MaskedRowLaw law_of(const MaskShape& shape, double norm, double sigma) {
    const double ratio = up(norm / sigma);
    return {shape.rows - shape.dimension, up(ratio * ratio)};
  }

  MaskedRowLaw row_;
  MaskedRowLaw becomes_;
  bool to_zero_;
  bool alike_;
};

/// Without the mask the release is the Gaussian mechanism, and masking is post-processing.
double sigma_without_mask(const MaskShape& shape, const ApproxDp& target, Relation relation) {
  const double change = relation == Relation::ZeroRow ? shape.row_norm : 2.0 * shape.row_norm;
  return up(change / gaussian_mu_for(target));
}

/// Noises whose delta was computed, which takes long: what lies beyond two of them is known.
class SeenNoises {
 public:
  SeenNoises(std::function<double(double sigma)> delta, double limit)
      : delta_(std::move(delta)), limit_(limit) {}

  bool meets(double sigma) {
    return sigma >= passing_.sigma || (sigma > failing_.sigma && certifies(sigma));
  }
  bool certifies(double sigma) {
    if (sigma == passing_.sigma) {
      return true;
    }
    const double found = delta_(sigma);
    const bool passes = found <= limit_;
    if (passes ? sigma < passing_.sigma : sigma > failing_.sigma) {
      (passes ? passing_ : failing_) =
          Seen{sigma, std::log((found > 1e-300 ? found : 1e-300) / limit_)};
    }
    return passes;
  }
  double smallest_passing() const { return passing_.sigma; }
  /// Towards the crossing by secants of log delta, until little lies between.
  void narrow() {
    for (int i = 0; i < 12 && passing_.sigma > failing_.sigma * (1.0 + 2e-10); ++i) {
      if (!(failing_.sigma > 0.0) || !(failing_.over > passing_.over)) {
        return;
      }
      const double low = std::log(failing_.sigma);
      const double high = std::log(passing_.sigma);
      const double share = failing_.over / (failing_.over - passing_.over);
      // A little beyond the crossing that the secant sees, on the side that is further away.
      const double beyond = (high - low) * (share < 0.5 ? 1.0 : -1.0) * (i > 1 ? 0.002 : 0.02);
      certifies(std::exp(std::clamp(low + share * (high - low) + beyond, low, high)));
    }
  }

 private:
  struct Seen {
    double sigma;
    double over;  ///< log of delta over its limit
  };
  std::function<double(double)> delta_;
  double limit_;
  Seen passing_{std::numeric_limits<double>::infinity(), 0.0};
  Seen failing_{0.0, 0.0};
};

/// Epsilon beyond which delta is below what a composition could notice.
double top_epsilon(const MovedRow& row, double start) {
  constexpr double kNegligible = 1e-20;
  constexpr double kLargest = 512.0;
  double top = start;
  while (top < kLargest && row.delta(top) > kNegligible) {
    top *= 1.25;
  }
  return top;
}

}  // namespace

Result<double> tight_mask_noise(const MaskShape& shape, const ApproxDp& target, Relation relation) {
  const Result<void> checked =
      check_budget(target)
          .and_then([&](const Budget&) { return check_relation(relation); })
          .and_then([&] { return check_shape(shape); });
  if (!checked) {
    return error_of(checked);
  }
  SeenNoises seen(
      [&](double sigma) { return MovedRow(shape, sigma, relation).delta(target.epsilon); },
      target.delta);
  double passing = sigma_without_mask(shape, target, relation);
  if (!seen.meets(passing)) {
    return passing;  // certified by the Gaussian mechanism itself
  }
  double failing = passing / 2.0;
  while (failing > 0.0 && seen.meets(failing)) {
    passing = failing;
    failing /= 2.0;
  }
  seen.narrow();
  while (passing > failing * (1.0 + 1e-9)) {
    const double middle = 0.5 * (failing + passing);
    (seen.meets(middle) ? passing : failing) = middle;
  }
  // Whatever delta does between, the value returned was seen to pass.
  return seen.certifies(passing) ? passing : seen.smallest_passing();
}

double mask_delta(const MaskShape& shape, double sigma, double epsilon, Relation relation) {
  if (!check_shape(shape) || !check_relation(relation) || !(sigma > 0.0) || !(epsilon >= 0.0)) {
    return 1.0;
  }
  return MovedRow(shape, sigma, relation).delta(epsilon);
}

TradeOffCurve mask_curve(const MaskShape& shape, double sigma, double epsilon, Relation relation) {
  // Two grids: even steps over the bulk, and the asked epsilon itself.
  constexpr int kPoints = 64;
  const MovedRow row(shape, sigma, relation);
  const double top = top_epsilon(row, epsilon);
  std::vector<double> grid = {epsilon};
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints;
    grid.push_back(top * share * (0.4 + 0.6 * share));  // denser near zero
  }
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  std::vector<ApproxDp> proved;
  for (const double at : grid) {
    proved.push_back({at, row.delta(at)});
  }
  return trade_off_curve_of(proved);
}

}  // namespace eigenveil
