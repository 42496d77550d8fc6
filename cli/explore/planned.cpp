#include "cli/explore/planned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/explore/kept.hpp"
#include "cli/explore/slopes.hpp"
#include "core/number_text.hpp"
#include "core/outward.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "engine/release_cost.hpp"
#include "ledger/totals.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil::cli {
namespace {

double weight_error(double error_f2, Eigen::Index dimension, Eigen::Index components) {
  return kNinetyFive * std::sqrt(error_f2 / (2.0 * static_cast<double>(dimension * components)));
}

/// What is shown and copied is the number that is spent.
double two_digits(double value) {
  return finite_number(fmt::format("{:.2g}", value)).value_or(value);
}

Result<void> plan_with(Planned& plan, Eigen::Index components) {
  plan.components = components;
  plan.request = request_of(plan.question, components);
  Result<PlanFacts> facts = outlook(plan.request, plan.table);
  if (!facts) {
    return error_of(facts);
  }
  plan.facts = *std::move(facts);
  plan.numbers = nlohmann::ordered_json::parse(for_command_line(plan.facts.json));  // as printed
  return {};
}

/// Noise of one entry of the second moment against the assumed variance of a column.
std::optional<double> entry_accuracy(const Planned& plan) {
  const double variance = plan.question.spread * plan.question.spread;
  if (plan.question.task == Task::Covariance) {
    const std::optional<double> sd = plan.number("noise_sd_off_diagonal");
    return sd ? std::optional(kNinetyFive * *sd / variance) : std::nullopt;
  }
  const auto people = static_cast<double>(plan.table.rows);
  const bool rotated = entry_noise_of(plan.method) == NoiseOnEntries::None;
  const std::optional<double> sd =
      plan.number(rotated ? "gram_noise_sd_mask" : "gram_noise_sd_gauss");
  if (!sd) {
    return std::nullopt;
  }
  // The rows' own part in the rotated noise: 2 sigma |x_j|.
  const double cross =
      rotated ? 2.0 * plan.number("sigma").value_or(0.0) * std::sqrt(people * variance) : 0.0;
  return kNinetyFive * std::hypot(*sd, cross) / (people * variance);
}

/// By the rule of the release: the most components of which each would exceed its limit.
Eigen::Index above(const Planned& plan) {
  const std::optional<double> told = plan.number("predicted_components");
  const Eigen::Index hoped = plan.question.hoped;
  return told ? std::min(hoped, static_cast<Eigen::Index>(*told)) : hoped;
}

/// No two subspaces of so many columns are further apart than by chance; all columns span one.
bool is_chance(double error_f2, Eigen::Index components, Eigen::Index columns) {
  const auto k = static_cast<double>(components);
  const auto p = static_cast<double>(columns);
  return k < p && error_f2 >= 2.0 * k * (1.0 - k / p);
}

}  // namespace

std::optional<double> Planned::number(const char* key) const {
  const auto found = numbers.find(key);
  return found != numbers.end() && found->is_number() ? std::optional(found->get<double>())
                                                      : std::nullopt;
}

std::optional<double> Planned::accuracy() const {
  if (!question.response.empty()) {
    const std::optional<Slopes> slopes = slopes_of(*this);
    return slopes ? std::optional(slopes->noise.maxCoeff()) : std::nullopt;
  }
  if (question.task == Task::Covariance || question.task == Task::Mask) {
    return entry_accuracy(*this);
  }
  return steady_error ? std::optional(weight_error(*steady_error, table.spectrum.size(), steady))
                      : std::nullopt;
}

std::string_view Planned::accuracy_of() const {
  return !question.response.empty()          ? "slope"
         : question.task == Task::Covariance ? "correlation"
         : question.task == Task::Mask       ? "variance"
                                             : "weight";
}

bool Planned::chance() const {
  if (!question.response.empty()) {
    const std::optional<Slopes> slopes = slopes_of(*this);
    return slopes && slopes->hidden;
  }
  if (question.task == Task::Covariance || question.task == Task::Mask) {
    return accuracy().value_or(0.0) >= 1.0;  // every correlation is within 1, and says nothing
  }
  return steady_error && is_chance(*steady_error, steady, table.spectrum.size());
}

