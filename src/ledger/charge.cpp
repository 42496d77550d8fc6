#include "ledger/charge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

tl::unexpected<Error> other_relation(Relation ledger, Relation release) {
  const std::string_view reason =
      ledger == Relation::AddRemove
          ? "such a release says nothing about the number of rows"
          : "no number of such steps leads from one table to its neighbour";
  return bad_request(fmt::format(
      "the ledger protects against {}; a release for {} cannot be charged to it: {} (give "
      "{{neighbours {}}} where the method has it; mask and subspace need a ledger made with "
      "{{neighbours replace-one}} or {{neighbours zero-row}})",
      describe(ledger), describe(release), reason, name_of(ledger)));
}

/// Steps of `release` between two tables that differ as `ledger` says, for one row.
Result<int> row_steps(Relation ledger, Relation release) {
  const bool known = ledger == Relation::AddRemove || ledger == Relation::ReplaceOne ||
                     ledger == Relation::ZeroRow;
  if (known && ledger == release) {
    return 1;
  }
  if (ledger == Relation::ReplaceOne &&
      (release == Relation::AddRemove || release == Relation::ZeroRow)) {
    return 2;  // out and in again, or through the zero row
  }
  if (ledger == Relation::ZeroRow && release == Relation::ReplaceOne) {
    return 1;  // the zero row is a row
  }
  if (ledger == Relation::ZeroRow && release == Relation::AddRemove) {
    return 2;
  }
  return other_relation(ledger, release);
}

Result<void> check_proved(const LedgerTerms& terms, const ReleaseCost& cost) {
  if (terms.allow_unproved || is_proved(cost)) {
    return {};
  }
  if (cost.seeded) {
    return bad_request(
        "a release with {seed} is not private, so the ledger's promise would end with it; leave "
        "{seed} out, or make a ledger with {allow_unproved}");
  }
  return bad_request(fmt::format(
      "method {} is not proved for every data set ({}), so the ledger's promise would end with "
      "it; choose another method, or make a ledger with {{allow_unproved}}",
      cost.method, describe(cost.guarantee.basis)));
}

/// The pair that takes the smallest share of the basic account, to a millionth; a share of at least
/// 1 never fits. Each candidate is a pair that the loss implies, so where the search ends is free.
Result<Charge> smallest_share(const Loss& loss, const LedgerCaps& caps) {
  const auto at = [&](double share) {
    const double delta = share * caps.delta;
    return Charge{Account::Basic, 0.0, epsilon_at(loss, delta), delta};
  };
  double low = 1e-9;
  double high = 1.0;
  Charge found = at(high);
  for (int i = 0; i < 24 && found.epsilon <= high * caps.epsilon; ++i) {
    const double middle = std::sqrt(low * high);
    const Charge candidate = at(middle);
    const bool passes = candidate.epsilon <= middle * caps.epsilon;
    (passes ? high : low) = middle;
    found = passes ? candidate : found;
  }
  return found;
}

/// What a decimal may be charged that is a little more than itself as a double: k times the charge
/// of c never exceeds the double of k c (docs/proofs/ledger.md, "Decimals").
double less_margin(double epsilon) {
  return detail::round_up(detail::Wide(epsilon) * (1 - ldexp(detail::Wide(1), -51)));
}

/// Every way to charge a loss that already speaks of the ledger's neighbours.
struct ChargeLoss {
  const LedgerCaps& caps;
  bool has_margin = false;

