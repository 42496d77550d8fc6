#pragma once

#include <string>
#include <vector>

#include "cli/options/output_options.hpp"
#include "cli/outcome.hpp"
#include "eigenveil/engine/table_release.hpp"

namespace eigenveil::cli {

/// Lines with labels: how plans and releases are shown.
void print_lines(const std::vector<FactLine>& lines);

/// A plan in words, or its numbers for machines.
void print_facts(const PlanFacts& facts, bool json);

/// A release that was made of `input`, and written where --out says: its document (--json) or a
/// summary in words.
void print_release(const TableOutcome& outcome, const OutputOptions& output,
                   const std::string& input);

/// The same for a release that no job made: written to `target` first.
Outcome publish(ReleaseDocument document, const OutputOptions& output, const std::string& input,
                const ReleaseTarget& target);

}  // namespace eigenveil::cli
