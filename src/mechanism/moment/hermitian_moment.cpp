#include "mechanism/moment/hermitian_moment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/hermitian_eigen.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/core/integers.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/moment/projected_moment.hpp"

namespace eigenveil {
namespace {

Int128 product(const GramTotals& totals, std::size_t a, std::size_t b) {
  return totals.products[triangle_index(std::min(a, b), std::max(a, b))];
}

ComplexMatrix complex_moment(const GramTotals& totals, std::size_t dimension, double norm2) {
  const auto d = static_cast<Eigen::Index>(dimension);
  ComplexMatrix moment(d, d);
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t row = 0; row <= column; ++row) {
      const Int128 real =
          product(totals, 2 * row, 2 * column) + product(totals, 2 * row + 1, 2 * column + 1);
      const Int128 imaginary =
          product(totals, 2 * row + 1, 2 * column) - product(totals, 2 * row, 2 * column + 1);
      const std::complex<double> entry(static_cast<double>(real) / norm2,
                                       static_cast<double>(imaginary) / norm2);
      moment(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = entry;
      moment(static_cast<Eigen::Index>(column), static_cast<Eigen::Index>(row)) = std::conj(entry);
    }
  }
  return moment;
}

}  // namespace

Eigen::Index coordinates_of(std::size_t columns, RowField field) {
  return static_cast<Eigen::Index>(field == RowField::Complex ? columns / 2 : columns);
}

Result<void> check_pairs(const std::vector<std::string>& columns, RowField field) {
  const auto is_part = [](const std::string& name) {
    return name.ends_with(".re") || name.ends_with(".im");
  };
  for (std::size_t j = 0; field == RowField::Complex && j + 1 < columns.size(); j += 2) {
    const std::string& real = columns[j];
    const std::string& imaginary = columns[j + 1];
    if (!is_part(real) && !is_part(imaginary)) {
      continue;
    }
    const bool pair = real.ends_with(".re") && imaginary.ends_with(".im") &&
                      std::string_view(real).substr(0, real.size() - 3) ==
                          std::string_view(imaginary).substr(0, imaginary.size() - 3);
    if (!pair) {
      return bad_request(fmt::format(
          "columns '{}' and '{}' are not real and imaginary part of one coordinate; complex rows "
          "need pairs x.re, x.im side by side",
          real, imaginary));
    }
  }
  return {};
}

HermitianMoment::HermitianMoment(const ExactGram& gram, const Vector& scales, RowField field) {
  const double norm2 = scaled_norm2_bound(gram.bound(), scales);
  if (field == RowField::Real) {
    SymmetricEigen eigen = symmetric_eigen(scaled_moment(gram, scales) / norm2);
    eigenvalues_ = eigen.values.cwiseMax(0.0);
    real_vectors_ = std::move(eigen.vectors);
  } else {
    const auto dimension = static_cast<std::size_t>(coordinates_of(gram.dimension(), field));
    HermitianEigen eigen = hermitian_eigen(complex_moment(
        trusted::totals(gram), dimension, norm2 / (gram.bound().unit() * gram.bound().unit())));
    eigenvalues_ = eigen.values.cwiseMax(0.0);
    complex_vectors_ = std::move(eigen.vectors);
  }
}

ComplexMatrix HermitianMoment::rotate(const ComplexMatrix& frame) const {
  if (real_vectors_.size() == 0) {
    return complex_vectors_ * frame;
  }
  ComplexMatrix rotated(frame.rows(), frame.cols());
  rotated.real() = real_vectors_ * frame.real();
  rotated.imag() = real_vectors_ * frame.imag();
  return rotated;
}

}  // namespace eigenveil
