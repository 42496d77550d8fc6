#pragma once

#include <nlohmann/json_fwd.hpp>

#include "eigenveil/engine/method.hpp"

namespace eigenveil {

/// The facts of a plan on an orbit, said in words.
PlanFacts orbit_facts(const Request& request, const RowBound& bound, const AssumedTable& table,
                      const nlohmann::ordered_json& facts);

/// "40 seconds", "3 minutes".
std::string duration_in_words(double seconds);

}  // namespace eigenveil
