#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/output_options.hpp"
#include "cli/outcome.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {

/// Words for the curator's terminal that are not part of the release.
struct TerminalNotes {
  std::string input;
  std::string bounds;
};

/// Writes the release to --out, then prints it (--json) or lets `print` say it in words.
Outcome publish_as(const ReleaseDocument& document, const OutputOptions& output,
                   const std::function<void()>& print);

/// The same with the usual summary.
Outcome publish(const ReleaseDocument& document, const OutputOptions& output,
                const TerminalNotes& notes);

}  // namespace eigenveil::cli
