#include "ledger/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

/// One charge an account, never less than the sum.
std::vector<Charge> merged(const std::vector<Charge>& charges) {
  const LedgerSpent spent = spent_by(charges);
  return {{Account::Gaussian, detail::root_up(detail::Wide(spent.square_mu)), 0.0, 0.0},
          {Account::Basic, 0.0, spent.epsilon, spent.delta, spent.draws}};
}

/// Those that fit one after the other, by position.
std::vector<std::size_t> that_fit(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                                  const std::vector<WantedRelease>& wanted,
                                  const std::vector<std::size_t>& order, std::string* lines) {
  std::vector<Charge> charges = earlier;
  std::vector<std::size_t> fitting;
  for (const std::size_t i : order) {
    const Result<Charge> charge = choose_charge(terms, charges, wanted[i].cost);
    if (charge) {
      charges.push_back(*charge);
      fitting.push_back(i);
    }
    if (lines != nullptr) {
      *lines +=
          charge
              ? fmt::format(
                    "  {:>3}  fits   {:<40} {:<16} {:>6.1f}%  left: {}\n", i + 1, wanted[i].label,
                    fmt::format("{}, {}", name_of(charge->account), in_words(*charge)),
                    100.0 * share_of(terms.caps, *charge), left_in_words(terms.caps, charges))
              : fmt::format("  {:>3}  NO     {:<40} {}\n", i + 1, wanted[i].label,
                            charge.error().message);
      if (charge && charge->steps > 1) {
        *lines +=
            fmt::format("              {}\n", steps_in_words(terms, wanted[i].cost, charge->steps));
      }
    }
  }
  return fitting;
}

std::string count_in_words(int count) {
  return count >= 100 ? "100 or more" : std::to_string(count);
}

std::string person_remedy(const LedgerTerms& terms) {
  return fmt::format("releases need {{person {}}} with {{rows_per_person N}}", terms.unit.person);
}

/// What the counts of the table suppose, and what cannot be charged at all.
std::string what_counts_in_words(const LedgerTerms& terms) {
  std::string text;
  if (!terms.unit.person.empty()) {
    text = fmt::format(
        "  {}; mask, subspace, bounds and scores cannot be charged to it: they limit no rows of a "
        "person\n",
        person_remedy(terms));
  }
  if (terms.relation == Relation::AddRemove && terms.unit.person.empty()) {
    text =
        "  mask and subspace cannot be charged to an add-remove ledger: their number of rows is "
        "public;\n  they need a ledger made with {neighbours replace-one} or {neighbours "
        "zero-row}\n";
  } else if (terms.relation != Relation::AddRemove) {
    text += fmt::format(
        "  counted for releases with {{neighbours {0}}}; pca, covariance and lowrank are "
        "add-remove where nothing is said and then count for 2 steps (epsilon 2 times, mu^2 4 "
        "times)\n",
        name_of(terms.relation));
  }
  if (terms.unit.rows > 1) {
    text += fmt::format("  and with {{group_size {0}}}, else for {0} times as many steps\n",
                        terms.unit.rows);
  }
  return text;
}

}  // namespace

std::string budget_in_words(const Budget& budget) {
  struct Words {
    std::string operator()(const PureDp& b) const { return fmt::format("epsilon {:g}", b.epsilon); }
    std::string operator()(const ApproxDp& b) const {
      return fmt::format("({:g}, {:g})", b.epsilon, b.delta);
    }
    std::string operator()(const Zcdp& b) const { return fmt::format("rho {:g}", b.rho); }
    std::string operator()(const GaussianDp& b) const { return fmt::format("mu {:g}", b.mu); }
  };
  return std::visit(Words{}, budget);
}

Result<ReleaseCost> typical_cost(const Budget& budget, bool spends_pair, Relation relation,
                                 int group_size) {
  ReleaseCost cost;
  cost.task = "release";
  cost.requested = budget;
  cost.guarantee.relation = relation;
  cost.guarantee.group_size = group_size;
  cost.guarantee.basis = Basis::Proved;
  cost.guarantee.secure_random = true;
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    cost.guarantee.loss = *pure;
    return cost;
  }
  if (const auto* pair = std::get_if<ApproxDp>(&budget); pair != nullptr && spends_pair) {
    cost.guarantee.loss = *pair;
    return cost;
  }
  return gaussian_budget(budget).map([&](const GaussianDp& mu) {
    cost.guarantee.loss = mu;
    return cost;
  });
}

