#include "ledger/outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

bool costs_a_pair(const std::string& method) {
  return method == "mask" || method == "subspace" || method == "spiked-robust";
}

/// One charge an account, never less than the sum.
std::vector<Charge> merged(const std::vector<Charge>& charges) {
  const LedgerSpent spent = spent_by(charges);
  return {{Account::Gaussian, detail::root_up(detail::Wide(spent.square_mu)), 0.0, 0.0},
          {Account::Basic, 0.0, spent.epsilon, spent.delta}};
}

using Json = nlohmann::json;

Result<Budget> budget_of(const Json& entry) {
  const auto number = [&](const char* name) { return entry.at(name).get<double>(); };
  if (entry.contains("epsilon") && entry.contains("delta")) {
    return check_budget(ApproxDp{number("epsilon"), number("delta")});
  }
  if (entry.contains("epsilon")) {
    return check_budget(PureDp{number("epsilon")});
  }
  if (entry.contains("rho")) {
    return check_budget(Zcdp{number("rho")});
  }
  if (entry.contains("mu")) {
    return check_budget(GaussianDp{number("mu")});
  }
  return bad_request("every release of the batch needs epsilon, epsilon and delta, rho or mu");
}

constexpr std::string_view kKnownKeys[] = {"task", "method",     "epsilon",    "delta", "rho",
                                           "mu",   "neighbours", "group_size", "count", "name"};

Result<void> check_keys(const Json& entry) {
  if (!entry.is_object()) {
    return bad_request("the batch is a JSON list of releases, each an object");
  }
  for (const auto& item : entry.items()) {
    if (std::find(std::begin(kKnownKeys), std::end(kKnownKeys), item.key()) ==
        std::end(kKnownKeys)) {
      return bad_request(fmt::format("'{}' is not known in a batch; a release has {}", item.key(),
                                     fmt::join(kKnownKeys, ", ")));
    }
  }
  return {};
}

Result<WantedRelease> wanted_release(const Json& entry, const LedgerTerms& terms) {
  if (const Result<void> known = check_keys(entry); !known) {
    return error_of(known);
  }
  const Result<Budget> budget = budget_of(entry);
  const Result<Relation> relation =
      parse_relation(entry.value("neighbours", std::string(name_of(terms.relation))));
  if (!budget) {
    return error_of(budget);
  }
  if (!relation) {
    return error_of(relation);
  }
  const std::string method = entry.value(
      "method", std::holds_alternative<PureDp>(*budget) ? std::string("laplace") : "gauss");
  return typical_cost(method, *budget, *relation, entry.value("group_size", terms.unit.rows))
      .map([&](ReleaseCost cost) {
        cost.task = entry.value("task", std::string("release"));
        cost.guarantee.person = terms.unit.person;
        const std::string name = entry.value("name", fmt::format("{} by {}", cost.task, method));
        return WantedRelease{fmt::format("{} at {}", name, budget_in_words(*budget)), cost};
      });
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
    }
  }
  return fitting;
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

Result<ReleaseCost> typical_cost(const std::string& method, const Budget& budget, Relation relation,
                                 int group_size) {
  ReleaseCost cost;
  cost.task = "release";
  cost.method = method;
  cost.requested = budget;
  cost.guarantee.relation = relation;
  cost.guarantee.group_size = group_size;
  cost.guarantee.basis = method == "sharp"    ? Basis::Asymptotic
                         : method == "spiked" ? Basis::ModelProbability
                                              : Basis::Proved;
  cost.guarantee.secure_random = true;
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    cost.guarantee.loss = *pure;
    return cost;
  }
  if (const auto* pair = std::get_if<ApproxDp>(&budget); pair != nullptr && costs_a_pair(method)) {
    cost.guarantee.loss = *pair;
    return cost;
  }
  if (const auto* rho = std::get_if<Zcdp>(&budget); rho != nullptr && method == "exponential") {
    cost.guarantee.loss = *rho;
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
    std::string method;
    Budget budget;
  };
  const Kind kinds[] = {{"gauss at (1, 1e-6)", "gauss", ApproxDp{1.0, 1e-6}},
                        {"gauss at (0.3, 1e-7)", "gauss", ApproxDp{0.3, 1e-7}},
                        {"pure epsilon 1", "laplace", PureDp{1.0}},
                        {"pure epsilon 0.2", "laplace", PureDp{0.2}},
                        {"mask at (0.3, 1e-7)", "mask", ApproxDp{0.3, 1e-7}}};
  std::string text = "  basic share      mu cap";
  for (const Kind& kind : kinds) {
    text += fmt::format("  {:>20}", kind.name);
  }
  text += '\n';
  for (const double share : {0.0, 0.1, 0.25, 0.5, 1.0}) {
    LedgerTerms tried = terms;
    tried.caps = *caps_for(promise, share);
    text += fmt::format("  {:>11g}  {:>10.4g}", share, tried.caps.mu);
    for (const Kind& kind : kinds) {
      const Result<ReleaseCost> cost =
          typical_cost(kind.method, kind.budget, terms.relation, terms.unit.rows);
      text += fmt::format("  {:>20}", cost ? how_many_fit(tried, {}, *cost, 100) : 0);
    }
    text += '\n';
  }
  return text;
}

Result<std::vector<WantedRelease>> wanted_releases(std::string_view text,
                                                   const LedgerTerms& terms) {
  constexpr int kMost = 1000;
  try {
    const Json batch = Json::parse(text);
    std::vector<WantedRelease> wanted;
    if (!batch.is_array()) {
      return bad_request("the batch is a JSON list of releases, each an object");
    }
    for (const Json& entry : batch) {
      const Result<WantedRelease> one = wanted_release(entry, terms);
      if (!one) {
        return error_of(one);
      }
      const int count = entry.value("count", 1);
      if (count < 1 || std::ssize(wanted) + count > kMost) {
        return bad_request(fmt::format("a batch has 1 to {} releases", kMost));
      }
      wanted.insert(wanted.end(), static_cast<std::size_t>(count), *one);
    }
    return wanted;
  } catch (const Json::exception&) {  // its text is about bytes
    return bad_request("the batch is not JSON of the expected form");
  }
}

std::string plan_in_words(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                          const std::vector<WantedRelease>& wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::string text = fmt::format("left now: {}\n", left_in_words(terms.caps, earlier));
  const std::size_t fitting = that_fit(terms, earlier, wanted, order, &text).size();
  if (fitting == wanted.size()) {
    return text + "all of them fit, in this order; nothing was charged\n";
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
  return text + "; nothing was charged\n";
}

}  // namespace eigenveil
