#include "cli/explore/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cli/explore/gate.hpp"
#include "cli/explore/page_words.hpp"
#include "cli/explore/planned.hpp"
#include "cli/explore/simulated.hpp"
#include "cli/explore/slopes.hpp"
#include "core/outside_json.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/engine/registry.hpp"
#include "engine/compare.hpp"
#include "engine/verdict.hpp"
#include "report/pictures.hpp"

namespace eigenveil::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownRows = 12;

/// How the question is looked at; nothing here changes a number of the plan.
struct Glance {
  double narrow = 460.0;
  double wide = 640.0;
  int component = 0;
  int release = 0;
  bool alarms = false;
  std::string search = {};
  std::string set = {};  ///< "accuracy" or "edge": the budget follows
  double value = 0.0;
};

Glance glance_of(std::string_view asked) {
  Glance glance;
  const nlohmann::json json = json_from_outside<nlohmann::json>(asked);
  if (json.is_discarded() || !json.is_object()) {
    return glance;
  }
  const auto number = [&](const char* key, double otherwise, double low, double high) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::clamp(found->get<double>(), low, high)
                                                     : otherwise;
  };
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  glance.narrow = number("narrow", 460.0, 150.0, 2000.0);
  glance.wide = number("wide", 640.0, 150.0, 2000.0);
  glance.component = static_cast<int>(number("component", 0, 0, 11));
  glance.release = static_cast<int>(number("release", 0, 0, 1000));
  glance.alarms = word("risk") == "alarms";
  glance.search = word("search");
  glance.set = word("set");
  glance.value = number("value", 0.0, 0.0, 1e12);
  return glance;
}

Result<Planned> plan_asked(std::string_view asked, const Glance& glance,
                           const ExploreSource& source) {
  return question_from_json(asked, source).and_then([&](const Question& question) {
    return glance.set.empty() ? planned(question, source)
                              : planned_for(question, source, glance.set, glance.value);
  });
}

int at_most_of_100(double share) {
  return std::min(100, static_cast<int>(std::ceil(100.0 * share - 1e-9)));
}

/// A person's risk as a picture, with its numbers; "at most" rounds up.
Json risk_of(const Planned& plan, const Glance& glance) {
  const double power = plan.joint_power();
  const int recognised = at_most_of_100(power);
  const int right = at_most_of_100(power / (power + 0.05));
  const int given = glance.alarms ? std::max(0, right - 50) : std::max(0, recognised - 5);
  const int chance = glance.alarms ? 50 : 5;
  return {{"power", power},        {"recognised", recognised},
          {"right_alarms", right}, {"given", given},
          {"chance", chance},      {"picture", people_picture(given, chance, glance.narrow)}};
}

/// Half width, 95%, of the sampling error of one weight (Gaussian rows, first order).
double sampling_reach(const Vector& spectrum, const Matrix& directions, Eigen::Index row,
                      Eigen::Index component, double people) {
  double variance = 0.0;
  for (Eigen::Index i = 0; i < spectrum.size(); ++i) {
    const double gap = spectrum[component] - spectrum[i];
    if (i != component && gap != 0.0) {
      variance +=
          spectrum[i] * spectrum[component] / (gap * gap) * directions(row, i) * directions(row, i);
    }
  }
  return 1.96 * std::sqrt(variance / people);
}