int how_many_fit(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                 const ReleaseCost& cost, int limit) {
  std::vector<Charge> charges = merged(earlier);
  for (int count = 0; count < limit; ++count) {
    const Result<std::optional<Charge>> charge = fitting_charge(terms, charges, cost);
    if (!charge || !charge->has_value()) {
      return count;
    }
    charges.push_back(**charge);
    charges = merged(charges);
  }
  return limit;
}

std::string shares_table(const Budget& promise, const LedgerTerms& terms) {
  if (!std::holds_alternative<ApproxDp>(promise)) {
    return {};
  }
  struct Kind {
    std::string_view name;
    Budget budget;
    bool spends_pair = false;  // for replaced rows only
  };
  const Kind kinds[] = {{"gauss at (1, 1e-6)", ApproxDp{1.0, 1e-6}},
                        {"gauss at (0.3, 1e-7)", ApproxDp{0.3, 1e-7}},
                        {"pure epsilon 1", PureDp{1.0}},
                        {"pure epsilon 0.2", PureDp{0.2}},
                        {"subspace (0.3, 1e-7)", ApproxDp{0.3, 1e-7}, true}};
  // The last one limits no rows of a person, so it has no place where persons are protected.
  const std::span shown(kinds, std::size(kinds) - (terms.unit.person.empty() ? 0 : 1));
  std::string text = "  basic share      mu cap";
  for (const Kind& kind : shown) {
    text += fmt::format("  {:>20}", kind.name);
  }
  text += '\n';
  for (const double share : {0.0, 0.1, 0.25, 0.5, 1.0}) {
    LedgerTerms tried = terms;
    tried.caps = *caps_for(promise, share);
    text += fmt::format("  {:>11g}  {:>10.4g}", share, tried.caps.mu);
    for (const Kind& kind : shown) {
      const bool charged = !kind.spends_pair || terms.relation != Relation::AddRemove;
      Result<ReleaseCost> cost =
          typical_cost(kind.budget, kind.spends_pair, terms.relation, terms.unit.rows);
      if (cost) {
        cost->guarantee.person = terms.unit.person;
      }
      text += fmt::format("  {:>20}", !charged ? std::string("-")
                                      : cost   ? count_in_words(how_many_fit(tried, {}, *cost, 100))
                                               : std::string("0"));
    }
    text += '\n';
  }
  return text + what_counts_in_words(terms);
}

LedgerOutlook plan_in_words(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                            const std::vector<WantedRelease>& wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::string text = fmt::format("left now: {}\n", left_in_words(terms.caps, earlier));
  const std::size_t fitting = that_fit(terms, earlier, wanted, order, &text).size();
  if (fitting == wanted.size()) {
    return {text + fmt::format("{}; nothing was charged\n",
                               wanted.size() == 1
                                   ? "it fits"
                                   : fmt::format("all {} fit, in this order", wanted.size())),
            fitting, wanted.size()};
  }
  const auto share = [&](std::size_t i) {
    const Result<std::optional<Charge>> alone = fitting_charge(terms, earlier, wanted[i].cost);
    return alone && alone->has_value() ? share_of(terms.caps, **alone) : 2.0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return share(i) < share(j); });
  const std::vector<std::size_t> small_first = that_fit(terms, earlier, wanted, order, nullptr);
  text += fmt::format("{} of {} fit in this order", fitting, wanted.size());
  if (small_first.size() > fitting) {
    std::vector<std::string> numbers;
    for (const std::size_t i : small_first) {
      numbers.push_back(std::to_string(i + 1));
    }
    text += fmt::format("; {} would in the order {}", small_first.size(), fmt::join(numbers, ", "));
  }
  return {text + "; nothing was charged\n", fitting, wanted.size()};
}

}  // namespace eigenveil
