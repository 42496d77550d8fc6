#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/mechanism/exponential.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Which method to take for principal components: every method's predicted error at the same
/// budget, from public numbers and an assumed spectrum alone.

/// Sizes, bound, budget, and the spectrum of the second moment in the units of the bound.
struct AssumedSetting {
  Eigen::Index rows = 0;
  Eigen::Index components = 1;
  RowBound bound;
  Budget budget;
  Relation relation = Relation::AddRemove;
  Vector spectrum;  ///< largest first
};

/// A method's answer to it.
struct PredictedError {
  double error_f2 = 0.0;  ///< E |UUᵀ - U~U~ᵀ|_F² that its noise adds; sampling error is common
  Relation relation = Relation::AddRemove;
  Basis basis = Basis::Proved;
  std::string note;  ///< what it rests on, or why there is no prediction
  bool available = true;
};

inline constexpr double kDefaultVarianceShare = 0.2;

PredictedError predicted_moment_error(const std::string& method, const AssumedSetting& setting);
PredictedError predicted_orbit_error(const AssumedSetting& setting);
PredictedError predicted_spiked_error(const AssumedSetting& setting);
PredictedError predicted_robust_error(const AssumedSetting& setting);
/// One component only; nothing otherwise.
std::optional<PredictedError> predicted_exponential_error(const AssumedSetting& setting);
std::optional<PredictedError> predicted_oja_error(
    const AssumedSetting& setting, std::size_t batch = 1000,
    const std::optional<double>& contribution = std::nullopt);

/// Error of a direction drawn by `plan`, 1 - E (u'u_1)² ~ H(λ_1) / β, with c n = p β / 2 in the
/// units of the assumed spectrum.
double direction_error(const ExponentialPlan& plan, const Vector& eigenvalues, double rows);

/// E |UUᵀ - ÛÛᵀ|_F² of the sample's own components for Gaussian rows, first order:
/// (2/n) sum over i <= k < j of l_i l_j / (l_i - l_j)².
double sampling_error(const Vector& spectrum, Eigen::Index components, double rows);

struct ComparedMethod {
  std::string name;
  PredictedError predicted;
  double total_f2 = 0.0;  ///< noise and sampling error together, never above the worst
};

/// Best first; those without a prediction last.
std::vector<ComparedMethod> ranked(std::vector<ComparedMethod> methods,
                                   const AssumedSetting& setting);
/// All of them at their default options, ranked. Needs components < columns.
std::vector<ComparedMethod> compared_methods(const AssumedSetting& setting);

/// The best method, with or without those that hold under a model only; null when there is none.
const ComparedMethod* recommended(const std::vector<ComparedMethod>& methods, bool accept_model);
bool holds_under_a_model_only(const PredictedError& predicted);

}  // namespace eigenveil
