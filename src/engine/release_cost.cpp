#include "engine/release_cost.hpp"

namespace eigenveil {

ReleaseCost cost_of(const Plan& plan, const RandomStream& stream) {
  ReleaseCost cost;
  cost.task = std::string(name_of(plan.request().task));
  cost.method = plan.request().method;
  cost.guarantee = plan.guarantee();
  if (plan.request().budget) {
    cost.requested = *plan.request().budget;
  }
  cost.seeded = !stream.is_secure();
  return cost;
}

}  // namespace eigenveil
