#pragma once

#include <memory>
#include <optional>

#include "eigenveil/data/raw_rows.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/subspace/approximate_subspace.hpp"

namespace eigenveil {

/// Everything public that a release inside a learned subspace depends on.
struct WithinRequest {
  RowBound bound;
  std::size_t rows = 0;      ///< public: the neighbours are replace-one
  std::size_t subspace = 0;  ///< dimension to learn and work in
  ApproxDp budget;
  double share = 0.5;  ///< of the budget, for learning the subspace
  std::optional<double> gamma = {};
};

/// Learns a subspace with part of the budget, projects the bounded rows onto it, and runs gauss in
/// its few dimensions with the rest: the two losses add. Proofs: docs/proofs/stable_core.md,
/// gauss.md.
class WithinPlan {
 public:
  static Result<WithinPlan> make(const WithinRequest& request);
  /// What every plan for this budget and share states, whatever the sizes are.
  static Result<Guarantee> stated(const ApproxDp& budget, double share);

  const WithinRequest& request() const { return request_; }
  const SubspacePlan& subspace() const { return subspace_; }
  const MomentPlan& moment() const { return moment_; }
  const Guarantee& guarantee() const { return guarantee_; }  ///< of both steps together

 private:
  WithinPlan(WithinRequest request, SubspacePlan subspace, MomentPlan moment, Guarantee guarantee)
      : request_(std::move(request)),
        subspace_(std::move(subspace)),
        moment_(std::move(moment)),
        guarantee_(std::move(guarantee)) {}

  WithinRequest request_;
  SubspacePlan subspace_;
  MomentPlan moment_;
  Guarantee guarantee_;
};

/// A row in scaled units, clipped to its bound but not rounded to the integer grid, whose step
/// would hide a small gamma. Learning needs no bound: its proof asks only that this is a function
/// of the row. Rows that are not finite count as zero there.
void scale_row(const RowBound& bound, const double* row, Vector& scaled);

/// The rows in the coordinates S1, S2, ... of a released frame (d x k), as they stream: every row
/// is clipped to `bound` and multiplied by the frame; no d x d matrix. `rows` must outlive it.
/// What sums them clips again to the plan's inner bound, which the sensitivity rests on.
std::unique_ptr<RowReader> project_rows(RowReader& rows, const RowBound& bound,
                                        const Matrix& frame);

/// Components of the rows from the noisy second moment inside the subspace: post-processing.
PrincipalComponents components_within(const Matrix& frame, const NoisyCovariance& inside,
                                      Eigen::Index count);

}  // namespace eigenveil
