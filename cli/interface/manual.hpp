#pragma once

#include "cli/interface/interface_tree.hpp"

namespace eigenveil::cli {

/// The manual page eigenveil(1) in the man macro language.
std::string manual_page(const InterfaceCommand& program);

}  // namespace eigenveil::cli
