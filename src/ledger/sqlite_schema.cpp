#include "ledger/sqlite_schema.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace eigenveil::detail {
namespace {

/// Each text turns the schema of the version before into the next one. Never edited, only added to.
constexpr std::array kSteps = {
    R"sql(
CREATE TABLE terms (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL, name TEXT NOT NULL, relation TEXT NOT NULL,
  unit_rows INTEGER NOT NULL, unit_person TEXT NOT NULL,
  cap_mu REAL NOT NULL, cap_epsilon REAL NOT NULL, cap_delta REAL NOT NULL,
  promise TEXT NOT NULL, promise_first REAL NOT NULL, promise_second REAL NOT NULL,
  allow_unproved INTEGER NOT NULL, created TEXT NOT NULL, public_key TEXT NOT NULL) STRICT;
CREATE TABLE lines (
  position INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('reserve', 'settle')),
  time TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL, signature TEXT NOT NULL,
  retry_key TEXT NOT NULL, request TEXT NOT NULL, data_set TEXT NOT NULL,
  task TEXT NOT NULL, method TEXT NOT NULL,
  account TEXT NOT NULL, mu REAL NOT NULL CHECK (mu >= 0),
  epsilon REAL NOT NULL CHECK (epsilon >= 0), delta REAL NOT NULL CHECK (delta >= 0),
  basis TEXT NOT NULL, assumptions TEXT NOT NULL, builds_on TEXT NOT NULL,
  reservation INTEGER NOT NULL, release TEXT NOT NULL) STRICT;
CREATE TRIGGER terms_stay BEFORE UPDATE ON terms BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER terms_keep BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER terms_once BEFORE INSERT ON terms WHEN EXISTS (SELECT 1 FROM terms)
  BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER lines_stay BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER lines_keep BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'append only'); END;
-- INSERT OR REPLACE deletes without asking the trigger above, so that a line is let in only where
-- nothing stands yet: at the end.
CREATE TRIGGER lines_grow BEFORE INSERT ON lines
  WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position), 0) + 1 FROM lines)
  BEGIN SELECT RAISE(ABORT, 'append only'); END;
)sql",
    R"sql(
CREATE INDEX lines_by_key ON lines (retry_key) WHERE retry_key <> '';
CREATE TRIGGER lines_key_once BEFORE INSERT ON lines
  WHEN NEW.retry_key <> '' AND EXISTS (SELECT 1 FROM lines WHERE retry_key = NEW.retry_key)
  BEGIN SELECT RAISE(ABORT, 'key used'); END;
CREATE INDEX lines_by_reservation ON lines (reservation) WHERE kind = 'settle';
CREATE TRIGGER lines_settle_once BEFORE INSERT ON lines
  WHEN NEW.kind = 'settle' AND
    (NOT EXISTS (SELECT 1 FROM lines WHERE position = NEW.reservation AND kind = 'reserve') OR
     EXISTS (SELECT 1 FROM lines WHERE kind = 'settle' AND reservation = NEW.reservation))
  BEGIN SELECT RAISE(ABORT, 'settled once'); END;
)sql",
    R"sql(
CREATE TABLE seal (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  cap_draws REAL NOT NULL, made_by TEXT NOT NULL, signature TEXT NOT NULL) STRICT;
CREATE TRIGGER seal_stay BEFORE UPDATE ON seal BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER seal_keep BEFORE DELETE ON seal BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER seal_once BEFORE INSERT ON seal
  WHEN EXISTS (SELECT 1 FROM seal) OR EXISTS (SELECT 1 FROM lines)
  BEGIN SELECT RAISE(ABORT, 'fixed'); END;
ALTER TABLE lines ADD COLUMN draws REAL NOT NULL DEFAULT 0 CHECK (draws >= 0);
ALTER TABLE lines ADD COLUMN steps INTEGER NOT NULL DEFAULT 1 CHECK (steps >= 1);
)sql"};

Result<void> set_version(const SqliteConnection& connection, int version) {
  return connection.run(fmt::format("PRAGMA user_version={}", version).c_str());
}

/// Everything SQLite obeys in a file: tables, indices, triggers.
Result<std::string> schema_of(const SqliteConnection& connection) {
  SqliteStatement rows(connection.get(),
                       "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
  std::string text;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    text += fmt::format("{} {} {}\n{}\n", rows.text(0), rows.text(1), rows.text(2), rows.text(3));
  }
  if (code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return text;
}

/// What the steps make of an empty database, one text for each version.
Result<std::string> expected_schema(int version) {
  static const std::vector<Result<std::string>> made = [] {
    std::vector<Result<std::string>> schemas;
    for (int each = 1; each <= newest_schema(); ++each) {
      const Result<SqliteConnection> empty = SqliteConnection::in_memory();
      schemas.push_back(
          empty ? migrate_schema(*empty, each).and_then([&] { return schema_of(*empty); })
                : Result<std::string>(error_of(empty)));
    }
    return schemas;
  }();
  return made.at(static_cast<std::size_t>(version - 1));
}

}  // namespace

int newest_schema() {
  return static_cast<int>(kSteps.size());
}

Result<void> migrate_schema(const SqliteConnection& connection, int target) {
  const Result<std::int64_t> version = connection.number("PRAGMA user_version");
  if (!version) {
    return error_of(version);
  }
  for (auto step = static_cast<std::size_t>(*version); step < static_cast<std::size_t>(target);
       ++step) {
    if (const Result<void> done = connection.run(kSteps.at(step)); !done) {
      return done;
    }
  }
  return set_version(connection, target);
}

Result<void> check_schema(const SqliteConnection& connection, int version) {
  const Result<std::string> found = schema_of(connection);
  const Result<std::string> expected = expected_schema(version);
  if (!found || !expected) {
    return found ? error_of(expected) : error_of(found);
  }
  if (*found != *expected) {
    return bad_request(fmt::format(
        "the tables and triggers of the ledger {} are not those this program makes (format {}): "
        "the file was changed by something other than this program, and nothing is charged to it",
        connection.path().string(), version));
  }
  return {};
}

}  // namespace eigenveil::detail
