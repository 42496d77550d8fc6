#include "engine/documents/subspace_document.hpp"

#include <algorithm>

namespace eigenveil {
namespace {

void add_projection(ReleaseDocument& document, const DrawnSubspace& drawn,
                    const PrincipalComponents& components, const PublicParameters& common) {
  const NoisyProjection& inside = drawn.projection;
  add_count(document, inside.count, inside.count_is_public ? 0.0 : inside.count_sd);
  document.result.emplace_back("variance_noise_sd",
                               inside.product_sd / std::max(inside.count, 1.0));
  document.result.emplace_back("noise_floor", components.noise_floor);
  add_variances(document, {components.explained_variance, components.noise_edge}, common.bound,
                common.settings.units);
}

}  // namespace

ReleaseDocument subspace_document(const Release<DrawnSubspace>& release,
                                  const PublicParameters& common, const Fields& parameters,
                                  const Fields& result) {
  const DrawnSubspace& drawn = release.value();
  const Eigen::Index count = drawn.frame.cols();
  ReleaseDocument document;
  document.task = "pca";
  document.method = release.mechanism();
  trusted::guarantee_of(document) = release.guarantee();
  document.requested = common.settings.requested;
  document.parameters = public_parameters(common, drawn.schema);
  document.parameters.insert(document.parameters.end(), parameters.begin(), parameters.end());
  document.parameters.emplace_back("components", std::int64_t{count});
  document.result = result;
  if (drawn.is_null()) {  // nothing was drawn: no table, rather than one of zeros
    return document;
  }
  PrincipalComponents components = components_in_subspace(drawn.frame, drawn.projection);
  add_projection(document, drawn, components, common);
  document.tables.push_back({"loadings",
                             "private principal components: one column per component, orthonormal",
                             "column", drawn.schema.columns, component_names(count),
                             std::move(components.loadings), drawn.schema.counted_alleles});
  return document;
}

}  // namespace eigenveil
