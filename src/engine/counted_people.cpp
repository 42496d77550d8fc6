#include "engine/counted_people.hpp"

#include <fmt/format.h>

#include "engine/table/prepared_table.hpp"

namespace eigenveil {

CountedPeople counted_people(const TableSpec& spec) {
  return {spec.person, spec.rows_per_person, spec.bad_cell};
}

Result<int> rows_together(const CountedPeople& people, Relation relation, int group_size) {
  if (people.given() != (people.rows > 0)) {
    return bad_request(
        "{person} and {rows_per_person G} go together: the first G rows of every person are kept, "
        "and G times the noise of a row protects them",
        "rows_per_person");
  }
  if (!people.given()) {
    return group_size;
  }
  if (group_size != 1) {
    return bad_request("with {person} the rows of a person are the group; leave out {group_size}",
                       "group_size");
  }
  if (relation == Relation::ZeroRow) {
    return bad_request(
        "with {person} the number of rows is protected: give {neighbours add-remove} or "
        "{neighbours replace-one}",
        "neighbours");
  }
  return static_cast<int>(people.rows);
}

Result<Schema> without_person(const CountedPeople& people, Schema read) {
  if (!people.given()) {
    return read;
  }
  return drop_person(read, people.column).map([&](std::size_t) { return std::move(read); });
}

Result<std::unique_ptr<RowReader>> rows_of_people(const CountedPeople& people,
                                                  std::unique_ptr<RowReader> table) {
  if (!people.given()) {
    return table;
  }
  Schema read = table->schema();
  return drop_person(read, people.column).map([&](std::size_t key_cells) {
    return limit_rows_per_person(std::move(table), key_cells, {people.column, people.rows},
                                 nobody_seen(), people.untold);
  });
}

void describe_people(const CountedPeople& people, ReleaseDocument& document) {
  if (!people.given()) {
    return;
  }
  document.parameters.emplace_back("person", people.column);
  document.parameters.emplace_back("rows_per_person", std::int64_t{people.rows});
  document.remarks.push_back(
      {"people", fmt::format("protected with all their rows; the first {} of every {} count, with "
                             "{} times the noise of one row",
                             people.rows, people.column, people.rows)});
}

}  // namespace eigenveil
