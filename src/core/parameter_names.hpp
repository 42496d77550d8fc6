#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace eigenveil {

/// How a face writes a parameter, and one with a value ({neighbours replace-one}); the value may be
/// empty.
using SpellParameter = std::function<std::string(std::string_view name, std::string_view value)>;

/// A message of the library with every {parameter} written as `spell` says; other braces stay.
std::string with_parameters(std::string_view message, const SpellParameter& spell);

/// Text from outside (the name of a column, level, file or field) as a message may hold it: a space
/// stands behind a brace that could open a {parameter}, so that no face takes a name for one of its
/// own and writes --row-norm where a column is called {row_norm}.
std::string shown(std::string_view text);
std::vector<std::string> shown(const std::vector<std::string>& texts);

/// As on a command line: {row_norm} is --row-norm, {components} is -k, {method orbit} is
/// --method orbit.
std::string for_command_line(std::string_view message);

}  // namespace eigenveil
