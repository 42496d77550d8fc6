#include "audit/gamma_difference.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>

#include "core/distributions.hpp"

namespace eigenveil {

double gamma_difference_within(double shape, double x) {
  boost::math::quadrature::exp_sinh<double> integrator;
  const double beyond = integrator.integrate([&](double y) {
    return y > 700.0 ? 0.0 : gamma_density(shape, y) * gamma_upper(shape, x + y);
  });
  return 1.0 - 2.0 * beyond;
}

}  // namespace eigenveil
