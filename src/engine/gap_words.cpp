#include "engine/gap_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eigenveil {

std::string gaps_in_words(bool fills_gaps, GapEffect effect) {
  if (!fills_gaps) {
    return "refused: a table with a missing cell gives no release";
  }
  const std::string rule = "any that are missing count as the public midpoint: ";
  switch (effect) {
    case GapEffect::SecondMoment:
      return rule +
             "second moments about it come out too small, by about the share of cells that are "
             "missing";
    case GapEffect::Covariance:
      return rule +
             "means are pulled towards it; variances and covariances come out too small, but too "
             "large where means lie more than about a standard deviation from it";
    case GapEffect::Subspace:
      return "a row with one counts as the zero row, which supports no subspace: more such rows, "
             "more often NULL";
    case GapEffect::Regression:
      break;
  }
  return rule +
         "coefficients come out too small where the response is missing, and may be off either way "
         "where predictors are";
}

std::string pairwise_in_words(const std::vector<std::string>& columns) {
  return fmt::format(
      "left out pair by pair in {}: every number is of the rows that have its cells, without bias "
      "where cells are missing at random; any that are missing in other columns count as the "
      "public midpoint",
      fmt::join(columns, ", "));
}

}  // namespace eigenveil
