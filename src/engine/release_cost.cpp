#include "engine/release_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

/// Everything that is written of it.
Json statement(const Guarantee& guarantee, const Budget& requested) {
  return guarantee_to_json(guarantee, requested);
}

/// A pair is implied by every loss that has at most its delta at its epsilon.
bool is_at_most(const Loss& loss, const Loss& promised) {
  const auto* pair = std::get_if<ApproxDp>(&promised);
  const auto* mu = std::get_if<GaussianDp>(&loss);
  return pair != nullptr && ((mu != nullptr && mu->mu <= gaussian_mu_for(*pair)) ||
                             delta_at(loss, pair->epsilon) <= pair->delta);
}

/// The guarantee with the randomness that is used.
Guarantee as_drawn(const ReleaseCost& promised) {
  Guarantee guarantee = promised.guarantee;
  guarantee.secure_random = !promised.seeded;
  if (promised.seeded && guarantee.basis != Basis::NotPrivate) {
    guarantee.would_be = guarantee.basis;
    guarantee.basis = Basis::NotPrivate;
  }
  return guarantee;
}

bool holds_all(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  });
}

tl::unexpected<Error> broken(const ReleaseCost& promised, std::string_view what) {
  return bad_request(
      fmt::format("an error of method {}, please report it: {}", promised.method, what));
}

}  // namespace

bool has_pure_margin(const ReleaseCost& cost) {
  const NoiseOnEntries noise = entry_noise_of(cost.method);
  return std::holds_alternative<PureDp>(cost.guarantee.loss) &&
         cost.guarantee.basis == Basis::Proved &&
         (noise == NoiseOnEntries::Laplace || noise == NoiseOnEntries::Wishart);
}

ReleaseCost cost_of(const Plan& plan, bool seeded) {
  ReleaseCost cost;
  cost.task = std::string(name_of(plan.request().task));
  cost.method = plan.request().method;
  cost.guarantee = plan.guarantee();
  cost.further = plan.further_losses();
  cost.draw_error = plan.draw_error();
  cost.has_margin = has_pure_margin(cost);
  cost.tightens = plan.tightens_with_rows();
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
  return statement(plan.guarantee(), charged.requested) ==
                 statement(charged.guarantee, charged.requested)
             ? Result<void>()
             : broken(charged, "it plans another guarantee than the ledger was charged for");
}

void state_request(const Plan& plan, ReleaseDocument& document) {
  document.request = to_json(plan.request());
  document.papers = papers_of(plan.request().task, plan.request().method);
}

Result<void> check_kept(const ReleaseCost& promised, const ReleaseDocument& document) {
  const Guarantee due = as_drawn(promised);
  Guarantee stated = document.guarantee();
  if (promised.tightens && is_at_most(stated.loss, due.loss) &&
      holds_all(stated.assumptions, due.assumptions)) {
    stated.loss = due.loss;
    stated.assumptions = due.assumptions;
  }
  const bool kept = document.task == promised.task &&
                    budget_to_json(document.requested) == budget_to_json(promised.requested) &&
                    statement(stated, promised.requested) == statement(due, promised.requested);
  return kept ? Result<void>()
              : broken(promised,
                       "the release states another guarantee than was planned, so nothing is "
                       "published");
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
