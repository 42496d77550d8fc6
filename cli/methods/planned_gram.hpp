#pragma once

#include <type_traits>
#include <utility>

#include "cli/exact_pass.hpp"
#include "cli/methods/request.hpp"

namespace eigenveil::cli {

/// A plan and the statistic it is to run on.
template <class Plan>
struct PlannedGram {
  RowBound bound;
  Plan plan;
  ExactGram gram;
};

/// Public facts, plan, a look at --out, and only then the rows: every refusal that can come from
/// the request comes before a row is read. `make_plan` sees the bound alone.
template <class MakePlan>
auto plan_then_read(const ReleaseRequest& request, const MakePlan& make_plan)
    -> Result<PlannedGram<typename std::invoke_result_t<MakePlan, const RowBound&>::value_type>> {
  Result<ExactPass> pass = ExactPass::open(request.input, request.what.bounds);
  if (!pass) {
    return error_of(pass);
  }
  auto plan = make_plan(pass->bound());
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  Result<ExactGram> gram = pass->run(request.output.is_quiet());
  if (!gram) {
    return error_of(gram);
  }
  return PlannedGram<typename std::invoke_result_t<MakePlan, const RowBound&>::value_type>{
      pass->bound(), *std::move(plan), *std::move(gram)};
}

}  // namespace eigenveil::cli
