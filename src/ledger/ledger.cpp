#include "ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/plain_text.hpp"
#include "eigenveil/core/version.hpp"

namespace eigenveil {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "\n"));
}

const LedgerLine* line_with_key(const std::vector<LedgerLine>& lines, const std::string& key) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const LedgerLine& line) {
    return line.kind == EntryKind::Reserve && !key.empty() && line.key == key;
  });
  return found == lines.end() ? nullptr : &*found;
}

const LedgerLine* settlement_of(const std::vector<LedgerLine>& lines, std::int64_t reservation) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const LedgerLine& line) {
    return line.kind == EntryKind::Settle && line.reservation == reservation;
  });
  return found == lines.end() ? nullptr : &*found;
}

/// A key stands for one request about one data set, for ever.
Result<Reservation> repeated(const std::vector<LedgerLine>& lines, const LedgerLine& first,
                             const LedgerLine& again) {
  if (first.request != again.request || first.data_set != again.data_set ||
      first.method != again.method || first.task != again.task) {
    return bad_request(fmt::format(
        "{{ledger_key}} {} stands for another request (entry {} of the ledger); a new request "
        "needs a new key",
        again.key, first.index));
  }
  const LedgerLine* settled = settlement_of(lines, first.index);
  return Reservation{first.index, first.hash, first.charge, true,
                     settled == nullptr ? std::string() : settled->release};
}

LedgerLine reservation_line(const ReservationRequest& request, const LedgerTerms& terms) {
  LedgerLine line;
  line.kind = EntryKind::Reserve;
  line.key = request.key;
  line.request = request.request;
  line.data_set = request.data_set.empty() ? terms.name : request.data_set;
  line.task = request.cost.task;
  line.method = request.cost.method;
  line.basis = request.cost.seeded ? Basis::NotPrivate : request.cost.guarantee.basis;
  line.assumptions = joined(request.cost.guarantee.assumptions);
  line.builds_on = joined(request.builds_on);
  return line;
}