Eigen::Index Planned::readable() const {
  return question.task == Task::Components
             ? std::min(steady, std::max<Eigen::Index>(1, above_noise))
             : steady;
}

std::optional<double> Planned::readable_accuracy() const {
  if (readable() == steady) {
    return accuracy();
  }
  const std::optional<double> error = number("predicted_error_f2");
  return error ? std::optional(weight_error(*error, table.spectrum.size(), readable()))
               : std::nullopt;
}

bool Planned::readable_chance() const {
  if (readable() == steady) {
    return chance();
  }
  const std::optional<double> error = number("predicted_error_f2");
  return error && is_chance(*error, readable(), table.spectrum.size());
}

double Planned::readable_sampling() const {
  if (readable() == steady) {
    return sampling_accuracy();
  }
  const double error = sampling_error(table.spectrum, readable(), static_cast<double>(table.rows));
  return weight_error(error, table.spectrum.size(), readable());
}

double Planned::sampling_accuracy() const {
  if (!question.response.empty()) {
    const std::optional<Slopes> slopes = slopes_of(*this);
    return slopes ? slopes->sampling.maxCoeff() : 0.0;
  }
  const auto people = static_cast<double>(table.rows);
  if (question.task == Task::Covariance) {
    return kNinetyFive / std::sqrt(people);
  }
  if (question.task == Task::Mask) {
    return kNinetyFive * std::sqrt(2.0 / people);
  }
  const double error = sampling_error(table.spectrum, steady, people);
  return weight_error(error, table.spectrum.size(), steady);
}

double Planned::power() const {
  for (const auto& [key, value] : numbers.items()) {
    if (key.starts_with("max_power_at_5pct") && value.is_number()) {
      return value.get<double>();
    }
  }
  return facts.guarantee ? stated_power(*facts.guarantee).power : 1.0;
}

double Planned::joint_power() const {
  if (!(question.map_epsilon > 0.0) || !facts.guarantee) {
    return power();
  }
  Guarantee both = *facts.guarantee;
  const auto* gaussian = std::get_if<GaussianDp>(&both.loss);
  if (gaussian != nullptr) {  // what the counts may show is at most that of a Gaussian release
    both.loss = GaussianDp{up(std::hypot(gaussian->mu, pure_gdp(question.map_epsilon).mu))};
  } else if (Result<Loss> loss = compose_losses({both.loss, PureDp{question.map_epsilon}})) {
    both.loss = *std::move(loss);
  } else {
    return 1.0;
  }
  return std::max(power(), stated_power(both).power);
}

namespace {

/// All that a plan depends on.
std::string key_of(const Question& question, const ExploreSource& source) {
  std::string key = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {}\n", name_of(question.task), question.method,
      question.epsilon, question.delta, name_of(question.relation), question.people, question.hoped,
      question.components, question.spread, question.shape, question.standardize);
  if (question.range) {
    key += fmt::format("{}:{}\n", question.range->low, question.range->high);
  }
  for (const NamedRange& range : source.bounds) {
    key += fmt::format("{}\t{}:{}\n", range.column, range.range.low, range.range.high);
  }
  for (const std::string& column : question.columns) {
    key += column + "\n";
  }
  return key;
}

Result<Planned> planned_anew(const Question& question, const ExploreSource& source);

}  // namespace

Result<Planned> planned(const Question& question, const ExploreSource& source) {
  static Kept<Planned> kept;
  const std::string key = key_of(question, source);
  if (std::optional<Planned> found = kept.find(key)) {
    found->question = question;  // what no plan depends on may differ
    return *std::move(found);
  }
  Result<Planned> made = planned_anew(question, source);
  if (made) {
    kept.keep(key, *made);
  }
  return made;
}

