#include "publication/mask_facts.hpp"

#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "privacy/pair_per_row.hpp"

namespace eigenveil {

Result<MaskFacts> mask_facts(MaskRequest request, std::int64_t block) {
  const auto* target = std::get_if<ApproxDp>(&request.budget);
  if (target == nullptr) {
    return bad_request("masking is calibrated for (epsilon, delta): give --epsilon E --delta D");
  }
  const Result<MaskPlan> asked = MaskPlan::make(request, block);
  if (!asked) {
    return error_of(asked);
  }
  // As `mask --method gauss` with the same options.
  const Result<MomentPlan> gauss =
      plan_gauss({request.bound, request.budget, request.relation,
                  request.intercept ? Extension::Full : Extension::None, request.group_size});
  if (!gauss) {
    return error_of(gauss);
  }
  MaskFacts facts;
  facts.shape = asked->shape();
  facts.target = *target;
  facts.relation = request.relation;
  facts.group_size = request.group_size;
  facts.asked = asked->sigma();
  facts.max_power = max_power(asked->guarantee().loss, 0.05);
  facts.gram_sd = gauss->product_sd();
  request.relation = Relation::ReplaceOne;
  facts.replace_one = MaskPlan::make(request, block)->sigma();
  request.relation = Relation::ZeroRow;  // with an intercept a zeroed row keeps its 1, and the
  facts.zero_row = MaskPlan::make(request, block)->sigma();  // noise is that of replace-one
  const ApproxDp row = *pair_per_row(*target, request.group_size);
  facts.general = *general_mask_noise(facts.shape, facts.shape.row_norm, row);
  facts.unmasked = unmasked_noise(
      up(up(std::sqrt(request.group_size)) * row_change(request.bound, Relation::ZeroRow)),
      *target);
  return facts;
}

}  // namespace eigenveil
