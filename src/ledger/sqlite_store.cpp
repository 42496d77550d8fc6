#include "ledger/sqlite_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/atomic_output.hpp"
#include "ledger/sqlite_schema.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;
using detail::check_schema;
using detail::migrate_schema;
using detail::SqliteConnection;
using detail::SqliteStatement;

/// "EigL" in the header of the file: tells a ledger from other SQLite files.
constexpr std::int64_t kApplication = 0x4569674c;

constexpr std::string_view kInsertLine =
    "INSERT INTO lines VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr std::string_view kSelectLine = "SELECT * FROM lines WHERE position = ?";
constexpr std::string_view kSelectLines = "SELECT * FROM lines ORDER BY position";

/// A number that would be cut to another one was written by somebody else.
Result<int> whole_number(const SqliteStatement& row, int column) {
  const std::int64_t found = row.integer(column);
  if (found < 0 || found > std::numeric_limits<int>::max()) {
    return bad_request(
        "the ledger holds a number that this program never writes: the file was changed by "
        "something other than this program");
  }
  return static_cast<int>(found);
}

struct PromiseColumns {
  std::string kind;
  double first = 0.0;
  double second = 0.0;
};

PromiseColumns columns_of(const Loss& promise) {
  if (const auto* pure = std::get_if<PureDp>(&promise)) {
    return {"pure", pure->epsilon, 0.0};
  }
  if (const auto* approx = std::get_if<ApproxDp>(&promise)) {
    return {"approx", approx->epsilon, approx->delta};
  }
  if (const auto* zcdp = std::get_if<Zcdp>(&promise)) {
    return {"zcdp", zcdp->rho, 0.0};
  }
  return {"gdp", std::get<GaussianDp>(promise).mu, 0.0};
}

Loss promise_from(const PromiseColumns& columns) {
  if (columns.kind == "pure") {
    return PureDp{columns.first};
  }
  if (columns.kind == "approx") {
    return ApproxDp{columns.first, columns.second};
  }
  return columns.kind == "zcdp" ? Loss(Zcdp{columns.first}) : Loss(GaussianDp{columns.first});
}

