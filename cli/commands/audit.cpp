#include "cli/audits/audits.hpp"
#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command audit_command() {
  return command_group(
      "audit",
      "Attacks a mechanism on a worst pair of data sets and prints the measured lower bound "
      "beside the claim.\n"
      "  eigenveil audit gauss --epsilon 1 --delta 1e-6 --mutants",
      {moment_audit("gauss"), moment_audit("laplace"), exponential_audit(), sharp_audit(),
       orbit_audit(), mask_audit(), subspace_audit("spiked"), subspace_audit("spiked-robust"),
       subspace_audit("oja"), subspace_learning_audit()});
}

}  // namespace eigenveil::cli