/// Two significant digits, as the page's script writes them.
std::string two_digit_text(double value) {
  std::string text = value < 99.5 ? fmt::format("{:#.2g}", value) : fmt::format("{:.0f}", value);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

/// Where 95 of 100 simulated releases put the variance of a component; of few, where all do.
std::optional<Reach> simulated_variance(const Simulated& simulated, Eigen::Index component) {
  std::vector<double> found;
  for (const Vector& variances : simulated.variances) {
    if (component < variances.size()) {
      found.push_back(variances[component]);
    }
  }
  if (found.size() < 2) {
    return std::nullopt;
  }
  std::sort(found.begin(), found.end());
  const auto out = static_cast<std::size_t>(0.025 * static_cast<double>(found.size()));
  return Reach{found[out], found[found.size() - 1 - out]};
}

std::string scree_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Vector& spectrum = plan.table.spectrum;
  const double unit = plan.unit;
  const std::optional<double> edge = plan.number("predicted_edge");
  const auto spread = [&](double variance) { return std::sqrt(std::max(0.0, variance * unit)); };
  ScreePicture picture;
  for (Eigen::Index j = 0; j < plan.question.hoped; ++j) {
    const double variance = spectrum[j];
    ScreeBar bar{.label = fmt::format("PC{}", j + 1),
                 .height = spread(variance),
                 .above_noise = j < plan.above_noise};
    if (const std::optional<Reach> reach = simulated_variance(simulated, j)) {
      bar.privacy = Reach{spread(reach->low), spread(reach->high)};
    }
    const double sampling = 1.96 * std::sqrt(2.0 / static_cast<double>(plan.table.rows)) * variance;
    bar.sampling = Reach{spread(variance - sampling), spread(variance + sampling)};
    const auto release = static_cast<std::size_t>(glance.release);
    if (release < simulated.variances.size() && j < simulated.variances[release].size()) {
      bar.ring = spread(simulated.variances[release][j]);
    }
    picture.bars.push_back(std::move(bar));
  }
  if (edge) {
    picture.floor = std::sqrt(*edge);
    picture.floor_words = "must exceed this";
  }
  // The scale stays while a slider moves: it follows the assumptions alone.
  picture.top = 1.15 * std::sqrt(spectrum[0] * unit);
  picture.axis =
      plan.question.standardize ? "spread, in shares of half a range" : "spread, in answer points";
  picture.words = edge
                      ? fmt::format(
                            "Spread of {} components against what each must exceed to be told from "
                            "noise: {} do",
                            plan.question.hoped, plan.above_noise)
                      : fmt::format("Spread of {} components; this method states no limit of noise",
                                    plan.question.hoped);
  picture.chosen = glance.component;
  picture.handle = edge.has_value();
  picture.width = glance.narrow;
  return scree_picture(picture);
}

/// Of the largest first chosen, then in the table's order; or those whose names were searched for.
std::vector<Eigen::Index> shown_rows(const std::vector<std::string>& names, const Vector& values,
                                     const std::string& search) {
  std::vector<Eigen::Index> rows(names.size());
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  if (!search.empty()) {
    std::erase_if(rows, [&](Eigen::Index row) {
      return names[static_cast<std::size_t>(row)].find(search) == std::string::npos;
    });
  } else {
    std::stable_sort(rows.begin(), rows.end(), [&](Eigen::Index a, Eigen::Index b) {
      return std::abs(values[a]) > std::abs(values[b]);
    });
  }
  rows.resize(std::min(rows.size(), kShownRows));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string weights_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Matrix& assumed = assumed_directions(plan.table.spectrum.size());
  const Vector weights = simulated.truth.col(glance.component);
  WeightsPicture picture;
  // The scale stays while a slider moves: it follows the assumptions alone.
  picture.full = std::clamp(1.25 * weights.cwiseAbs().maxCoeff(), 0.6, 1.0);
  for (const Eigen::Index row : shown_rows(plan.question.columns, weights, glance.search)) {
    WeightRow shown{.name = plan.question.columns[static_cast<std::size_t>(row)],
                    .weight = weights[row],
                    .sampling = sampling_reach(plan.table.spectrum, assumed, row, glance.component,
                                               static_cast<double>(plan.table.rows))};
    for (const Matrix& directions : simulated.directions) {
      shown.releases.push_back(assumed.row(row).dot(directions.col(glance.component)));
    }
    picture.rows.push_back(std::move(shown));
  }
  picture.ring = static_cast<std::size_t>(glance.release);
  picture.above_noise = glance.component < plan.above_noise;
  picture.words =
      fmt::format("Weights of {} columns in PC{}: assumed value, {} simulated releases",
                  picture.rows.size(), glance.component + 1, simulated.directions.size());
  picture.width = glance.wide;
  return weights_picture(picture);
}

/// Every slope of a regression where the assumptions put it, with what noise and sampling may make
/// of it.
std::string slopes_picture(const Slopes& slopes, const std::string& response,
                           const Glance& glance) {
  WeightsPicture picture;
  picture.full = 1.25 * (slopes.values.cwiseAbs() + slopes.sampling).maxCoeff();
  for (const Eigen::Index row : shown_rows(slopes.predictors, slopes.values, glance.search)) {
    picture.rows.push_back({.name = slopes.predictors[static_cast<std::size_t>(row)],
                            .weight = slopes.values[row],
                            .sampling = slopes.sampling[row],
                            .noise = slopes.noise[row]});
  }
  picture.above_noise = !slopes.hidden;
  picture.words = fmt::format(
      "Slopes of {} columns that explain {}: assumed value, privacy noise "
      "and sampling error",
      picture.rows.size(), response);
  picture.width = glance.wide;
  return weights_picture(picture);
}

