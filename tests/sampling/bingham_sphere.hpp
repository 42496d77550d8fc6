#pragma once

#include <array>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <functional>

namespace eigenveil::test {

/// Unnormalised density on [0, 1] of |x_1| when x on the unit sphere of R^3 has density
/// exp(e_1 x_1^2 + e_2 x_2^2 + e_3 x_3^2): the circle of the other two coordinates integrates to
/// a Bessel function. Shifted by the largest exponent; |e_2 - e_3| below 1400 for Boost.
inline std::function<double(double)> sphere_marginal(std::array<double, 3> e) {
  const double largest = std::max({e[0], e[1], e[2]});
  return [e, largest](double t) {
    const double rest = (1.0 - t) * (1.0 + t);
    const double spread = 0.5 * rest * std::abs(e[1] - e[2]);
    return std::exp(e[0] * t * t + 0.5 * rest * (e[1] + e[2]) + spread - largest) *
           (std::exp(-spread) * boost::math::cyl_bessel_i(0, spread));
  };
}

/// The same for coordinate `index`.
inline std::function<double(double)> sphere_marginal(std::array<double, 3> e, int index) {
  std::swap(e[0], e[static_cast<std::size_t>(index)]);
  return sphere_marginal(e);
}

}  // namespace eigenveil::test
