// The file: append only, whole or not at all, and every change by others is found.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <fstream>
#include <limits>
#include <thread>

#include "ledger/verify.hpp"
#include "ledger_support.hpp"

namespace eigenveil::test::store_test {
namespace {

namespace fs = std::filesystem;

LedgerTerms new_terms() {
  LedgerTerms terms = terms_with({1.0, 1.0, 1e-6});
  terms.id.clear();
  return terms;
}

ReservationRequest wanted(const ReleaseCost& cost, const std::string& key = "",
                          const std::string& request = "request") {
  ReservationRequest made;
  made.cost = cost;
  made.key = key;
  made.request = request;
  return made;
}

/// Runs SQL as somebody with another program would; the message is empty when it went through.
std::string tamper(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  char* message = nullptr;
  sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message);
  const std::string text = message == nullptr ? "" : message;
  sqlite3_free(message);
  sqlite3_close(database);
  return text;
}

/// The same with the triggers taken away and put back, so that the file looks as it was made.
std::string behind_triggers(const fs::path& path, const std::string& sql) {
  std::vector<std::string> names;
  std::string again;
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  sqlite3_stmt* rows = nullptr;
  sqlite3_prepare_v2(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", -1,
                     &rows, nullptr);
  std::string drop;
  while (sqlite3_step(rows) == SQLITE_ROW) {
    drop += "DROP TRIGGER " +
            std::string(reinterpret_cast<const char*>(sqlite3_column_text(rows, 0))) + ";";
    again += std::string(reinterpret_cast<const char*>(sqlite3_column_text(rows, 1))) + ";";
  }
  sqlite3_finalize(rows);
  sqlite3_close(database);
  return tamper(path, drop + sql + ";" + again);
}

mode_t mode_of(const fs::path& path) {
  struct stat found = {};
  ::stat(path.c_str(), &found);
  return found.st_mode & 0777U;
}

struct LedgerFile : ::testing::Test {
  TemporaryFolder folder;
  fs::path path = folder / "a.ledger";

  Ledger make() { return std::move(*Ledger::create(path, new_terms())); }
};

TEST_F(LedgerFile, IsPrivateAndNeverReplaced) {
  const Ledger ledger = make();
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(key_path(path)), 0600U);
  EXPECT_EQ(ledger.terms().id.size(), 32U);
  EXPECT_FALSE(Ledger::create(path, new_terms()));
  const Result<Ledger> again = Ledger::open(path);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->terms().id, ledger.terms().id);
  EXPECT_EQ(hash_of(again->terms()), hash_of(ledger.terms()));
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 2);
}

TEST_F(LedgerFile, OtherFilesAreNoLedgers) {
  EXPECT_FALSE(Ledger::open(path));
  std::ofstream(path) << "something else";
  EXPECT_FALSE(Ledger::open(path));
  const fs::path empty = folder / "empty.ledger";
  std::ofstream{empty};
  EXPECT_FALSE(Ledger::open(empty));
  const fs::path foreign = folder / "foreign.ledger";
  tamper(foreign, "CREATE TABLE t (x); PRAGMA user_version=1");
  EXPECT_FALSE(Ledger::open(foreign));
}

TEST_F(LedgerFile, ReservesSettlesAndRefuses) {
  const Ledger ledger = make();
  const Result<Reservation> first = ledger.reserve(wanted(gaussian_cost(0.6)));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->index, 1);
  EXPECT_TRUE(ledger.reserve(wanted(pair_cost(0.5, 1e-7))));
  EXPECT_TRUE(ledger.settle(1, "abc"));
  EXPECT_FALSE(ledger.settle(1, "abd")) << "settled twice";
  EXPECT_FALSE(ledger.settle(3, "abd")) << "a settlement is no reservation";
  EXPECT_FALSE(ledger.settle(9, "abd"));
  const Result<Reservation> refused = ledger.reserve(wanted(gaussian_cost(0.9)));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("left are mu 0.8"), std::string::npos);
  const Result<LedgerState> state = Ledger::open(path)->state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->lines.size(), 3U);
  EXPECT_EQ(spent_by(charges_in(state->lines)).epsilon, 0.5);
}

TEST_F(LedgerFile, KeysStandForOneRequest) {
  const Ledger ledger = make();
  const Reservation first = *ledger.reserve(wanted(gaussian_cost(0.6), "a"));
  EXPECT_FALSE(first.earlier);
  const Reservation lost = *ledger.reserve(wanted(gaussian_cost(0.6), "a"));
  EXPECT_TRUE(lost.earlier);
  EXPECT_EQ(lost.release, "");
  ASSERT_TRUE(ledger.settle(first.index, "bits"));
  const Reservation known = *ledger.reserve(wanted(gaussian_cost(0.6), "a"));
  EXPECT_EQ(known.index, first.index);
  EXPECT_EQ(known.release, "bits");
  EXPECT_FALSE(ledger.reserve(wanted(gaussian_cost(0.6), "a", "another")));
  ReservationRequest other_data = wanted(gaussian_cost(0.6), "a");
  other_data.data_set = "another";
  EXPECT_FALSE(ledger.reserve(other_data));
  EXPECT_EQ(ledger.state()->lines.size(), 2U);
}