  Result<std::vector<Charge>> operator()(const PureDp& loss) const {
    std::vector<Charge> ways;
    if (caps.has_basic()) {
      ways.push_back({Account::Basic, 0.0, has_margin ? less_margin(loss.epsilon) : loss.epsilon});
    }
    if (const double mu = pure_gdp(loss.epsilon).mu; caps.has_gaussian() && std::isfinite(mu)) {
      ways.push_back({Account::Gaussian, mu, 0.0, 0.0});
    }
    return ways;
  }
  Result<std::vector<Charge>> operator()(const GaussianDp& loss) const {
    if (caps.has_gaussian()) {
      return std::vector<Charge>{{Account::Gaussian, loss.mu, 0.0, 0.0}};
    }
    return from_curve(loss);
  }
  Result<std::vector<Charge>> operator()(const ApproxDp& loss) const {
    if (loss.delta == 0.0) {
      return (*this)(PureDp{loss.epsilon});
    }
    if (const Result<void> open = check_basic(); !open) {
      return error_of(open);
    }
    return std::vector<Charge>{{Account::Basic, 0.0, loss.epsilon, loss.delta}};
  }
  Result<std::vector<Charge>> operator()(const Zcdp& loss) const { return from_curve(loss); }
  Result<std::vector<Charge>> operator()(const RenyiCurve& loss) const { return from_curve(loss); }
  Result<std::vector<Charge>> operator()(const TradeOffCurve& loss) const {
    return from_curve(loss);
  }

 private:
  Result<void> check_basic() const {
    if (caps.has_basic() && caps.delta > 0.0) {
      return {};
    }
    return bad_request(
        caps.has_basic()
            ? "the ledger promises pure epsilon, and this release needs a delta; choose a purely "
              "private method, or make a ledger with {epsilon} and {delta}"
            : "the ledger has a gaussian account alone, and this release costs an (epsilon, "
              "delta); make a ledger with {epsilon} and {delta}");
  }
  Result<std::vector<Charge>> from_curve(const Loss& loss) const {
    if (const Result<void> open = check_basic(); !open) {
      return error_of(open);
    }
    return smallest_share(loss, caps).map([](const Charge& charge) {
      return std::vector<Charge>{charge};
    });
  }
};

/// What a draw in doubles takes of its cap (docs/proofs/ledger.md, "Draws in doubles"): beside an
/// epsilon that is charged, that epsilon; beside a mu, the epsilon of the whole promise; where the
/// promise is a mu, the error itself.
double draws_of(const LedgerTerms& terms, const ReleaseCost& cost, const Charge& charge) {
  if (charge.account == Account::Basic) {
    return draw_delta(cost.draw_error, charge.epsilon);
  }
  if (const auto* pair = std::get_if<ApproxDp>(&terms.promise)) {
    return draw_delta(cost.draw_error, pair->epsilon);
  }
  return cost.draw_error;
}

/// The loss that is charged: a curve stands for the pair it was asked for, where it implies it.
Loss charged_loss(const ReleaseCost& cost, const LedgerCaps& caps) {
  const Loss& loss = cost.guarantee.loss;
  const auto* pair = std::get_if<ApproxDp>(&cost.requested);
  const bool curve = std::holds_alternative<TradeOffCurve>(loss) ||
                     std::holds_alternative<RenyiCurve>(loss) ||
                     std::holds_alternative<Zcdp>(loss) ||
                     (std::holds_alternative<GaussianDp>(loss) && !caps.has_gaussian());
  if (curve && pair != nullptr && delta_at(loss, pair->epsilon) <= pair->delta) {
    return *pair;
  }
  return loss;
}

}  // namespace

std::string_view name_of(Account account) {
  return account == Account::Gaussian ? "gaussian" : "basic";
}

Result<Account> parse_account(std::string_view name) {
  if (name == "gaussian" || name == "basic") {
    return name == "gaussian" ? Account::Gaussian : Account::Basic;
  }
  return bad_request("the ledger names an account this version does not know");
}

std::string in_words(const Charge& charge) {
  const std::string steps =
      charge.steps > 1 ? fmt::format(" for {} steps", charge.steps) : std::string();
  if (charge.account == Account::Gaussian) {
    return fmt::format("mu {:.6g}{}", charge.mu, steps);
  }
  return (charge.delta > 0.0 ? fmt::format("({:.6g}, {:.3g})", charge.epsilon, charge.delta)
                             : fmt::format("epsilon {:.6g}", charge.epsilon)) +
         steps;
}

