#include "cli/audits/audits.hpp"
#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command audit_command() {
  std::vector<Command> children;
  for (const AuditedMethod& method : audited_methods()) {
    children.push_back(method.name == "sharp" ? sharp_audit() : method_audit(method));
  }
  children.push_back(all_audits());
  return command_group(
      "audit",
      "Attacks a mechanism on a worst pair of data sets and prints the measured lower bound "
      "beside the claim.\n"
      "  eigenveil audit gauss --epsilon 1 --delta 1e-6 --mutants",
      std::move(children));
}

}  // namespace eigenveil::cli
