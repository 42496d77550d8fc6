#pragma once

#include <optional>

#include "cli/explore/planned.hpp"

namespace eigenveil::cli {

/// The regression of a question on the assumed table: what `analyse regress` would find there, and
/// how far noise and sampling put it off. In units of half a range of either column.
struct Slopes {
  std::vector<std::string> predictors;
  Vector values;
  Vector noise;         ///< 95 times in 100
  Vector sampling;      ///< 95 times in 100
  bool hidden = false;  ///< noise leaves no signal in some direction: `analyse` would refuse
};

/// Nothing where no regression is asked for, or where its errors are not known (other noise than
/// Gaussian).
std::optional<Slopes> slopes_of(const Planned& plan);

}  // namespace eigenveil::cli
