#pragma once

#include <cstdint>
#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil {

/// One point of a measured trade-off function.
struct TradeOffPoint {
  double type_one = 0.0;
  double type_two = 0.0;  ///< share of draws on the neighbour at or below the threshold
  double low = 0.0;       ///< Clopper-Pearson, for the test with this threshold
  double high = 1.0;
  double predicted = 0.0;  ///< Phi(Phi^-1(1 - type_one) - mu)
};

struct SharpTradeOff {
  double beta = 0.0;
  double mu = 0.0;
  double largest_gap = 0.0;  ///< between measured and predicted type II error
  std::vector<TradeOffPoint> points;
};

/// Finite-p trade-off function of the exponential mechanism at β between a table with this
/// covariance spectrum and the same with the worst row x* added, from `draws` draws on each (source
/// Yun and Dudeja, Figure 5): statistic |Vᵀx*|², threshold its (1 - α) quantile on the first table.
/// Bands hold at each point with probability 1 - `error`. In the eigenbasis of the first table, so
/// only a 2 x 2 rotation is ever formed.
Result<SharpTradeOff> sharp_trade_off(const Vector& eigenvalues, double rows,
                                      Eigen::Index components, double beta,
                                      const std::vector<double>& type_one, std::uint64_t draws,
                                      double error, RandomStream& stream);

/// "sharp" at p = 200 against its worst row: the draw at the beta of the claimed mu (asymptotic),
/// and at that of a larger one.
Result<std::vector<Attack>> sharp_attacks(const AuditRequest& request);

}  // namespace eigenveil
