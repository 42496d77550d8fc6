#pragma once

#include <string>

#include "ledger/charge.hpp"

namespace eigenveil::python {

/// What a release costs, and the canonical text of what was asked for: all that a ledger is told.
struct LedgerCost {
  ReleaseCost cost;
  std::string request;
};

}  // namespace eigenveil::python
