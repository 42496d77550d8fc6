// Every interleaving of two processes that reserve, stage, settle and publish, each killed at every
// point, then retried in both orders: the real ledger on a store in memory, a model of the disk.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ledger_support.hpp"

namespace eigenveil::test::state_model_test {
namespace {

/// What is left on the disk when a process dies.
struct Disk {
  SharedLines ledger;
  std::map<std::string, std::string> staged = {};     ///< by target
  std::map<std::string, std::string> published = {};  ///< by target
  int drawn = 0;                                      ///< fresh bits so far
};

/// The steps of a release, as a process takes them. `safe` false: a twin that draws again for a key
/// that was used, as a program without the rule would.
class Process {
 public:
  Process(Disk& disk, const SigningKey& key, std::string name, double mu, bool safe)
      : disk_(disk),
        ledger_(*Ledger::on(std::make_unique<MemoryStore>(disk.ledger), key)),
        name_(std::move(name)),
        mu_(mu),
        safe_(safe) {}

  static constexpr int kSteps = 4;
  void step() {
    switch (next_++) {
      case 0:
        return reserve();
      case 1:
        return stage();
      case 2:
        return settle();
      case 3:
        return publish();
      default:
        return;
    }
  }

 private:
  void reserve() {
    ReservationRequest wanted;
    wanted.cost = gaussian_cost(mu_);
    wanted.key = name_;
    const Result<Reservation> made = ledger_.reserve(wanted);
    if (!made) {
      next_ = kSteps;
    } else if (made->earlier && safe_) {
      bits_ = made->release;
      const auto left = disk_.staged.find(name_);
      const bool survived = !bits_.empty() && left != disk_.staged.end() && left->second == bits_;
      next_ = survived ? kSteps - 1 : kSteps;  // the same bits again, or nothing
    } else {
      index_ = made->index;
    }
  }
  void stage() {
    bits_ = "bits " + std::to_string(++disk_.drawn);
    disk_.staged[name_] = bits_;
  }
  void settle() {
    if (!ledger_.settle(index_, bits_) && safe_) {
      next_ = kSteps;
    }
  }
  void publish() { disk_.published.emplace(name_ + "/" + bits_, bits_); }

  Disk& disk_;
  Ledger ledger_;
  std::string name_;
  double mu_;
  bool safe_;
  int next_ = 0;
  std::int64_t index_ = 0;
  std::string bits_;
};

/// "" when all is well.
std::string violation(const Disk& disk, int reservations_allowed) {
  std::set<std::string> settled;
  int reservations = 0;
  for (const LedgerLine& line : disk.ledger.lines) {
    reservations += line.kind == EntryKind::Reserve ? 1 : 0;
    if (line.kind == EntryKind::Settle) {
      settled.insert(line.release);
    }
  }
  if (reservations > reservations_allowed ||
      !within(disk.ledger.terms.caps, charges_in(disk.ledger.lines))) {
    return "overspent";
  }
  if (disk.drawn > reservations) {
    return "a draw without a charge";
  }
  std::map<std::string, std::string> by_target;
  for (const auto& [place, bits] : disk.published) {
    if (!settled.contains(bits)) {
      return "published, not in the ledger";
    }
    const std::string target = place.substr(0, place.find('/'));
    if (!by_target.emplace(target, bits).second) {
      return "two releases under one key";
    }
  }
  return "";
}

struct Setting {
  const char* first;
  const char* second;
  int reservations;  ///< that fit
};

/// Runs `order` (false: first process) with both processes killed after so many steps, then
/// retries. Returns the first violation after any step.
std::string run(const Setting& setting, const SigningKey& key, const std::vector<bool>& order,
                int kill_first, int kill_second, bool safe) {
  Disk disk;
  disk.ledger.terms = terms_with({1.0, 0.0, 0.0});
  disk.ledger.terms = signed_by(key, disk.ledger.terms);
  Process first(disk, key, setting.first, 0.8, safe);
  Process second(disk, key, setting.second, 0.8, safe);
  int taken[2] = {0, 0};
  for (const bool is_second : order) {
    int& done = taken[is_second ? 1 : 0];
    if (done < (is_second ? kill_second : kill_first)) {
      (is_second ? second : first).step();
      ++done;
      if (std::string found = violation(disk, setting.reservations); !found.empty()) {
        return found;
      }
    }
  }
  for (const char* name : {setting.second, setting.first, setting.second}) {
    Process retry(disk, key, name, 0.8, safe);
    for (int step = 0; step < Process::kSteps; ++step) {
      retry.step();
      if (std::string found = violation(disk, setting.reservations); !found.empty()) {
        return found;
      }
    }
  }
  return "";
}

std::set<std::string> explore(const Setting& setting, bool safe, int& runs) {
  const SigningKey key = SigningKey::make();
  std::set<std::string> found;
  std::vector<bool> order(2 * Process::kSteps, false);
  std::fill(order.begin() + Process::kSteps, order.end(), true);
  do {
    for (int i = 0; i <= Process::kSteps; ++i) {
      for (int j = 0; j <= Process::kSteps; ++j) {
        ++runs;
        found.insert(run(setting, key, order, i, j, safe));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return found;
}

TEST(LedgerStates, EveryInterleavingAndEveryKill) {
  int runs = 0;
  // Two releases of which one fits, and one release that two processes try at once.
  for (const Setting& setting : {Setting{"one", "two", 1}, Setting{"same", "same", 1}}) {
    EXPECT_EQ(explore(setting, true, runs), std::set<std::string>{""});
  }
  EXPECT_EQ(runs, 2 * 70 * 25);
}

TEST(LedgerStates, AProgramThatDrawsAgainIsCaught) {
  int runs = 0;
  const std::set<std::string> found = explore({"same", "same", 1}, false, runs);
  EXPECT_TRUE(found.contains("a draw without a charge"));
}

}  // namespace
}  // namespace eigenveil::test::state_model_test
