#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collection/report_message.hpp"
#include "ledger/sqlite_connection.hpp"

namespace eigenveil {

/// How far an aggregator is with its study. It only ever goes on.
enum class CollectionState : std::uint8_t {
  Open,    ///< takes reports
  Agreed,  ///< the set of reports that count is stored; nothing is drawn yet
  Closed,  ///< the noisy sum is stored, shares and sealing key are gone
  Failed,  ///< too few reports at the deadline: nothing is released, shares and sealing key are
           ///< gone
};
std::string_view name_of(CollectionState state);
inline constexpr const char* kStudyFailed =
    "the study had fewer whole reports than its minimum at its deadline: nothing is released, and "
    "both aggregators destroy the reports and the keys that open them";

/// One report in the store. `sealed` stays as it came: encrypted to the aggregator's key for this
/// study, which is never in this file.
struct StoredReport {
  ReportId id = {};
  Digest token = {};    ///< its hash
  Digest message = {};  ///< hash of the bytes that came
  Digest commitment = {};
  std::string sealed = {};  ///< with what it is bound to: a whole message
};

/// What both aggregators compare: identifier and commitment.
struct ListedReport {
  ReportId id = {};
  Digest commitment = {};
  friend auto operator<=>(const ListedReport&, const ListedReport&) = default;
};

enum class AddOutcome : std::uint8_t {
  Stored,
  Already,       ///< these very bytes
  UnknownToken,  ///< not one of this study
  TokenUsed,     ///< by another report
  IdUsed,        ///< by another report
  Late,          ///< the set is fixed
};

/// What an aggregator must not lose, in one SQLite file (mode 0600, rollback journal,
/// synchronous=EXTRA). Token and identifier of a report are unique in the transaction that stores
/// it. Safe to use from several threads; reports that arrive together share a transaction, because
/// the disk's sync is what a report waits for.
class AggregatorStore {
 public:
  static Result<void> create(const std::filesystem::path& path, const Study& study, Role role);
  static Result<std::unique_ptr<AggregatorStore>> open(const std::filesystem::path& path);
  ~AggregatorStore();
  AggregatorStore(const AggregatorStore&) = delete;
  AggregatorStore& operator=(const AggregatorStore&) = delete;

  const Study& study() const { return study_; }
  Role role() const { return role_; }

  /// Without waiting for whatever is being stored or added up.
  CollectionState state() const { return state_; }
  /// Tokens are only added.
  Result<void> add_tokens(const std::vector<Digest>& hashes);
  /// Before anything is opened: what the token and a message of this hash would come to.
  Result<AddOutcome> look(const ReportId& id, const Digest& token, const Digest& message);
  Result<AddOutcome> add(StoredReport report);
  Result<std::size_t> count();
  Result<std::size_t> tokens();

  Result<std::vector<ListedReport>> reports();
  /// Stores the set, unless one is stored: then that one stays. Refused where a member is not in
  /// the store with its commitment.
  Result<void> agree(const std::vector<ListedReport>& set);
  Result<std::vector<ListedReport>> agreed();

  /// One transaction: `sum` sees every message of the agreed set and returns the document, which is
  /// stored, and all shares are deleted. Where the study is closed, nothing is called.
  using Visit = std::function<Result<void>(const StoredReport& report)>;
  using Each = std::function<Result<void>(const Visit& visit)>;
  Result<void> close(const std::function<Result<std::string>(const Each& each)>& sum);
  Result<std::string> sum();  ///< the stored document
  /// One transaction: where the study is open and has fewer reports than this, it has failed for
  /// good and its shares are deleted.
  Result<void> fail(std::int64_t below);

 private:
  struct Waiting {
    StoredReport report;
    Result<AddOutcome> outcome = AddOutcome::Late;
    bool done = false;
  };
  explicit AggregatorStore(detail::SqliteConnection connection)
      : connection_(std::move(connection)) {}
  Result<CollectionState> read_state() const;
  Result<AddOutcome> look_unlocked(const ReportId& id, const Digest& token,
                                   const Digest& message) const;
  Result<AddOutcome> insert(const StoredReport& report) const;
  void store_together(std::vector<Waiting*>& waiting) const;
  Result<void> transaction(const std::function<Result<void>()>& work) const;
  Result<void> advance(const std::function<Result<void>()>& work);
  Result<std::vector<ListedReport>> listed(const char* sql) const;

  detail::SqliteConnection connection_;
  Study study_;
  Role role_ = Role::A;
  std::atomic<CollectionState> state_ = CollectionState::Open;  ///< as it was last committed
  std::mutex connection_mutex_;
  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::vector<Waiting*> queue_;
  bool storing_ = false;
};

}  // namespace eigenveil
