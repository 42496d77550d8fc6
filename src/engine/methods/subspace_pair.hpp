#pragma once

#include "eigenveil/engine/request.hpp"

namespace eigenveil {

/// (epsilon, delta) for replacing one row: the only budget and relation of a learned subspace.
inline Result<ApproxDp> subspace_pair(const Request& request) {
  if (request.group_size != 1) {
    return bad_request(
        "a learned subspace protects one row: leave out {group_size}; G rows together have "
        "(epsilon, delta) when one row gets epsilon/G and delta (e^(epsilon/G) - 1)/(e^epsilon - "
        "1)",
        "group_size");
  }
  if (request.relation != Relation::ReplaceOne) {
    return bad_request(
        "a learned subspace protects against replacing one row by any other, and the row count is "
        "public: say so with {neighbours replace-one}",
        "neighbours");
  }
  if (const auto* pair = std::get_if<ApproxDp>(&*request.budget)) {
    return *pair;
  }
  return bad_request(
      "a learned subspace needs {epsilon} with {delta}: no pure or Gaussian budget can release one "
      "of infinitely many subspaces",
      "delta");
}

/// core or grid near the rows; gapmax or votes for exact points.
inline OptionSpec aggregate_option() {
  return {.name = "aggregate",
          .kind = OptionKind::Word,
          .sentence = "core or grid; with {exact}: gapmax (for small {components}) or votes",
          .words = {"core", "grid", "gapmax", "votes"},
          .otherwise_in_words = "core; with {exact}, gapmax where it can"};
}

}  // namespace eigenveil
