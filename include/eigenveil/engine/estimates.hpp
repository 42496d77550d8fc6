#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// Estimates whose intervals include the noise, from a release of pseudo-data or of a covariance by
/// method gauss: post-processing, which costs nothing. `question` is a JSON object:
///   {"estimate": "moments", "second_moment": false}
///   {"estimate": "regression", "response": NAME, "predictors": [NAMES], "ridge": 0, "level": 0.95,
///    "about": "population" or "raw"}
///   {"estimate": "components", "components": 2}
/// The answer is one too, that of `eigenveil analyse --json`, matrices as lists of rows. `folder`
/// is where arrays of the release lie that are too large for memory. Formulas:
/// docs/proofs/masking.md, "Estimates".
[[nodiscard]] Result<std::string> estimate_from(const ReleaseDocument& document,
                                                const std::filesystem::path& folder,
                                                std::string_view question);

}  // namespace eigenveil
