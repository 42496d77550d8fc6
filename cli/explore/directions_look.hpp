#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/explore/planned.hpp"
#include "cli/explore/slopes.hpp"

namespace eigenveil::cli {

/// How the question is looked at; nothing here changes a number of the plan.
struct Glance {
  double narrow = 460.0;
  double wide = 640.0;
  int component = 0;
  int release = 0;
  bool alarms = false;
  std::string search = {};
  std::string set = {};  ///< "accuracy" or "floor": the budget follows
  double value = 0.0;
};

/// Pictures of directions, for tasks that have an assumed spectrum: the scree, the weights of one
/// component and the map of people, with simulated releases.
void add_directions(nlohmann::ordered_json& json, const Planned& plan, Glance glance);
/// Every slope of a regression where the assumptions put it, with what noise and sampling may make
/// of it.
std::string slopes_picture(const Slopes& slopes, const std::string& response, const Glance& glance);

}  // namespace eigenveil::cli