Result<void> insert_terms(const SqliteConnection& connection, const LedgerTerms& terms) {
  const PromiseColumns promise = columns_of(terms.promise);
  SqliteStatement insert(connection.get(),
                         "INSERT INTO terms VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind(terms.id).bind(terms.name).bind(name_of(terms.relation));
  insert.bind(std::int64_t{terms.unit.rows}).bind(terms.unit.person);
  insert.bind(terms.caps.mu).bind(terms.caps.epsilon).bind(terms.caps.delta);
  insert.bind(promise.kind).bind(promise.first).bind(promise.second);
  insert.bind(std::int64_t{terms.allow_unproved ? 1 : 0}).bind(terms.created);
  insert.bind(terms.public_key);
  if (const int code = insert.step(); code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return {};
}

Result<void> insert_seal(const SqliteConnection& connection, const LedgerTerms& terms) {
  SqliteStatement insert(connection.get(), "INSERT INTO seal VALUES (1,?,?,?)");
  insert.bind(terms.caps.draws).bind(terms.made_by).bind(terms.signature);
  if (const int code = insert.step(); code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return {};
}

/// Ledgers of earlier formats have none.
Result<void> select_seal(const SqliteConnection& connection, LedgerTerms& terms) {
  SqliteStatement row(connection.get(), "SELECT * FROM seal");
  const int code = row.step();
  if (code == SQLITE_DONE) {
    terms.format = 2;
    terms.caps.draws = default_draws(terms.promise);
    return {};
  }
  if (code != SQLITE_ROW) {
    return connection.failure(code);
  }
  terms.caps.draws = row.real(1);
  terms.made_by = row.text(2);
  terms.signature = row.text(3);
  return {};
}

Result<LedgerTerms> select_terms(const SqliteConnection& connection) {
  SqliteStatement row(connection.get(), "SELECT * FROM terms");
  if (const int code = row.step(); code != SQLITE_ROW) {
    return connection.failure(code == SQLITE_DONE ? SQLITE_CORRUPT : code);
  }
  const Result<Relation> relation = parse_relation(row.text(3));
  if (!relation) {
    return error_of(relation);
  }
  const Result<int> unit_rows = whole_number(row, 4);
  if (!unit_rows) {
    return error_of(unit_rows);
  }
  LedgerTerms terms;
  terms.id = row.text(1);
  terms.name = row.text(2);
  terms.relation = *relation;
  terms.unit = {*unit_rows, row.text(5)};
  terms.caps = {row.real(6), row.real(7), row.real(8)};
  terms.promise = promise_from({row.text(9), row.real(10), row.real(11)});
  terms.allow_unproved = row.integer(12) != 0;
  terms.created = row.text(13);
  terms.public_key = row.text(14);
  if (const Result<void> sealed = select_seal(connection, terms); !sealed) {
    return error_of(sealed);
  }
  return terms;
}

Result<void> insert_line(const SqliteConnection& connection, const LedgerLine& line) {
  SqliteStatement insert(connection.get(), kInsertLine);
  insert.bind(line.index).bind(line.kind == EntryKind::Reserve ? "reserve" : "settle");
  insert.bind(line.time).bind(line.previous).bind(line.hash).bind(line.signature);
  insert.bind(line.key).bind(line.request).bind(line.data_set).bind(line.task).bind(line.method);
  insert.bind(name_of(line.charge.account)).bind(line.charge.mu);
  insert.bind(line.charge.epsilon).bind(line.charge.delta);
  insert.bind(name_of(line.basis)).bind(line.assumptions).bind(line.builds_on);
  insert.bind(line.reservation).bind(line.release);
  insert.bind(line.charge.draws).bind(std::int64_t{line.charge.steps});
  if (const int code = insert.step(); code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return {};
}

Result<LedgerLine> line_from(const SqliteStatement& row) {
  LedgerLine line;
  line.index = row.integer(0);
  line.kind = row.text(1) == "reserve" ? EntryKind::Reserve : EntryKind::Settle;
  line.time = row.text(2);
  line.previous = row.text(3);
  line.hash = row.text(4);
  line.signature = row.text(5);
  line.key = row.text(6);
  line.request = row.text(7);
  line.data_set = row.text(8);
  line.task = row.text(9);
  line.method = row.text(10);
  const Result<Account> account = parse_account(row.text(11));
  const Result<Basis> basis = parse_basis(row.text(15));
  if (!account) {
    return error_of(account);
  }
  if (!basis) {
    return error_of(basis);
  }
  line.charge = {*account, row.real(12), row.real(13), row.real(14)};
  line.basis = *basis;
  line.assumptions = row.text(16);
  line.builds_on = row.text(17);
  line.reservation = row.integer(18);
  line.release = row.text(19);
  line.charge.draws = row.real(20);
  return whole_number(row, 21).map([&](int steps) {
    line.charge.steps = steps;
    return line;
  });
}

Result<std::vector<LedgerLine>> select_lines(const SqliteConnection& connection) {
  std::vector<LedgerLine> lines;
  SqliteStatement rows(connection.get(), kSelectLines);
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    Result<LedgerLine> line = line_from(rows);
    if (!line) {
      return error_of(line);
    }
    lines.push_back(std::move(*line));
  }
  if (code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return lines;
}

/// Undone unless `commit` was reached.
class Transaction {
 public:
  explicit Transaction(const SqliteConnection& connection) : connection_(connection) {}
  ~Transaction() {
    if (open_) {
      static_cast<void>(connection_.run("ROLLBACK"));
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Result<void> begin() {
    const Result<void> begun = connection_.run("BEGIN IMMEDIATE");
    open_ = begun.has_value();
    return begun;
  }
  Result<void> commit() {
    const Result<void> done = connection_.run("COMMIT");
    open_ = !done;
    return done;
  }

 private:
  const SqliteConnection& connection_;
  bool open_ = false;
};

Result<void> bring_up_to_date(const SqliteConnection& connection) {
  const Result<std::int64_t> application = connection.number("PRAGMA application_id");
  const Result<std::int64_t> version = connection.number("PRAGMA user_version");
  if (!application || !version) {
    return application ? error_of(version) : error_of(application);
  }
  const fs::path& path = connection.path();
  if (*application != kApplication || *version < 1) {
    return bad_request(
        fmt::format("{} is not a ledger; eigenveil ledger create makes one", path.string()));
  }
  if (*version > SqliteLedger::newest_version()) {
    return bad_request(fmt::format(
        "{} was made by a newer version of this program (format {}, this one knows {}); "
        "use that one",
        path.string(), *version, SqliteLedger::newest_version()));
  }
  if (*version == SqliteLedger::newest_version()) {
    return check_schema(connection, SqliteLedger::newest_version());
  }
  Transaction transaction(connection);
  return transaction.begin()
      .and_then([&] { return connection.number("PRAGMA user_version"); })  // another may have
      .and_then([&](std::int64_t now) { return check_schema(connection, static_cast<int>(now)); })
      .and_then([&] { return migrate_schema(connection, SqliteLedger::newest_version()); })
      .and_then([&] { return check_schema(connection, SqliteLedger::newest_version()); })
      .and_then([&] { return transaction.commit(); });
}

class SqliteStore final : public LedgerStore {
 public:
  explicit SqliteStore(SqliteConnection connection) : connection_(std::move(connection)) {}

  Result<LedgerTerms> terms() override { return select_terms(connection_); }
  Result<std::vector<LedgerLine>> lines() override { return select_lines(connection_); }

  Result<void> append(const Decide& decide) override {
    Transaction transaction(connection_);
    if (const Result<void> begun = transaction.begin(); !begun) {
      return begun;
    }
    // Again, under the lock: a program may hold the file open for days.
    if (const Result<void> own = check_schema(connection_, SqliteLedger::newest_version()); !own) {
      return own;
    }
    const Result<std::vector<LedgerLine>> before = select_lines(connection_);
    if (!before) {
      return error_of(before);
    }
    const Result<std::optional<LedgerLine>> line = decide(*before);
    if (!line) {
      return error_of(line);
    }
    if (!line->has_value()) {
      return {};
    }
    return insert_line(connection_, **line)
        .and_then([&] { return transaction.commit(); })
        .and_then([&] { return check_written(**line); });
  }

  Result<void> copy_to(const fs::path& path) override;

 private:
  /// What was committed is read again: nothing may rest on a line that is not there.
  Result<void> check_written(const LedgerLine& line) const {
    SqliteStatement row(connection_.get(), kSelectLine);
    row.bind(line.index);
    if (const int code = row.step(); code != SQLITE_ROW && code != SQLITE_DONE) {
      return connection_.failure(code);
    }
    const Result<LedgerLine> found = line_from(row);
    if (!found || found->index != line.index || hash_of(*found) != line.hash ||
        found->signature != line.signature) {
      return bad_request(fmt::format(
          "the ledger {} does not hold the entry that was just written: the file is changed by "
          "something other than this program, and nothing may rest on this attempt",
          connection_.path().string()));
    }
    return {};
  }

  SqliteConnection connection_;
};

/// An empty file of mode 0600, so that SQLite never makes one that others can read.
Result<void> make_private_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return input_output_error(
        fmt::format("cannot create {}: {}", path.string(), std::strerror(errno)));
  }
  ::close(descriptor);
  return {};
}

Result<void> check_file_system(const fs::path& path) {
  struct statfs found = {};
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path), ignored).parent_path();
  if (::statfs(folder.c_str(), &found) == 0 && is_network_file_system(found.f_type)) {
    return bad_request(fmt::format(
        "{} lies on a file system that machines share, where locks cannot be relied on; keep the "
        "ledger on a local disk",
        path.string()));
  }
  return {};
}

/// SQLite finds the journal of an interrupted write by the name of its file: a second name hides
/// it.
Result<void> check_one_name(const fs::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) == 0 && found.st_nlink > 1) {
    return bad_request(fmt::format(
        "{} has more than one name (hard links), so that two programs could spend from it without "
        "seeing each other's journal; remove the other names",
        path.string()));
  }
  return {};
}

