#pragma once

#include "eigenveil/report/document.hpp"
#include "engine/documents/document_parts.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"

namespace eigenveil {

/// The moment is handed over: its products become the covariance, in the same memory.
ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release, Eigen::Index count);
/// The noisy covariance cut to its `rank` largest eigenvalues, none negative.
ReleaseDocument low_rank_document(const MomentPlan& plan, const MomentSettings& settings,
                                  Release<NoisyMoment> release, Eigen::Index rank);
ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release);

}  // namespace eigenveil
