#include "ledger/spending.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/report/read_release.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// Whether a folder holds the release whose document has this hash, every file as it was written.
bool holds_release(const fs::path& folder, const std::string& hash) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("release") || !name.ends_with(".json")) {
      continue;
    }
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (hex(sha256(bytes)) == hash && read_release(entry.path())) {
      return true;
    }
  }
  return false;
}

/// A reservation without a release looks the same while its run is on.
constexpr std::string_view kMayStillRun =
    " yet (it may still be running; run the same command again when it has ended)";

tl::unexpected<Error> spent_without_release(const std::string& key, std::int64_t index,
                                            std::string_view what, std::string_view later = "") {
  return bad_request(fmt::format(
      "{{ledger_key}} {} was used before (entry {} of the ledger) and {}: its budget is "
      "spent and there is no release{}; a new draw needs a new key and is charged again",
      key, index, what, later));
}

}  // namespace

Result<Spending> Spending::open(const fs::path& path, std::string key, std::string data_set) {
  return Ledger::open(path).map([&](Ledger&& ledger) {
    Spending spending;
    spending.ledger_ = std::make_shared<Ledger>(std::move(ledger));
    spending.path_ = path;
    spending.key_ = std::move(key);
    spending.data_set_ = std::move(data_set);
    return spending;
  });
}

ReservationRequest Spending::wanted(const ReleaseCost& cost, const std::string& request) const {
  ReservationRequest wanted;
  wanted.cost = cost;
  wanted.request = request;
  wanted.data_set = data_set_;
  wanted.key = key_;
  wanted.builds_on = builds_on_;
  return wanted;
}

Result<std::optional<std::int64_t>> Spending::resume(const ReleaseCost& cost,
                                                     const std::string& request,
                                                     const fs::path& out, Existing existing) const {
  if (!active() || key_.empty()) {
    return std::nullopt;
  }
  const Result<std::optional<Reservation>> known = ledger_->known(wanted(cost, request));
  if (!known) {
    return error_of(known);
  }
  if (!known->has_value()) {
    return std::nullopt;
  }
  const Reservation& earlier = **known;
  if (earlier.release.empty()) {
    return spent_without_release(key_, earlier.index, "its run has not finished", kMayStillRun);
  }
  if (out.empty()) {
    return spent_without_release(key_, earlier.index, "its release was not kept in files");
  }
  const auto is_release = [&](const fs::path& folder) {
    return holds_release(folder, earlier.release);
  };
  const Result<bool> there = AtomicDirectory::publish_again(out, existing, is_release);
  if (!there) {
    return error_of(there);
  }
  if (!*there) {
    return bad_request(
        fmt::format(
            "{{ledger_key}} {} was used before (entry {} of the ledger), and no row was read "
            "now: its release, whose document has the SHA-256 {}, is neither in {{out}} nor "
            "beside it as it was; give {{out}} the folder it went to. If it is lost, its "
            "budget is spent and there is no release; a new draw needs a new key and is "
            "charged again",
            key_, earlier.index, earlier.release),
        "ledger_key");
  }
  return earlier.index;
}

Result<void> Spending::reserve(const ReleaseCost& cost, const std::string& request) {
  if (!active()) {
    return {};
  }
  const Result<Reservation> made = ledger_->reserve(wanted(cost, request));
  if (!made) {
    return error_of(made);
  }
  if (made->earlier) {  // another process was faster with the same key
    return spent_without_release(key_, made->index, "another run has it", kMayStillRun);
  }
  reservation_ = *made;
  return {};
}

Error Spending::at_its_cost(Error error) const {
  if (reservation_) {
    const bool said = error.message.ends_with("is spent");
    if (error.message.ends_with('.')) {
      error.message.pop_back();
    }
    error.message += said ? fmt::format(": entry {}", reservation_->index)
                          : fmt::format("; entry {} is spent all the same", reservation_->index);
  }
  return error;
}

std::optional<LedgerEntry> Spending::entry() const {
  if (!reservation_) {
    return std::nullopt;
  }
  return LedgerEntry{ledger_->terms().id, reservation_->index, reservation_->hash};
}

Result<void> Spending::settle(std::string_view document) const {
  return reservation_ ? ledger_->settle(reservation_->index, hex(sha256(document)))
                      : Result<void>();
}

Result<DataTags> Spending::data_tags() const {
  return SigningKey::load(key_path(path_)).map([&](const SigningKey& key) {
    return DataTags(data_path(path_), key);
  });
}

std::string Spending::data_name(const std::string& table) const {
  const std::string& name = data_set_.empty() ? ledger_->terms().name : data_set_;
  return fmt::format("{} {}{}", name.size(), name, table);
}

}  // namespace eigenveil
