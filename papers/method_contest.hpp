#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil::papers {

/// The shapes of spectra the contests use: p eigenvalues, largest first.
Vector flat_spikes(Eigen::Index dimension, Eigen::Index components);  ///< k times 11, then 1
Vector decaying(Eigen::Index dimension);                              ///< 20 / j
/// k + 1 eigenvalues from 8 down to 6 with a gap of 10% after the k-th, then 6 / j^0.5.
Vector weak_gap(Eigen::Index dimension, Eigen::Index components);

/// Rows N(0, spectrum) in a random basis within R² = trace + 4 ln(n) l_1, which hardly ever clips.
Result<AssumedSetting> contest_setting(Eigen::Index rows, Eigen::Index components,
                                       const Vector& spectrum, const Budget& budget);

/// The exact statistic of rows given as the columns of a p x n matrix.
ExactGram exact_gram(const RowBound& bound, const Matrix& columns);

/// What the runs of one method gave.
struct ContestResult {
  double error = 0.0;       ///< root mean square of |UUᵀ - U~U~ᵀ|_F against the true directions
  double null_share = 0.0;  ///< NULL counts as nothing in common
};

/// Each method as it ships, on the same drawn tables. Methods whose plan refuses the setting are
/// left out. "none" is PCA without privacy.
std::map<std::string, ContestResult> contest(const AssumedSetting& setting,
                                             const std::vector<std::string>& methods,
                                             int repetitions, RandomStream& stream);

/// The same for one table, given as the columns of a p x n matrix in the units of the bound: a
/// frame for every method whose plan accepts the setting, or nothing for NULL.
std::map<std::string, std::optional<Matrix>> released_frames(
    const AssumedSetting& setting, const std::vector<std::string>& methods, const Matrix& columns,
    RandomStream& stream);

std::string budget_in_words(const Budget& budget);  ///< "(0.5, 1e-05)", "epsilon 0.5", "mu 0.2"

}  // namespace eigenveil::papers
