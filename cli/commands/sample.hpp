#pragma once

#include <cstddef>
#include <string>

#include "cli/outcome.hpp"
#include "eigenveil/core/matrix.hpp"

namespace eigenveil::cli {

/// Children of `sample`, one file each.
Command sample_bingham_command();
Command sample_orbit_command();

/// NPY version 1, C order, shape (draws, rows, columns); `type` as in "<f8".
std::string npy_header(const std::string& type, std::size_t draws, Eigen::Index rows,
                       Eigen::Index columns);

}  // namespace eigenveil::cli
