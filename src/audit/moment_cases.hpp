#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Second moments by "gauss", "laplace" or "wishart", and the pseudo-data of "mask-gauss" made from
/// one: the shipped mechanism, then (if asked) its mutants. Pairs attain the sensitivity
/// (docs/proofs/second_moment.md): an extreme row that comes, is zeroed, or becomes another one.
/// The statistic is the likelihood ratio, with the threshold its law says is best.
Result<std::vector<Attack>> moment_attacks(const std::string& method, const AuditRequest& request);

}  // namespace eigenveil
