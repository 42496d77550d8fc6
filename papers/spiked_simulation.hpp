#pragma once

#include <map>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/spiked/spiked_model.hpp"

namespace eigenveil::papers {

/// One setting of the experiments of Cai, Xia and Zha: rows N(0, lambda U Uᵀ + I), U random.
struct SpikedSetting {
  Eigen::Index rows = 3000;
  Eigen::Index dimension = 50;
  Eigen::Index rank = 1;
  double spike = 10.0;
  double epsilon = 1.0;
  double delta = 0.1;
};

inline constexpr const char* kPublished = "Algorithm 1, published";
inline constexpr const char* kTight = "Algorithm 1, tight (ours)";
inline constexpr const char* kDpGauss = "DP-Gauss";
inline constexpr const char* kDpGaussStar = "DP-Gauss* (NOT PRIVATE)";
inline constexpr const char* kGaussTight = "DP-Gauss, tight (ours)";
inline constexpr const char* kDpOja = "DP-Oja";
inline constexpr const char* kNonPrivate = "non-private";

/// A table with the public parameters a contender is told.
struct SpikedSample {
  Matrix columns;  ///< p x n
  SpikedSetting setting;
  double noise_variance = 1.0;
};
struct SpikedTruth {
  SpikedSample sample;
  Matrix basis;  ///< p x r
};
SpikedTruth draw_spiked(const SpikedSetting& setting, RandomStream& stream);

/// The published Algorithm 1 taken apart: what each of its noises costs.
struct PublishedParts {
  SpikedConstants constants;
  bool projector_noise = true;
  bool eigenvalue_noise = true;
  /// (epsilon, delta) for each part, as if it were the only one: private at twice that.
  bool whole_budget_each = false;
};
Matrix published_covariance(const SpikedSample& sample, const PublishedParts& parts,
                            RandomStream& stream);
/// Its subspace alone, with the whole budget.
Matrix published_subspace(const SpikedSample& sample, const SpikedConstants& constants,
                          RandomStream& stream);

/// Released subspaces by contender; the whole budget goes to the subspace, as in the paper.
std::map<std::string, Matrix> released_subspaces(const SpikedSample& sample, RandomStream& stream);
/// Released covariances, half of the budget for each part where there are two.
std::map<std::string, Matrix> released_covariances(const SpikedSample& sample,
                                                   RandomStream& stream);

double projector_distance(const Matrix& first, const Matrix& second);

}  // namespace eigenveil::papers
