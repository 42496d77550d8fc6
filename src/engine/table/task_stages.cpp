#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/table/release_job.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

/// The part of a description that a task does something with.
TableSpec taken_by(Task task, const TableSpec& table) {
  TableSpec taken = table;
  if (!has_bound(task)) {  // rows as they stand
    taken = {};
    taken.columns = table.columns;
    taken.exclude = table.exclude;
    taken.missing = table.missing;
    taken.bad_cell = table.bad_cell;
  } else if (task == Task::Mask) {  // rows that come out like those that went in
    const TableSpec none;
    taken.pairwise = none.pairwise;
    taken.rank_transform = none.rank_transform;
    taken.project = none.project;
    taken.projected_norm = none.projected_norm;
    taken.normalise_rows = none.normalise_rows;
    taken.person = none.person;
    taken.weights = none.weights;
  }
  taken.noisy_count = table.noisy_count;  // follows from {person}
  return taken;
}

std::string name_of_field(const std::string& key, const TableSpec& table) {
  return key == "scaled" ? "units" : key == "missing" && table.pairwise ? "missing pairwise" : key;
}

Result<void> check_center(const Request& request, const TableSpec& table) {
  const bool other =
      request.center == CenterChoice::Private || request.center == CenterChoice::None;
  if (table.center && other) {
    return bad_request("give the public {center} of a table, or {center private} or none; not both",
                       "center");
  }
  if (request.center == CenterChoice::Public && !table.center) {
    return bad_request("a public {center} is given with the table, as a number for every column",
                       "center");
  }
  if (!has_bound(request.task) && request.center == CenterChoice::Private) {
    return bad_request("a subspace has no centre: leave out {center}", "center");
  }
  return {};
}

}  // namespace

Result<void> check_stages(const Request& request, const TableSpec& table) {
  if (request.components_given && !request.takes_rank()) {
    return bad_request(fmt::format("{} has no {{components}}: leave it out", name_of(request.task)),
                       "components");
  }
  if ((request.rank_transform && !table.rank_transform) ||
      (request.arrives_centred && !table.arrives_centred())) {
    return bad_request(
        "whether cells come as ranks or about public frequencies is said of the table: give "
        "{rank_transform} or {allele_frequencies} there",
        "rank_transform");
  }
  if (const Result<void> sound = check_center(request, table); !sound) {
    return sound;
  }
  const bool numbers_alone = (table.person.empty() && table.rows_per_person > 0) ||
                             (table.weights.empty() && table.weight_bound > 0.0);
  if (!has_bound(request.task) && numbers_alone) {
    return bad_request(fmt::format("{} does nothing with {{rows_per_person}} and {{weight_bound}}: "
                                   "leave them out",
                                   name_of(request.task)),
                       "rows_per_person");
  }
  const Json given = Json::parse(table_json(table));
  const Json taken = Json::parse(table_json(taken_by(request.task, table)));
  for (const auto& [key, value] : given.items()) {
    const auto at = taken.find(key);
    if (at == taken.end() || *at != value) {
      const std::string name = name_of_field(key, table);
      return bad_request(
          fmt::format("{} does nothing with {{{}}}: leave it out", name_of(request.task), name),
          name.substr(0, name.find(' ')));
    }
  }
  return {};
}

}  // namespace eigenveil
