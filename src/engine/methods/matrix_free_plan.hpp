#pragma once

#include <memory>

#include "eigenveil/engine/method.hpp"

namespace eigenveil {

/// The options of gauss that say whether the noisy matrix is formed.
std::vector<OptionSpec> matrix_options();

/// Whether components are found without the matrix: asked for, or more columns than it is worth
/// forming one for, of rows that can be read again.
Result<bool> without_matrix(const Request& request, const PublicFacts& facts);

/// gauss for components without the matrix (mechanism/matrix_free). Totals that were made before
/// already hold one: then `formed` is run.
Result<std::unique_ptr<Plan>> matrix_free_plan(const Request& request, const PublicFacts& facts,
                                               std::unique_ptr<Plan> formed);

}  // namespace eigenveil
