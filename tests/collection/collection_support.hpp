#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "collection/aggregator.hpp"
#include "collection/noisy_sum.hpp"
#include "collection/participant.hpp"
#include "collection/token_list.hpp"

namespace eigenveil::test {

/// A folder that goes when it is left.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              (name + "-" + std::to_string(::getpid()) + "-" + random_identifier())) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct StudyWishes {
  std::size_t columns = 3;
  std::int64_t minimum_batch = 4;
  NoiseMode noise = NoiseMode::Servers;
  std::int64_t colluders = 0;
  Relation relation = Relation::ZeroRow;
  Budget budget = ApproxDp{1.0, 1e-6};
  std::string deadline = "2099-01-01T00:00:00Z";
};

/// Both aggregators of a study in one process, with a collector and codes.
struct Collection {
  ScratchFolder folder{"eigenveil-collection"};
  SigningKey collector = SigningKey::make();
  Study study;
  std::vector<InvitationCode> codes;
  std::unique_ptr<Aggregator> a;
  std::unique_ptr<Aggregator> b;

  explicit Collection(const StudyWishes& wishes = {}, std::size_t people = 16) {
    const AggregatorFolder at_a{folder / "a"};
    const AggregatorFolder at_b{folder / "b"};
    Manifest draft;
    draft.id = random_identifier();
    draft.title = "A study of nobody";
    for (std::size_t j = 0; j < wishes.columns; ++j) {
      draft.columns.push_back({"c" + std::to_string(j + 1), 0.0, 10.0, "How much?"});
    }
    draft.relation = wishes.relation;
    draft.budget = wishes.budget;
    draft.noise = wishes.noise;
    draft.minimum_batch = wishes.minimum_batch;
    draft.colluders = wishes.colluders;
    draft.deadline = wishes.deadline;
    draft.collector_key = collector.public_part();
    draft.issuer_key = draft.collector_key;
    draft.a = at_a.make(Role::A, "http://127.0.0.1:1").value();
    draft.b = at_b.make(Role::B, "http://127.0.0.1:2").value();
    study = Study::of(with_grid(draft).value());
    study = at_a.countersign(study).value();
    study = at_b.countersign(study).value();
    codes = draw_codes(people);
    open_both({}, {});
    const std::string list = token_list(study, codes, collector);
    EXPECT_TRUE(a->add_tokens(list));
    EXPECT_TRUE(b->add_tokens(list));
  }

  void open_both(std::optional<std::uint64_t> seed_a, std::optional<std::uint64_t> seed_b) {
    a.reset();
    b.reset();
    a = Aggregator::open(folder / "a", seed_a).value();
    b = Aggregator::open(folder / "b", seed_b).value();
  }

  CollectionPlan plan() const { return plan_collection(study.manifest).value(); }
  std::string order() const { return closing_order(study, collector); }

  SealedReport sealed(std::size_t person, const std::vector<double>& cells) const {
    RandomStream stream = RandomStream::secure();
    return seal_row(study, plan(), codes.at(person), cells, stream).value();
  }
  SealedReport send(std::size_t person, const std::vector<double>& cells) {
    const SealedReport report = sealed(person, cells);
    EXPECT_TRUE(a->accept(report.to_a));
    EXPECT_TRUE(b->accept(report.to_b));
    return report;
  }

  Result<CollectionState> close() {
    return close_with(
        *a,
        [&](const std::string& path, const std::string& body) {
          return path == "/v1/proposal" ? b->agreement(body)
                 : path == "/v1/failed" ? b->failed(body)
                                        : b->closed(body);
        },
        order());
  }

  Result<CollectedGram> merged() {
    return a->sum_for(order())
        .and_then([&](const std::string& text) { return sum_from_json(text, study); })
        .and_then([&](const NoisySum& half) {
          return b->sum_for(order())
              .and_then([&](const std::string& text) { return sum_from_json(text, study); })
              .and_then([&](const NoisySum& rest) { return merge_sums(study, half, rest); });
        });
  }
};

/// Answers of made-up people.
inline std::vector<double> answers(std::size_t person, std::size_t columns) {
  std::vector<double> cells;
  for (std::size_t j = 0; j < columns; ++j) {
    cells.push_back(static_cast<double>((7 * person + 3 * j * j + person * j) % 11));
  }
  return cells;
}

inline std::string sentence(const Error& error) {
  return error.message;
}

}  // namespace eigenveil::test
