#include "engine/documents/spectral_document.hpp"

#include <fmt/format.h>

namespace eigenveil {

Result<void> check_public_center(const Request& request, const std::string& method) {
  if (request.private_mean()) {
    return bad_request(fmt::format(
        "method {} works about a public centre; give a public {{center}}, or leave {{center}} out",
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
  trusted::guarantee_of(document) = guarantee;
  document.requested = *request.budget;
  document.parameters = public_parameters(
      {settings_of(request), bound, guarantee.relation, guarantee.group_size}, schema);
  return document;
}

void add_loadings(ReleaseDocument& document, const Schema& schema, const Matrix& loadings) {
  document.parameters.emplace_back("components", std::int64_t{loadings.cols()});
  document.tables.push_back(
      {"loadings", "private principal components: one column per component, orthonormal", "column",
       schema.columns, component_names(loadings.cols()), loadings, schema.counted_alleles});
}

}  // namespace eigenveil