std::string steps_reason(const LedgerTerms& terms, const ReleaseCost& cost, int steps) {
  if (steps <= 1) {
    return {};
  }
  const Guarantee& release = cost.guarantee;
  std::string reason;
  if (terms.relation != release.relation) {
    reason = terms.unit.person.empty()
                 ? fmt::format("the ledger protects against {} and this release against {}",
                               describe(terms.relation), describe(release.relation))
                 : fmt::format("the ledger protects a person by {} and this release by {}",
                               name_of(terms.relation), name_of(release.relation));
  }
  if (terms.unit.person.empty() && terms.unit.rows > release.group_size) {
    reason += fmt::format("{}the ledger protects {} rows together and this release {}",
                          reason.empty() ? "" : ", and ", terms.unit.rows, release.group_size);
  }
  return fmt::format(
      "counted for {0} steps, because {1} (mu and epsilon {0} times, mu^2 {2} times)", steps,
      reason, std::int64_t{steps} * steps);
}

std::string steps_in_words(const LedgerTerms& terms, const ReleaseCost& cost, int steps) {
  if (steps <= 1) {
    return {};
  }
  std::string remedy;
  if (terms.relation != cost.guarantee.relation) {
    remedy = fmt::format("{{neighbours {}}}", name_of(terms.relation));
  }
  if (terms.unit.person.empty() && terms.unit.rows > cost.guarantee.group_size) {
    remedy += fmt::format("{}{{group_size {}}}", remedy.empty() ? "" : " ", terms.unit.rows);
  }
  return fmt::format("{}; {} is counted once, where the method has it",
                     steps_reason(terms, cost, steps), remedy);
}

bool is_proved(const ReleaseCost& cost) {
  return !cost.seeded && (cost.guarantee.basis == Basis::Proved ||
                          cost.guarantee.basis == Basis::ProvedRealArithmetic);
}

Result<int> steps_between(const LedgerTerms& terms, const ReleaseCost& cost) {
  const Result<int> steps = row_steps(terms.relation, cost.guarantee.relation);
  if (!steps) {
    return steps;
  }
  if (terms.unit.person != cost.guarantee.person) {
    return bad_request(
        terms.unit.person.empty()
            ? fmt::format("the ledger protects rows, and this release protects whoever has the "
                          "same {}; make a ledger for persons",
                          cost.guarantee.person)
            : fmt::format("the ledger protects persons by column {0}; it takes only releases that "
                          "limit the rows of one person by that column: give {{person {0}}} and "
                          "{{rows_per_person N}}",
                          terms.unit.person));
  }
  // In 64 bits: sizes of groups are whatever somebody typed.
  const std::int64_t size = std::max(1, cost.guarantee.group_size);
  const std::int64_t groups =
      terms.unit.person.empty() ? (std::int64_t{terms.unit.rows} + size - 1) / size : 1;
  if (*steps * groups > std::numeric_limits<int>::max()) {
    return bad_request("the ledger's groups are too large to be reached by steps of this release");
  }
  return static_cast<int>(*steps * groups);
}

Result<std::vector<Charge>> charges_of(const LedgerTerms& terms, const ReleaseCost& cost) {
  if (const Result<void> proved = check_proved(terms, cost); !proved) {
    return error_of(proved);
  }
  const Result<int> steps = steps_between(terms, cost);
  if (!steps) {
    return error_of(steps);
  }
  std::vector<Loss> losses = {charged_loss(cost, terms.caps)};
  losses.insert(losses.end(), cost.further.begin(), cost.further.end());
  std::vector<Charge> ways;
  std::optional<Error> refusal;
  for (const Loss& loss : losses) {
    const Result<std::vector<Charge>> own = group_loss(loss, *steps).and_then([&](const Loss& all) {
      return std::visit(ChargeLoss{terms.caps, cost.has_margin}, all);
    });
    if (own) {
      ways.insert(ways.end(), own->begin(), own->end());
    } else if (!refusal) {
      refusal = own.error();
    }
  }
  for (Charge& way : ways) {
    way.steps = *steps;
    way.draws = draws_of(terms, cost, way);
  }
  if (ways.empty() && refusal) {
    return tl::unexpected(*refusal);
  }
  return ways;
}

}  // namespace eigenveil
