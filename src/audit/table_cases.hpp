#pragma once

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// A person with more rows than count: the table is read through the stage that keeps the first G
/// of them, and the second moment is released for people. Gaussian budgets.
Result<std::vector<Attack>> people_attacks(const AuditRequest& request);

/// Noisy histograms of several columns: a row that differs in all of them. Gaussian budgets.
Result<std::vector<Attack>> histogram_attacks(const AuditRequest& request);

}  // namespace eigenveil
