#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/exponential/exponential.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/noisy_moment.hpp"
#include "mechanism/moment/second_moment.hpp"

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
  int group_size = 1;
  Extension extension = Extension::Count;  ///< of the noisy moments; Full where they centre
};

/// The released directions of a method on a made-up second moment Σ x xᵀ of `rows` rows in the
/// units of the bound; nothing where it would answer NULL. Simulation: no data is involved.
using MethodTrial =
    std::function<std::optional<Matrix>(const Matrix& moment, RandomStream& stream)>;

/// A method's answer to it.
struct PredictedError {
  double error_f2 = 0.0;  ///< E |UUᵀ - U~U~ᵀ|_F² that its noise adds, to first order
  Relation relation = Relation::AddRemove;
  Basis basis = Basis::Proved;
  std::string note;  ///< why it can be good, or why there is no prediction
  bool available = true;
  MethodTrial trial = {};  ///< beyond first order, at sizes where it is cheap
  /// Meets the budget with a pure loss: more power for a detector, a larger charge of a Gaussian
  /// account. So it is shown beside a method that spends no more than was asked for.
  bool pure_instead = false;
};

inline constexpr double kDefaultVarianceShare = 0.2;
inline constexpr double kDefaultCalibrationShare = 0.3;

/// Of a plan for this setting.
bool pure_instead(const AssumedSetting& setting, const Guarantee& guarantee);

using MomentPlanner = Result<MomentPlan> (*)(const MomentRequest&);
PredictedError predicted_moment_error(MomentPlanner planner, const AssumedSetting& setting);
PredictedError predicted_orbit_error(const AssumedSetting& setting);
PredictedError predicted_spiked_error(const AssumedSetting& setting);
PredictedError predicted_robust_error(const AssumedSetting& setting);
PredictedError predicted_sharp_error(const AssumedSetting& setting,
                                     double calibration_share = kDefaultCalibrationShare);
/// One component only; nothing otherwise.
std::optional<PredictedError> predicted_exponential_error(const AssumedSetting& setting);
std::optional<PredictedError> predicted_oja_error(
    const AssumedSetting& setting, std::size_t batch = 1000,
    const std::optional<double>& contribution = std::nullopt);

/// Error of a direction drawn by `plan`, 1 - E (u'u_1)² ~ H(λ_1) / β, with c n = p β / 2 in the
/// units of the assumed spectrum.
double direction_error(const ExponentialPlan& plan, const Vector& eigenvalues, double rows);

/// One draw of a moment's noise, in doubles, for made-up tables alone: releases use rounded noise.
Matrix simulated_noise(const NoiseScale& scale, Eigen::Index p, RandomStream& stream);

/// E |UUᵀ - ÛÛᵀ|_F² of the sample's own components for Gaussian rows, first order:
/// (2/n) sum over i <= k < j of l_i l_j / (l_i - l_j)².
double sampling_error(const Vector& spectrum, Eigen::Index components, double rows);

struct ComparedMethod {
  std::string name;
  PredictedError predicted;
  double total_f2 = 0.0;    ///< noise and sampling error together, never above the worst
  double null_share = 0.0;  ///< of the tables it was tried on
  int place = 0;            ///< among methods that are as good: the smallest is taken
};

/// The whole table.
struct MethodComparison {
  std::vector<ComparedMethod> methods;      ///< best first; those without a prediction last
  double sampling_f2 = 0.0;                 ///< what sampling alone costs
  double worst_f2 = 0.0;                    ///< directions with nothing in common
  int tables = 0;                           ///< made-up tables; 0: first-order formulas
  Relation relation = Relation::AddRemove;  ///< the neighbours that were asked for
  /// The k-th gap of the assumed spectrum is lost in sampling: there is no one subspace to find.
  bool undetermined = false;
};

/// Tried on made-up tables where that is cheap (method_trials.hpp), first-order formulas beyond.
MethodComparison compared(std::vector<ComparedMethod> methods, const AssumedSetting& setting);

/// Holds under a model, or in the limit, and not for every data set.
bool under_a_model(const ComparedMethod& method);
/// Protects against the neighbours asked for, for every data set: may be recommended.
bool keeps_the_promise(Relation asked, const ComparedMethod& method);
/// The best method that keeps the promise, or, when told to accept all, the best of all; null when
/// there is none. Among those within 5% of the best the strongest basis wins, then the smallest
/// place: a smaller difference is the luck of the made-up tables.
const ComparedMethod* recommended(const MethodComparison& comparison, bool accept_all);
/// The choice among methods that keep the promise, and why, in words.
std::string recommendation(const MethodComparison& comparison);

}  // namespace eigenveil
