#include "collection/aggregator_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace eigenveil {
namespace {

using detail::SqliteConnection;
using detail::SqliteStatement;

constexpr detail::SqliteWords kStoreWords{"store", "stored"};
constexpr double kStoreWaitSeconds = 10.0;
constexpr std::int64_t kStoreApplication = 0x45696743;  // "EigC"

constexpr std::int64_t kStoreVersion = 2;

constexpr const char* kStoreSchema = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE study (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  document TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('a', 'b')),
  state TEXT NOT NULL CHECK (state IN ('open', 'agreed', 'closed', 'failed')),
  sum TEXT NOT NULL) STRICT;
CREATE TABLE tokens (hash BLOB PRIMARY KEY CHECK (length(hash) = 32)) STRICT, WITHOUT ROWID;
CREATE TABLE reports (
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  token BLOB NOT NULL UNIQUE REFERENCES tokens (hash),
  message BLOB NOT NULL CHECK (length(message) = 32),
  commitment BLOB NOT NULL CHECK (length(commitment) = 32),
  counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
  sealed BLOB NOT NULL) STRICT;
-- A study only goes on: open, agreed, closed; or open, failed.
CREATE TRIGGER study_once BEFORE INSERT ON study WHEN EXISTS (SELECT 1 FROM study)
  BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER study_keep BEFORE DELETE ON study BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER study_goes_on BEFORE UPDATE ON study
  WHEN NEW.document <> OLD.document OR NEW.role <> OLD.role OR OLD.state IN ('closed', 'failed') OR
    (OLD.state = 'open' AND NEW.state NOT IN ('agreed', 'failed')) OR
    (OLD.state = 'agreed' AND NEW.state <> 'closed')
  BEGIN SELECT RAISE(ABORT, 'fixed'); END;
CREATE TRIGGER reports_keep BEFORE DELETE ON reports BEGIN SELECT RAISE(ABORT, 'kept'); END;
CREATE TRIGGER reports_late BEFORE INSERT ON reports
  WHEN (SELECT state FROM study) <> 'open' BEGIN SELECT RAISE(ABORT, 'late'); END;
CREATE TRIGGER reports_counted BEFORE UPDATE OF id, token, message, commitment, counted ON reports
  WHEN (SELECT state FROM study) <> 'open' BEGIN SELECT RAISE(ABORT, 'fixed'); END;
)sql";

template <class Bytes>
Bytes bytes_from(const std::string& text) {
  Bytes bytes = {};
  std::copy_n(text.begin(), std::min(text.size(), bytes.size()), bytes.begin());
  return bytes;
}

Result<void> done(const SqliteConnection& connection, SqliteStatement& statement) {
  const int code = statement.step();
  if (code != SQLITE_DONE) {
    return connection.failure(code);
  }
  return {};
}

}  // namespace

Result<void> AggregatorStore::create(const std::filesystem::path& path, const Study& study,
                                     Role role) {
  // Made with its mode, so that it is never readable by others, and never over another file.
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {
    return bad_request(fmt::format("{} exists or cannot be made", path.string()));
  }
  ::close(file);
  const Result<SqliteConnection> connection =
      SqliteConnection::open(path, kStoreWaitSeconds, kStoreWords);
  if (!connection) {
    return error_of(connection);
  }
  return connection->run(kStoreSchema)
      .and_then([&]() -> Result<void> {
        SqliteStatement insert(connection->get(), "INSERT INTO study VALUES (1, ?, ?, 'open', '')");
        insert.bind(to_json(study)).bind(name_of(role));
        return done(*connection, insert);
      })
      .and_then([&] {
        return connection->run(
            fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; COMMIT",
                        kStoreApplication, kStoreVersion)
                .c_str());
      });
}

Result<std::unique_ptr<AggregatorStore>> AggregatorStore::open(const std::filesystem::path& path) {
  Result<SqliteConnection> connection =
      SqliteConnection::open(path, kStoreWaitSeconds, kStoreWords);
  if (!connection) {
    return error_of(connection);
  }
  const Result<std::int64_t> application = connection->number("PRAGMA application_id");
  const Result<std::int64_t> version = connection->number("PRAGMA user_version");
  if (!application || !version || *application != kStoreApplication || *version != kStoreVersion) {
    return bad_request(fmt::format("{} is not the store of an aggregator", path.string()));
  }
  if (const Result<void> set = connection->run("PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON");
      !set) {
    return error_of(set);
  }
  std::unique_ptr<AggregatorStore> store(new AggregatorStore(std::move(*connection)));
  const Result<std::string> document = store->connection_.text("SELECT document FROM study");
  const Result<std::string> role = store->connection_.text("SELECT role FROM study");
  if (!document || !role) {
    return error_of(document ? role : document);
  }
  Result<Study> study = study_from_json(*document);
  if (!study) {
    return error_of(study);
  }
  store->study_ = std::move(*study);
  store->role_ = *role == "a" ? Role::A : Role::B;
  return store->read_state().map([&](CollectionState state) {
    store->state_ = state;
    return std::move(store);
  });
}