Result<void> check_name(const std::string& name, std::string_view what) {
  constexpr std::size_t kLongest = 200;
  if (name.size() > kLongest || !is_plain_text(name)) {
    return bad_request(
        fmt::format("{} must be plain text of at most {} characters", what, kLongest));
  }
  return {};
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Result<void> check_terms(const LedgerTerms& terms) {
  if (terms.format >= 3 && !signature_holds(terms.public_key, hash_of(terms), terms.signature)) {
    return bad_request(fmt::format(
        "the terms of the ledger do not bear the signature of its key (format {}, made by "
        "Eigenveil {}): the file was changed by something other than this program",
        terms.format, terms.made_by));
  }
  if (!caps_keep(terms.promise, terms.caps)) {
    return bad_request(
        "the caps of the ledger add up to more than it promises: the file was changed by something "
        "other than this program");
  }
  return {};
}

Result<void> check_signed(const LedgerTerms& terms, const std::vector<LedgerLine>& lines) {
  if (terms.format >= 3 || !lines.empty()) {
    return {};
  }
  return bad_request(fmt::format(
      "this ledger has no signature on its terms and no entries: nobody can tell whether its caps "
      "are still those it was made with; it was made in format {} by an earlier version of "
      "Eigenveil, or its seal was removed; make a new one",
      terms.format));
}

Result<void> check_lines(const LedgerTerms& terms, const std::vector<LedgerLine>& lines) {
  if (const Result<void> signed_terms = check_signed(terms, lines); !signed_terms) {
    return signed_terms;
  }
  if (const Result<void> chain = check_chain(terms, lines); !chain) {
    return chain;
  }
  if (!lines.empty() &&
      !signature_holds(terms.public_key, lines.back().hash, lines.back().signature)) {
    return bad_request(
        "the signature of the ledger's last entry does not match its key: the file was changed by "
        "something other than this program");
  }
  return {};
}

Result<Ledger> Ledger::create(const std::filesystem::path& path, LedgerTerms terms) {
  std::error_code ignored;
  if (terms.name.empty()) {
    return bad_request("a ledger is about one data set: say which with {name}", "name");
  }
  if (const Result<void> named = check_name(terms.name, "{name}"); !named) {
    return error_of(named);
  }
  if (terms.relation != Relation::AddRemove && terms.relation != Relation::ReplaceOne &&
      terms.relation != Relation::ZeroRow) {
    return bad_request("a ledger protects by add-remove, replace-one or zero-row", "neighbours");
  }
  if (terms.unit.rows < 1) {
    return bad_request("{group_size} must be at least 1", "group_size");
  }
  if (!terms.unit.person.empty() && terms.unit.rows > 1) {
    return bad_request(
        "{person} protects all rows of a person, however many; leave {group_size} out (releases "
        "say how many rows of a person count)",
        "group_size");
  }
  if (const Result<LedgerCaps> caps = check_caps(terms.caps); !caps) {
    return error_of(caps);
  }
  if (const auto* pair = std::get_if<ApproxDp>(&terms.promise);
      pair != nullptr && !std::isfinite(pair->epsilon)) {
    return bad_request("the caps add up to no finite promise; give smaller ones");
  }
  if (std::filesystem::exists(path, ignored)) {
    return bad_request(fmt::format("{} exists; give the ledger another name", path.string()));
  }
  const SigningKey key = SigningKey::make();
  terms.id = random_identifier();
  terms.created = utc_now();
  terms.public_key = key.public_part();
  terms.format = kLedgerFormat;
  terms.made_by = kVersion;
  terms.signature = key.sign(hash_of(terms));
  if (const Result<void> saved = key.save(key_path(path)); !saved) {
    return error_of(saved);
  }
  if (const Result<void> made = SqliteLedger::create(path, terms); !made) {
    std::filesystem::remove(key_path(path), ignored);
    return error_of(made);
  }
  return open(path);
}

Result<Ledger> Ledger::on(std::unique_ptr<LedgerStore> store, std::optional<SigningKey> key,
                          std::filesystem::path key_file) {
  const Result<LedgerTerms> terms = store->terms();
  if (!terms) {
    return error_of(terms);
  }
  if (const Result<void> sound = check_terms(*terms); !sound) {
    return error_of(sound);
  }
  Ledger ledger;
  ledger.terms_ = *terms;
  ledger.store_ = std::move(store);
  ledger.key_ = std::move(key);
  ledger.key_file_ = std::move(key_file);
  return ledger;
}

Result<Ledger> Ledger::open(const std::filesystem::path& path, double wait_seconds) {
  return SqliteLedger::open(path, wait_seconds).and_then([&](std::unique_ptr<LedgerStore> store) {
    const Result<SigningKey> key = SigningKey::load(key_path(path));
    return on(std::move(store), key ? std::optional(*key) : std::nullopt, key_path(path));
  });
}

Result<LedgerState> Ledger::state() const {
  return store_->lines().and_then([&](std::vector<LedgerLine> lines) -> Result<LedgerState> {
    if (const Result<void> sound = check_lines(terms_, lines); !sound) {
      return error_of(sound);
    }
    return LedgerState{terms_, std::move(lines)};
  });
}

Result<void> Ledger::check_signer() const {
  if (!key_) {
    return SigningKey::load(key_file_).map([](const SigningKey&) {});
  }
  if (key_->public_part() != terms_.public_key) {
    return bad_request(fmt::format("{} is the key of another ledger", key_file_.string()));
  }
  return {};
}

LedgerLine Ledger::sealed(LedgerLine line, const std::vector<LedgerLine>& lines) const {
  line.index = static_cast<std::int64_t>(lines.size()) + 1;
  line.time = utc_now();
  line.previous = lines.empty() ? hash_of(terms_) : lines.back().hash;
  line.hash = hash_of(line);
  line.signature = key_->sign(line.hash);
  return line;
}

Result<std::optional<Reservation>> Ledger::known(const ReservationRequest& request) const {
  return state().and_then([&](const LedgerState& now) -> Result<std::optional<Reservation>> {
    const LedgerLine* first = line_with_key(now.lines, request.key);
    if (first == nullptr) {
      return std::nullopt;
    }
    return repeated(now.lines, *first, reservation_line(request, terms_))
        .map([](const Reservation& found) { return std::optional(found); });
  });
}

Result<Reservation> Ledger::reserve(const ReservationRequest& request) const {
  for (const auto& [text, what] : {std::pair(request.key, "{ledger_key}"),
                                   std::pair(request.data_set, "the name of the data set")}) {
    if (const Result<void> named = check_name(text, what); !named) {
      return error_of(named);
    }
  }
  if (const Result<void> signer = check_signer(); !signer) {
    return error_of(signer);
  }
  Reservation made;
  const Result<void> done = store_->append(
      [&](const std::vector<LedgerLine>& lines) -> Result<std::optional<LedgerLine>> {
        if (const Result<void> sound = check_lines(terms_, lines); !sound) {
          return error_of(sound);
        }
        LedgerLine line = reservation_line(request, terms_);
        if (const LedgerLine* first = line_with_key(lines, request.key)) {
          const Result<Reservation> known = repeated(lines, *first, line);
          if (!known) {
            return error_of(known);
          }
          made = *known;
          return std::nullopt;
        }
        const Result<Charge> charge = choose_charge(terms_, charges_in(lines), request.cost);
        if (!charge) {
          return error_of(charge);
        }
        line.charge = *charge;
        line = sealed(std::move(line), lines);
        made = {line.index, line.hash, line.charge,
                false,      {},        steps_reason(terms_, request.cost, line.charge.steps)};
        return line;
      });
  if (!done) {
    return error_of(done);
  }
  return made;
}

Result<void> Ledger::settle(std::int64_t reservation, const std::string& release) const {
  if (const Result<void> signer = check_signer(); !signer) {
    return signer;
  }
  return store_->append(
      [&](const std::vector<LedgerLine>& lines) -> Result<std::optional<LedgerLine>> {
        if (const Result<void> sound = check_lines(terms_, lines); !sound) {
          return error_of(sound);
        }
        const bool known =
            reservation >= 1 && reservation <= std::ssize(lines) &&
            lines[static_cast<std::size_t>(reservation - 1)].kind == EntryKind::Reserve;
        if (!known || settlement_of(lines, reservation) != nullptr) {
          return bad_request(
              "this release has no open reservation in the ledger; was the file replaced?");
        }
        LedgerLine line;
        line.kind = EntryKind::Settle;
        line.reservation = reservation;
        line.release = release;
        return sealed(std::move(line), lines);
      });
}

}  // namespace eigenveil
