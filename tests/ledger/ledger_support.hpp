#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "ledger/ledger.hpp"

namespace eigenveil::test {

inline LedgerTerms terms_with(const LedgerCaps& caps, Relation relation = Relation::AddRemove,
                              int rows = 1) {
  LedgerTerms terms;
  terms.id = "0123456789abcdef0123456789abcdef";
  terms.name = "test";
  terms.relation = relation;
  terms.unit.rows = rows;
  terms.caps = caps;
  terms.promise = promise_of(caps);
  terms.created = "2026-11-17T00:00:00Z";
  return terms;
}

inline ReleaseCost cost_of(const Loss& loss, const Budget& requested,
                           Relation relation = Relation::AddRemove, int group = 1) {
  ReleaseCost cost;
  cost.task = "pca";
  cost.method = "gauss";
  cost.guarantee.relation = relation;
  cost.guarantee.loss = loss;
  cost.guarantee.basis = Basis::Proved;
  cost.guarantee.secure_random = true;
  cost.guarantee.group_size = group;
  cost.requested = requested;
  return cost;
}

inline ReleaseCost pure_cost(double epsilon, Relation relation = Relation::AddRemove) {
  return cost_of(PureDp{epsilon}, PureDp{epsilon}, relation);
}

inline ReleaseCost gaussian_cost(double mu, Relation relation = Relation::AddRemove) {
  return cost_of(GaussianDp{mu}, GaussianDp{mu}, relation);
}

inline ReleaseCost pair_cost(double epsilon, double delta,
                             Relation relation = Relation::AddRemove) {
  return cost_of(ApproxDp{epsilon, delta}, ApproxDp{epsilon, delta}, relation);
}

/// As a ledger signs its terms when it is made.
inline LedgerTerms signed_by(const SigningKey& key, LedgerTerms terms) {
  terms.public_key = key.public_part();
  terms.signature = key.sign(hash_of(terms));
  return terms;
}

/// A ledger that lives in a vector: the second kind of store.
struct SharedLines {
  LedgerTerms terms;
  std::vector<LedgerLine> lines = {};
};

class MemoryStore final : public LedgerStore {
 public:
  explicit MemoryStore(SharedLines& shared) : shared_(shared) {}
  Result<LedgerTerms> terms() override { return shared_.terms; }
  Result<std::vector<LedgerLine>> lines() override { return shared_.lines; }
  Result<void> append(const Decide& decide) override {
    return decide(shared_.lines).map([&](const std::optional<LedgerLine>& line) {
      if (line) {
        shared_.lines.push_back(*line);
      }
    });
  }
  Result<void> copy_to(const std::filesystem::path&) override {
    return bad_request("not in memory");
  }

 private:
  SharedLines& shared_;
};

/// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "eigenveil-ledger-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace eigenveil::test
