#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/open.hpp"
#include "eigenveil/engine/request.hpp"
#include "engine/table/counts_job.hpp"
#include "engine/table/opened_table.hpp"
#include "engine/table/release_output.hpp"

namespace eigenveil {

/// A job (eigenveil/engine/table_release.hpp), from its JSON or from the options of the program.
struct ReleaseJob {
  Request request;
  std::optional<AskedCounts> counts = {};  ///< what is counted instead (counts_session.hpp)
  TableSpec table;
  ReadOptions format;                  ///< of a text table: header, width, separator
  std::vector<std::string> inputs;     ///< a file, or blocks of a table; empty: rows in memory
  std::optional<std::int64_t> rows;    ///< their public number, if known; of a plan: assumed
  std::optional<std::int64_t> people;  ///< about how many, as the public knows it
  bool anyway = false;                 ///< spend although the verdict is against it
  int threads = 1;
  ReleaseOutput output;
  bool must_be_written = false;  ///< nobody keeps what comes back

  // Of a plan.
  std::vector<std::string> columns;  ///< names of an assumed table
  Vector spectrum = {};
  bool compare = false;

  bool is_gram() const { return inputs.size() == 1 && is_gram_file(inputs.front()); }
};

/// How a text table is written, in the words of every face; an empty one is told from the file.
struct TextWords {
  std::string header = "auto";
  std::string separator = {};  ///< comma, semicolon, tab, pipe
  std::string decimal = {};    ///< comma or point, or the mark itself
  std::string encoding = "utf-8";
  std::size_t width = 0;
};
ReadOptions text_format(const TextWords& words);

/// A key for the names of people, where there are some and nobody gave one.
void draw_person_key(TableSpec& table);

/// Refuses by name, for every face and before a table is opened, the stages that a task does
/// nothing with. What single methods do not take is refused by their descriptors (choose_method,
/// check_people).
Result<void> check_stages(const Request& request, const TableSpec& table);

/// The parts of the request and of the table that follow from each other, and a fresh key for the
/// names of people; whoever fills in a job calls it last.
Result<void> settle_job(ReleaseJob& job);

/// The columns of a table nobody has read: names, or those that a basis or the bounds speak of; and
/// the table that a plan assumes (table_plan.cpp).
Result<Schema> assumed_schema(const ReleaseJob& job);
Result<AssumedTable> assumed_table(const ReleaseJob& job);

/// A key that this version does not know is refused, so that nothing is passed over. `planned`: the
/// budget may be absent for methods that plan without. `table` stands in for that of the text.
Result<ReleaseJob> release_job(std::string_view text, bool planned,
                               const TableSpec* table = nullptr);

}  // namespace eigenveil
