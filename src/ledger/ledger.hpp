#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/signing_key.hpp"
#include "ledger/sqlite_store.hpp"
#include "ledger/totals.hpp"

namespace eigenveil {

/// What a reservation is for, beside its cost.
struct ReservationRequest {
  ReleaseCost cost = {};
  std::string request = {};   ///< canonical text of what was asked for
  std::string data_set = {};  ///< a public name; empty: the ledger's
  std::string key = {};       ///< for retries; empty: this is no retry and never will be
  std::vector<std::string> builds_on = {};
};

/// A place in the ledger. With `earlier`, the same key reserved it before, for the same request:
/// then nothing was charged now, and `release` is the hash of what it became, if it became
/// anything.
struct Reservation {
  std::int64_t index = 0;
  std::string hash = {};
  Charge charge = {};
  bool earlier = false;
  std::string release = {};
  std::string note = {};  ///< why the charge is counted for several steps, where it is
};

/// Everything a ledger says, its chain and signature checked.
struct LedgerState {
  LedgerTerms terms;
  std::vector<LedgerLine> lines;
};

/// A budget that outlives the process. The order is reserve, read, draw, settle, publish; nothing
/// that was reserved comes back.
class Ledger {
 public:
  /// Makes the file and its key. Fills in identifier, time and public key of the terms.
  static Result<Ledger> create(const std::filesystem::path& path, LedgerTerms terms);
  static Result<Ledger> open(const std::filesystem::path& path,
                             double wait_seconds = kLedgerWaitSeconds);
  /// On any store, for tests and other kinds of stores.
  static Result<Ledger> on(std::unique_ptr<LedgerStore> store, std::optional<SigningKey> key,
                           std::filesystem::path key_file = {});

  const LedgerTerms& terms() const { return terms_; }
  Result<LedgerState> state() const;
  /// The reservation that the request's key already has; none where the key is new or empty.
  Result<std::optional<Reservation>> known(const ReservationRequest& request) const;
  /// Charges the release, durably, before this returns. Only then may a row be read.
  Result<Reservation> reserve(const ReservationRequest& request) const;
  /// Writes down which release a reservation became, before that release appears.
  Result<void> settle(std::int64_t reservation, const std::string& release) const;
  Result<void> backup(const std::filesystem::path& path) const { return store_->copy_to(path); }

 private:
  Ledger() = default;
  LedgerLine sealed(LedgerLine line, const std::vector<LedgerLine>& lines) const;
  Result<void> check_signer() const;

  LedgerTerms terms_;
  std::unique_ptr<LedgerStore> store_;
  std::optional<SigningKey> key_;
  std::filesystem::path key_file_;
};

/// The signature of the terms, where the format has one, and the caps against the promise.
Result<void> check_terms(const LedgerTerms& terms);

/// Nothing signs the terms of an empty ledger of format 2: anybody may have written other caps.
Result<void> check_signed(const LedgerTerms& terms, const std::vector<LedgerLine>& lines);

/// Something that is signed, chain, and the signature of the last line.
Result<void> check_lines(const LedgerTerms& terms, const std::vector<LedgerLine>& lines);

/// "2026-11-17T18:31:08Z" by the clock of this machine.
std::string utc_now();

}  // namespace eigenveil
