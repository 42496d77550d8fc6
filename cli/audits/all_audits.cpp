#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/audits/audits.hpp"
#include "cli/options/checks.hpp"
#include "core/parallel.hpp"

namespace eigenveil::cli {
namespace {

/// One line of the table: an attack on the shipped mechanism with the mutants that follow it.
struct Row {
  Finding shipped;
  std::vector<Finding> mutants;
};

std::string listed(const std::vector<Finding>& mutants, bool caught) {
  std::string text;
  for (const Finding& mutant : mutants) {
    if (mutant.result.refuted() == caught) {
      const std::string& name = mutant.result.name;
      const std::size_t at = name.find("mutant: ");
      text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                          name.substr(at == std::string::npos ? 0 : at + 8),
                          caught ? fmt::format(" ({:.3g})", mutant.result.lower_bound)
                                 : mutant.verdict().substr(std::string("not caught").size()));
    }
  }
  return text.empty() ? "-" : text;
}

void print_markdown(const Row& row) {
  const AuditResult& result = row.shipped.result;
  std::string name = result.name;
  if (const std::size_t at = name.find(", as shipped"); at != std::string::npos) {
    name.resize(at);
  }
  const bool outside = row.shipped.kind == AttackKind::Outside;
  fmt::print("| {} | {} | {} {:.4g} | {:.4g}{} | {} | {} |\n", row.shipped.setting, name,
             result.unit, result.claimed, result.lower_bound, outside ? " (not covered)" : "",
             listed(row.mutants, true), listed(row.mutants, false));
}

struct AllAuditsOptions {
  std::vector<std::string> only;
  std::optional<std::uint64_t> seed;

  void declare(CLI::App& app) {
    app.add_option("METHOD", only, "only these methods");
    app.add_option("--seed", seed, "the same attacks again")->check(whole_number(0));
  }

  Outcome run() const {
    bool wrong = false;
    for (const std::string& name : only) {
      if (const auto known = find_audit(name); !known) {
        return error_of(known);
      }
    }
    for (const AuditedMethod& method : audited_methods()) {
      if (!only.empty() && std::find(only.begin(), only.end(), method.name) == only.end()) {
        continue;
      }
      const Result<bool> missed = run_method(method);
      if (!missed) {
        return error_of(missed);
      }
      wrong = wrong || *missed;
    }
    return wrong ? Outcome(input_output_error("an audit did not come out as it must")) : Outcome();
  }

 private:
  /// Whether something was wrong.
  Result<bool> run_method(const AuditedMethod& method) const {
    RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
    fmt::print("\n### {}\n\n{}; {} runs on each table.\n\n", method.name, method.summary,
               method.runs);
    fmt::print(
        "| neighbours, table | attack | claim | measured | mutants caught (measured) | not "
        "caught |\n|---|---|---|---|---|---|\n");
    bool wrong = false;
    for (const AttackSetting& setting : method.settings()) {
      AuditRequest request = default_request(method);
      request.setting = setting;
      request.mutants = true;
      request.settings.threads = default_threads();
      const Result<std::vector<Finding>> findings = run_audit(method, request, stream);
      if (!findings) {
        return error_of(findings);
      }
      std::vector<Row> rows;
      for (const Finding& finding : *findings) {
        wrong = wrong || finding.wrong();
        if (finding.is_mutant()) {
          rows.back().mutants.push_back(finding);
        } else {
          rows.push_back({finding, {}});
        }
      }
      std::for_each(rows.begin(), rows.end(), print_markdown);
      std::fflush(stdout);
    }
    return wrong;
  }
};

}  // namespace

Command all_audits() {
  return command_of<AllAuditsOptions>(
      "all",
      "every method, relation, unit and group with its mutants, as the table of docs/audit.md");
}

}  // namespace eigenveil::cli
