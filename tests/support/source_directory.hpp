#pragma once

#include <filesystem>

namespace eigenveil::test {

/// The checkout the tests were built from. In one function, so that its path stands in the command
/// of one file and a compiler cache serves every checkout.
std::filesystem::path source_directory();

}  // namespace eigenveil::test
