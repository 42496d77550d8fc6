#pragma once

#include <vector>

#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil::detail {

/// A loss that bounds every loss of the list.
Result<Loss> largest_loss(const std::vector<Loss>& losses);

}  // namespace eigenveil::detail
