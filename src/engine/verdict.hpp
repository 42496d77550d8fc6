#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eigenveil/engine/method.hpp"

namespace eigenveil {

/// A table of which nobody said how large it is counts as one of so many rows. A release that needs
/// more to show anything asks for the number instead of spending blindly.
constexpr std::int64_t kUndeclaredRows = 2000;

/// Refuses, before anything is spent, a release that noise must drown at the public number of rows:
/// components would come out with a squared cosine below 1/2 (the theory of many columns) in every
/// table within the bounds, or, as a model, in one whose rows are spread over the bounds and that
/// has half of its variance in them, or variances that fall like 1/j. Public numbers alone;
/// methods without a floor pass.
Result<void> verdict(const Method& method, const Request& request, const PublicFacts& facts,
                     std::optional<std::int64_t> rows);

/// One line each about a request that is legal and rarely meant: a delta above one over the number
/// of rows, an epsilon above 10, a column named like an identifier.
std::vector<std::string> public_warnings(const Request& request, const Schema& schema,
                                         std::optional<std::int64_t> rows);

}  // namespace eigenveil
