#pragma once

#include <string>

#include "audit/harness.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Two tables behind a release of second moments with Gaussian noise: the statistic is the most
/// powerful test of the two laws, its threshold lies halfway between them.
AuditCase moment_pair(const std::string& name, const Loss& claim, const MomentPlan& plan,
                      const ExactGram& first, const ExactGram& second);

}  // namespace eigenveil
