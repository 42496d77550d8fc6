// What a ledger costs: reserve and settle beside the syncs they wait for, and showing many entries.
//   bench_ledger [FOLDER] [RELEASES] [ENTRIES]
// Calls of fsync and fdatasync are caught on their way to the kernel, counted and timed.
#include "ledger/ledger.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "ledger/summary.hpp"
#include "timing.hpp"

namespace {

double sync_seconds = 0.0;
int syncs = 0;

int timed_sync(long call, int descriptor) {
  const auto start = std::chrono::steady_clock::now();
  const int result = static_cast<int>(::syscall(call, descriptor));
  sync_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++syncs;
  return result;
}

}  // namespace

extern "C" int fsync(int descriptor) {
  return timed_sync(SYS_fsync, descriptor);
}
extern "C" int fdatasync(int descriptor) {
  return timed_sync(SYS_fdatasync, descriptor);
}

namespace eigenveil::bench {
namespace {

namespace fs = std::filesystem;

LedgerTerms terms() {
  LedgerTerms made;
  made.name = "bench";
  made.caps = {100.0, 0.0, 0.0};
  made.promise = GaussianDp{100.0};
  return made;
}

ReservationRequest small_release() {
  ReservationRequest wanted;
  wanted.cost.task = "pca";
  wanted.cost.method = "gauss";
  wanted.cost.guarantee.loss = GaussianDp{0.01};
  wanted.cost.guarantee.basis = Basis::Proved;
  wanted.cost.requested = GaussianDp{0.01};
  wanted.request = std::string(600, 'r');
  return wanted;
}

void time_releases(const fs::path& path, int releases) {
  const Ledger ledger = std::move(*Ledger::create(path, terms()));
  sync_seconds = 0.0;
  syncs = 0;
  std::vector<double> ratios;
  std::vector<double> whole;
  std::vector<double> alone;
  for (int i = 0; i < releases; ++i) {
    const double before = sync_seconds;
    const Time spent = time_of([&] {
      const Reservation made = *ledger.reserve(small_release());
      static_cast<void>(ledger.settle(made.index, std::string(64, 'a')));
    });
    whole.push_back(spent.wall);
    alone.push_back(sync_seconds - before);
    ratios.push_back(spent.wall / (sync_seconds - before));
  }
  fmt::print(
      "reserve and settle  {:7.2f} ms, of which {:7.2f} ms are {} syncs: {:.2f} times them "
      "(median of {})\n",
      1e3 * median(whole), 1e3 * median(alone), syncs / releases, median(ratios), releases);
}

/// Entries as a ledger would have written them, in one transaction.
void fill(const fs::path& path, std::int64_t entries) {
  const LedgerTerms made = Ledger::create(path, terms())->terms();
  const SigningKey key = *SigningKey::load(key_path(path));
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
  std::string previous = hash_of(made);
  for (std::int64_t i = 1; i <= entries; ++i) {
    LedgerLine line;
    line.index = i;
    line.kind = i % 2 == 1 ? EntryKind::Reserve : EntryKind::Settle;
    line.time = "2026-01-01T00:00:00Z";
    line.previous = previous;
    if (line.kind == EntryKind::Reserve) {
      line.request = std::string(600, 'r');
      line.task = "pca";
      line.method = "gauss";
      line.charge = {Account::Gaussian, 0.01, 0.0, 0.0};
    } else {
      line.reservation = i - 1;
      line.release = std::string(64, 'a');
    }
    line.hash = hash_of(line);
    line.signature = i == entries ? key.sign(line.hash) : "";
    const bool reserve = line.kind == EntryKind::Reserve;
    sqlite3_exec(
        database,
        fmt::format("INSERT INTO lines VALUES ({},'{}','{}','{}','{}','{}','','{}','','{}',"
                    "'{}','{}',{},0,0,'proved','','',{},'{}')",
                    i, reserve ? "reserve" : "settle", line.time, line.previous, line.hash,
                    line.signature, line.request, line.task, line.method,
                    name_of(line.charge.account), line.charge.mu, line.reservation, line.release)
            .c_str(),
        nullptr, nullptr, nullptr);
    previous = line.hash;
  }
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

void time_many(const fs::path& path, std::int64_t entries) {
  fill(path, entries);
  std::size_t bytes = 0;
  const Time text = time_of([&] {
    const LedgerState state = *Ledger::open(path)->state();
    bytes = ledger_text(summary_of(state)).size();
  });
  const Time page = time_of([&] {
    const LedgerState state = *Ledger::open(path)->state();
    bytes += ledger_html(summary_of(state)).size();
  });
  const Time reserve =
      time_of([&] { static_cast<void>(Ledger::open(path)->reserve(small_release())); });
  fmt::print(
      "{} entries: checked and shown in {:.2f} s, as a page in {:.2f} s; one more "
      "reservation in {:.2f} s\n",
      entries, text.wall, page.wall, reserve.wall);
}

}  // namespace
}  // namespace eigenveil::bench

int main(int count, char** words) {
  namespace fs = std::filesystem;
  const fs::path folder = count > 1 ? words[1] : ".";
  const int releases = count > 2 ? std::atoi(words[2]) : 50;
  const long entries = count > 3 ? std::atol(words[3]) : 100000;
  const fs::path small = folder / "bench-small.ledger";
  const fs::path large = folder / "bench-large.ledger";
  eigenveil::bench::time_releases(small, releases);
  eigenveil::bench::time_many(large, entries);
  for (const fs::path& path : {small, large}) {
    fs::remove(path);
    fs::remove(eigenveil::key_path(path));
  }
  return 0;
}