namespace {

Result<Planned> planned_anew(const Question& question, const ExploreSource& source) {
  Result<AssumedTable> table = assumed_table_of(question, source);
  if (!table) {
    return error_of(table);
  }
  Planned plan;
  plan.question = question;
  plan.table = *std::move(table);
  const double half = common_half_range(question, source).value_or(1.0);
  plan.unit = question.standardize ? 1.0 : half * half;
  const Eigen::Index first = question.components > 0 ? question.components : question.hoped;
  if (const Result<void> made = plan_with(plan, first); !made) {
    return error_of(made);
  }
  plan.above_noise = above(plan);
  const Eigen::Index wanted =
      question.components > 0 ? question.components : std::max<Eigen::Index>(1, plan.above_noise);
  if (wanted != first && takes_rank(question.task)) {
    if (const Result<void> made = plan_with(plan, wanted); !made) {
      return error_of(made);
    }
  }
  constexpr Eigen::Index kSteady = 3;
  plan.steady = std::min(kSteady, question.hoped);
  if (question.task == Task::Components) {
    Planned other = plan;
    if (wanted == plan.steady || plan_with(other, plan.steady)) {
      plan.steady_error = other.number("predicted_error_f2");
    }
  }
  const Result<const Method*> method = choose_method(plan.request);
  plan.method = method ? (*method)->info().name : std::string();
  return plan;
}

}  // namespace

Result<Planned> planned_for(Question question, const ExploreSource& source,
                            const std::string& quantity, double value) {
  // Both fall like a power of the budget, so a few steps of the secant in logarithms do. Where a
  // component comes or goes the edge jumps: budgets that were too small and too large hold the
  // search together, and the nearest one stands.
  const auto reached = [&](const Planned& plan) {
    return quantity == "edge" ? plan.number("predicted_edge").value_or(0.0)
                              : plan.accuracy().value_or(0.0);
  };
  double slope = -1.0;
  double low = std::log(0.01);
  double high = std::log(50.0);
  double last_log = 0.0;
  double last_value = 0.0;
  Result<Planned> plan = planned(question, source);
  Result<Planned> nearest = plan;
  double least_off = HUGE_VAL;
  for (int step = 0; step < 8 && plan; ++step) {
    const double now = reached(*plan);
    if (!(now > 0.0) || !(value > 0.0)) {
      break;
    }
    const double off = std::log(now / value);
    if (std::abs(off) < least_off) {
      least_off = std::abs(off);
      nearest = plan;
    }
    if (least_off < 0.004) {
      break;
    }
    const double log_epsilon = std::log(question.epsilon);
    (off > 0.0 ? low : high) = log_epsilon;
    if (step > 0 && log_epsilon != last_log && now != last_value) {
      slope = std::clamp(std::log(now / last_value) / (log_epsilon - last_log), -2.0, -0.3);
    }
    last_log = log_epsilon;
    last_value = now;
    double next = log_epsilon - off / slope;
    if (next <= low || next >= high) {
      next = 0.5 * (low + high);
    }
    const double rounded = two_digits(std::exp(next));
    if (rounded == question.epsilon) {
      break;
    }
    question.epsilon = rounded;
    plan = planned(question, source);
  }
  return plan ? nearest : plan;
}

