#include "cli/methods/spectral_document.hpp"

#include <fmt/format.h>

namespace eigenveil::cli {

Result<void> check_subspace_request(const Request& request, const std::string& method) {
  if (request.bounds.private_mean()) {
    return bad_request(fmt::format(
        "method {} works about a public centre; give --center public:FILE, or leave --center out",
        method));
  }
  return {};
}

ReleaseDocument spectral_document(const Request& request, const std::string& method,
                                  const Guarantee& guarantee, const RowBound& bound,
                                  const Schema& schema) {
  ReleaseDocument document;
  document.task = name_of(request.task);
  document.method = method;
  document.guarantee = guarantee;
  document.requested = *request.budget.budget();
  const MomentSettings settings{request.center(), request.units(),
                                request.bounds.has_public_center(), document.requested};
  document.parameters =
      public_parameters({settings, bound, guarantee.relation, guarantee.group_size}, schema);
  return document;
}

void add_loadings(ReleaseDocument& document, const Schema& schema, const Matrix& loadings) {
  document.parameters.emplace_back("components", std::int64_t{loadings.cols()});
  document.tables.push_back(
      {"loadings", "private principal components: one column per component, orthonormal", "column",
       schema.columns, component_names(loadings.cols()), loadings, schema.counted_alleles});
}

}  // namespace eigenveil::cli
