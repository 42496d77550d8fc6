#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "eigenveil/privacy/calibration.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {

/// Canonical JSON of a request for noisy counts: what every one has, then its own.
inline std::string counts_request_json(const std::string& task, const Budget& budget,
                                       Relation relation, int group_size, const std::string& person,
                                       Json own) {
  if (!person.empty()) {  // a group of rows is another promise than a person
    own["person"] = person;
  }
  return Json{{"version", 1},
              {"task", task},
              {"budget", budget_to_json(budget)},
              {"neighbours", name_of(relation)},
              {"group_size", group_size},
              {"own", std::move(own)}}
      .dump();
}

}  // namespace eigenveil
