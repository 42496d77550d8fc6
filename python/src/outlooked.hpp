#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "eigenveil/engine/method.hpp"

namespace eigenveil::python {

/// A plan as Python takes it: method, title, lines (label, words), JSON, warning, guarantee.
using Outlooked =
    std::tuple<std::string, std::string, std::vector<std::pair<std::string, std::string>>,
               std::string, std::string, std::optional<Guarantee>>;

inline Outlooked outlooked(const std::string& method, const PlanFacts& facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const FactLine& line : facts.lines) {
    lines.emplace_back(line.label, line.text);
  }
  return {method, facts.title, lines, facts.json, facts.warning, facts.guarantee};
}

}  // namespace eigenveil::python
