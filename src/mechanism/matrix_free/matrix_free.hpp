#pragma once

#include <memory>
#include <optional>

#include "mechanism/matrix_free/component_search.hpp"
#include "mechanism/matrix_free/regenerated_noise.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "statistics/row_products.hpp"

namespace eigenveil {

/// Which components of which matrix.
struct MatrixFreeRequest {
  MomentRequest moment;
  Center center = Center::PublicMidpoint;
  Units units = Units::Original;
  Eigen::Index components = 1;
  int passes = 64;
};

/// gauss for components where the noisy matrix A = G + N is never formed: A V is computed in exact
/// integers, G V by passes over the rows and N V with N drawn again from its key. A is that of the
/// explicit release at the same grid, and A V depends on A alone, so what follows is
/// post-processing. Proof: docs/proofs/matrix_free.md.
class MatrixFreePlan {
 public:
  static constexpr double kMostSteps = 0x1p40;    ///< of the noise's standard deviation
  static constexpr double kWantedSteps = 0x1p30;  ///< noise is drawn slowly above it
  static constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40U;

  /// Lowers max_abs of the bound until the noise is at most 2^30 steps; refuses above 2^40.
  static Result<MatrixFreePlan> make(const MatrixFreeRequest& request);

  const MomentPlan& moment() const { return moment_; }
  const RowBound& bound() const { return moment_.bound(); }
  const Guarantee& guarantee() const { return moment_.guarantee(); }
  const MatrixFreeRequest& request() const { return request_; }
  int grid_exponent() const { return grid_exponent_; }
  int vector_bits() const { return vector_bits_; }

 private:
  MatrixFreePlan(MatrixFreeRequest request, MomentPlan moment, int grid_exponent, int vector_bits);

  MatrixFreeRequest request_;
  MomentPlan moment_;
  int grid_exponent_;
  int vector_bits_;
};

/// Components with what a release says beside them; safe to publish.
struct MatrixFreeComponents {
  PrincipalComponents components;
  double count = 0.0;
  bool count_is_public = false;
  Vector mean;         ///< in the units asked for
  Vector scaled_mean;  ///< in scaled units, about the midpoint
  Vector scales;       ///< from scaled units to those asked for
  Vector relative_residuals;
  int passes = 0;
  std::vector<Eigen::Index> not_converged;  ///< still moving after the last pass
};

/// One release under way: a pass over the rows for every block of vectors. The noise key is in this
/// object alone, and goes with it.
class MatrixFreeRun {
 public:
  MatrixFreeRun(const MatrixFreePlan& plan, RandomStream& stream, int threads);

  /// All rows, once per pass; a table may come in parts.
  Result<void> add(RowReader& rows);
  /// After all rows: whether they are wanted once more. Refuses rows that are not those of the
  /// first pass: one draw of noise over two tables would give away their difference.
  Result<bool> end_pass();
  Release<MatrixFreeComponents> finish() const;

 private:
  void start_pass();
  void release_frame(const RowProducts& rows, const std::vector<std::int64_t>& diagonal);

  const MatrixFreePlan& plan_;
  int threads_;
  Guarantee guarantee_;
  int process_;  ///< a copy in another process would draw other noise
  HashKey key_{};
  RegeneratedNoise noise_;
  ComponentSearch search_;
  std::unique_ptr<ProductPass> pass_;
  std::optional<UInt128> fingerprint_;
  // Released with the first pass.
  ReleasedFrame frame_;
  double noisy_count_ = 0.0;
};

}  // namespace eigenveil