TEST_F(LedgerFile, LinesCannotBeChangedThroughSql) {
  const Ledger ledger = make();
  ASSERT_TRUE(ledger.reserve(wanted(gaussian_cost(0.6), "a")));
  ASSERT_TRUE(ledger.settle(1, "bits"));
  const std::string line =
      "'reserve','','','','','','','','','','basic',0,0,0,'proved','','',0,'',0,1";
  for (const std::string& sql :
       {std::string("UPDATE lines SET mu = 0 WHERE position = 1"), std::string("DELETE FROM lines"),
        "INSERT OR REPLACE INTO lines VALUES (1," + line + ")",
        "REPLACE INTO lines VALUES (2," + line + ")", "INSERT INTO lines VALUES (7," + line + ")",
        "INSERT INTO lines VALUES (NULL," + line + ")",
        std::string(
            "INSERT OR REPLACE INTO lines SELECT 3,kind,time,previous,hash,signature,"
            "retry_key,request,data_set,task,method,account,mu,epsilon,delta,basis,"
            "assumptions,builds_on,reservation,release,draws,steps FROM lines WHERE position = 1"),
        std::string("UPDATE terms SET cap_mu = 100"), std::string("DELETE FROM terms"),
        std::string("INSERT OR REPLACE INTO terms SELECT * FROM terms")}) {
    EXPECT_NE(tamper(path, sql), "") << sql;
  }
  EXPECT_EQ(ledger.state()->lines.size(), 2U);
}

/// Who drops the triggers is found by the chain; who also rewrites the chain has no key.
TEST_F(LedgerFile, ChangesBehindTheTriggersAreFound) {
  const Ledger ledger = make();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(ledger.reserve(wanted(gaussian_cost(0.3))));
  }
  const auto changed = [&](const std::string& name, const std::string& sql) {
    const fs::path copy = folder / name;
    fs::copy_file(path, copy);
    fs::copy_file(key_path(path), key_path(copy));
    EXPECT_EQ(behind_triggers(copy, sql), "");
    const Result<Ledger> opened = Ledger::open(copy);
    EXPECT_FALSE(opened && opened->state()) << sql;
    EXPECT_FALSE(opened && opened->reserve(wanted(gaussian_cost(0.1)))) << sql;
    EXPECT_FALSE(verify_ledger(copy, {})->problems.empty()) << sql;
  };
  changed("edited", "UPDATE lines SET mu = 0.01 WHERE position = 2");
  changed("removed", "DELETE FROM lines WHERE position = 2");
  changed("moved", "DELETE FROM lines WHERE position = 1; UPDATE lines SET position = position-1");
  changed("caps", "UPDATE terms SET cap_mu = 100");
  changed("draws", "UPDATE seal SET cap_draws = 0.5");
  changed("unsealed", "DELETE FROM seal");
  changed("steps", "UPDATE lines SET steps = 2 WHERE position = 2");
  changed("hash", "UPDATE lines SET hash = 'x' WHERE position = 3");
  changed("signature", "UPDATE lines SET signature = '00' WHERE position = 3");
  // The last line gone leaves a sound ledger: only releases tell (tests/cli/test_ledger.py).
  const fs::path copy = folder / "shorter";
  fs::copy_file(path, copy);
  behind_triggers(copy, "DELETE FROM lines WHERE position = 3");
  EXPECT_TRUE(Ledger::open(copy)->state());
  EXPECT_TRUE(verify_ledger(path, {})->problems.empty());
}

/// The terms of an empty ledger bear a signature, so that caps cannot be raised before the first
/// entry.
TEST_F(LedgerFile, TermsOfAnEmptyLedgerAreSigned) {
  make();
  for (const std::string& sql :
       {std::string("UPDATE terms SET cap_mu = 100"), std::string("UPDATE terms SET unit_rows = 2"),
        std::string("UPDATE seal SET cap_draws = 0.5"), std::string("DELETE FROM seal"),
        std::string("UPDATE terms SET promise_first = 90, cap_epsilon = 80")}) {
    const fs::path copy = folder / "copy";
    fs::remove(copy);
    fs::copy_file(path, copy);
    fs::remove(key_path(copy));
    fs::copy_file(key_path(path), key_path(copy));
    ASSERT_EQ(behind_triggers(copy, sql), "");
    const Result<Ledger> opened = Ledger::open(copy);
    EXPECT_FALSE(opened && opened->reserve(wanted(gaussian_cost(0.1)))) << sql;
    EXPECT_FALSE(opened && opened->state()) << sql;
    const Result<LedgerCheck> checked = verify_ledger(copy, {});
    EXPECT_FALSE(checked && checked->problems.empty()) << sql;
  }
}

