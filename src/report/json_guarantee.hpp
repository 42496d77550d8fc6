#pragma once

#include <nlohmann/json.hpp>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

using Json = nlohmann::ordered_json;

/// The `guarantee` object of release.json. A release that is not private states no loss of its
/// own; what it would have been is under `would_be`.
Json guarantee_to_json(const Guarantee& guarantee, const Budget& requested);
Result<Guarantee> guarantee_from_json(const Json& json);

Json fields_to_json(const Fields& fields);

}  // namespace eigenveil
