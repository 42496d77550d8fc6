#include "audit/attack.hpp"

namespace eigenveil {

std::vector<Mutant> setting_mutants(const AttackSetting& setting, std::size_t dimension) {
  std::vector<Mutant> mutants;
  switch (setting.bound) {
    case AttackedBound::UnitNorm:
      mutants.push_back({"clipping skipped", 4.0});
      break;
    case AttackedBound::RowNorm:
      mutants.push_back({"row norm 3 taken for 1", 9.0});
      break;
    case AttackedBound::Ranges:
      mutants.push_back(
          {"norm of a corner taken for that of a cell", static_cast<double>(dimension)});
      break;
  }
  if (setting.group_size > 1) {
    mutants.push_back({"group factor missing", static_cast<double>(setting.group_size)});
  }
  return mutants;
}

}  // namespace eigenveil
