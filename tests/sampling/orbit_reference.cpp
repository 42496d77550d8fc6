#include "sampling/orbit_reference.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <memory>

#include "random/normal.hpp"

namespace eigenveil::test {
namespace {

using Index = Eigen::Index;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>,
                                           boost::multiprecision::et_off>;
using Rows = std::vector<std::vector<Real>>;

/// Reduces [a | b] by Gauss-Jordan elimination: returns det a, leaves a⁻¹ b in b.
Real eliminate(Rows a, Rows& b) {
  const std::size_t size = a.size();
  Real determinant = 1;
  for (std::size_t c = 0; c < size; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < size; ++r) {
      pivot = abs(a[r][c]) > abs(a[pivot][c]) ? r : pivot;
    }
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    determinant *= pivot == c ? a[c][c] : Real(-a[c][c]);
    for (std::size_t r = 0; r < size; ++r) {
      if (r != c) {
        const Real factor = a[r][c] / a[c][c];
        for (std::size_t j = c; j < size; ++j) {
          a[r][j] -= factor * a[c][j];
        }
        for (std::size_t j = 0; j < b[r].size(); ++j) {
          b[r][j] -= factor * b[c][j];
        }
      }
    }
    for (Real& entry : b[c]) {
      entry /= a[c][c];
    }
    for (std::size_t j = size; j-- > c;) {
      a[c][j] /= a[c][c];
    }
  }
  return determinant;
}

}  // namespace

OrbitMoments hciz_moments(const OrbitLaw& law) {
  const auto d = static_cast<std::size_t>(law.diagonal.size());
  std::vector<Real> l(d, 0);
  std::copy(law.spectrum.begin(), law.spectrum.end(), l.begin());
  const std::vector<Real> y(law.diagonal.begin(), law.diagonal.end());
  const Real c = law.exponent;
  // Rows: the p-th derivative in l, divided by p!, of e^{c l y} for the p-th copy of an eigenvalue.
  Rows matrix(d, std::vector<Real>(d));
  Rows parts(d, std::vector<Real>(3 * d));  // d/dc, d²/dc² (columns), d/dy_a (column a only)
  int power = 0;                            // P - N: of c in the prefactor
  Real scale = 1;                           // prod j! / (Vandermonde of y and of l)
  for (std::size_t i = 0, copy = 0; i < d; ++i) {
    copy = i > 0 && l[i] == l[i - 1] ? copy + 1 : 0;
    power += static_cast<int>(copy) - static_cast<int>(i);
    for (std::size_t p = 1; p <= i; ++p) {
      scale *= static_cast<int>(p);  // prod of j!
    }
    for (std::size_t p = 1; p <= copy; ++p) {
      scale /= static_cast<int>(p);
    }
    for (std::size_t h = 0; h < i; ++h) {
      scale /= (y[h] - y[i]) * (l[h] == l[i] ? Real(1) : Real(l[h] - l[i]));
    }
    for (std::size_t j = 0; j < d; ++j) {
      const int p = static_cast<int>(copy);
      const Real e = exp(c * l[i] * y[j]);
      matrix[i][j] = pow(y[j], p) * e;
      parts[i][j] = l[i] * pow(y[j], p + 1) * e;
      parts[i][d + j] = l[i] * l[i] * pow(y[j], p + 2) * e;
      parts[i][2 * d + j] =
          c * l[i] * matrix[i][j] + (p == 0 ? Real(0) : Real(p * pow(y[j], p - 1) * e));
    }
  }
  const Real determinant = eliminate(matrix, parts);
  Real first = 0;
  Real second = 0;
  for (std::size_t i = 0; i < d; ++i) {
    first += parts[i][i];
    second += parts[i][d + i];
    for (std::size_t j = 0; j < d; ++j) {
      second -= parts[i][j] * parts[j][i];
    }
  }
  OrbitMoments moments;
  moments.mean = static_cast<double>(Real(first + power / c));
  moments.variance = static_cast<double>(Real(second - power / (c * c)));
  moments.integral = static_cast<double>(Real(abs(determinant * scale * pow(c, power))));
  moments.diagonal.resize(law.diagonal.size());
  std::vector<Real> slopes(d);
  for (std::size_t a = 0; a < d; ++a) {
    Real slope = parts[a][2 * d + a];
    for (std::size_t b = 0; b < d; ++b) {
      slope -= b == a ? Real(0) : Real(1 / (y[a] - y[b]));
    }
    slopes[a] = slope / c;
    moments.diagonal[static_cast<Index>(a)] = static_cast<double>(slopes[a]);
  }
  // Cov(H_aa, H_bb) = d²/dy_a dy_b log I / c²; column a alone depends on y_a. The Hessian of log I
  // in an off-diagonal direction follows from second-order shifts of the eigenvalues of Y:
  // E |H_ab|² = (E H_aa - E H_bb) / (c (y_a - y_b)).
  const auto size = law.diagonal.size();
  moments.joint = moments.modulus = Matrix::Zero(size, size);
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) {
      if (a != b) {
        const Real gap = y[a] - y[b];
        const Real covariance =
            (-parts[b][2 * d + a] * parts[a][2 * d + b] - 1 / (gap * gap)) / (c * c);
        const auto row = static_cast<Index>(a);
        const auto column = static_cast<Index>(b);
        moments.joint(row, column) = static_cast<double>(Real(covariance + slopes[a] * slopes[b]));
        moments.modulus(row, column) =
            static_cast<double>(Real((slopes[a] - slopes[b]) / (c * gap)));
      }
    }
  }
  return moments;
}

