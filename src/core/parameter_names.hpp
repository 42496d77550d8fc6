#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace eigenveil {

/// A message of the library with every {parameter} written as `spell` says; other braces stay.
std::string with_parameters(std::string_view message,
                            const std::function<std::string(std::string_view)>& spell);

/// As on a command line: {row_norm} is --row-norm, {components} is -k.
std::string for_command_line(std::string_view message);

}  // namespace eigenveil
