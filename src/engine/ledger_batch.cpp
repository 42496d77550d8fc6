#include "engine/ledger_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "core/parameter_names.hpp"
#include "core/suggestion.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/release.hpp"
#include "engine/release_cost.hpp"

namespace eigenveil {
namespace {

using BatchJson = nlohmann::json;

constexpr std::string_view kBatchKeys[] = {"task",       "method",     "epsilon", "delta",
                                           "rho",        "mu",         "k",       "columns",
                                           "neighbours", "group_size", "count",   "name"};

/// Of the table that is planned for where the batch does not say.
constexpr int kColumns = 10;
constexpr int kMostColumns = 4096;

Result<void> check_batch_keys(const BatchJson& entry) {
  if (!entry.is_object()) {
    return bad_request("the batch is a JSON list of releases, each an object");
  }
  for (const auto& item : entry.items()) {
    if (std::find(std::begin(kBatchKeys), std::end(kBatchKeys), item.key()) ==
        std::end(kBatchKeys)) {
      return bad_request(fmt::format("'{}' is not known in a batch; a release has {}",
                                     shown(item.key()), fmt::join(kBatchKeys, ", ")));
    }
  }
  return {};
}

Result<Budget> batch_budget(const BatchJson& entry) {
  for (const char* name : {"epsilon", "delta", "rho", "mu"}) {
    if (entry.contains(name) && !entry.at(name).is_number()) {  // true would be 1
      return bad_request(fmt::format("'{}' is a number", name));
    }
  }
  const auto number = [&](const char* name) { return entry.at(name).get<double>(); };
  const bool epsilon = entry.contains("epsilon");
  const bool delta = entry.contains("delta");
  const int notions =
      (epsilon ? 1 : 0) + (entry.contains("rho") ? 1 : 0) + (entry.contains("mu") ? 1 : 0);
  if (notions != 1 || (delta && !epsilon)) {
    return bad_request(
        "every release of the batch needs exactly one budget: epsilon, epsilon and delta, rho or "
        "mu");
  }
  if (epsilon) {
    return delta ? check_budget(ApproxDp{number("epsilon"), number("delta")})
                 : check_budget(PureDp{number("epsilon")});
  }
  return entry.contains("rho") ? check_budget(Zcdp{number("rho")})
                               : check_budget(GaussianDp{number("mu")});
}

Result<int> batch_number(const BatchJson& entry, const char* name, int otherwise, int most) {
  const std::optional<std::int64_t> given =
      entry.contains(name) ? whole_number(entry.at(name), 1, most) : otherwise;
  return given ? Result<int>(static_cast<int>(*given))
               : bad_request(fmt::format("'{}' is a whole number from 1 to {}", name, most));
}

/// How many columns and components are planned for.
Result<int> batch_columns(const BatchJson& entry) {
  const Result<int> components = batch_number(entry, "k", 1, kMostColumns);
  if (!components) {
    return components;
  }
  const Result<int> columns =
      batch_number(entry, "columns", std::max(kColumns, *components), kMostColumns);
  if (columns && *columns < *components) {
    return bad_request("'k' is larger than 'columns'");
  }
  return columns;
}

/// As the guide writes the command, too.
std::string batch_task(const BatchJson& entry) {
  const std::string task = entry.value("task", std::string("pca"));
  return task == "bounds private" ? "bounds" : task;
}

/// Counts of cells, which no method of the registry makes.
bool counts_cells(const std::string& task) {
  return task == "bounds" || task == "scores";
}

/// What takes no --person, whose budget a ledger for persons cannot hold.
Result<void> check_unit(const LedgerTerms& terms, std::string_view what, bool limits_rows) {
  if (terms.unit.person.empty() || limits_rows) {
    return {};
  }
  return bad_request(
      fmt::format("the ledger protects persons by column {}; {} limits no rows of a person and "
                  "cannot be charged to it",
                  terms.unit.person, what));
}

/// As the release states it: by the plan where one can be made without further options, else by
/// what is known of the method. What draws in doubles add, and the mu of a draw beside noise,
/// depend on the number of columns and components.
Result<ReleaseCost> cost_by_registry(Request request, int columns, const LedgerTerms& terms) {
  const Result<const Method*> method = choose_method(request);
  if (!method) {
    return error_of(method);
  }
  request.method = (*method)->info().name;
  const bool limits_rows = request.task != Task::Mask && !(*method)->info().needs_row_count;
  if (const Result<void> fit = check_unit(
          terms, fmt::format("{} by {}", name_of(request.task), request.method), limits_rows);
      !fit) {
    return error_of(fit);
  }
  if ((*method)->info().needs_row_count) {
    if (const Result<ReleaseCost> stated = stated_cost(**method, request, false)) {
      return stated;
    }
  }
  for (const CenterChoice center : {CenterChoice::Unsaid, CenterChoice::None}) {
    const PublicFacts facts = {Schema::numbered(columns), *RowBound::row_norm(columns, 1.0)};
    request.center = center;
    settle_center(**method, request);
    if (const auto plan = make_plan(**method, request, facts)) {
      return cost_of(**plan, false);
    }
  }
  const MethodInfo& info = (*method)->info();
  return typical_cost(*request.budget, info.spends_pair, request.relation, request.group_size)
      .map([&](ReleaseCost cost) {
        cost.task = std::string(name_of(request.task));
        cost.method = info.name;
        cost.guarantee.basis = info.basis;
        return cost;
      });
}

Result<Request> batch_request(const BatchJson& entry) {
  Request request;
  const Result<Budget> budget = batch_budget(entry);
  if (!budget) {
    return error_of(budget);
  }
  request.budget = *budget;
  const std::string task = batch_task(entry);
  if (!counts_cells(task)) {
    const Result<Task> parsed = parse_task(task);
    if (!parsed) {
      return bad_request(fmt::format(
          "task '{}' is not known; a batch has pca, covariance, lowrank, mask, subspace, bounds "
          "and "
          "scores{}",
          shown(task),
          did_you_mean(task, std::vector<std::string>{"pca", "covariance", "lowrank", "mask",
                                                      "subspace", "bounds", "scores"})));
    }
    request.task = *parsed;
    request.relation = default_relation(request.task);
  }
  request.method = entry.value("method", std::string());
  const Result<int> together =
      batch_number(entry, "group_size", 1, std::numeric_limits<int>::max());
  if (!together) {
    return error_of(together);
  }
  request.group_size = *together;
  const Result<int> components = batch_number(entry, "k", 1, kMostColumns);
  if (!components) {
    return error_of(components);
  }
  request.components = *components;
  request.components_given = true;
  if (!entry.contains("neighbours")) {
    return request;
  }
  return parse_relation(entry.at("neighbours").get<std::string>()).map([&](Relation relation) {
    request.relation = relation;
    return request;
  });
}

Result<ReleaseCost> cost_in_batch(const BatchJson& entry, const Request& request,
                                  const LedgerTerms& terms) {
  const std::string task = batch_task(entry);
  if (!counts_cells(task)) {
    return batch_columns(entry).and_then(
        [&](int columns) { return cost_by_registry(request, columns, terms); });
  }
  if (!request.method.empty()) {
    return bad_request(fmt::format("{} has no methods to choose from; leave 'method' out", task));
  }
  return CountsPlan::make(
             {1, *request.budget, request.relation, request.group_size, terms.unit.person})
      .map([&](const CountsPlan& plan) { return cost_of(plan, task, *request.budget, false); });
}

/// "pca by gauss at (1, 1e-06), add-remove".
std::string label_of(const BatchJson& entry, const Request& request, const ReleaseCost& cost) {
  std::string label = fmt::format(
      "{} at {}, {}", shown(entry.value("name", fmt::format("{} by {}", cost.task, cost.method))),
      budget_in_words(*request.budget), name_of(request.relation));
  const bool by_size = cost.draw_error > 0.0 || !cost.further.empty();
  if (by_size && !(entry.contains("columns") && entry.contains("k"))) {
    label += fmt::format(", about (k {}, {} columns)", request.components, *batch_columns(entry));
  }
  if (!cost.guarantee.person.empty()) {
    label += fmt::format(", with {{person {}}} {{rows_per_person N}}", cost.guarantee.person);
  }
  return label;
}

Result<WantedRelease> wanted_release(const BatchJson& entry, const LedgerTerms& terms) {
  if (const Result<void> known = check_batch_keys(entry); !known) {
    return error_of(known);
  }
  const Result<Request> request = batch_request(entry);
  if (!request) {
    return error_of(request);
  }
  return cost_in_batch(entry, *request, terms).map([&](ReleaseCost cost) {
    cost.guarantee.person = terms.unit.person;
    return WantedRelease{label_of(entry, *request, cost), cost};
  });
}

}  // namespace

Result<std::vector<WantedRelease>> wanted_releases(std::string_view text,
                                                   const LedgerTerms& terms) {
  constexpr int kMost = 1000;
  try {
    const BatchJson batch = json_from_outside<BatchJson>(text);
    std::vector<WantedRelease> wanted;
    if (!batch.is_array() || batch.empty()) {
      return bad_request("the batch is a JSON list of at least one release, each an object");
    }
    for (const BatchJson& entry : batch) {
      const Result<WantedRelease> one = wanted_release(entry, terms);
      if (!one) {
        return error_of(one);
      }
      const Result<int> copies = batch_number(entry, "count", 1, kMost);
      if (!copies) {
        return error_of(copies);
      }
      if (std::ssize(wanted) + *copies > kMost) {
        return bad_request(fmt::format("a batch has at most {} releases in all", kMost));
      }
      wanted.insert(wanted.end(), static_cast<std::size_t>(*copies), *one);
    }
    return wanted;
  } catch (const BatchJson::exception&) {  // its text is about bytes
    return bad_request("the batch is not JSON of the expected form, every field once");
  }
}

}  // namespace eigenveil
