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

/// Every field by its name and nothing else, and back (eigenveil/report/guarantee_text.hpp).
Json plain_guarantee(const Guarantee& guarantee);
Result<Guarantee> guarantee_from_plain(const Json& json);

/// {"kind": "approx", "epsilon": 1.0, "delta": 1e-06}.
Json budget_to_json(const Budget& budget);
/// By the numbers it holds, whatever else stands beside them.
Result<Budget> budget_from_json(const Json& json);

/// A value of a field; of an empty list nobody can tell whether it was one of numbers.
FieldValue field_from_json(const Json& json);
Json fields_to_json(const Fields& fields);
Fields fields_from_json(const Json& json);

}  // namespace eigenveil
