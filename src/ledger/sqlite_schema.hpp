#pragma once

#include "ledger/sqlite_connection.hpp"

namespace eigenveil::detail {

/// The format that this program writes.
int newest_schema();

/// Runs the steps from the file's version to `target`, inside the caller's transaction.
Result<void> migrate_schema(const SqliteConnection& connection, int target);

/// Whether a file holds exactly the tables, indices and triggers of its version: a trigger that
/// somebody planted could take lines out again, or change what goes in.
Result<void> check_schema(const SqliteConnection& connection, int version);

}  // namespace eigenveil::detail
