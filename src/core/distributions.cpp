#include "core/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

namespace eigenveil {

namespace laws = boost::math;

double normal_cdf(double x) {
  return cdf(laws::normal(), x);
}

double normal_quantile(double probability) {
  return quantile(laws::normal(), probability);
}

double normal_upper_quantile(double tail) {
  return quantile(complement(laws::normal(), tail));
}

double students_t_upper_quantile(double degrees, double tail) {
  return quantile(complement(laws::students_t(degrees), tail));
}

double non_central_chi_squared_upper_quantile(double degrees, double noncentrality, double tail) {
  return quantile(complement(laws::non_central_chi_squared(degrees, noncentrality), tail));
}

double binomial_quantile(double trials, double chance, double probability) {
  return quantile(laws::binomial(trials, chance), probability);
}

double binomial_upper_quantile(double trials, double chance, double tail) {
  return quantile(complement(laws::binomial(trials, chance), tail));
}

double beta_quantile(double a, double b, double probability) {
  return quantile(laws::beta_distribution<double>(a, b), probability);
}

double gamma_lower(double shape, double x) {
  return laws::gamma_p(shape, x);
}

double gamma_upper(double shape, double x) {
  return laws::gamma_q(shape, x);
}

double gamma_density(double shape, double x) {
  return laws::gamma_p_derivative(shape, x);
}

double log1p_minus(double x) {
  return laws::log1pmx(x);
}

}  // namespace eigenveil
