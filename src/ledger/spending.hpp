#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/atomic_output.hpp"
#include "eigenveil/report/document.hpp"
#include "ledger/data_tags.hpp"
#include "ledger/ledger.hpp"

namespace eigenveil {

/// What a release passes on its way to its readers: charged before a row is read, written down
/// before it appears. Without a ledger it is free of charge, and nobody adds up.
///   plan -> resume -> reserve -> rows, draw -> settle -> publish
class Spending {
 public:
  Spending() = default;
  /// `key` names this release for retries; empty: it will not be retried.
  static Result<Spending> open(const std::filesystem::path& ledger, std::string key = {},
                               std::string data_set = {});

  /// Checksums of releases that the one to come is made with; said before it is charged.
  void build_on(std::vector<std::string> releases) { builds_on_ = std::move(releases); }
  bool active() const { return ledger_ != nullptr; }
  /// Where a key was used before: puts the release it stands for into `out` again, the same bits,
  /// at no charge, and returns its index. A run that did not get as far has spent its budget and
  /// has no release: an error. None: the key is new.
  Result<std::optional<std::int64_t>> resume(const ReleaseCost& cost, const std::string& request,
                                             const std::filesystem::path& out,
                                             Existing existing) const;
  /// Only after this may a row be read. Nothing is given back.
  Result<void> reserve(const ReleaseCost& cost, const std::string& request);
  /// What the release says of its place in the ledger.
  std::optional<LedgerEntry> entry() const;
  /// The document as it will be published, whole on the disk but under another name.
  Result<void> settle(std::string_view document) const;
  /// What knows whether the rows are those of earlier releases under the same name: a question for
  /// the curator, after the charge.
  Result<DataTags> data_tags() const;
  /// The name that rows are known by: data set and public facts of their table.
  std::string data_name(const std::string& table) const;
  /// An error after the charge ends with what it cost; before it stays as it is.
  Error at_its_cost(Error error) const;
  const std::optional<Reservation>& reservation() const { return reservation_; }

 private:
  ReservationRequest wanted(const ReleaseCost& cost, const std::string& request) const;

  std::shared_ptr<Ledger> ledger_;
  std::filesystem::path path_;
  std::string key_;
  std::string data_set_;
  std::vector<std::string> builds_on_;
  std::optional<Reservation> reservation_;
};

}  // namespace eigenveil
