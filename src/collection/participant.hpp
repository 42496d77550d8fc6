#pragma once

#include <span>
#include <string>

#include "collection/collection_plan.hpp"
#include "collection/report_message.hpp"

namespace eigenveil {

/// The two messages of one report. They are kept and sent again as they are: other bytes for the
/// same seed would show B the difference of two rows, so that a changed row is a new report.
struct SealedReport {
  ReportId id = {};
  std::string to_a;
  std::string to_b;
};

/// The row (t, x) on the grid, with its own noise where participants add it.
std::vector<std::int64_t> grid_row(const Manifest& manifest, const CollectionPlan& plan,
                                   std::span<const double> cells, RandomStream& noise);

/// Draws identifier, seed and blinds; each half carries the token of its role alone. `cells`: one
/// for each column, in original units; a missing one is not a number and counts as the midpoint.
Result<SealedReport> seal_row(const Study& study, const CollectionPlan& plan,
                              const InvitationCode& code, std::span<const double> cells,
                              RandomStream& stream);

}  // namespace eigenveil
