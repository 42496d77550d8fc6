#include "engine/mask/mask_facts.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "core/outward.hpp"
#include "core/parallel.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "privacy/pair_per_row.hpp"

namespace eigenveil {
namespace {

Result<MaskedNoise> masked_noise(const MaskRequest& request, std::int64_t block) {
  const auto* target = std::get_if<ApproxDp>(&request.budget);
  if (target == nullptr) {
    return bad_request("masking is calibrated for (epsilon, delta): give {epsilon E} and {delta D}",
                       "delta");
  }
  // Solving for the noise takes long, and a plan shows both relations: side by side. With an
  // intercept a zeroed row keeps its 1, and the noise is that of replace-one.
  const std::size_t own = request.relation == Relation::ReplaceOne ? 0 : 1;
  std::array relations = {Relation::ReplaceOne, Relation::ZeroRow};
  relations[own] = request.relation;
  std::array<std::optional<Result<MaskPlan::Noise>>, 2> found;
  parallel_for(relations.size(), 2, [&](std::size_t i) {
    MaskRequest one = request;
    one.relation = relations[i];
    found[i] = MaskPlan::noise(one, block);
  });
  const Result<MaskPlan::Noise>& asked = *found[own];
  if (!asked) {
    return error_of(asked);
  }
  MaskedNoise noise;
  noise.shape = asked->shape;
  noise.target = *target;
  noise.asked = asked->sigma;
  noise.replace_one = (*found[0])->sigma;
  noise.zero_row = (*found[1])->sigma;
  const ApproxDp row = *pair_per_row(*target, request.group_size);
  noise.general = *general_mask_noise(noise.shape, noise.shape.row_norm, row);
  noise.unmasked = unmasked_noise(
      up(up(std::sqrt(request.group_size)) * row_change(request.bound, Relation::ZeroRow)),
      *target);
  return noise;
}

}  // namespace

double MaskedNoise::gram_sd(double rows) const {
  return asked * asked * std::sqrt(2.0 * rows);
}

Result<void> check_public_rows(Relation relation) {
  if (!row_count_is_public(relation)) {
    return bad_request(
        "pseudo-data has as many rows as the table, so their number is public: use {neighbours "
        "zero-row} (default) or {neighbours replace-one}",
        "neighbours");
  }
  return {};
}

Result<MaskFacts> mask_facts(MaskRequest request, std::int64_t block) {
  if (const Result<void> checked = check_public_rows(request.relation); !checked) {
    return error_of(checked);
  }
  // As `mask` with the same options.
  const Result<MomentPlan> gauss =
      plan_gauss({request.bound, request.budget, request.relation,
                  request.intercept ? Extension::Full : Extension::None, request.group_size});
  if (!gauss) {
    return error_of(gauss);
  }
  const Result<MaskedNoise> masked = masked_noise(request, block);
  MaskFacts facts;
  facts.relation = request.relation;
  facts.group_size = request.group_size;
  facts.guarantee = gauss->guarantee();
  facts.gram_sd = gauss->product_sd();
  facts.row_norm = masked ? masked->shape.row_norm : request.bound.radius();
  if (masked) {
    facts.masked = *masked;
  } else {
    facts.mask_refusal = masked.error().message;
  }
  return facts;
}

}  // namespace eigenveil
