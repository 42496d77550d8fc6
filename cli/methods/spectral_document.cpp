#include "cli/methods/spectral_document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eigenveil::cli {

std::vector<double> to_list(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

Result<void> check_subspace_request(const Request& request, const std::string& method) {
  if (request.budget.group_size != 1) {
    return bad_request(fmt::format("method {} protects one row; leave out --group-size", method));
  }
  if (request.bounds.private_mean()) {
    return bad_request(fmt::format(
        "method {} works about a public centre; give --center public:FILE, or leave --center out",
        method));
  }
  return {};
}

ReleaseDocument subspace_document(const Request& request, const std::string& method,
                                  const Guarantee& guarantee, const RowBound& bound,
                                  const Schema& schema) {
  ReleaseDocument document;
  document.task = name_of(request.task);
  document.method = method;
  document.guarantee = guarantee;
  document.requested = *request.budget.budget();
  Fields& fields = document.parameters;
  fields.emplace_back("neighbours", std::string(name_of(guarantee.relation)));
  fields.emplace_back("columns", schema.columns);
  fields.emplace_back("row_norm", bound.radius());
  fields.emplace_back("grid", bound.max_abs());
  fields.emplace_back("grid_unit", bound.unit());
  fields.emplace_back(
      "units", std::string(request.units() == Units::Scaled ? "scaled to [-1, 1]" : "original"));
  fields.emplace_back(
      "center", std::string(request.bounds.has_public_center() ? "the public centre that was given"
                                                               : "the public centre of the bound"));
  return document;
}

void add_loadings(ReleaseDocument& document, const Schema& schema, const Matrix& loadings) {
  std::vector<std::string> names;
  for (Eigen::Index j = 1; j <= loadings.cols(); ++j) {
    names.push_back(fmt::format("PC{}", j));
  }
  document.parameters.emplace_back("components", std::int64_t{loadings.cols()});
  document.tables.push_back({"loadings",
                             "private principal components: one column per component, orthonormal",
                             "column", schema.columns, names, loadings, schema.counted_alleles});
}

void add_variances(ReleaseDocument& document, const Vector& variances, double total, double edge) {
  document.result.emplace_back("noisy_explained_variance", to_list(variances));
  document.result.emplace_back("noisy_explained_share",
                               to_list(variances / std::max(total, 1e-300)));
  document.result.emplace_back("noise_edge", to_list(Vector::Constant(variances.size(), edge)));
}

}  // namespace eigenveil::cli
