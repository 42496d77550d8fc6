#pragma once

#include <string>
#include <string_view>

namespace eigenveil::cli {

/// A message of the library in the words of the page: its parameters are what the screens ask for,
/// or words; flags stand in the command alone.
std::string for_page(std::string_view message);

}  // namespace eigenveil::cli
