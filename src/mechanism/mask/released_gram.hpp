#pragma once

#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/moment/noise_reach.hpp"

namespace eigenveil {

/// The column of ones, as a release names it.
inline constexpr const char* kInterceptColumn = "intercept";

/// The sum of row products that a release gives away, with the law of its noise. Everything here is
/// published already; what is computed from it costs nothing. Formulas: docs/proofs/masking.md,
/// "Estimates".
struct ReleasedGram {
  std::vector<std::string> names;
  bool intercept = false;  ///< the first column is the constant 1 (a name alone proves nothing)
  Matrix products;         ///< as released, in the units of the release
  double rows = 0.0;
  /// Masked rows: standard deviation of the noise on the cells of each column; empty otherwise.
  Vector cell_sd;
  /// Noise on the Gram itself: standard deviation of every entry; empty for masked rows.
  Matrix entry_sd;
  /// Models are about the mean: the intercept column is part of every one (a covariance release
  /// with a private mean).
  bool centered = false;
  /// Columns are measured from the midpoints of their public ranges, which are not all zero.
  bool from_midpoints = false;
  /// What brings every column back to original units (0 for the intercept); empty where the release
  /// is in other units.
  Vector midpoints = {};
  Vector scales = {};          ///< of the columns, from scaled units to those of the release
  double rows_sd = 0.0;        ///< noise on `rows`; 0: the number is public
  double longest_row = 0.0;    ///< bound on the norm of a row without intercept; 0: not known
  double weight_bound = 1.0;   ///< W: no row counts more than W times (weights lie in 0..W)
  double rows_together = 1.0;  ///< at most so many rows belong to one person, or one family
  /// Missing cells stand at the public midpoint (as in Schema); early releases do not say.
  bool fills_gaps = true;

  bool masked() const { return cell_sd.size() > 0; }
  /// At most so many times as large as with independent rows of weight 1 is the sampling variance
  /// of a weighted sum: sum w^2 <= W sum w, and |sum of G terms|^2 <= G sum of squares.
  double sampling_factor() const { return weight_bound * rows_together; }
  /// Unbiased for the Gram of the raw rows: masked rows carry n sigma^2 on the diagonal.
  Matrix corrected() const;
};

/// Variance of v'Ev, E the noise of the released Gram, v with one entry per column: with
/// a = sum_j s_j^2 v_j^2, 4 a v'Gv + 2 n a^2 for masked rows (whose entries are correlated).
double direction_variance(const ReleasedGram& gram, const Vector& direction);

/// Estimates of matrix entries with standard errors, about what the raw rows would give.
struct MomentEstimate {
  std::vector<std::string> names;
  Matrix value;
  Matrix standard_error;
  Vector mean;                 ///< empty when the release has no intercept column
  Vector mean_standard_error;  ///< empty with it
};

/// sum of x x' / n, noise-corrected.
MomentEstimate second_moment(const ReleasedGram& gram);

/// About the mean; needs the intercept column.
Result<MomentEstimate> covariance(const ReleasedGram& gram);

/// Correlations of a covariance estimate, for the columns whose variance passes the public rule
/// (mechanism/moment/correlation.hpp); not a number for the others, which are listed.
struct CorrelationEstimate {
  Matrix value;
  Matrix standard_error = {};  ///< empty where it is not known
  std::vector<std::string> left_out = {};
};
CorrelationEstimate correlation(const MomentEstimate& covariance);

/// What an interval of a coefficient is to cover.
enum class CoefficientTarget : unsigned char {
  Population,  ///< the model the rows were drawn from: sampling and noise
  RawData,     ///< what the raw rows would have given: noise alone
};

struct RegressionRequest {
  std::string response;
  std::vector<std::string> predictors;
  double ridge = 0.0;  ///< added to the diagonal of the predictors' second moment
  double level = 0.95;
  CoefficientTarget target = CoefficientTarget::Population;
};

struct Regression {
  std::vector<std::string> names;
  Vector coefficients;
  Vector standard_errors;
  Matrix covariance;  ///< of the coefficients; its diagonal is the square of the standard errors
  Vector low;
  Vector high;
  double residual_sd = 0.0;  ///< of the response about the model, noise removed; never negative
  Vector uncorrected;        ///< what ignoring the noise would have given
  /// An intercept of the model is the response where every predictor is 0 in original units.
  bool original_intercept = false;
};

/// Least squares (ridge) with noise-corrected normal equations. Refused when the noise leaves no
/// signal in some direction of the predictors.
Result<Regression> regress(const ReleasedGram& gram, const RegressionRequest& request);

/// What a regression will be worth on a table of assumed sums, before any noise is drawn: the
/// errors that `regress` would state, taken apart. Those by noise are in proportion to it.
struct PredictedRegression {
  Vector slopes;
  Vector noise;         ///< standard errors by the noise of the release alone
  Vector sampling;      ///< by asking a sample
  double signal = 0.0;  ///< of the weakest direction of the predictors, in deviations of its noise
};
/// `regress` refuses to invert what does not stand so many deviations clear of its noise.
inline constexpr double kLeastSignal = 4.0;
Result<PredictedRegression> predict_regression(const ReleasedGram& assumed,
                                               const RegressionRequest& request);

/// What the columns of a model are measured from: "zero", "public midpoints", or "private mean" (a
/// model about the mean whose intercept was not asked for).
std::string measured_from(const ReleasedGram& gram, const Regression& fit);

/// Eigenpairs of a moment estimate of `gram`. An eigenvalue of a noisy matrix is no estimate of one
/// of the exact matrix where noise is as large, so there are intervals and verdicts instead of
/// standard errors.
struct ComponentEstimate {
  Vector variance;  ///< noisy eigenvalues, none negative or above what the bounds allow
  Vector low;       ///< 95% limits for the eigenvalues of the raw rows, all of them at once
  Vector high;
  Vector noise_edge;              ///< as `pca` has it, from the same formula
  std::vector<bool> below_noise;  ///< cannot be told from noise
  std::vector<bool> clipped;      ///< the noisy eigenvalue was above what the bounds allow
  Matrix loadings;
};
Result<ComponentEstimate> components_of(const ReleasedGram& gram, const MomentEstimate& moment,
                                        Eigen::Index count);

/// How far eigenvalues of a moment estimate are off, all at once, with probability 0.95: those of
/// the exact sum lie between `rows` value - below and `rows` value + above, and the exact number of
/// rows between fewest and most. Proof: docs/proofs/masking.md, "Eigenvalues".
struct EigenvalueLimits {
  double below = 0.0;
  double above = 0.0;
  double fewest = 0.0;
  double most = 0.0;
};
/// For Gaussian noise on entries; `mean_norm` is of the released mean about the public midpoint, in
/// the units that the scales lead to.
EigenvalueLimits limits_of_entries(const EntryNoise& noise, double rows, double mean_norm);
EigenvalueLimits eigenvalue_limits(const ReleasedGram& gram, const MomentEstimate& moment,
                                   double largest_value);

}  // namespace eigenveil