/// How far the simulated releases put a weight of this component from the assumed one, 95%.
std::optional<double> simulated_reach(const Simulated& simulated, Eigen::Index component) {
  if (simulated.directions.empty()) {
    return std::nullopt;
  }
  double squares = 0.0;
  for (const Matrix& directions : simulated.directions) {
    squares +=
        (directions.col(component) - Vector::Unit(directions.rows(), component)).squaredNorm();
  }
  const auto entries = static_cast<double>(simulated.directions.front().rows()) *
                       static_cast<double>(simulated.directions.size());
  return 1.96 * std::sqrt(squares / entries);
}

/// Leading components whose weights can be read: noise moves one by less than half of what a weight
/// is when all columns count alike.
Eigen::Index read_components(const Planned& plan, const Simulated& simulated) {
  const auto columns = static_cast<double>(plan.table.spectrum.size());
  Eigen::Index read = 0;
  while (read < plan.above_noise &&
         simulated_reach(simulated, read).value_or(HUGE_VAL) < 0.5 / std::sqrt(columns)) {
    ++read;
  }
  return read;
}

Json maps_of(const Planned& plan, const Simulated& simulated, const Glance& glance) {
  const Vector& spectrum = plan.table.spectrum;
  if (spectrum.size() < 2 || plan.question.hoped < 2) {
    return nullptr;
  }
  const double width = std::max(120.0, 0.5 * (glance.wide - 24.0));
  const Matrix before = people_map(spectrum, Matrix::Identity(spectrum.size(), 2));
  const double full = before.maxCoeff();
  Json maps = {{"before", map_picture(before, 0.0, full, width,
                                      "Assumed people on the two assumed directions")}};
  const auto release = static_cast<std::size_t>(glance.release);
  if (release < simulated.directions.size()) {
    Matrix after = people_map(spectrum, simulated.directions[release]);
    const double agree = after.cwiseMin(before).sum() / std::max(1.0, before.sum());
    double hidden = 0.0;
    if (const double budget = plan.question.map_epsilon; budget > 0.0) {
      const auto people = static_cast<double>(plan.table.rows);
      const double scale =
          (plan.request.relation == Relation::ReplaceOne ? 2.0 : 1.0) / budget;  // two squares move
      add_map_noise(after, people, scale);
      // Noise alone passes three scales in one square of forty.
      hidden = 3.0 * scale * before.sum() / people;
    }
    maps["hidden"] = hidden;
    maps["full"] = full;
    maps["agree"] = agree;
    maps["after"] = map_picture(after, hidden, full, width,
                                "The same people on the two directions of a simulated release");
  }
  return maps;
}

/// A variance is off by a share of itself.
std::string plus_minus(const Planned& plan, double value) {
  return plan.question.task == Task::Mask ? fmt::format("±{}%", two_digit_text(100.0 * value))
                                          : fmt::format("±{}", two_digit_text(value));
}

/// What a blind guess errs by: a weight is then anything, 95 times in 100 within this.
double chance_error(const Planned& plan) {
  const auto columns = static_cast<double>(plan.question.columns.size());
  return plan.question.task == Task::Components ? std::min(1.0, kNinetyFive / std::sqrt(columns))
                                                : 1.0;
}

/// End of the scale of errors. It stays while a slider moves: no weight is further off than chance,
/// and sampling error can be seen. What is longer ends in an arrow.
double largest_drawn(const Planned& plan) {
  return std::min(chance_error(plan), 12.0 * plan.sampling_accuracy());
}

