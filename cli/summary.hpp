#pragma once

#include <string>
#include <vector>

#include "cli/options/output_options.hpp"
#include "cli/outcome.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {

/// Words for the curator's terminal that are not part of the release.
struct TerminalNotes {
  std::string input;
  std::string bounds;  ///< empty where rows may have any length
  ReleaseTarget target;
};

/// A title and lines with labels: how plans and releases are shown.
void print_lines(const std::string& title, const std::vector<FactLine>& lines);

/// A plan in words, or its numbers for machines.
void print_facts(const PlanFacts& facts, bool json);

/// Writes the release to --out, then prints it: its document (--json) or a summary in words.
Outcome publish(const ReleaseDocument& document, const OutputOptions& output,
                const TerminalNotes& notes);

}  // namespace eigenveil::cli
