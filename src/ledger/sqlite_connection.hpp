#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"

namespace eigenveil::detail {

/// A prepared statement: values are bound, never written into its text.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* database, std::string_view sql);
  ~SqliteStatement() { sqlite3_finalize(statement_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind(std::int64_t number);
  SqliteStatement& bind(double number);
  SqliteStatement& bind_blob(std::string_view bytes);
  /// SQLITE_ROW, SQLITE_DONE or an error code.
  int step();
  std::string text(int column) const;  ///< of a blob too
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;  ///< of preparing
  int next_ = 1;
};

/// How a file is called in sentences for people, and what cannot be done when it fails.
struct SqliteWords {
  const char* file = "ledger";
  const char* done = "charged";
};

/// An open file with the settings every use of a ledger has.
class SqliteConnection {
 public:
  static Result<SqliteConnection> open(const std::filesystem::path& path, double wait_seconds,
                                       SqliteWords words = {});
  /// An empty database of its own.
  static Result<SqliteConnection> in_memory();
  sqlite3* get() const { return database_.get(); }
  /// Statements without results.
  Result<void> run(const char* sql) const;
  Result<std::int64_t> number(const char* sql) const;
  Result<std::string> text(const char* sql) const;
  /// SQLite's code as a sentence for people.
  tl::unexpected<Error> failure(int code) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  /// Outlives moves of the connection: SQLite holds its address.
  struct Waiting {
    double limit_seconds = 0.0;
    double started = 0.0;
  };
  static int on_busy(void* waiting, int attempts);

  std::filesystem::path path_;
  SqliteWords words_;
  std::unique_ptr<Waiting> waiting_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace eigenveil::detail
