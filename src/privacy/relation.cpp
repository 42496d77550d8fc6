#include "eigenveil/privacy/relation.hpp"

#include <fmt/format.h>

#include <array>

namespace eigenveil {
namespace {

struct RelationWords {
  Relation relation;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kRelations = {
    RelationWords{Relation::AddRemove, "add-remove", "adding or removing one row"},
    RelationWords{Relation::ReplaceOne, "replace-one", "replacing one row"},
    RelationWords{Relation::ZeroRow, "zero-row",
                  "setting one row to the public midpoint (zero after scaling)"},
    RelationWords{Relation::BoundedChange, "bounded-change",
                  "moving one row by a bounded distance"},
    RelationWords{Relation::IndependentCopy, "independent-copy",
                  "redrawing one row from the model"},
};

}  // namespace

std::string_view name_of(Relation relation) {
  return kRelations.at(static_cast<std::size_t>(relation)).name;
}

std::string_view describe(Relation relation) {
  return kRelations.at(static_cast<std::size_t>(relation)).description;
}

Result<Relation> parse_relation(std::string_view name) {
  for (const RelationWords& words : kRelations) {
    if (words.name == name) {
      return words.relation;
    }
  }
  return bad_request(
      fmt::format("unknown neighbouring relation '{}'; known: add-remove, replace-one, zero-row, "
                  "bounded-change, independent-copy",
                  name),
      "neighbours");
}

bool row_count_is_public(Relation relation) {
  return relation != Relation::AddRemove;
}

}  // namespace eigenveil
