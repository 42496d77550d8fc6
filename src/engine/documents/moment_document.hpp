#pragma once

#include "eigenveil/report/document.hpp"
#include "engine/documents/document_parts.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"

namespace eigenveil {

enum class Task : std::uint8_t;  // of engine/option.hpp

/// In what units components of correlations are.
inline constexpr const char* kStandardisedUnits = "standardised by the released variances";

/// Components, a covariance, or one cut to its `count` largest eigenvalues (none negative), of a
/// released moment. It is handed over: its products become the covariance, in the same memory.
ReleaseDocument moment_document(const MomentPlan& plan, const MomentSettings& settings,
                                Release<NoisyMoment> release, Task task, Eigen::Index count);

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release, Eigen::Index count);
ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release);

/// Guarantee, parameters and number of rows.
ReleaseDocument moment_head(Task task, const MomentPlan& plan, const MomentSettings& settings,
                            const Release<NoisyMoment>& release);

/// `sum_sd`: of the noise on column sums, scaled.
void add_noise(ReleaseDocument& document, double sum_sd, const MomentSettings& settings,
               const NoisyCovariance& covariance);
/// Weyl: no eigenvalue moves farther than the spectral norm of the noise, whose quantile is proved
/// for Gaussian entries (docs/proofs/masking.md, "Eigenvalues"). In the document beside variances.
void add_limits(ReleaseDocument& document, const NoisyCovariance& covariance);

/// What each of them adds to a document that has its head and its noise.
void add_components(ReleaseDocument& document, const MomentSettings& settings, const Schema& schema,
                    const RowBound& bound, NoisyCovariance covariance, Eigen::Index count);
void add_low_rank(ReleaseDocument& document, const MomentSettings& settings,
                  const std::vector<std::string>& names, const RowBound& bound,
                  NoisyCovariance covariance, Eigen::Index rank);
void add_covariance(ReleaseDocument& document, const MomentSettings& settings,
                    const std::vector<std::string>& names, NoisyCovariance covariance);

}  // namespace eigenveil
