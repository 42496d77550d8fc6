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
#include "eigenveil/report/release_writer.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// A job (eigenveil/engine/table_release.hpp) as it was read from its JSON.
struct ReleaseJob {
  Request request;
  TableSpec table;
  ReadOptions format;                  ///< of a text table: header, width, separator
  std::vector<std::string> inputs;     ///< a file, or blocks of a table; empty: rows in memory
  std::optional<std::int64_t> rows;    ///< their public number, if known; of a plan: assumed
  std::optional<std::int64_t> people;  ///< about how many, as the public knows it
  bool anyway = false;                 ///< spend although the verdict is against it
  int threads = 1;
  std::optional<std::uint64_t> seed;  ///< tests and reproduction: not private

  std::string ledger;
  std::string ledger_key;
  std::vector<std::string> builds_on;  ///< releases that this one is made with

  std::string out;  ///< empty: not written
  TableFormat arrays = TableFormat::Csv;
  Existing existing = Existing::Refuse;
  std::string data_set;
  std::string date;

  // Of a plan.
  std::vector<std::string> columns;  ///< names of an assumed table
  Vector spectrum = {};
  bool compare = false;

  bool is_gram() const { return inputs.size() == 1 && inputs.front().ends_with(".gram"); }
  ReleaseTarget target(bool streams) const;
};

/// A key that this version does not know is refused, so that nothing is passed over. `planned`: the
/// budget may be absent for methods that plan without.
Result<ReleaseJob> release_job(std::string_view text, bool planned);

}  // namespace eigenveil
