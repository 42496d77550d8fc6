#pragma once

#include "cli/interface/interface_tree.hpp"

namespace eigenveil::cli {

/// Completion scripts. Commands, options and fixed choices are offered; everything else completes
/// to file names.
std::string bash_completion(const InterfaceCommand& program);
std::string zsh_completion(const InterfaceCommand& program);
std::string fish_completion(const InterfaceCommand& program);

}  // namespace eigenveil::cli
