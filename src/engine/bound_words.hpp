#pragma once

#include <string>

#include "eigenveil/data/bounding.hpp"

namespace eigenveil {

/// The bound in words: "every column in 0..10, so a row has norm at most 10.34 after scaling".
std::string describe_bound(const RowBound& bound);

}  // namespace eigenveil
