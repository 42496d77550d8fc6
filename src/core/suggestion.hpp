#pragma once

#include <string>
#include <vector>

namespace eigenveil {

/// "; did you mean --epsilon?" for the candidate nearest to what was typed, or nothing when none is
/// near.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& candidates);

}  // namespace eigenveil
