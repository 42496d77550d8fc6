#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "collection/aggregator_store.hpp"
#include "collection/collection_plan.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil {

/// The folder of an aggregator for one study:
///   aggregator.key  signs (0600)         sealing.key  opens reports (0600), destroyed at closing
///   card.json       for the collector    reports.db   the store, made when the study is opened
///   serve.lock      held by the process that serves the folder
struct AggregatorFolder {
  std::filesystem::path folder;
  std::filesystem::path signing_key() const { return folder / "aggregator.key"; }
  std::filesystem::path sealing_key() const { return folder / "sealing.key"; }
  std::filesystem::path card() const { return folder / "card.json"; }
  std::filesystem::path store() const { return folder / "reports.db"; }
  std::filesystem::path lock() const { return folder / "serve.lock"; }

  /// New keys and their card.
  Result<AggregatorCard> make(Role role, const std::string& address) const;
  /// Countersigns: whoever runs this agrees to the manifest as it stands. Makes the store.
  Result<Study> countersign(Study study) const;
};

/// One process at a time; a process that ends, however it does, lets go.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::filesystem::path& file);
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// What became of a report.
struct AcceptedReport {
  bool already = false;  ///< the same bytes were stored before
};

/// One aggregator of one study, without a network: bytes in, bytes out. Thread-safe.
class Aggregator {
 public:
  /// `seed`: for tests; the release is then marked not private.
  static Result<std::unique_ptr<Aggregator>> open(const std::filesystem::path& folder,
                                                  std::optional<std::uint64_t> seed = {});

  const Study& study() const { return store_->study(); }
  Role role() const { return store_->role(); }
  AggregatorStore& store() { return *store_; }

  Result<void> add_tokens(std::string_view list);
  /// Refusals are one sentence each: another role, another study, a token that is none or used, a
  /// report that does not open, a study that is closed.
  Result<AcceptedReport> accept(std::string_view message);

  // Closing. A proposes what it has; B stores the intersection, if it is large enough, and answers
  // with it; A stores it, tells B so, and only then either draws. Every step may be repeated.
  /// A's first message. `order`: the collector's wish to close before the deadline, or empty.
  Result<std::string> proposal(std::string_view order);
  /// B's answer: the set that is stored, the first one for ever.
  Result<std::string> agreement(std::string_view proposal);
  /// A stores that set and answers that it has.
  Result<std::string> stored(std::string_view agreement);
  /// That answer again, for an A that was stopped after it stored the set.
  Result<std::string> note();
  /// B draws once A has stored the set; answers that it is closed.
  Result<std::string> closed(std::string_view stored);
  /// Draws, stores, deletes the shares, destroys the key; nothing where that was done.
  Result<void> draw_and_close();

  // A study that had too few reports at its deadline ends for good, at both: nothing is drawn.
  /// Fails where the deadline has passed and this side alone has fewer reports than the minimum.
  Result<void> fail_below_minimum();
  /// A signed word of it for the other aggregator.
  Result<std::string> failure_note();
  /// The other side's: without its shares there is nothing to release. Answers the own note.
  Result<std::string> failed(std::string_view note);

  /// The stored bytes, for the collector, whose signed order asks for them.
  Result<std::string> sum_for(std::string_view order);
  /// Identifiers that count, one a line, once the set is fixed.
  Result<std::string> closing_list();

 private:
  Aggregator(std::filesystem::path folder, FolderLock lock, std::unique_ptr<AggregatorStore> store,
             SigningKey key, CollectionPlan plan, RandomStream stream)
      : folder_{std::move(folder)},
        lock_(std::move(lock)),
        store_(std::move(store)),
        signing_key_(std::move(key)),
        plan_(std::move(plan)),
        stream_(std::move(stream)) {}
  Result<void> load_sealing_key();
  Result<void> check_time(std::string_view order) const;
  Result<OpenedReport> opened(const ReportMessage& message) const;
  Result<std::string> noisy_sum(const AggregatorStore::Each& each);
  Result<void> fail(std::int64_t below);
  void destroy_sealing_key();

  AggregatorFolder folder_;
  FolderLock lock_;
  std::unique_ptr<AggregatorStore> store_;
  SigningKey signing_key_;
  CollectionPlan plan_;
  RandomStream stream_;
  std::mutex closing_;
  mutable std::mutex key_mutex_;
  std::optional<hpke::SecretKey> sealing_key_;
};

/// How A reaches B: a path and a body, and what B answers.
using AskPeer =
    std::function<Result<std::string>(const std::string& path, const std::string& body)>;
/// Closes a study from A's side, from wherever an earlier attempt was stopped. What both know then:
/// that it is closed and both sums are stored, or that it has failed.
Result<CollectionState> close_with(Aggregator& a, const AskPeer& ask_b, std::string_view order);

/// The collector's signed wish to close a study now and to have the sums.
std::string closing_order(const Study& study, const SigningKey& collector);
Result<void> check_order(const Study& study, std::string_view order);

}  // namespace eigenveil
