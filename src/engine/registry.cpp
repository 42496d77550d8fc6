#include "eigenveil/engine/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/parameter_names.hpp"
#include "core/suggestion.hpp"
#include "data/column_names.hpp"
#include "engine/methods/all.hpp"
#include "engine/outlook.hpp"
#include "mechanism/comparison/comparison.hpp"
#include "mechanism/moment/assumed_spectrum.hpp"

namespace eigenveil {
namespace {

std::vector<const Method*>& registered() {
  static std::vector<const Method*> list = all_methods();
  return list;
}

/// The table of the README: what a task uses when nothing is said.
std::string default_method(const Request& request, const std::vector<const Method*>& among) {
  const DefaultFor wanted = std::holds_alternative<PureDp>(*request.budget)
                                ? DefaultFor::PureBudgets
                                : DefaultFor::OtherBudgets;
  for (const Method* method : among) {
    const DefaultFor is = method->info().is_default_for;
    if (is == wanted || is == DefaultFor::EveryBudget) {
      return method->info().name;
    }
  }
  return {};
}

Result<const Method*> find(const std::string& wanted, const std::vector<const Method*>& among,
                           Task task) {
  std::vector<std::string> names;
  for (const Method* method : among) {
    if (method->info().name == wanted) {
      return method;
    }
    names.push_back(method->info().name);
  }
  return bad_request(
      fmt::format("method '{}' is not known; {} has {}{}", shown(wanted), name_of(task),
                  fmt::join(names, ", "), did_you_mean(wanted, names)),
      "method");
}

std::vector<std::string_view> names_of(const std::vector<Task>& tasks) {
  std::vector<std::string_view> names;
  std::transform(tasks.begin(), tasks.end(), std::back_inserter(names),
                 [](Task task) { return name_of(task); });
  return names;
}

std::vector<std::string> option_names(const MethodInfo& method, Task task) {
  std::vector<std::string> names;
  for (const OptionSpec& option : method.options) {
    if (option.serves(task)) {
      names.push_back(option.name);
    }
  }
  return names;
}

/// The value against the spec: whoever fills in a request in C++ has not been asked before.
Result<void> check_value(const OptionSpec& spec, const OptionValue& value) {
  const Result<OptionValue> sound = checked(spec, value);
  if (!sound) {
    return error_of(sound);
  }
  if (*sound != value) {  // a method would read another type, or eigenvalues in another order
    return bad_request(fmt::format("{{{}}} must be {}", spec.name,
                                   spec.kind == OptionKind::Spectrum
                                       ? "eigenvalues from the largest to the smallest"
                                       : "a real number, not one of a type for whole numbers"),
                       spec.name);
  }
  return {};
}

/// An option that the chosen method does not have, with the one that has it.
Result<void> check_options(const Request& request, const Method& chosen,
                           const std::vector<const Method*>& among) {
  for (const auto& [name, value] : request.options.all()) {
    const OptionSpec* own = chosen.info().option(name);
    if (own != nullptr && own->serves(request.task)) {
      if (const Result<void> sound = check_value(*own, value); !sound) {
        return sound;
      }
      continue;
    }
    for (const Method* other : among) {
      const OptionSpec* option = other->info().option(name);
      if (option != nullptr && option->serves(request.task)) {
        return bad_request(fmt::format("{{{}}} belongs to method {}, not to {}", name,
                                       other->info().name, chosen.info().name),
                           name);
      }
    }
    if (own != nullptr) {
      return bad_request(
          fmt::format("{{{}}} belongs to {}, not to {}", name,
                      fmt::join(names_of(own->tasks), " and "), name_of(request.task)),
          name);
    }
    const std::vector<std::string> legal = option_names(chosen.info(), request.task);
    return bad_request(
        fmt::format("method {} has no option '{}'; it has: {}{}", chosen.info().name, shown(name),
                    legal.empty() ? "none" : fmt::format("{}", fmt::join(legal, ", ")),
                    did_you_mean(name, legal)),
        name);
  }
  return {};
}

/// Numbers that a program read from elsewhere and cast are no member of their enumeration.
Result<void> check_kinds(const Request& request) {
  if (request.task > Task::Subspace) {
    return bad_request("the task is none of the library's");
  }
  if (request.relation > Relation::IndependentCopy) {
    return bad_request("{neighbours} is none of the library's relations", "neighbours");
  }
  if (request.center > CenterChoice::Private || request.units > Units::Scaled) {
    return bad_request("{center} or {units} is none of the library's choices", "center");
  }
  return {};
}

}  // namespace

std::optional<PredictedError> Method::predicted_error(const Request& /*request*/,
                                                      const AssumedSetting& /*setting*/) const {
  return std::nullopt;
}

bool MethodInfo::serves(Task task) const {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

const OptionSpec* MethodInfo::option(std::string_view wanted) const {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionSpec& spec) { return spec.name == wanted; });
  return found == options.end() ? nullptr : &*found;
}

