// What real data lose by a complex mechanism: squared error |P - UU'|_F^2 of the real subspace of a
// Hermitian draw against a draw of the real matrix Bingham law with the same exponent, which costs
// the same epsilon. Usage: bench_orbit_real [draws]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/symmetric_eigen.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"
#include "sampling/bingham.hpp"
#include "sampling/orbit.hpp"

namespace {

using eigenveil::Matrix;
using eigenveil::Vector;
using Index = Eigen::Index;

/// Top k from 1 to 0.9, bulk from 0.3 to 0.
Vector profile(Index d, Index k) {
  Vector y(d);
  y.head(k) = Vector::LinSpaced(k, 1.0, k > 1 ? 0.9 : 1.0);
  y.tail(d - k) = Vector::LinSpaced(d - k, 0.3, 0.0);
  return y;
}

/// |P - UU'|_F^2 = 2 k - 2 |U_top|_F^2, P the projection on the first k coordinates.
double error_of(const Matrix& frame) {
  const Index k = frame.cols();
  return 2.0 * static_cast<double>(k) - 2.0 * frame.topRows(k).squaredNorm();
}

Matrix real_subspace(const eigenveil::ComplexMatrix& frame) {
  const Matrix real_part = (frame * frame.adjoint()).real();
  return eigenveil::largest_eigenpairs(real_part, frame.cols()).vectors;
}

struct Mean {
  double sum = 0.0, squares = 0.0;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt((squares / count - mean() * mean()) / count); }
};

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 2000;
  fmt::print("{:>4} {:>3} {:>6} {:>20} {:>20} {:>8} {:>12}\n", "d", "k", "c/d",
             "complex, real part", "real mechanism", "ratio", "first order");
  for (const auto& [d, k] : {std::pair<Index, Index>{20, 2}, {50, 3}}) {
    for (const double s : {2.0, 5.0, 20.0}) {
      const Vector y = profile(d, k);
      const double c = s * static_cast<double>(d);
      const auto complex = eigenveil::OrbitSampler::make({y, Vector::Ones(k), c});
      const auto real = eigenveil::BinghamSampler::make(y, c, k);
      if (!complex || !real) {
        continue;
      }
      eigenveil::RandomStream stream = eigenveil::RandomStream::seeded(3);
      Mean hermitian;
      Mean symmetric;
      for (int i = 0; i < draws; ++i) {
        hermitian.add(error_of(real_subspace(complex->draw(stream))));
        symmetric.add(error_of(real->draw(stream)));
      }
      fmt::print("{:>4} {:>3} {:>6} {:>12.4f} +- {:.4f} {:>12.4f} +- {:.4f} {:>8.3f} {:>12.4f}\n",
                 d, k, s, hermitian.mean(), hermitian.error(), symmetric.mean(), symmetric.error(),
                 hermitian.mean() / symmetric.mean(), eigenveil::predicted_orbit_error(y, k, c));
    }
  }
  return EXIT_SUCCESS;
}
