#include "random/chi_square.hpp"

#include <cmath>

#include "random/normal.hpp"

namespace eigenveil {
namespace {

/// Gamma(shape), shape >= 1.
double gamma_variate(RandomStream& stream, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    double z = 0.0;
    fill_standard_normal(stream, {&z, 1});
    const double root = 1.0 + c * z;
    if (root <= 0.0) {
      continue;
    }
    const double v = root * root * root;
    if (std::log(uniform(stream)) < 0.5 * z * z + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace

double chi_square(RandomStream& stream, double degrees) {
  const double shape = degrees / 2.0;
  if (shape >= 1.0) {
    return 2.0 * gamma_variate(stream, shape);
  }
  return 2.0 * gamma_variate(stream, shape + 1.0) * std::pow(uniform(stream), 1.0 / shape);
}

Matrix wishart_factor(RandomStream& stream, double degrees, Eigen::Index dimension) {
  if (degrees < static_cast<double>(dimension)) {
    Matrix rows(static_cast<Eigen::Index>(degrees), dimension);
    fill_standard_normal(stream, {rows.data(), static_cast<std::size_t>(rows.size())});
    return rows;
  }
  Matrix upper = Matrix::Zero(dimension, dimension);
  for (Eigen::Index j = 0; j < dimension; ++j) {
    fill_standard_normal(stream, {upper.data() + j * dimension, static_cast<std::size_t>(j)});
    upper(j, j) = std::sqrt(chi_square(stream, degrees - static_cast<double>(j)));
  }
  return upper;
}

}  // namespace eigenveil