namespace {

/// What the release itself will be charged: by its plan, which needs no row.
Result<ReleaseCost> cost_before(const Planned& plan) {
  const Result<RowBound> bound = plan.table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  PublicFacts facts{plan.table.schema, *bound};
  if (plan.request.relation != Relation::AddRemove) {
    facts.rows = plan.table.rows;
  }
  return eigenveil::plan(plan.request, facts).map([](const std::unique_ptr<Plan>& made) {
    return cost_of(*made, false);
  });
}

/// The map as a release of its own.
ReleaseCost map_cost(const Planned& plan) {
  ReleaseCost cost;
  cost.task = "scores";
  cost.method = "histogram";
  cost.guarantee = plan.facts.guarantee.value_or(Guarantee());
  cost.guarantee.loss = PureDp{plan.question.map_epsilon};
  cost.guarantee.basis = Basis::Proved;
  cost.requested = PureDp{plan.question.map_epsilon};
  cost.has_margin = true;
  return cost;
}

/// The largest epsilon of this method that fits, three digits, rounded down; nothing where all up
/// to kLargestBudget do. It is the same whatever is on the screen now, so it is looked for once.
std::optional<double> limit_of(const Planned& shown, const LedgerState& state,
                               const ExploreSource& source, const std::vector<Charge>& earlier) {
  static Kept<double> kept;
  Question most = shown.question;
  most.epsilon = kLargestBudget;
  const std::string key =
      fmt::format("{} {} {}", state.lines.size(), most.map_epsilon, key_of(most, source));
  if (const std::optional<double> found = kept.find(key)) {
    return *found > 0.0 ? found : std::nullopt;
  }
  const auto cost_at = [&](double epsilon) {
    most.epsilon = epsilon;
    return planned(most, source).and_then(cost_before);
  };
  const auto fits = [&](double epsilon) {
    const Result<ReleaseCost> cost = cost_at(epsilon);
    const auto charge = cost ? fitting_charge(state.terms, earlier, *cost)
                             : Result<std::optional<Charge>>(std::nullopt);
    return charge && charge->has_value();
  };
  double limit = 0.0;
  const Result<ReleaseCost> largest = cost_at(kLargestBudget);
  if (largest && largest->draw_error == 0.0 && !fits(kLargestBudget)) {
    const std::optional<double> factor = largest_fitting(state.terms, earlier, *largest);
    const double exact = factor ? *factor * kLargestBudget : 0.0;
    if (exact > 0.0) {
      const double step = std::pow(10.0, std::floor(std::log10(exact)) - 2.0);
      const auto text = [&](double value) {
        return finite_number(fmt::format("{:.3g}", value)).value_or(0.0);
      };
      const double next = text(std::round(exact / step) * step);
      limit = fits(next) ? next : text(std::floor(exact / step) * step);
    }
  }
  kept.keep(key, limit);
  return limit > 0.0 ? std::optional(limit) : std::nullopt;
}

double spent_share(const LedgerCaps& caps, const LedgerSpent& spent, Account account) {
  const auto part = [](double taken, double cap) { return cap > 0.0 ? taken / cap : 0.0; };
  return account == Account::Gaussian
             ? part(spent.square_mu, caps.mu * caps.mu)
             : std::max(part(spent.epsilon, caps.epsilon), part(spent.delta, caps.delta));
}

}  // namespace

Result<LedgerView> ledger_view(const Planned& plan, const LedgerState& state,
                               const ExploreSource& source) {
  LedgerView view;
  view.state = state;
  const LedgerTerms& terms = state.terms;
  std::vector<Charge> earlier = charges_in(state.lines);
  const LedgerSpent spent = spent_by(earlier);
  std::vector<ReleaseCost> costs;
  if (plan.question.map_epsilon > 0.0) {
    costs.push_back(map_cost(plan));
  }
  const Result<ReleaseCost> known = cost_before(plan);
  if (!known) {
    view.fits = false;
    view.refusal = known.error().message;
    return view;
  }
  costs.push_back(*known);
  for (const Account account : {Account::Gaussian, Account::Basic}) {
    view.accounts.push_back({account, spent_share(terms.caps, spent, account)});
  }
  for (const ReleaseCost& cost : costs) {
    const bool press = &cost == &costs.back();
    if (press) {
      view.limit = limit_of(plan, state, source, earlier);
    }
    const Result<std::optional<Charge>> charge = fitting_charge(terms, earlier, cost);
    const Result<std::vector<Charge>> ways = charges_of(terms, cost);
    std::optional<Charge> taken;
    if (charge && *charge) {
      taken = **charge;
    } else if (ways && !ways->empty()) {
      taken = ways->front();
    }
    if (taken) {
      AccountView& account = view.accounts[taken->account == Account::Gaussian ? 0 : 1];
      const double share = share_of(terms.caps, *taken);
      account.now += share;
      (press ? view.press : view.map) = AccountView{taken->account, account.spent, share};
    }
    if (charge && *charge) {
      earlier.push_back(**charge);
      continue;
    }
    view.fits = false;
    view.other_promise = terms.relation != cost.guarantee.relation && !taken;
    view.refusal = view.limit && press
                       ? fmt::format("left are {}, which allows epsilon up to {}",
                                     left_in_words(terms.caps, earlier), *view.limit)
                       : choose_charge(terms, earlier, cost).error().message;
  }
  std::erase_if(view.accounts, [](const AccountView& account) {
    return account.spent == 0.0 && account.now == 0.0;
  });
  return view;
}

}  // namespace eigenveil::cli