Json errors_of(const Planned& plan, const Glance& glance) {
  const std::optional<double> privacy = plan.readable_accuracy();
  if (!privacy) {
    return nullptr;
  }
  const double sampling = plan.readable_sampling();
  const double both = std::hypot(*privacy, sampling);
  const double full = largest_drawn(plan);
  const bool chance = plan.readable_chance();
  const auto said = [&](double value) {
    return plus_minus(plan, value) + (value > full ? " →" : "");
  };
  std::vector<ErrorLane> lanes = {
      {"Sampling error", sampling, said(sampling), "ev-dots"},
      {"Privacy noise", *privacy, chance ? "no better than chance" : said(*privacy), "ev-hatch"}};
  if (!chance) {
    lanes.push_back({"Both together", both, said(both), ""});
  }
  return {{"sampling", sampling},
          {"privacy", *privacy},
          {"both", both},
          {"full", full},
          {"least", 0.25 * plan.sampling_accuracy()},
          {"most", chance_error(plan)},
          {"chance", chance},
          {"components", plan.readable()},
          {"picture",
           errors_picture(lanes, full, glance.narrow,
                          fmt::format("Error of a {}: sampling {}, privacy noise {}, "
                                      "together {}",
                                      plan.accuracy_of(), plus_minus(plan, sampling),
                                      chance ? "no better than chance" : plus_minus(plan, *privacy),
                                      plus_minus(plan, both)))}};
}

std::string_view words_of(Account account) {
  return account == Account::Gaussian ? "Gaussian releases" : "other releases";
}

Json account_json(const std::optional<AccountView>& view) {
  return view ? Json{{"account", words_of(view->account)},
                     {"spent", view->spent},
                     {"now", view->now}}
              : Json(nullptr);
}

std::string_view what_is_charged(const LedgerView& view, Account account) {
  const bool press = view.press && view.press->account == account;
  const bool map = view.map && view.map->account == account;
  return press && map ? "this release and the map" : map ? "the map, after it" : "this release";
}

/// One bar per account: their shares are of different totals.
Json accounts_of(const LedgerView& view, const Glance& glance) {
  Json accounts = Json::array();
  for (const AccountView& account : view.accounts) {
    Json one = account_json(account);
    const bool full = account.spent + account.now > 1.0 + 1e-9;
    one["picture"] = ledger_picture({.spent = {account.spent},
                                     .now = account.now,
                                     .fits = view.fits || !full,
                                     .width = glance.wide,
                                     .now_words = what_is_charged(view, account.account)});
    accounts.push_back(std::move(one));
  }
  return accounts;
}

Result<Json> ledger_of(const Planned& plan, const ExploreSource& source, const Glance& glance) {
  if (source.ledger.empty()) {
    return Json(nullptr);
  }
  return Ledger::open(source.ledger)
      .and_then([](const Ledger& ledger) { return ledger.state(); })
      .and_then([&](const LedgerState& state) { return ledger_view(plan, state, source); })
      .map([&](const LedgerView& view) {
        const LedgerCaps& caps = view.state.terms.caps;
        return Json{{"name", view.state.terms.name},
                    {"promise", promise_in_words(view.state.terms)},
                    {"relation", name_of(view.state.terms.relation)},
                    {"divided", caps.has_gaussian() && caps.has_basic()},
                    {"accounts", accounts_of(view, glance)},
                    {"press", account_json(view.press)},
                    {"map", account_json(view.map)},
                    {"fits", view.fits},
                    {"other_promise", view.other_promise},
                    {"refusal", for_page(view.refusal)},
                    {"limit", view.limit ? Json(*view.limit) : Json(nullptr)}};
      });
}

Json lines_of(const PlanFacts& facts) {
  Json lines = Json::array();
  for (const FactLine& line : facts.lines) {
    lines.push_back({{"label", line.label}, {"text", for_command_line(line.text)}});
  }
  return lines;
}

/// The plan's noise by its law. Gaussian noise has one of its own along the trace, which is common
/// to all variances: their standard deviation says how much of it.
NoiseScale noise_of(const Planned& plan, double sd_diagonal, double sd_off) {
  const NoiseOnEntries law = entry_noise_of(plan.method);
  if (law == NoiseOnEntries::Wishart) {
    return {.law = NoiseLaw::Wishart, .diagonal = sd_diagonal, .off_diagonal = sd_off};
  }
  if (law == NoiseOnEntries::Laplace) {
    const double root = std::sqrt(2.0);
    return {
        .law = NoiseLaw::Laplace, .diagonal = sd_diagonal / root, .off_diagonal = sd_off / root};
  }
  const auto p = static_cast<double>(plan.table.spectrum.size());
  const double apart = 1.0 + p * (0.5 * sd_diagonal * sd_diagonal / (sd_off * sd_off) - 1.0);
  return {.diagonal = std::sqrt(2.0) * sd_off,
          .off_diagonal = sd_off,
          .trace_ratio = std::max(0.0, apart)};
}

