#include "eigenveil/privacy/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "privacy/loss_composition.hpp"
#include "privacy/loss_rules.hpp"

namespace eigenveil {
namespace {

/// Everything but the loss: relation, weakest basis, merged assumptions, random source.
Result<Guarantee> merge_statements(const std::vector<Guarantee>& guarantees) {
  if (guarantees.empty()) {
    return bad_request("there is nothing to compose");
  }
  Guarantee merged = guarantees.front();
  merged.assumptions.clear();
  Basis would_be = Basis::Proved;
  for (const Guarantee& guarantee : guarantees) {
    if (guarantee.person != merged.person) {
      return bad_request(
          "one release protects a person with all their rows and the other rows alone, or by "
          "another column; their losses do not add up");
    }
    if (guarantee.group_size != merged.group_size) {
      return bad_request(
          fmt::format("guarantees for groups of {} rows and of {} do not compose; state both for "
                      "groups of one size first",
                      merged.group_size, guarantee.group_size));
    }
    if (guarantee.relation != merged.relation) {
      return bad_request(fmt::format(
          "guarantees for {} and for {} do not compose; convert both to one relation first "
          "(to replace-one)",
          name_of(merged.relation), name_of(guarantee.relation)));
    }
    would_be = std::max(would_be, guarantee.basis == Basis::NotPrivate ? guarantee.would_be
                                                                       : guarantee.basis);
    merged.basis = std::max(merged.basis, guarantee.basis);
    merged.secure_random = merged.secure_random && guarantee.secure_random;
    for (const std::string& assumption : guarantee.assumptions) {
      if (std::find(merged.assumptions.begin(), merged.assumptions.end(), assumption) ==
          merged.assumptions.end()) {
        merged.assumptions.push_back(assumption);
      }
    }
  }
  merged.would_be = merged.basis == Basis::NotPrivate ? would_be : Basis::NotPrivate;
  return merged;
}

std::vector<Loss> losses_of(const std::vector<Guarantee>& guarantees) {
  std::vector<Loss> losses;
  losses.reserve(guarantees.size());
  for (const Guarantee& guarantee : guarantees) {
    losses.push_back(guarantee.loss);
  }
  return losses;
}

Result<Guarantee> with_loss(Result<Guarantee> statement, const Result<Loss>& loss) {
  if (!statement) {
    return statement;
  }
  if (!loss) {
    return error_of(loss);
  }
  statement->loss = *loss;
  return statement;
}

}  // namespace

Result<Guarantee> compose(const Guarantee& first, const Guarantee& second) {
  return compose_all({first, second});
}

Result<Guarantee> compose_all(const std::vector<Guarantee>& guarantees) {
  return with_loss(merge_statements(guarantees), compose_losses(losses_of(guarantees)));
}

Result<Guarantee> compose_parallel(const std::vector<Guarantee>& guarantees, Partition partition) {
  Result<Guarantee> statement = merge_statements(guarantees);
  if (statement && statement->relation != Relation::AddRemove &&
      partition != Partition::FixedAndPublic) {
    return bad_request(fmt::format(
        "under {} a changed row may leave one part and enter another, so the parts do not protect "
        "each other; the maximum holds only if membership is fixed by row index or a public key",
        name_of(statement->relation)));
  }
  // Two answers, each about any change of its part at all, say twice as much about two rows.
  if (statement && (statement->group_size != 1 || !statement->person.empty())) {
    return bad_request(
        "a group of rows may be spread over several parts, so the parts do not protect each other; "
        "compose guarantees for one row, then state them for groups");
  }
  return with_loss(std::move(statement), detail::largest_loss(losses_of(guarantees)));
}

}  // namespace eigenveil
