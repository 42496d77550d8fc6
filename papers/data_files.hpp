#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "papers/entry.hpp"

namespace eigenveil::papers {

/// A public data file by its path inside of $EIGENVEIL_DATA, or of shared/data beside the checkout;
/// nothing where it is absent.
std::optional<std::filesystem::path> data_file(const std::string& path);

/// An entry that could not be made for want of `path`, and says so.
Reproduction skipped_without(const std::string& path);

}  // namespace eigenveil::papers