double bernstein_limit(double variance, double range, std::size_t count, double alpha) {
  const auto n = static_cast<double>(count);
  const double log_term = std::log(2.0 / alpha);
  const double linear = 2.0 * log_term * range / 3.0;
  return (linear + std::sqrt(linear * linear + 8.0 * n * log_term * variance)) / (2.0 * n);
}

Estimate estimate(const std::function<Vector()>& draw, std::size_t count, double range,
                  double alpha) {
  Vector sum = draw();
  Vector squares = sum.cwiseAbs2();
  for (std::size_t n = 1; n < count; ++n) {
    const Vector f = draw();
    sum += f;
    squares += f.cwiseAbs2();
  }
  const auto n = static_cast<double>(count);
  const double log_term = std::log(4.0 / alpha);
  const Vector mean = sum / n;
  const Vector variance = (squares - n * mean.cwiseAbs2()) / (n - 1.0);
  const Vector limit = (2.0 * log_term / n * variance.array().max(0.0)).sqrt() +
                       7.0 * log_term * 2.0 * range / (3.0 * (n - 1.0));
  return {mean, limit};
}

namespace {

template <class Sampler>
auto until_accepted(const Sampler& sampler, RandomStream& stream) {
  while (true) {
    if (auto accepted = sampler.attempt(stream)) {
      return *accepted;
    }
  }
}

}  // namespace

OrbitMethod block_method(const OrbitLaw& law) {
  const double l = law.spectrum[0];
  const GaussianBlock sampler(l * law.exponent * law.diagonal, law.spectrum.size());
  return {"block", [=](RandomStream& stream) -> ComplexMatrix {
            return until_accepted(sampler, stream) * std::sqrt(l);
          }};
}

OrbitMethod angular_method(const OrbitLaw& law) {
  const double l = law.spectrum[0];
  const MatrixAngularGaussian sampler(l * law.exponent * law.diagonal, law.spectrum.size());
  return {"angular", [=](RandomStream& stream) -> ComplexMatrix {
            return until_accepted(sampler, stream) * std::sqrt(l);
          }};
}

OrbitMethod vertex_method(const OrbitLaw& law) {
  const VertexRejection sampler(law.exponent * law.diagonal, law.spectrum);
  return {"vertex", [=](RandomStream& stream) {
            return frame_from_pattern(until_accepted(sampler, stream), stream);
          }};
}

OrbitMethod tilted_method(const OrbitLaw& law) {
  const TiltedProjector sampler(law.exponent * law.diagonal, law.spectrum);
  return {"tilted", [=](RandomStream& stream) { return until_accepted(sampler, stream); }};
}

