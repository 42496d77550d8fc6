#pragma once

#include "audit/audits.hpp"
#include "cli/outcome.hpp"

namespace eigenveil::cli {

Command method_audit(const AuditedMethod& method);  ///< `audit gauss`, and so on
Command all_audits();                               ///< `audit all`
Command sharp_audit();  ///< `audit sharp`: also on a table or a spectrum

}  // namespace eigenveil::cli
