#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/atomic_output.hpp"
#include "core/keep.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/engine/option.hpp"

namespace eigenveil::cli {

/// Checks whose refusal reads as a sentence after the option's name: "--threads must be ...".
CLI::Validator whole_number(std::uint64_t smallest,
                            std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());
CLI::Validator one_of(std::vector<std::string> words);
/// "{a,b}", the type of an option whose words completions and the manual know; one_of says it too.
std::string choices(std::vector<std::string> words);
CLI::Validator not_empty();
CLI::Validator plain_text();  ///< nothing that steers a terminal
CLI::Validator number_in(NumberRange range);

/// With --replace a .gram file may replace a .gram file, never anything else, nor one of its own
/// inputs.
Result<void> check_gram_output(const std::string& path, const std::vector<std::string>& inputs,
                               bool replace);

}  // namespace eigenveil::cli
