// Closed forms against references with 50 digits (golden/make_golden.py). A loss must not be below
// its reference, a trade-off value not above it, and neither may be further away than outward
// rounding explains.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::golden_test {
namespace {

using Reference = boost::multiprecision::cpp_bin_float_50;

struct GoldenRow {
  std::string quantity;
  double x = 0.0;
  double y = 0.0;
  Reference value;
  double condition = 1.0;
};

std::vector<GoldenRow> golden_rows() {
  std::ifstream file(source_directory() / "tests/privacy/golden/conversions.csv");
  std::vector<GoldenRow> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    GoldenRow row;
    std::string cell;
    std::getline(cells, row.quantity, ',');
    std::getline(cells, cell, ',');
    row.x = std::stod(cell);
    std::getline(cells, cell, ',');
    row.y = std::strtod(cell.c_str(), nullptr);
    std::getline(cells, cell, ',');
    row.value = Reference(cell);
    std::getline(cells, cell, ',');
    row.condition = std::stod(cell);
    rows.push_back(row);
  }
  return rows;
}

double computed(const GoldenRow& row) {
  const double x = row.x;
  const double y = row.y;
  const std::map<std::string, double (*)(double, double)> rules = {
      {"gdp_delta", [](double mu, double eps) { return delta_at(GaussianDp{mu}, eps); }},
      {"gdp_epsilon", [](double mu, double delta) { return epsilon_at(GaussianDp{mu}, delta); }},
      {"gdp_trade_off", [](double mu, double a) { return trade_off(GaussianDp{mu}, a); }},
      {"gaussian_mu",
       [](double eps, double delta) {
         return gaussian_mu_for(ApproxDp{eps, delta});
       }},
      {"pure_delta", [](double eps0, double eps) { return delta_at(PureDp{eps0}, eps); }},
      {"approx_delta",
       [](double eps0, double eps) {
         return delta_at(ApproxDp{eps0, 1e-9}, eps);
       }},
      {"pure_zcdp", [](double eps, double) { return pure_zcdp(eps).rho; }},
      {"pure_gdp", [](double eps, double) { return pure_gdp(eps).mu; }},
      {"pure_renyi", [](double eps, double order) { return renyi_divergence(PureDp{eps}, order); }},
      {"zcdp_delta", [](double rho, double eps) { return delta_at(Zcdp{rho}, eps); }},
      {"zcdp_epsilon", [](double rho, double delta) { return zcdp_epsilon(rho, delta); }},
  };
  return rules.at(row.quantity)(x, y);
}

/// Closed forms are rounded once. An inverse is a neighbour of a double at which a value rounded
/// once passes, so one unit in its argument costs `condition` units. The search over the order of
/// zCDP stops 1e-9 wide in log(order); the objective is quadratic there.
Reference allowed_gap(const GoldenRow& row) {
  const Reference unit = Reference(1) / (Reference(1) * (std::int64_t{1} << 52));
  if (row.quantity.starts_with("zcdp")) {
    return Reference(1e-12);
  }
  return unit * (2 + 2 * row.condition);
}

bool rounds_down(const GoldenRow& row) {
  return row.quantity == "gdp_trade_off" || row.quantity == "gaussian_mu";
}

TEST(Golden, EveryRuleIsOnTheSafeSideAndTight) {
  const std::vector<GoldenRow> rows = golden_rows();
  ASSERT_GT(rows.size(), 500U);
  std::map<std::string, int> seen;
  for (const GoldenRow& row : rows) {
    const Reference value(computed(row));
    const Reference sign = rounds_down(row) ? -1 : 1;
    const Reference excess = sign * (value - row.value);
    // The file holds 50 digits, so a value that is exact in double may differ by 1e-50.
    EXPECT_GE(excess, -row.value * Reference(1e-49))
        << row.quantity << " " << row.x << " " << row.y << " computed " << value;
    EXPECT_LE(excess, row.value * allowed_gap(row) + Reference(1e-322))
        << row.quantity << " " << row.x << " " << row.y << " computed " << value;
    ++seen[row.quantity];
  }
  EXPECT_EQ(seen.size(), 11U);
}

/// The textbook evaluation in doubles is the broken twin: somewhere in the table it must fall below
/// the reference, or the table could not tell.
TEST(Golden, NaiveGaussianDeltaFallsBelowTheReference) {
  const auto naive = [](double mu, double eps) {
    const auto cdf = [](double t) { return 0.5 * std::erfc(-t / std::sqrt(2.0)); };
    return cdf(-eps / mu + mu / 2) - std::exp(eps) * cdf(-eps / mu - mu / 2);
  };
  int below = 0;
  for (const GoldenRow& row : golden_rows()) {
    if (row.quantity == "gdp_delta") {
      const double value = naive(row.x, row.y);
      below += !(Reference(value) >= row.value) ? 1 : 0;
    }
  }
  EXPECT_GT(below, 0);
}

}  // namespace
}  // namespace eigenveil::test::golden_test
