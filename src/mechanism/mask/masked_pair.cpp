#include "mechanism/mask/masked_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace eigenveil::detail {
namespace {

constexpr double kRelativeError = std::numeric_limits<double>::epsilon();
/// Chords, and the share of the coarse bound that may lie beyond them at either end.
constexpr int kChords = 40;
constexpr double kBeyond = 1e-4;
/// Above this a hundred divergences take a second or more; two steps must do.
constexpr double kMostDegrees = 3e7;

/// H_a(row, zero) and H_a(zero, row) at any level a; for a < 0 by
/// H_a(P, Q) = 1 - e^a + e^a H_-a(Q, P).
double row_at(const MaskedRowLaw& law, double level) {
  return level >= 0.0 ? law.row_against_zero(level)
                      : -std::expm1(level) + std::exp(level) * law.zero_against_row(-level);
}
double zero_at(const MaskedRowLaw& law, double level) {
  return level >= 0.0 ? law.zero_against_row(level)
                      : -std::expm1(level) + std::exp(level) * law.row_against_zero(-level);
}

/// How far from 0 one may go before `beyond` holds, to an eighth; at most `most`.
template <class Predicate>
double reach_of(double most, Predicate&& beyond) {
  double far = 0x1p-7;
  while (far < most && !beyond(far)) {
    far *= 2.0;
  }
  for (double step = far / 4.0; step >= far / 16.0; step /= 2.0) {
    far = beyond(far - step) ? far - step : far;
  }
  return far < 0.9 * most ? far : most;
}

}  // namespace

double delta_through_zero(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon) {
  const auto through_zero = [&](double first) {
    return from.row_against_zero(first) * (1.0 + 4.0 * kRelativeError) +
           std::exp(first) * (1.0 + 4.0 * kRelativeError) * to.zero_against_row(epsilon - first);
  };
  // Every split proves a bound; golden sections look for a good one.
  constexpr double kGolden = 0.6180339887498949;
  double low = 0.0;
  double high = epsilon;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = through_zero(left);
  double at_right = through_zero(right);
  double best = std::min(at_left, at_right);
  for (int step = 0; step < 16 && high > low; ++step) {
    const bool go_left = at_left < at_right;
    (go_left ? high : low) = go_left ? right : left;
    (go_left ? right : left) = go_left ? left : right;
    (go_left ? at_right : at_left) = go_left ? at_left : at_right;
    double& moved = go_left ? left : right;
    moved = go_left ? high - kGolden * (high - low) : low + kGolden * (high - low);
    (go_left ? at_left : at_right) = through_zero(moved);
    best = std::min({best, at_left, at_right});
  }
  return std::min(1.0, best * (1.0 + 4.0 * kRelativeError));
}

double delta_of_orthogonal_rows(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon,
                                double coarse) {
  // Levels y of L, by log y. L is at least e^-rate.
  const double least = to.least_log_ratio();
  const double little = kBeyond * coarse;
  const double low = -reach_of(-least, [&](double away) { return zero_at(to, away) <= little; });
  const double high =
      reach_of(512.0, [&](double away) { return row_at(from, epsilon + away) <= little; });
  const double step = (high - low) / kChords;
  // g >= h: constant beyond `high`, then chords that only grow steeper towards the left. Every
  // change of slope at y is a multiple of (y - L)+, whose mean is y H_{-log y}(zero, to).
  double above = row_at(from, epsilon + high);
  double slope = 0.0;
  double sum = above;
  const auto turn = [&](double y, double log_y, double steeper) {
    if (steeper > slope) {
      sum += (steeper - slope) * y * zero_at(to, -log_y);
      slope = steeper;
    }
  };
  for (int i = kChords; i > 0; --i) {
    const double log_y = low + step * i;
    const double y = std::exp(log_y);
    const double length = y - std::exp(low + step * (i - 1));
    turn(y, log_y, (row_at(from, epsilon + low + step * (i - 1)) - above) / length);
    above += slope * length;
  }
  if (low > least) {  // down to the smallest L, where h is at most 1
    const double y = std::exp(low);
    turn(y, low, (1.0 - above) / (y - std::exp(least)));
  }
  // Differences and quotients of h at neighbouring levels: far below this.
  return std::min(1.0, sum * (1.0 + 1e-9));
}

double delta_between_rows(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon) {
  double best = delta_through_zero(from, to, epsilon);
  // What lies beyond the chords is a share of the bound so far: again while that was much too much.
  const bool quick = std::max(from.degrees(), to.degrees()) <= kMostDegrees;
  for (double last = 2.0 * best; quick && best > 0.0 && best < 0.7 * last;) {
    last = best;
    best = std::min(best, delta_of_orthogonal_rows(from, to, epsilon, best));
  }
  return best;
}

}  // namespace eigenveil::detail
