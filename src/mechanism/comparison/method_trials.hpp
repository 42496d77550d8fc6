#pragma once

#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {

/// What `plan pca --compare` learns by trying methods on made-up tables: Gaussian rows with the
/// assumed spectrum, drawn as their second moment (Wishart), so that the cost does not depend on
/// the number of rows. The same tables for every method; a fixed seed, so that two plans agree. No
/// data is involved.
struct TriedMethod {
  double total_f2 = 0.0;    ///< mean |UUᵀ - U~U~ᵀ|_F² against the directions of the assumption
  double null_share = 0.0;  ///< how often it answered NULL, counted as the worst error
};

class MethodTrials {
 public:
  /// Beyond this many columns first-order formulas stand in: a table would take seconds.
  static constexpr Eigen::Index kMostColumns = 400;
  static bool affordable(const AssumedSetting& setting) {
    return setting.spectrum.size() <= kMostColumns;
  }

  explicit MethodTrials(const AssumedSetting& setting);
  TriedMethod run(const MethodTrial& trial) const;
  int tables() const { return static_cast<int>(moments_.size()); }
  double sampling_f2() const { return sampling_f2_; }  ///< of the tables' own components

 private:
  double error_f2(const Matrix& frame) const;

  Eigen::Index components_;
  double worst_f2_;
  std::vector<Matrix> moments_;
  double sampling_f2_ = 0.0;
};

/// 2 min(k, p - k): the projectors have nothing in common.
double worst_error_f2(const AssumedSetting& setting);

}  // namespace eigenveil