/// Pictures of directions, for tasks that have an assumed spectrum.
void add_directions(Json& json, const Planned& plan, Glance glance) {
  const Vector& spectrum = plan.table.spectrum;
  if (spectrum.size() == 0) {
    return;
  }
  const auto hoped = plan.question.hoped;
  glance.component = std::min(glance.component, static_cast<int>(hoped) - 1);
  const std::optional<double> sd_diagonal = plan.number("noise_sd_diagonal");
  const std::optional<double> sd_off = plan.number("noise_sd_off_diagonal");
  const Simulated simulated =
      sd_diagonal && sd_off
          ? simulate_moment(spectrum, noise_of(plan, *sd_diagonal, *sd_off), hoped)
          : simulate_method(plan.request, plan.table, hoped);
  const std::size_t releases = simulated.directions.size();
  glance.release = releases == 0 ? 0 : glance.release % static_cast<int>(releases);
  json["component"] = glance.component;
  json["release"] = glance.release;
  json["releases"] = releases;
  json["null_releases"] = simulated.nulls;
  if (const std::optional<double> reach = simulated_reach(simulated, glance.component)) {
    json["weight_reach"] = *reach;
    json["read_components"] = read_components(plan, simulated);
  }
  json["scree"] = scree_of(plan, simulated, glance);
  json["weights"] = weights_of(plan, simulated, glance);
  json["maps"] = maps_of(plan, simulated, glance);
  json["spectrum"] = std::vector<double>(spectrum.data(), spectrum.data() + spectrum.size());
}

constexpr std::array kRoundBudgets = {0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25,
                                      0.3,  0.4,  0.5,  0.6, 0.8,  1.0,  1.2, 1.5,
                                      2.0,  2.5,  3.0,  4.0, 5.0,  6.0,  8.0, 10.0};

/// Some methods draw a made-up release in many steps, minutes at 300 columns, which a page cannot
/// wait for: beyond this many columns first-order formulas stand for all of them.
constexpr Eigen::Index kTriedUpTo = 120;

MethodComparison compared_here(const Request& request, const AssumedSetting& setting) {
  return compare_methods(request, setting, setting.spectrum.size() <= kTriedUpTo);
}

/// How well each method that serves here would let a person be detected at this budget.
Json powers_of(const Planned& plan, const ExploreSource& source) {
  Json powers = Json::object();
  for (const Method* method : methods_for(plan.request.task)) {
    Question question = plan.question;
    question.method = method->info().name;
    const Result<Planned> other = planned(question, source);
    if (other && other->facts.guarantee) {
      powers[question.method] = other->power();
    }
  }
  return powers;
}

