#pragma once

#include "eigenveil/engine/option.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/documents/document_parts.hpp"
#include "mechanism/moment/counted_moment.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Components, a covariance or its cut, from a released Gram matrix of (c, c m, x): every entry is
/// of the rows that have both columns. Entries that the public rule refuses are listed.
ReleaseDocument pairwise_document(const MomentPlan& plan, const MomentSettings& settings,
                                  const Release<NoisyMoment>& release,
                                  const CountedColumns& columns, Task task, Eigen::Index count);

}  // namespace eigenveil
