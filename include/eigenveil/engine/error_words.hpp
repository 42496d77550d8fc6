#pragma once

#include <string>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The sentence of an error with parameters as a C++ program spells them: what a message calls
/// {neighbours zero-row} is `relation = Relation::ZeroRow`.
std::string in_words(const Error& error);

}  // namespace eigenveil
