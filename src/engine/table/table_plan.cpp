#include "engine/table/table_plan.hpp"

#include <nlohmann/json.hpp>

#include "core/parameter_names.hpp"
#include "eigenveil/core/version.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/table_release.hpp"
#include "engine/choice.hpp"
#include "engine/comparison_words.hpp"
#include "engine/table/counts_session.hpp"
#include "engine/table/prepared_table.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

Json facts_json(const PlanFacts& facts) {
  Json lines = Json::array();
  for (const FactLine& line : facts.lines) {
    lines.push_back({{"label", line.label}, {"text", line.text}});
  }
  return {{"title", facts.title},
          {"lines", lines},
          {"facts", Json::parse(facts.json)},
          {"warning", facts.warning},
          {"guarantee", facts.guarantee ? plain_guarantee(*facts.guarantee) : Json()}};
}

Result<Json> planned(const ReleaseJob& job, const AssumedTable& table) {
  return outlook_with_choice(job.request, table).map([&](const PlanFacts& facts) {
    Json json = facts_json(facts);
    json["method"] = choose_method(job.request).value()->info().name;
    return json;
  });
}

Result<Json> compared(const ReleaseJob& job, const AssumedTable& table) {
  return compare_on(job.request, table).map([&](const std::vector<NamedComparison>& all) {
    Json json = comparison_json(all, [](std::string_view note) { return std::string(note); });
    json["in_words"] = in_words(job.request, table, all);
    return json;
  });
}

constexpr const char* name_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::Flag:
      return "flag";
    case OptionKind::WholeNumber:
      return "whole number";
    case OptionKind::Number:
      return "number";
    case OptionKind::Share:
      return "share";
    case OptionKind::Word:
      return "word";
    case OptionKind::Spectrum:
      return "spectrum";
    case OptionKind::PrivateFile:
      break;
  }
  return "private file";
}

Json option_json(const OptionSpec& option) {
  return {{"name", option.name},
          {"kind", name_of(option.kind)},
          {"sentence", option.sentence},
          {"default", option.default_in_words()},
          {"words", option.words}};
}

Json method_json(const MethodInfo& info, Task task) {
  Json options = Json::array();
  for (const OptionSpec& option : info.options) {
    if (option.serves(task)) {
      options.push_back(option_json(option));
    }
  }
  return {{"name", info.name},
          {"sentence", info.sentence},
          {"budgets", info.budgets},
          {"plans_without_budget", info.plans_without_budget},
          {"takes_ranks", info.takes_ranks},
          {"gaussian_entries", info.entry_noise == NoiseOnEntries::Gaussian},
          {"options", options}};
}

}  // namespace

namespace {

/// The columns that are named, before any is left out.
Result<Schema> named_schema(const ReleaseJob& job) {
  if (!job.columns.empty()) {
    return Schema{job.columns};
  }
  if (const auto& basis = job.table.project) {
    return basis->columns.empty()
               ? Schema::numbered(static_cast<std::size_t>(basis->directions.rows()))
               : Schema{basis->columns};
  }
  if (job.table.bounds) {
    return Schema{job.table.bounded_columns()};
  }
  if (plans_without_budget(job.request.method)) {
    return Schema{};
  }
  return bad_request("give {dimension P}, {columns} with the names, or a {bounds} file",
                     "dimension");
}

}  // namespace

Result<Schema> assumed_schema(const ReleaseJob& job) {
  Result<Schema> schema = named_schema(job);
  if (!schema) {
    return schema;
  }
  for (const std::string& name : job.table.exclude) {
    if (std::erase(schema->columns, name) == 0) {
      return bad_request(
          fmt::format("{{exclude}} names '{}', which is no column of the table", shown(name)),
          "exclude");
    }
  }
  return schema;
}

Result<AssumedTable> assumed_table(const ReleaseJob& job) {
  Result<Schema> schema = assumed_schema(job);
  if (!schema) {
    return error_of(schema);
  }
  if (!job.rows) {
    return bad_request("give {rows N}, the number of rows that is assumed", "rows");
  }
  return assumed_table(job.table, *std::move(schema), *job.rows).map([&](AssumedTable table) {
    table.spectrum = job.spectrum;
    return table;
  });
}

Result<std::string> plan_of_job(const ReleaseJob& job) {
  if (job.counts) {
    return counts_outlook(job).map([](const PlanFacts& facts) { return facts_json(facts).dump(); });
  }
  return assumed_table(job)
      .and_then([&](const AssumedTable& table) {
        return job.compare ? compared(job, table) : planned(job, table);
      })
      .map([](const Json& json) { return json.dump(); });
}

Result<std::string> plan_table(std::string_view text) {
  return release_job(text, true).and_then(plan_of_job);
}

std::string engine_catalogue() {
  Json tasks = Json::array();
  for (const Task task :
       {Task::Components, Task::Covariance, Task::LowRank, Task::Mask, Task::Subspace}) {
    Json methods = Json::array();
    for (const Method* method : methods_for(task)) {
      methods.push_back(method_json(method->info(), task));
    }
    tasks.push_back({{"task", eigenveil::name_of(task)},
                     {"takes_rank", takes_rank(task)},
                     {"has_center", has_center(task)},
                     {"has_bound", has_bound(task)},
                     {"default_neighbours", eigenveil::name_of(default_relation(task))},
                     {"methods", methods}});
  }
  return Json{{"version", kVersion}, {"tasks", tasks}}.dump();
}

}  // namespace eigenveil
