#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Budgets that outlive the process, for faces in other languages; a job of `release_table` names
/// the one it is charged to. Proof: docs/proofs/ledger.md.

/// Makes a ledger and its key beside it. `terms` is a JSON object: name, and a promise (epsilon
/// with delta, epsilon, rho or mu) or caps {mu, epsilon, delta}; further basic_share, draws,
/// neighbours, group_size, person, allow_unproved.
[[nodiscard]] Result<void> create_ledger(const std::filesystem::path& path, std::string_view terms);

/// What was promised, spent and published, its chain and signature checked: "json", "text", "html",
/// or "registry" (a record for the public registry of deployments; "registry government" says who
/// publishes it).
[[nodiscard]] Result<std::string> show_ledger(const std::filesystem::path& path,
                                              std::string_view view);

/// What is wrong with a ledger, and with releases that it should know; empty when all is well.
[[nodiscard]] Result<std::vector<std::string>> ledger_problems(
    const std::filesystem::path& path, const std::vector<std::string>& releases);

/// A copy as of one moment, without the key: it can be shown and verified, not spent from.
[[nodiscard]] Result<void> back_up_ledger(const std::filesystem::path& path,
                                          const std::filesystem::path& copy);

}  // namespace eigenveil