const std::vector<const Method*>& methods() {
  return registered();
}

Result<void> register_method(const Method& method) {
  for (const Method* other : registered()) {
    const std::vector<Task>& tasks = method.info().tasks;
    if (other->info().name == method.info().name &&
        std::any_of(tasks.begin(), tasks.end(),
                    [&](Task task) { return other->info().serves(task); })) {
      return bad_request(fmt::format("there is a method '{}' already", method.info().name));
    }
  }
  registered().push_back(&method);
  return {};
}

std::vector<const Method*> methods_for(Task task) {
  std::vector<const Method*> serving;
  std::copy_if(methods().begin(), methods().end(), std::back_inserter(serving),
               [&](const Method* method) { return method->info().serves(task); });
  return serving;
}

Result<const Method*> choose_method(const Request& request) {
  if (const Result<void> sound = check_kinds(request); !sound) {
    return error_of(sound);
  }
  const std::vector<const Method*> among = methods_for(request.task);
  const auto asked = std::find_if(among.begin(), among.end(),
                                  [&](const Method* method) { return method->asked_for(request); });
  if (request.method.empty() && asked == among.end() && !request.budget) {
    return bad_request("a budget is missing");
  }
  const std::string wanted = !request.method.empty() ? request.method
                             : asked != among.end()  ? (*asked)->info().name
                                                     : default_method(request, among);
  const Result<const Method*> found = find(wanted, among, request.task);
  if (!found) {
    return found;
  }
  return check_asked(**found, request).and_then([&] { return found; });
}

Result<void> check_asked(const Method& method, const Request& request) {
  if (const Result<void> sound = check_kinds(request); !sound) {
    return sound;
  }
  const MethodInfo& info = method.info();
  if (!info.serves(request.task)) {
    return bad_request(fmt::format("method {} does not serve {}", info.name, name_of(request.task)),
                       "method");
  }
  if (const Result<void> fits = check_options(request, method, methods_for(request.task)); !fits) {
    return fits;
  }
  if (request.rank_transform && !info.takes_ranks) {
    return bad_request(
        fmt::format(
            "{{rank_transform}} cannot go with method {}: one row shifts the ranks of all the "
            "others, which a guarantee for every data set does not cover; take {} (asymptotic), or "
            "give {{range}}",
            info.name, choices(request.task, [](const auto& each) { return each.takes_ranks; })),
        "rank_transform");
  }
  return {};
}

bool plans_without_budget(std::string_view name) {
  return std::any_of(methods().begin(), methods().end(), [&](const Method* method) {
    return method->info().name == name && method->info().plans_without_budget;
  });
}

std::vector<std::string> papers_of(Task task, std::string_view name) {
  for (const Method* method : methods_for(task)) {
    if (method->info().name == name) {
      return {method->info().papers.begin(), method->info().papers.end()};
    }
  }
  return {};
}

