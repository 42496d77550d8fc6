#pragma once

#include "eigenveil/mechanism/moment_plan.hpp"
#include "eigenveil/mechanism/principal_components.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {

/// How the result was asked for; public.
struct MomentSettings {
  Center center = Center::PublicMidpoint;
  Units units = Units::Original;
  bool public_center = false;  ///< a centre was given instead of the midpoint
  Budget requested;
};

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    const Release<NoisyMoment>& release, Eigen::Index count);
ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    const Release<NoisyMoment>& release);

}  // namespace eigenveil::cli