AggregatorStore::~AggregatorStore() = default;

std::string_view name_of(CollectionState state) {
  switch (state) {
    case CollectionState::Open:
      return "open";
    case CollectionState::Agreed:
      return "agreed";
    case CollectionState::Closed:
      return "closed";
    default:
      return "failed";
  }
}

Result<void> AggregatorStore::transaction(const std::function<Result<void>()>& work) const {
  const Result<void> result = connection_.run("BEGIN IMMEDIATE").and_then(work).and_then([&] {
    return connection_.run("COMMIT");
  });
  if (!result && sqlite3_get_autocommit(connection_.get()) == 0) {
    (void)connection_.run("ROLLBACK");
  }
  return result;
}

Result<CollectionState> AggregatorStore::read_state() const {
  return connection_.text("SELECT state FROM study").map([](const std::string& state) {
    for (const CollectionState one :
         {CollectionState::Open, CollectionState::Agreed, CollectionState::Failed}) {
      if (state == name_of(one)) {
        return one;
      }
    }
    return CollectionState::Closed;
  });
}

/// A transaction that may change the state; whoever asks for it sees what was committed.
Result<void> AggregatorStore::advance(const std::function<Result<void>()>& work) {
  return transaction(work).and_then(
      [&] { return read_state().map([&](CollectionState state) { state_ = state; }); });
}

Result<void> AggregatorStore::add_tokens(const std::vector<Digest>& hashes) {
  const std::lock_guard lock(connection_mutex_);
  return transaction([&]() -> Result<void> {
    for (const Digest& hash : hashes) {
      SqliteStatement insert(connection_.get(), "INSERT OR IGNORE INTO tokens VALUES (?)");
      insert.bind_blob(view_of(hash));
      if (const Result<void> inserted = done(connection_, insert); !inserted) {
        return inserted;
      }
    }
    return {};
  });
}

Result<AddOutcome> AggregatorStore::look_unlocked(const ReportId& id, const Digest& token,
                                                  const Digest& message) const {
  SqliteStatement known(connection_.get(),
                        "SELECT id, message FROM reports WHERE id = ?1 OR token = ?2");
  known.bind_blob(view_of(id)).bind_blob(view_of(token));
  int code = known.step();
  if (code == SQLITE_ROW) {
    const bool same_id = bytes_from<ReportId>(known.text(0)) == id;
    const bool same = same_id && bytes_from<Digest>(known.text(1)) == message;
    return same ? AddOutcome::Already : same_id ? AddOutcome::IdUsed : AddOutcome::TokenUsed;
  }
  if (code != SQLITE_DONE) {
    return connection_.failure(code);
  }
  SqliteStatement issued(connection_.get(), "SELECT 1 FROM tokens WHERE hash = ?");
  issued.bind_blob(view_of(token));
  code = issued.step();
  if (code == SQLITE_DONE) {
    return AddOutcome::UnknownToken;
  }
  if (code != SQLITE_ROW) {
    return connection_.failure(code);
  }
  return read_state().map([](CollectionState state) {
    return state == CollectionState::Open ? AddOutcome::Stored : AddOutcome::Late;
  });
}

Result<AddOutcome> AggregatorStore::look(const ReportId& id, const Digest& token,
                                         const Digest& message) {
  const std::lock_guard lock(connection_mutex_);
  return look_unlocked(id, token, message);
}

Result<AddOutcome> AggregatorStore::insert(const StoredReport& report) const {
  Result<AddOutcome> outcome = look_unlocked(report.id, report.token, report.message);
  if (!outcome || *outcome != AddOutcome::Stored) {
    return outcome;
  }
  SqliteStatement insert(connection_.get(), "INSERT INTO reports VALUES (?, ?, ?, ?, 0, ?)");
  insert.bind_blob(view_of(report.id)).bind_blob(view_of(report.token));
  insert.bind_blob(view_of(report.message)).bind_blob(view_of(report.commitment));
  insert.bind_blob(report.sealed);
  return done(connection_, insert).map([] { return AddOutcome::Stored; });
}

void AggregatorStore::store_together(std::vector<Waiting*>& waiting) const {
  const Result<void> stored = transaction([&]() -> Result<void> {
    for (Waiting* one : waiting) {
      one->outcome = insert(one->report);
      if (!one->outcome) {
        return error_of(one->outcome);
      }
    }
    return {};
  });
  if (!stored) {  // nothing of it is on the disk
    for (Waiting* one : waiting) {
      one->outcome = error_of(stored);
    }
  }
}

Result<AddOutcome> AggregatorStore::add(StoredReport report) {
  Waiting own{std::move(report)};
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&own);
  queue_changed_.wait(lock, [&] { return own.done || !storing_; });
  if (own.done) {
    return own.outcome;
  }
  storing_ = true;  // this thread stores for all that wait
  std::vector<Waiting*> together;
  together.swap(queue_);
  lock.unlock();
  {
    const std::lock_guard connection_lock(connection_mutex_);
    store_together(together);
  }
  lock.lock();
  for (Waiting* one : together) {
    one->done = true;
  }
  storing_ = false;
  queue_changed_.notify_all();
  return own.outcome;
}

