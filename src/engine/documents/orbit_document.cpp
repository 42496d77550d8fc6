#include "engine/documents/orbit_document.hpp"

#include <algorithm>

#include "engine/documents/subspace_document.hpp"
#include "engine/methods/all.hpp"
#include "mechanism/orbit/orbit_matrices.hpp"

namespace eigenveil {
namespace {

ReleaseDocument document_of(const OrbitDocumentHead& head, const Guarantee& guarantee,
                            Eigen::Index rank) {
  ReleaseDocument document;
  document.task = head.task;
  document.method = orbit_method().info().name;
  trusted::guarantee_of(document) = guarantee;
  document.requested = head.common.settings.requested;
  document.parameters = public_parameters(head.common, head.schema);
  document.parameters.insert(document.parameters.end(), head.parameters.begin(),
                             head.parameters.end());
  document.parameters.emplace_back("components", std::int64_t{rank});
  return document;
}

/// Coordinates of complex rows carry the name of their real part, c1 for c1.re of a complex array.
std::vector<std::string> coordinate_names(const Schema& schema, RowField field) {
  if (field == RowField::Real) {
    return schema.columns;
  }
  std::vector<std::string> names;
  for (std::size_t j = 0; j < schema.columns.size(); j += 2) {
    const std::string& name = schema.columns[j];
    names.push_back(name.size() > 3 && name.ends_with(".re") ? name.substr(0, name.size() - 3)
                                                             : name);
  }
  return names;
}

void add_hermitian(ReleaseDocument& document, const ComplexMatrix& matrix,
                   const std::vector<std::string>& names) {
  document.tables.push_back({"hermitian_real", "real part of the Hermitian matrix that was drawn",
                             "column", names, names, matrix.real()});
  document.tables.push_back({"hermitian_imaginary",
                             "imaginary part of the Hermitian matrix that was drawn", "column",
                             names, names, matrix.imag()});
}

/// What real rows get from a Hermitian draw.
struct RealResult {
  std::string description;
  Matrix matrix;
};

RealResult low_rank_result(const OrbitDraw& draw) {
  return {draw.spectrum.size() == draw.matrix.rows()
              ? "private covariance: the real part of the matrix that was drawn; its eigenvalues "
                "are less spread than noisy_eigenvalues, those of the draw"
              : "private matrix of the rank asked for: the real part of the matrix that was drawn, "
                "cut to that rank; its eigenvalues sum to at most noisy_eigenvalues, those of the "
                "draw",
          real_part(draw)};
}

RealResult target_result(const OrbitDraw& draw) {
  return {
      "private matrix with the prescribed eigenvalues: the leading eigenvectors are those of "
      "the real part of the matrix that was drawn",
      real_with_spectrum(draw)};
}

/// Real rows: the real result. Complex rows: the Hermitian matrix itself.
void add_matrix(ReleaseDocument& document, const OrbitDocumentHead& head, const OrbitDraw& draw,
                const RealResult& real, RowField field) {
  const std::vector<std::string> names = coordinate_names(head.schema, field);
  if (field == RowField::Real) {
    document.tables.push_back({head.task, real.description, "column", names, names, real.matrix});
  }
  if (head.hermitian || field == RowField::Complex) {
    add_hermitian(document, draw.matrix, names);
  }
}

/// Complex rows: loadings in two tables, real and imaginary part.
ReleaseDocument complex_components_document(const OrbitDocumentHead& head,
                                            const Release<OrbitComponents>& release) {
  const ComplexComponents& components = release.value().complex_row_components;
  const NoisyProjection& inside = release.value().projection;
  const Eigen::Index count = components.loadings.cols();
  ReleaseDocument document = document_of(head, release.guarantee(), count);
  add_count(document, inside.count, inside.count_is_public ? 0.0 : inside.count_sd);
  document.result.emplace_back("noise_floor", components.noise_floor);
  add_variances(document, {components.explained_variance}, head.common.bound,
                head.common.settings.units);
  const std::vector<std::string> names = coordinate_names(head.schema, RowField::Complex);
  for (const bool imaginary : {false, true}) {
    document.tables.push_back(
        {imaginary ? "loadings_imaginary" : "loadings_real",
         imaginary ? "imaginary part of the private principal components"
                   : "real part of the private principal components: one column per component",
         "column", names, component_names(count),
         imaginary ? Matrix(components.loadings.imag()) : Matrix(components.loadings.real())});
  }
  if (head.hermitian) {
    add_hermitian(document, release.value().orbit.matrix, names);
  }
  return document;
}

}  // namespace

ReleaseDocument orbit_components_document(const OrbitDocumentHead& head,
                                          const Release<OrbitComponents>& release, RowField field) {
  if (field == RowField::Complex) {
    return complex_components_document(head, release);
  }
  const auto drawn = release.map([&](const OrbitComponents& value) {
    return DrawnSubspace{head.schema, value.frame, value.projection};
  });
  ReleaseDocument document = subspace_document(drawn, head.common, head.parameters, {});
  if (head.hermitian) {
    add_hermitian(document, release.value().orbit.matrix, head.schema.columns);
  }
  return document;
}

ReleaseDocument low_rank_document(const OrbitDocumentHead& head,
                                  const Release<LowRankDraw>& release, double norm2,
                                  RowField field) {
  const LowRankDraw& drawn = release.value();
  const NoisyEigenvalues& eigenvalues = drawn.eigenvalues;
  const double per_row = norm2 / std::max(eigenvalues.count, 1.0);
  ReleaseDocument document = document_of(head, release.guarantee(), eigenvalues.values.size());
  add_count(document, eigenvalues.count, eigenvalues.count_sd);
  document.result.emplace_back("variance_noise_sd", eigenvalues.value_sd * per_row);
  document.result.emplace_back("noisy_eigenvalues", to_list(eigenvalues.values * per_row));
  const OrbitDraw scaled{drawn.orbit.matrix * per_row, drawn.orbit.spectrum * per_row};
  add_matrix(document, head, scaled, low_rank_result(scaled), field);
  return document;
}

ReleaseDocument target_document(const OrbitDocumentHead& head, const Release<OrbitDraw>& release,
                                RowField field) {
  ReleaseDocument document =
      document_of(head, release.guarantee(), release.value().spectrum.size());
  document.parameters.emplace_back("target_spectrum", to_list(release.value().spectrum));
  add_matrix(document, head, release.value(), target_result(release.value()), field);
  return document;
}

}  // namespace eigenveil
