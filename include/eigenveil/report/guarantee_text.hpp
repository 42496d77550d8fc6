#pragma once

#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Every field of a guarantee as one JSON object, and back: equal guarantees have equal texts. For
/// faces that keep it; a release.json has a form of its own, which says also what follows from it.
/// An infinite number is null, and one of a list of one may stand without its brackets.
std::string guarantee_text(const Guarantee& guarantee);
[[nodiscard]] Result<Guarantee> guarantee_of_text(std::string_view text);

}  // namespace eigenveil
