#include "audit/gamma_difference.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace eigenveil {

double gamma_difference_within(double shape, double x) {
  boost::math::quadrature::exp_sinh<double> integrator;
  const double beyond = integrator.integrate([&](double y) {
    return y > 700.0
               ? 0.0
               : boost::math::gamma_p_derivative(shape, y) * boost::math::gamma_q(shape, x + y);
  });
  return 1.0 - 2.0 * beyond;
}

}  // namespace eigenveil
