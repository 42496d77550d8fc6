#pragma once

#include <memory>

#include "eigenveil/engine/method.hpp"
#include "engine/outlook.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// The options of gauss that say whether the noisy matrix is formed.
std::vector<OptionSpec> matrix_options();

/// Whether components are found without the matrix: asked for, or more columns than it is worth
/// forming one for, of rows that can be read again.
Result<bool> without_matrix(const Request& request, const PublicFacts& facts);

/// What a plan says of a table so wide: how it is released, and which share of the squared row norm
/// a component must have to show.
void add_matrix_lines(Outlook& outlook, const Request& request, const MomentPlan& plan,
                      std::int64_t rows);

/// gauss for components without the matrix (mechanism/matrix_free). Totals that were made before
/// already hold one: then `formed` is run.
Result<std::unique_ptr<Plan>> matrix_free_plan(const Request& request, const PublicFacts& facts,
                                               std::unique_ptr<Plan> formed);

}  // namespace eigenveil
