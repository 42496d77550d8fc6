#include "ledger/entry.hpp"

#include <fmt/format.h>

#include "eigenveil/core/digest.hpp"

namespace eigenveil {
namespace {

/// Fields in a fixed order, each as "length:text".
class FieldHash {
 public:
  FieldHash& add(std::string_view text) {
    hash_.update(fmt::format("{}:", text.size()));
    hash_.update(text);
    return *this;
  }
  FieldHash& add(std::int64_t number) { return add(std::to_string(number)); }
  FieldHash& add(double number) { return add(fmt::format("{:a}", number)); }  // exact
  std::string finish() { return hex(hash_.finish()); }

 private:
  Sha256 hash_;
};

struct NumbersOf {
  std::vector<double> operator()(const PureDp& loss) const { return {loss.epsilon}; }
  std::vector<double> operator()(const ApproxDp& loss) const { return {loss.epsilon, loss.delta}; }
  std::vector<double> operator()(const Zcdp& loss) const { return {loss.rho}; }
  std::vector<double> operator()(const GaussianDp& loss) const { return {loss.mu}; }
  std::vector<double> operator()(const RenyiCurve& loss) const { return loss.divergences; }
  std::vector<double> operator()(const TradeOffCurve& loss) const { return loss.type_two; }
};

std::vector<double> numbers_of(const Loss& promise) {
  return std::visit(NumbersOf{}, promise);
}

tl::unexpected<Error> broken(std::int64_t index, std::string_view how) {
  return bad_request(fmt::format(
      "entry {} of the ledger {}: the file was changed by something other than this program", index,
      how));
}

/// Fields that a line of its kind does not use, and its hash does not cover, are empty.
bool has_own_fields_alone(const LedgerLine& line) {
  if (line.kind == EntryKind::Reserve) {
    return line.reservation == 0 && line.release.empty();
  }
  const Charge& charge = line.charge;
  return line.key.empty() && line.request.empty() && line.data_set.empty() && line.task.empty() &&
         line.method.empty() && line.assumptions.empty() && line.builds_on.empty() &&
         line.basis == Basis::Proved && charge.account == Charge{}.account && charge.mu == 0.0 &&
         charge.epsilon == 0.0 && charge.delta == 0.0 && charge.draws == 0.0 && charge.steps == 1;
}

/// The first entry bears the hash of the terms.
tl::unexpected<Error> other_terms(const LedgerTerms& terms) {
  if (terms.format >= 3) {
    return broken(1, "does not follow the ledger's terms");
  }
  return bad_request(fmt::format(
      "entry 1 of the ledger does not follow its terms (format {}, made {}): the file was changed, "
      "or it was made by a version of Eigenveil before 0.2.0 was finished, which hashed terms in "
      "another way; use the program that made it, or make a new ledger",
      terms.format, terms.created));
}

}  // namespace

std::string hash_of(const LedgerLine& line) {
  FieldHash hash;
  // Draws and steps came later: a line without them is hashed as it always was.
  const bool plain = line.charge.draws == 0.0 && line.charge.steps == 1;
  hash.add(plain ? "eigenveil ledger entry 1" : "eigenveil ledger entry 2").add(line.index);
  hash.add(line.kind == EntryKind::Reserve ? "reserve" : "settle");
  hash.add(line.time).add(line.previous);
  if (line.kind == EntryKind::Settle) {
    return hash.add(line.reservation).add(line.release).finish();
  }
  hash.add(line.key).add(line.request).add(line.data_set).add(line.task).add(line.method);
  hash.add(name_of(line.charge.account)).add(line.charge.mu);
  hash.add(line.charge.epsilon).add(line.charge.delta);
  if (!plain) {
    hash.add(line.charge.draws).add(std::int64_t{line.charge.steps});
  }
  return hash.add(name_of(line.basis)).add(line.assumptions).add(line.builds_on).finish();
}

std::string hash_of(const LedgerTerms& terms) {
  FieldHash hash;
  const bool sealed = terms.format >= 3;
  hash.add(sealed ? "eigenveil ledger terms 3" : "eigenveil ledger terms 2");
  hash.add(terms.id).add(terms.name);
  hash.add(name_of(terms.relation)).add(std::int64_t{terms.unit.rows}).add(terms.unit.person);
  hash.add(terms.caps.mu).add(terms.caps.epsilon).add(terms.caps.delta);
  hash.add(std::int64_t{terms.allow_unproved ? 1 : 0}).add(terms.created).add(terms.public_key);
  // Numbers, not words, which a later version may put better.
  hash.add(static_cast<std::int64_t>(terms.promise.index()));
  for (const double number : numbers_of(terms.promise)) {
    hash.add(number);
  }
  if (sealed) {
    hash.add(terms.caps.draws).add(terms.made_by);
  }
  return hash.finish();
}

Result<void> check_chain(const LedgerTerms& terms, const std::vector<LedgerLine>& lines) {
  std::string previous = hash_of(terms);
  std::int64_t index = 0;
  for (const LedgerLine& line : lines) {
    ++index;
    if (line.index != index) {
      return broken(index, "is missing");
    }
    if (line.previous != previous) {
      return index == 1 ? other_terms(terms) : broken(index, "does not follow the one before it");
    }
    if (line.hash != hash_of(line) || !has_own_fields_alone(line)) {
      return broken(index, "is not what was written");
    }
    previous = line.hash;
  }
  return {};
}

std::vector<Charge> charges_in(const std::vector<LedgerLine>& lines) {
  std::vector<Charge> charges;
  for (const LedgerLine& line : lines) {
    if (line.kind == EntryKind::Reserve) {
      charges.push_back(line.charge);
    }
  }
  return charges;
}

}  // namespace eigenveil
