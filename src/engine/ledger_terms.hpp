#pragma once

#include <string_view>

#include "ledger/terms.hpp"

namespace eigenveil {

/// The terms of a new ledger, from the JSON object that `create_ledger` takes (engine/ledgers.hpp).
Result<LedgerTerms> ledger_terms(std::string_view json);

}  // namespace eigenveil
