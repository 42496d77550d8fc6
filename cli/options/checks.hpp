#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace eigenveil::cli {

/// Checks whose refusal reads as a sentence after the option's name: "--threads must be ...".
CLI::Validator whole_number(std::uint64_t smallest,
                            std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());
CLI::Validator one_of(std::vector<std::string> words);
CLI::Validator not_empty();

}  // namespace eigenveil::cli
