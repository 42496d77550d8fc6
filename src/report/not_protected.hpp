#pragma once

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// With what a collection does not hide beside it.
std::vector<std::string> not_protected(const ReleaseDocument& document);

}  // namespace eigenveil
