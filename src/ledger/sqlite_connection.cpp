#include "ledger/sqlite_connection.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace eigenveil::detail {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view sql)
    : code_(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_,
                               nullptr)) {}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
  sqlite3_bind_text(statement_, next_++, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::int64_t number) {
  sqlite3_bind_int64(statement_, next_++, number);
  return *this;
}

SqliteStatement& SqliteStatement::bind(double number) {
  sqlite3_bind_double(statement_, next_++, number);
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(std::string_view bytes) {
  sqlite3_bind_blob64(statement_, next_++, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

int SqliteStatement::step() {
  return code_ == SQLITE_OK ? sqlite3_step(statement_) : code_;
}

std::string SqliteStatement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

/// SQLite asks after every failed attempt; the wait is bounded as a whole and grows in steps, with
/// the process number in it so that two programs do not keep meeting.
int SqliteConnection::on_busy(void* waiting, int attempts) {
  auto& state = *static_cast<Waiting*>(waiting);
  if (attempts == 0) {
    state.started = seconds_now();
  }
  if (seconds_now() - state.started >= state.limit_seconds) {
    return 0;
  }
  const int step = std::min(attempts + 1, 20);
  ::usleep(static_cast<useconds_t>(500 * step + (::getpid() + 37 * attempts) % 500));
  return 1;
}

tl::unexpected<Error> SqliteConnection::failure(int code) const {
  const std::string name = path_.string();
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return input_output_error(
          fmt::format("other programs used the {} {} for {:g} seconds without a pause; nothing "
                      "was {}, try again",
                      words_.file, name, waiting_->limit_seconds, words_.done));
    case SQLITE_FULL:
      return input_output_error(fmt::format("the disk of the {} {} is full, so nothing can be {}",
                                            words_.file, name, words_.done));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return input_output_error(fmt::format("the {} {} cannot be written, so nothing can be {}",
                                            words_.file, name, words_.done));
    case SQLITE_CANTOPEN:
      return input_output_error(fmt::format("cannot open the {} {}", words_.file, name));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return bad_request(fmt::format("{} is not a {}, or was damaged", name, words_.file));
    case SQLITE_CONSTRAINT:
      return bad_request(fmt::format(
          "the {} {} refused the entry: lines can only be added at its end", words_.file, name));
    default:
      return input_output_error(
          fmt::format("the {} {} failed ({}); nothing may rest on this attempt", words_.file, name,
                      sqlite3_errstr(code)));
  }
}

Result<void> SqliteConnection::run(const char* sql) const {
  const int code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    return failure(code);
  }
  return {};
}

Result<std::int64_t> SqliteConnection::number(const char* sql) const {
  SqliteStatement statement(get(), sql);
  const int code = statement.step();
  if (code != SQLITE_ROW) {
    return failure(code);
  }
  return statement.integer(0);
}

Result<std::string> SqliteConnection::text(const char* sql) const {
  SqliteStatement statement(get(), sql);
  const int code = statement.step();
  if (code != SQLITE_ROW) {
    return failure(code);
  }
  return statement.text(0);
}

Result<SqliteConnection> SqliteConnection::in_memory() {
  SqliteConnection connection;
  connection.waiting_ = std::make_unique<Waiting>();
  sqlite3* database = nullptr;
  const int code = sqlite3_open(":memory:", &database);
  connection.database_.reset(database);
  if (code != SQLITE_OK) {
    return connection.failure(code);
  }
  return connection;
}

Result<SqliteConnection> SqliteConnection::open(const std::filesystem::path& path,
                                                double wait_seconds, SqliteWords words) {
  SqliteConnection connection;
  connection.words_ = words;
  connection.path_ = path;
  connection.waiting_ = std::make_unique<Waiting>(Waiting{wait_seconds, 0.0});
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
  connection.database_.reset(database);
  if (code != SQLITE_OK) {
    return connection.failure(code);
  }
  sqlite3_busy_handler(database, on_busy, connection.waiting_.get());
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // A rollback journal and not a write-ahead log: SQLite before 3.51.3 can lose a log that is reset
  // while another program reads. EXTRA also syncs the folder after the journal is removed.
  const Result<std::string> mode = connection.text("PRAGMA journal_mode=DELETE");
  if (!mode) {
    return error_of(mode);
  }
  if (*mode != "delete") {
    return bad_request(fmt::format(
        "{} was switched to another journal mode and cannot be switched back; is another program "
        "using it?",
        path.string()));
  }
  if (const Result<void> extra = connection.run("PRAGMA synchronous=EXTRA"); !extra) {
    return error_of(extra);
  }
  return connection;
}

}  // namespace eigenveil::detail
