#pragma once

#include <string>
#include <string_view>

#include "eigenveil/engine/method.hpp"

namespace eigenveil::cli {

/// A message of the library in the words of the page: its parameters are what the screens ask for,
/// or words; flags stand in the command alone.
std::string for_page(std::string_view message);

/// What a method does, for somebody who knows none of them.
std::string plain_sentence(const MethodInfo& method);

}  // namespace eigenveil::cli
