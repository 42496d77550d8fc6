#include "engine/release_cost.hpp"

#include <fmt/format.h>

namespace eigenveil {
namespace {

bool same(const Loss& one, const Loss& other) {
  const auto* first = std::get_if<ApproxDp>(&one);
  const auto* second = std::get_if<ApproxDp>(&other);
  return first != nullptr && second != nullptr && first->epsilon == second->epsilon &&
         first->delta == second->delta;
}

}  // namespace

bool has_pure_margin(const ReleaseCost& cost) {
  return std::holds_alternative<PureDp>(cost.guarantee.loss) &&
         cost.guarantee.basis == Basis::Proved &&
         (cost.method == "laplace" || cost.method == "wishart");
}

ReleaseCost cost_of(const Plan& plan, bool seeded) {
  ReleaseCost cost;
  cost.task = std::string(name_of(plan.request().task));
  cost.method = plan.request().method;
  cost.guarantee = plan.guarantee();
  cost.further = plan.further_losses();
  cost.draw_error = plan.draw_error();
  cost.has_margin = has_pure_margin(cost);
  if (plan.request().budget) {
    cost.requested = *plan.request().budget;
  }
  cost.seeded = seeded;
  return cost;
}

Result<ReleaseCost> stated_cost(const Method& method, const Request& request, bool seeded) {
  if (!request.budget) {
    return bad_request("a budget is missing");
  }
  return method.stated(request).map([&](const Guarantee& guarantee) {
    ReleaseCost cost;
    cost.task = std::string(name_of(request.task));
    cost.method = method.info().name;
    cost.guarantee = guarantee;
    cost.requested = *request.budget;
    cost.seeded = seeded;
    return cost;
  });
}

Result<void> check_charged(const ReleaseCost& charged, const Plan& plan) {
  const Guarantee& now = plan.guarantee();
  const Guarantee& then = charged.guarantee;
  if (now.relation == then.relation && same(now.loss, then.loss) && now.basis == then.basis &&
      now.assumptions == then.assumptions && now.group_size == then.group_size &&
      now.person == then.person) {
    return {};
  }
  return bad_request(fmt::format(
      "method {} plans another guarantee than the one the ledger was charged for; please report "
      "this",
      charged.method));
}

ReleaseCost cost_of(const CountsPlan& plan, std::string task, const Budget& requested,
                    bool seeded) {
  ReleaseCost cost;
  cost.task = std::move(task);
  cost.method = plan.method();
  cost.guarantee = plan.guarantee();
  cost.requested = requested;
  cost.seeded = seeded;
  // Counts under a pure budget bear Laplace noise.
  cost.has_margin = std::holds_alternative<PureDp>(cost.guarantee.loss);
  return cost;
}

}  // namespace eigenveil
