#pragma once

#include "cli/outcome.hpp"
#include "eigenveil/engine/method.hpp"

namespace eigenveil::cli {

/// One function per command; a new one is added here and to all_commands.
Command pca_command();
Command ledger_command();
Command covariance_command();
Command subspace_command();
Command mask_command();
Command analyse_command();
Command plan_command();
Command lowrank_command();
Command sample_command();
Command gram_command();
Command audit_command();
Command explain_command();
Command explore_command();
Command bounds_command();
Command scores_command();
Command generate_command();
Command reproduce_command();
Command man_command();
Command completion_command();
Command collect_command();
Command contribute_command();

}  // namespace eigenveil::cli