/// Builds a file beside `path` and gives it that name once it is whole.
Result<void> make_whole(const fs::path& path,
                        const std::function<Result<void>(const fs::path&)>& fill) {
  if (const Result<void> local = check_file_system(path); !local) {
    return local;
  }
  const fs::path hidden =
      path.parent_path() / fmt::format(".{}.writing-{}", path.filename().string(), ::getpid());
  std::error_code ignored;
  fs::remove(hidden, ignored);
  Result<void> made = make_private_file(hidden).and_then([&] { return fill(hidden); });
  if (made &&
      ::renameat2(AT_FDCWD, hidden.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    made = bad_request(fmt::format("{} exists; give the ledger another name", path.string()));
  }
  if (!made) {
    fs::remove(hidden, ignored);
  }
  return made;
}

Result<void> SqliteStore::copy_to(const fs::path& path) {
  return make_whole(path, [&](const fs::path& hidden) -> Result<void> {
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(hidden.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> target(raw, sqlite3_close);
    if (opened != SQLITE_OK) {
      return connection_.failure(opened);
    }
    sqlite3_backup* backup = sqlite3_backup_init(raw, "main", connection_.get(), "main");
    if (backup != nullptr) {
      sqlite3_backup_step(backup, -1);
    }
    const int code = backup == nullptr ? sqlite3_errcode(raw) : sqlite3_backup_finish(backup);
    if (code != SQLITE_OK) {
      return connection_.failure(code);
    }
    return {};
  });
}

}  // namespace

bool is_network_file_system(long kind) {
  // NFS, SMB, CIFS, SMB2, AFS (two), Coda, Ceph, Lustre, GFS2, OCFS2, 9P, FUSE (sshfs and others).
  constexpr std::array<unsigned long, 13> kShared = {
      0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x5346414F, 0x6B414653, 0x73757245,
      0x00C36400, 0x0BD00BD0, 0x01161970, 0x7461636F, 0x01021997, 0x65735546};
  const auto found = static_cast<unsigned long>(kind) & 0xFFFFFFFFUL;
  return std::find(kShared.begin(), kShared.end(), found) != kShared.end();
}

int SqliteLedger::newest_version() {
  return detail::newest_schema();
}

Result<void> SqliteLedger::create_version(const fs::path& path, const LedgerTerms& terms,
                                          int version) {
  return make_whole(path, [&](const fs::path& hidden) -> Result<void> {
    const Result<SqliteConnection> connection = SqliteConnection::open(hidden, kLedgerWaitSeconds);
    if (!connection) {
      return error_of(connection);
    }
    Transaction transaction(*connection);
    return transaction.begin()
        .and_then([&] {
          return connection->run(fmt::format("PRAGMA application_id={}", kApplication).c_str());
        })
        .and_then([&] { return migrate_schema(*connection, version); })
        .and_then([&] { return insert_terms(*connection, terms); })
        .and_then([&] { return version >= 3 ? insert_seal(*connection, terms) : Result<void>(); })
        .and_then([&] { return transaction.commit(); });
  });
}

Result<void> SqliteLedger::create(const fs::path& path, const LedgerTerms& terms) {
  return create_version(path, terms, newest_version());
}

Result<std::unique_ptr<LedgerStore>> SqliteLedger::open(const fs::path& path, double wait_seconds) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return input_output_error(
        fmt::format("there is no ledger {}; eigenveil ledger create makes one", path.string()));
  }
  if (const Result<void> local =
          check_file_system(path).and_then([&] { return check_one_name(path); });
      !local) {
    return error_of(local);
  }
  Result<SqliteConnection> connection = SqliteConnection::open(path, wait_seconds);
  if (!connection) {
    return error_of(connection);
  }
  if (const Result<void> current = bring_up_to_date(*connection); !current) {
    return error_of(current);
  }
  return std::make_unique<SqliteStore>(std::move(*connection));
}

}  // namespace eigenveil