Result<std::size_t> AggregatorStore::count() {
  const std::lock_guard lock(connection_mutex_);
  return connection_.number("SELECT count(*) FROM reports").map([](std::int64_t count) {
    return static_cast<std::size_t>(count);
  });
}

Result<std::size_t> AggregatorStore::tokens() {
  const std::lock_guard lock(connection_mutex_);
  return connection_.number("SELECT count(*) FROM tokens").map([](std::int64_t count) {
    return static_cast<std::size_t>(count);
  });
}

Result<std::vector<ListedReport>> AggregatorStore::listed(const char* sql) const {
  std::vector<ListedReport> list;
  SqliteStatement rows(connection_.get(), sql);
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    list.push_back({bytes_from<ReportId>(rows.text(0)), bytes_from<Digest>(rows.text(1))});
  }
  if (code != SQLITE_DONE) {
    return connection_.failure(code);
  }
  return list;
}

Result<std::vector<ListedReport>> AggregatorStore::reports() {
  const std::lock_guard lock(connection_mutex_);
  return listed("SELECT id, commitment FROM reports ORDER BY id");
}

Result<std::vector<ListedReport>> AggregatorStore::agreed() {
  const std::lock_guard lock(connection_mutex_);
  return listed("SELECT id, commitment FROM reports WHERE counted = 1 ORDER BY id");
}

Result<void> AggregatorStore::agree(const std::vector<ListedReport>& set) {
  const std::lock_guard lock(connection_mutex_);
  return advance([&]() -> Result<void> {
    const Result<CollectionState> state = read_state();
    if (!state || *state != CollectionState::Open) {
      return state ? Result<void>() : error_of(state);
    }
    for (const ListedReport& member : set) {
      SqliteStatement count(connection_.get(),
                            "UPDATE reports SET counted = 1 WHERE id = ? AND commitment = ?");
      count.bind_blob(view_of(member.id)).bind_blob(view_of(member.commitment));
      if (const Result<void> counted = done(connection_, count); !counted) {
        return counted;
      }
      if (sqlite3_changes(connection_.get()) != 1) {
        return bad_request("the set names a report that is not here with this commitment");
      }
    }
    return connection_.run("UPDATE study SET state = 'agreed'");
  });
}

Result<void> AggregatorStore::close(
    const std::function<Result<std::string>(const Each& each)>& sum) {
  const std::lock_guard lock(connection_mutex_);
  const Each each = [&](const Visit& visit) -> Result<void> {
    SqliteStatement rows(connection_.get(),
                         "SELECT id, commitment, sealed FROM reports WHERE counted = 1");
    int code = rows.step();
    for (; code == SQLITE_ROW; code = rows.step()) {
      StoredReport report;
      report.id = bytes_from<ReportId>(rows.text(0));
      report.commitment = bytes_from<Digest>(rows.text(1));
      report.sealed = rows.text(2);
      if (const Result<void> seen = visit(report); !seen) {
        return seen;
      }
    }
    if (code != SQLITE_DONE) {
      return connection_.failure(code);
    }
    return {};
  };
  return advance([&]() -> Result<void> {
    const Result<CollectionState> state = read_state();
    if (!state || *state == CollectionState::Closed) {
      return state ? Result<void>() : error_of(state);
    }
    if (*state != CollectionState::Agreed) {
      return bad_request("nothing is agreed yet, so there is nothing to add up");
    }
    const Result<std::string> document = sum(each);
    if (!document) {
      return error_of(document);
    }
    SqliteStatement store(connection_.get(), "UPDATE study SET sum = ?, state = 'closed'");
    store.bind(*document);
    return done(connection_, store).and_then([&] {
      return connection_.run("UPDATE reports SET sealed = x''");
    });
  });
}

Result<void> AggregatorStore::fail(std::int64_t below) {
  const std::lock_guard lock(connection_mutex_);
  return advance([&]() -> Result<void> {
    const Result<CollectionState> state = read_state();
    const Result<std::int64_t> reports = connection_.number("SELECT count(*) FROM reports");
    if (!state || !reports) {
      return state ? error_of(reports) : error_of(state);
    }
    if (*state != CollectionState::Open || *reports >= below) {
      return {};
    }
    return connection_.run("UPDATE study SET state = 'failed'; UPDATE reports SET sealed = x''");
  });
}

Result<std::string> AggregatorStore::sum() {
  const std::lock_guard lock(connection_mutex_);
  return read_state().and_then([&](CollectionState state) -> Result<std::string> {
    if (state != CollectionState::Closed) {
      return bad_request(state == CollectionState::Failed ? kStudyFailed
                                                          : "the study is not closed yet");
    }
    return connection_.text("SELECT sum FROM study");
  });
}

}  // namespace eigenveil
