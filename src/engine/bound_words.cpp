#include "engine/bound_words.hpp"

#include <fmt/format.h>

namespace eigenveil {

std::string describe_bound(const RowBound& bound) {
  constexpr std::int64_t kCoarse = 64;
  const std::string grid =
      bound.max_abs() < kCoarse
          ? fmt::format("; cells keep {} step{} to either side of the middle ({{grid}})",
                        bound.max_abs(), bound.max_abs() == 1 ? "" : "s")
          : "";
  if (!bound.has_ranges()) {
    return fmt::format("rows longer than {:.4g} are scaled down to it{}", bound.radius(), grid);
  }
  bool common = true;
  for (std::size_t j = 1; j < bound.dimension(); ++j) {
    common = common && bound.midpoint(j) == bound.midpoint(0) &&
             bound.half_width(j) == bound.half_width(0);
  }
  const std::string ranges = common ? fmt::format("every column in {:.6g}..{:.6g}",
                                                  bound.midpoint(0) - bound.half_width(0),
                                                  bound.midpoint(0) + bound.half_width(0))
                                    : "every column in its own public range";
  return fmt::format("{}, so a row has norm at most {:.2f} after scaling{}", ranges, bound.radius(),
                     grid);
}

}  // namespace eigenveil