/// A cut number would bear the hash of the one it is cut to, and unused fields are in no hash.
TEST_F(LedgerFile, NumbersAndFieldsOutsideOfTheHashAreFound) {
  const Ledger ledger = make();
  const Result<Reservation> made = ledger.reserve(wanted(gaussian_cost(0.3)));
  ASSERT_TRUE(made);
  ASSERT_TRUE(ledger.settle(made->index, "release"));
  ASSERT_TRUE(verify_ledger(path, {})->problems.empty());
  for (const std::string& sql :
       {std::string("UPDATE lines SET steps = 4294967297 WHERE position = 1"),
        std::string("UPDATE terms SET unit_rows = 4294967297"),
        std::string("UPDATE lines SET reservation = 7 WHERE position = 1"),
        std::string("UPDATE lines SET mu = 7 WHERE position = 2"),
        std::string("UPDATE lines SET task = 'pca' WHERE position = 2")}) {
    const fs::path copy = folder / "copy";
    fs::remove(copy);
    fs::copy_file(path, copy);
    ASSERT_EQ(behind_triggers(copy, sql), "");
    const Result<Ledger> opened = Ledger::open(copy);
    EXPECT_FALSE(opened && opened->state()) << sql;
    const Result<LedgerCheck> checked = verify_ledger(copy, {});
    EXPECT_FALSE(checked && checked->problems.empty()) << sql;
  }
}

TEST_F(LedgerFile, HasOneName) {
  make();
  fs::create_hard_link(path, folder / "other.ledger");
  const Result<Ledger> opened = Ledger::open(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("hard links"), std::string::npos);
}

TEST_F(LedgerFile, PromisesSomethingFinite) {
  LedgerTerms terms = new_terms();
  terms.promise = ApproxDp{std::numeric_limits<double>::infinity(), 1e-6};
  EXPECT_FALSE(Ledger::create(path, terms));
  EXPECT_FALSE(fs::exists(path));
}

/// Whoever signs caps beyond the promise is found all the same.
TEST_F(LedgerFile, CapsAreHeldAgainstThePromise) {
  LedgerTerms terms = new_terms();
  terms.promise = ApproxDp{1.5, 1e-6};
  const SigningKey key = SigningKey::make();
  ASSERT_TRUE(key.save(key_path(path)));
  ASSERT_TRUE(SqliteLedger::create(path, signed_by(key, terms)));
  const Result<Ledger> opened = Ledger::open(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("more than it promises"), std::string::npos);
}

/// A trigger that takes lines out again as soon as they are in.
TEST_F(LedgerFile, PlantedTriggersAreFound) {
  const Ledger open_before = make();
  ASSERT_TRUE(open_before.reserve(wanted(gaussian_cost(0.1))));
  const std::vector<std::string> planted = {
      "CREATE TRIGGER hungry AFTER INSERT ON lines BEGIN SELECT 1; END",
      "DROP TRIGGER lines_keep; CREATE TRIGGER lines_keep AFTER INSERT ON lines "
      "BEGIN DELETE FROM lines WHERE position = NEW.position; END",
      "DROP TRIGGER lines_keep", "CREATE TABLE more (x)", "CREATE VIEW v AS SELECT 1"};
  for (const std::string& sql : planted) {
    const fs::path copy = folder / "copy";
    fs::remove(copy);
    fs::copy_file(path, copy);
    ASSERT_EQ(tamper(copy, sql), "") << sql;
    const Result<Ledger> opened = Ledger::open(copy);
    ASSERT_FALSE(opened) << sql;
    EXPECT_NE(opened.error().message.find("tables and triggers"), std::string::npos);
  }
  // Also by a program that has had the file open since before.
  ASSERT_EQ(tamper(path, planted[1]), "");
  EXPECT_FALSE(open_before.reserve(wanted(gaussian_cost(0.1))));
}