NoiseOnEntries entry_noise_of(std::string_view name) {
  const auto found = std::find_if(methods().begin(), methods().end(), [&](const Method* method) {
    return method->info().name == name && method->info().entry_noise != NoiseOnEntries::None;
  });
  return found == methods().end() ? NoiseOnEntries::None : (*found)->info().entry_noise;
}

std::string choices(Task task, const std::function<bool(const MethodInfo&)>& does) {
  std::vector<std::string> names;
  for (const Method* method : methods_for(task)) {
    if (does(method->info())) {
      names.push_back(fmt::format("{{method {}}}", method->info().name));
    }
  }
  return names.empty() ? "those of another task" : fmt::format("{}", fmt::join(names, " or "));
}

namespace {

/// For a method that cannot subtract a mean: what its result is about, and what to do. Public.
std::string uncentred_warning(const MethodInfo& info, Task task) {
  return fmt::format(
      "method {} works about the public midpoint, not about the mean: a mean far from it comes out "
      "as the first component and counts as variance. Give a public {{center}}, take {}, which "
      "subtract a private mean, or say {{center none}} if this is meant",
      info.name, choices(task, [](const auto& each) { return each.subtracts_mean; }));
}

}  // namespace

std::string settle_center(const Method& method, Request& request) {
  if (request.center != CenterChoice::Unsaid) {
    return {};
  }
  if (!has_center(request.task)) {
    request.center = CenterChoice::None;
    return {};
  }
  const bool subtracts = method.info().subtracts_mean && !request.arrives_centred;
  request.center = subtracts ? CenterChoice::Private : CenterChoice::None;
  return subtracts || request.arrives_centred ? std::string()
                                              : uncentred_warning(method.info(), request.task);
}

Result<void> check_spectrum(const Request& request, const AssumedTable& table) {
  if (table.spectrum.size() == 0) {
    return {};
  }
  const bool pairs = request.options.flag("complex_rows");
  const std::size_t expected = table.schema.dimension() / (pairs ? 2 : 1);
  if (static_cast<std::size_t>(table.spectrum.size()) != expected) {
    return bad_request(
        fmt::format("{{spectrum}} must hold {} eigenvalues, one for every column", expected),
        "spectrum");
  }
  const Result<RowBound> bound = table.bound({});
  return bound ? check_assumed_spectrum(table.spectrum, *bound) : Result<void>(error_of(bound));
}

Result<void> check_numbers(const Request& request) {
  if (request.budget) {
    if (const Result<Budget> sound = check_budget(*request.budget); !sound) {
      return error_of(sound);
    }
  }
  if (request.components < 1) {
    return bad_request("{components} must be at least 1", "components");
  }
  if (request.group_size < 1) {
    return bad_request("{group_size} must be at least 1", "group_size");
  }
  return {};
}

Result<PlanFacts> outlook(Request request, const AssumedTable& assumed) {
  const Result<const Method*> method = choose_method(request);
  if (!method) {
    return error_of(method);
  }
  if (!request.budget && !(*method)->info().plans_without_budget) {
    return bad_request("a budget is missing");
  }
  if (const Result<void> sound =
          check_numbers(request).and_then([&] { return check_names(assumed.schema); });
      !sound) {
    return error_of(sound);
  }
  AssumedTable table = assumed;
  if (!table.bound) {
    table.bound = [](const auto& /*model_radius*/) -> Result<RowBound> {
      return bad_request("the assumed table says nothing of its rows: set its bound");
    };
  }
  const std::string warning = settle_center(**method, request);
  if (const Result<void> sound = check_spectrum(request, table); !sound) {
    return error_of(sound);
  }
  if (table.prepared) {
    if (const Result<void> sound = check_people((*method)->info(), request, *table.prepared);
        !sound) {
      return error_of(sound);
    }
  }
  return (*method)->outlook(request, table).map([&](PlanFacts facts) {
    for (const auto& [label, text] : table.remarks) {
      facts.lines.push_back({label, text});
    }
    if (!warning.empty()) {
      facts.warning = warning;
      facts.lines.push_back({"warning", warning});
    }
    return facts;
  });
}

}  // namespace eigenveil