/// Every method of a task without a comparison of its own, planned at the same budget: what its
/// promise rests on and how accurate it is, or why it cannot serve here.
Json ways_of(const Planned& plan, const ExploreSource& source) {
  Json ways = Json::array();
  for (const Method* method : methods_for(plan.request.task)) {
    Question question = plan.question;
    question.method = method->info().name;
    Json way = {{"method", question.method}};
    const Result<Planned> other = planned(question, source);
    if (!other || !other->facts.guarantee) {
      way["note"] = other ? "no guarantee is stated here" : for_page(other.error().message);
    } else if (!question.response.empty() && !other->accuracy()) {
      way["note"] = "intervals of a regression are only known for Gaussian noise";
    } else {
      way["basis"] = name_of(other->facts.guarantee->basis);
      way["power"] = other->power();
      if (const std::optional<double> accuracy = other->accuracy()) {
        way["accuracy"] = *accuracy;
        way["chance"] = other->chance();
      }
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace

Result<std::string> look_json(std::string_view asked, const ExploreSource& source) {
  const Glance glance = glance_of(asked);
  const Result<Planned> plan = plan_asked(asked, glance, source);
  if (!plan) {
    return error_of(plan);
  }
  Json json = {{"epsilon", plan->question.epsilon},    {"delta", plan->question.delta},
               {"task", name_of(plan->question.task)}, {"method", plan->method},
               {"components", plan->components},       {"hoped", plan->question.hoped},
               {"above_noise", plan->above_noise},     {"plan", plan->numbers},
               {"lines", lines_of(plan->facts)},       {"risk", risk_of(*plan, glance)}};
  json["accuracy_of"] = plan->accuracy_of();
  json["accuracy_components"] = plan->steady;
  json["readable_components"] = plan->readable();
  if (const std::optional<double> accuracy = plan->readable_accuracy()) {
    json["readable_accuracy"] = *accuracy;
    json["readable_chance"] = plan->readable_chance();
  }
  if (const std::optional<double> accuracy = plan->accuracy()) {
    json["accuracy"] = *accuracy;
    json["chance"] = plan->chance();
    json["sampling_accuracy"] = plan->sampling_accuracy();
  }
  if (plan->facts.guarantee) {
    const BasisCondition condition = condition_of(plan->facts.guarantee->basis);
    json["basis"] = name_of(plan->facts.guarantee->basis);
    json["condition"] = condition.supposing;
  }
  Json warnings = Json::array();
  for (const std::string& line :
       public_warnings(plan->request, plan->table.schema, plan->table.rows)) {
    warnings.push_back(for_page(line));
  }
  json["warnings"] = warnings;
  const std::string& warning = plan->facts.warning;  // then come remedies, which are options
  json["caution"] = for_page(warning.substr(0, warning.find(". ")));
  json["errors"] = errors_of(*plan, glance);
  add_directions(json, *plan, glance);
  if (source.ledger.empty()) {
    const std::string table = source.input.empty() ? "table.csv" : source.input;
    json["with_ledger"] =
        "eigenveil ledger create table.ledger --name \"My table\" --epsilon 3 --delta 1e-6\n" +
        shell_line({"explore", table, "--ledger", "table.ledger"});
  }
  if (const std::optional<Slopes> slopes = slopes_of(*plan)) {
    json["slopes"] = slopes_picture(*slopes, plan->question.response, glance);
  }
  const Result<Json> ledger = ledger_of(*plan, source, glance);
  if (!ledger) {
    return error_of(ledger);
  }
  json["ledger"] = *ledger;
  const std::string drowned = drowned_because(*plan);
  Question shown = plan->question;
  shown.anyway = insists(shown, drowned);
  json["drowned"] = for_page(drowned);
  json["can_insist"] = can_insist(shown);
  json["anyway"] = shown.anyway;
  json["command"] = shell_line(command_words(shown, source, plan->components));
  json["python"] = python_code(shown, source, plan->components);
  const std::vector<std::string> next = next_words(plan->question, source);
  json["next_command"] = next.empty() ? std::string() : shell_line(next);
  if (plan->question.map_epsilon > 0.0) {
    json["power_of_directions"] = plan->power();
  }
  return json.dump();
}

Result<std::string> rails_json(std::string_view asked, const ExploreSource& source) {
  Result<Question> question = question_from_json(asked, source);
  if (!question) {
    return error_of(question);
  }
  Json points = Json::array();
  for (const double epsilon : kRoundBudgets) {
    question->epsilon = epsilon;
    const Result<Planned> plan = planned(*question, source);
    if (!plan) {
      continue;  // a budget that this method refuses is no place on the rail
    }
    Json point = {{"epsilon", epsilon},
                  {"recognised", at_most_of_100(plan->power())},
                  {"above_noise", plan->above_noise}};
    if (const std::optional<double> accuracy = plan->accuracy()) {
      point["accuracy"] = *accuracy;
      point["sampling"] = plan->sampling_accuracy();
      point["chance"] = plan->chance();
    }
    points.push_back(std::move(point));
  }
  return Json{{"points", points}}.dump();
}

Result<std::string> methods_json(std::string_view asked, const ExploreSource& source) {
  const Result<Planned> plan = plan_asked(asked, glance_of(asked), source);
  if (!plan) {
    return error_of(plan);
  }
  Json json = {
      {"used", plan->method},
      {"first_order", static_cast<Eigen::Index>(plan->question.columns.size()) > kTriedUpTo}};
  Json sentences = Json::object();
  for (const Method* method : methods_for(plan->request.task)) {
    sentences[method->info().name] = plain_sentence(method->info());
  }
  json["sentences"] = sentences;
  json["powers"] = powers_of(*plan, source);
  if (plan->request.task != Task::Components) {
    json["ways"] = ways_of(*plan, source);
  } else {
    Request request = plan->request;
    request.method.clear();
    request.components = plan->readable();
    const Result<AssumedSetting> setting = assumed_setting(request, plan->table);
    if (setting) {
      json["comparison"] = comparison_json(compared_here(request, *setting), for_page);
    } else {
      json["none"] = for_page(setting.error().message);
    }
  }
  return json.dump();
}

}  // namespace eigenveil::cli