TEST_F(LedgerFile, NeedsItsOwnKey) {
  make();
  fs::rename(key_path(path), folder / "away");
  const Result<Ledger> ledger = Ledger::open(path);
  ASSERT_TRUE(ledger);
  EXPECT_TRUE(ledger->state());
  EXPECT_FALSE(ledger->reserve(wanted(gaussian_cost(0.1))));
  ASSERT_TRUE(SigningKey::make().save(key_path(path)));
  EXPECT_FALSE(Ledger::open(path)->reserve(wanted(gaussian_cost(0.1))));
  std::ofstream(key_path(path)) << "no key\n";
  EXPECT_FALSE(Ledger::open(path)->reserve(wanted(gaussian_cost(0.1))));
}

TEST_F(LedgerFile, OlderSchemaIsBroughtUpToDate) {
  LedgerTerms terms = new_terms();
  const SigningKey key = SigningKey::make();
  terms.id = random_identifier();
  terms.public_key = key.public_part();
  ASSERT_TRUE(key.save(key_path(path)));
  terms.format = 2;
  ASSERT_TRUE(SqliteLedger::create_version(path, terms, 1));
  EXPECT_EQ((*SqliteLedger::open(path))->terms()->format, 2);
  // Without an entry nothing says what its caps were.
  const Result<Reservation> unsigned_terms =
      Ledger::open(path)->reserve(wanted(gaussian_cost(0.1)));
  ASSERT_FALSE(unsigned_terms);
  EXPECT_NE(unsigned_terms.error().message.find("format 2"), std::string::npos);
  fs::remove(path);
  ASSERT_TRUE(SqliteLedger::create_version(path, terms, 1));
  // A line written before the upgrade.
  const std::string line =
      "'reserve','','','','','a','','','','','basic',0,0,0,'proved','','',0,''";
  ASSERT_EQ(tamper(path, "INSERT INTO lines VALUES (1," + line + ")"), "");
  ASSERT_EQ(tamper(path, "INSERT INTO lines VALUES (2," + line + ")"), "") << "no guard yet";
  ASSERT_TRUE(SqliteLedger::open(path));
  EXPECT_NE(tamper(path, "INSERT INTO lines VALUES (3," + line + ",0,1)"), "") << "key used";
  EXPECT_EQ((*SqliteLedger::open(path))->lines()->size(), 2U);
  tamper(path, "PRAGMA user_version=99");
  const Result<std::unique_ptr<LedgerStore>> newer = SqliteLedger::open(path);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("newer version"), std::string::npos);
}

TEST_F(LedgerFile, WaitsForOthersButNotForEver) {
  make();
  sqlite3* other = nullptr;
  sqlite3_open(path.c_str(), &other);
  sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  const Result<Ledger> patient = Ledger::open(path, 0.05);
  ASSERT_TRUE(patient);
  const Result<Reservation> refused = patient->reserve(wanted(gaussian_cost(0.1)));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("0.05 seconds"), std::string::npos);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(patient->reserve(wanted(gaussian_cost(0.1))));
}

TEST_F(LedgerFile, ManyThreadsNeverOverspend) {
  make();
  std::vector<std::thread> threads;
  std::atomic<int> granted = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Result<Ledger> ledger = Ledger::open(path);
      for (int i = 0; i < 8; ++i) {
        granted += ledger->reserve(wanted(gaussian_cost(0.25))) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(granted, 16) << "sixteen squares of a quarter make one";
  EXPECT_TRUE(within({1.0, 1.0, 1e-6}, charges_in(Ledger::open(path)->state()->lines)));
}

TEST_F(LedgerFile, BackupsCanBeShownNotSpent) {
  const Ledger ledger = make();
  ASSERT_TRUE(ledger.reserve(wanted(gaussian_cost(0.6))));
  const fs::path copy = folder / "copy.ledger";
  ASSERT_TRUE(ledger.backup(copy));
  EXPECT_EQ(mode_of(copy), 0600U);
  EXPECT_FALSE(ledger.backup(copy)) << "never over another file";
  EXPECT_EQ(Ledger::open(copy)->state()->lines.size(), 1U);
  EXPECT_FALSE(Ledger::open(copy)->reserve(wanted(gaussian_cost(0.1))));
  EXPECT_TRUE(verify_ledger(copy, {})->problems.empty());
}

TEST(LedgerStore, NetworkFileSystemsAreKnown) {
  EXPECT_TRUE(is_network_file_system(0x6969));                                           // NFS
  EXPECT_TRUE(is_network_file_system(0xFF534D42));                                       // CIFS
  EXPECT_TRUE(is_network_file_system(static_cast<long>(static_cast<int>(0xFE534D42))));  // SMB2
  EXPECT_FALSE(is_network_file_system(0xEF53));                                          // ext4
  EXPECT_FALSE(is_network_file_system(0x01021994));                                      // tmpfs
  EXPECT_FALSE(is_network_file_system(0x794c7630));                                      // overlay
}

}  // namespace
}  // namespace eigenveil::test::store_test