OrbitMethod captured_method(const OrbitLaw& law, double top_exponent) {
  const Eigen::Index rank = (law.spectrum.array() > 0.0).count();
  const Vector l = law.spectrum.head(rank);
  const auto top = std::make_shared<OrbitSampler>(
      OrbitSampler::make({law.diagonal.head(rank), l, top_exponent}).value());
  const CapturedTop sampler(law.exponent * law.diagonal, l, top);
  return {"captured", [=](RandomStream& stream) { return until_accepted(sampler, stream); }};
}

OrbitMethod captured_method(const OrbitLaw& law) {
  return captured_method(law, law.exponent);
}

namespace {

OrbitMethod coupling_from(const char* name, const OrbitLaw& law, std::size_t first_block) {
  const Index d = law.diagonal.size();
  const PatternCoupling sampler(
      law.exponent * (law.diagonal.head(d - 1) - law.diagonal.tail(d - 1)), law.spectrum,
      first_block);
  return {name,
          [=](RandomStream& stream) { return frame_from_pattern(sampler.draw(stream), stream); }};
}

}  // namespace

OrbitMethod coupling_method(const OrbitLaw& law) {
  return coupling_from("coupling", law, 0);
}

OrbitMethod growing_method(const OrbitLaw& law) {
  return coupling_from("growing blocks", law, 1);
}

OrbitMethod cascade_method(const OrbitLaw& law) {
  const auto sampler = std::make_shared<OrbitSampler>(OrbitSampler::make(law).value());
  return {"cascade", [=](RandomStream& stream) { return sampler->draw(stream); }};
}

double score(const Vector& diagonal, const ComplexMatrix& frame) {
  return diagonal.dot(frame.rowwise().squaredNorm());
}

ComplexMatrix bordered_matrix(const GelfandTsetlinPattern& pattern, RandomStream& stream,
                              FibreFault fault) {
  const Index d = pattern.rows();
  Matrix full = Matrix::Zero(d, d);  // row i: all i + 1 eigenvalues of the block of size i + 1
  full.leftCols(pattern.cols()) = pattern;
  ComplexMatrix h = ComplexMatrix::Zero(d, d);
  h(0, 0) = pattern(0, 0);
  for (Index i = 1; i < d; ++i) {
    const Eigen::SelfAdjointEigenSolver<ComplexMatrix> eigen(h.topLeftCorner(i, i));
    const ComplexMatrix vectors = eigen.eigenvectors().rowwise().reverse();
    Eigen::VectorXcd border = Eigen::VectorXcd::Zero(i);
    for (Index first = 0, size = 0; first < i; first += size) {
      const double mu = full(i - 1, first);
      for (size = 1; first + size < i && full(i - 1, first + size) == mu;) {
        ++size;
      }
      // Residue of the resolvent at mu, without the size - 1 forced copies of mu.
      double weight = -1.0;
      for (Index s = 0; s <= i; ++s) {
        weight *= s > first && s < first + size ? 1.0 : mu - full(i, s);
      }
      for (Index h_ = 0; h_ < i; ++h_) {
        const bool is_forced = h_ > 0 && full(i - 1, h_) == full(i - 1, h_ - 1);
        weight /= (h_ >= first && h_ < first + size) || is_forced ? 1.0 : mu - full(i - 1, h_);
        // A forced copy cancels against the equal new eigenvalue.
        weight /= is_forced && (h_ < first || h_ >= first + size) ? mu - full(i, h_) : 1.0;
      }
      Eigen::VectorXcd direction(size);
      fill_standard_normal(stream, {reinterpret_cast<double*>(direction.data()),
                                    2 * static_cast<std::size_t>(size)});
      if (fault == FibreFault::FixedPhases) {
        direction = direction.cwiseAbs().cast<std::complex<double>>();
      }
      border.segment(first, size) = direction.normalized() * std::sqrt(std::max(weight, 0.0));
    }
    if (fault == FibreFault::MisSignedResidue && i == d - 1) {
      Index largest = 0;
      border.cwiseAbs().maxCoeff(&largest);
      border[largest] = 0.0;  // what the square root of a residue of the wrong sign becomes
    }
    h.col(i).head(i) = vectors * border;
    h.row(i).head(i) = h.col(i).head(i).adjoint();
    h(i, i) = full.row(i).sum() - full.row(i - 1).sum();
  }
  return h;
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace eigenveil::test
