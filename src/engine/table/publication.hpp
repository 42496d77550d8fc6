#pragma once

#include <functional>

#include "data/open.hpp"
#include "eigenveil/engine/method.hpp"
#include "eigenveil/engine/table_release.hpp"
#include "engine/table/release_output.hpp"
#include "ledger/spending.hpp"

namespace eigenveil {

/// What a curator answers: is it the same data set?
using AskSameData = std::function<Result<bool>()>;

/// Refuses a text table whose columns could be learned from its rows alone: with a ledger nothing
/// is read before the budget is reserved, so header and width are said, not looked for.
Result<void> check_public_columns(const std::string& input, const ReadOptions& format);

/// One release on its way to its files, past the ledger that its output names or past none: charged
/// before a row is read, written down before it appears.
class Publication {
 public:
  /// Opens the ledger, refuses what it cannot take, and reads the releases that this one builds on.
  static Result<Publication> open(ReleaseOutput output, const std::vector<std::string>& inputs,
                                  const ReadOptions& format);

  bool charges() const { return spending_.active(); }
  const ReleaseOutput& output() const { return output_; }
  /// The checksum of a release that this one is made with, before those that were named.
  void build_on(const std::string& checksum);
  /// A release that cannot be written would be lost: tried before a row is read. `plan` knows what
  /// would lie beside a file; without one the release is a directory.
  Result<void> check_writable(const Plan* plan = nullptr) const;
  /// True: the release of a retry was found and lies in `out` again, and nothing is left to do but
  /// to say so. Without a ledger only `out` is tried.
  Result<bool> charge(const ReleaseCost& cost, const std::string& request);
  /// The same without a ledger to charge: what the release will have to state.
  void promise(const ReleaseCost& cost) { promised_ = cost; }
  std::optional<LedgerEntry> entry() const { return spending_.entry(); }
  /// An error on the way, with what it cost once the release was charged.
  Error at_its_cost(Error error) const { return spending_.at_its_cost(std::move(error)); }
  /// Compares the rows behind exact sums with those of the last release under this name; where they
  /// are others, `ask` says whether it is the same data set all the same, and a no ends the
  /// release. Without `ask` it is.
  Result<void> compare_data(const ExactGram& sums, const AskSameData& ask) const;

  void warn(std::string sentence);
  const std::vector<std::string>& warnings() const { return outcome_.warnings; }
  /// Writes the release where it is to be written; refused where it states something else than was
  /// promised and charged.
  Result<TableOutcome> publish(ReleaseDocument document, bool streams = false, int threads = 1);
  /// All of it for a release that is drawn in one go: charged, drawn, written; or found again.
  Result<TableOutcome> release(const ReleaseCost& cost, const std::string& request,
                               const std::function<Result<ReleaseDocument>()>& draw);
  /// What a retry found.
  TableOutcome found_again() { return std::move(outcome_); }

 private:
  explicit Publication(ReleaseOutput output) : output_(std::move(output)) {}
  Result<void> read_builds_on();
  /// The document as the ledger has it.
  Result<void> settle(std::string_view document);

  ReleaseOutput output_;
  Spending spending_;
  std::optional<ReleaseCost> promised_;
  std::vector<std::string> builds_on_;  ///< checksums
  std::string caution_;                 ///< of private ranges among them that may cut off rows
  TableOutcome outcome_;
};

}  // namespace eigenveil
