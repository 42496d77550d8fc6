// Noisy eigenvalues: how far they can move, what the solver adds, the law of the noise.
#include "mechanism/orbit/eigenvalue_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/solver_error.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::eigenvalue_noise_test {
namespace {

Vector eigenvalues(const RowBound& bound, const std::vector<double>& rows) {
  const auto d = static_cast<Eigen::Index>(bound.dimension());
  return HermitianMoment(gram_of(bound, rows), Vector::Ones(d), RowField::Real).eigenvalues();
}

std::vector<double> random_row(std::mt19937_64& engine, std::size_t dimension) {
  std::normal_distribution<double> normal;
  std::vector<double> row(dimension);
  double norm2 = 0.0;
  for (double& cell : row) {
    cell = normal(engine);
    norm2 += cell * cell;
  }
  for (double& cell : row) {
    cell /= std::sqrt(norm2);
  }
  return row;
}

TEST(EigenvalueNoise, NeighboursStayWithinTheSensitivityAndAttainIt) {
  constexpr std::size_t kDimension = 4;
  const RowBound bound = *RowBound::row_norm(kDimension, 1.0);
  std::mt19937_64 engine(seed_for("eigenvalues.search"));
  for (const Eigen::Index rank : {1, 2, 4}) {
    const EigenvalueShape added{kDimension, rank, Relation::ZeroRow};
    const EigenvalueShape replaced{kDimension, rank, Relation::ReplaceOne};
    double largest_added = 0.0;
    double largest_replaced = 0.0;
    double longest_added = 0.0;
    double longest_replaced = 0.0;
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> rows;
      for (std::uint64_t i = engine() % 6; i > 0; --i) {
        const std::vector<double> row = random_row(engine, kDimension);
        rows.insert(rows.end(), row.begin(), row.end());
      }
      std::vector<double> first = rows;
      std::vector<double> second = rows;
      const std::vector<double> row = random_row(engine, kDimension);
      const std::vector<double> other = random_row(engine, kDimension);
      first.insert(first.end(), row.begin(), row.end());
      second.insert(second.end(), other.begin(), other.end());
      const Vector with = eigenvalues(bound, first).head(rank);
      largest_added =
          std::max(largest_added, (with - eigenvalues(bound, rows).head(rank)).lpNorm<1>());
      largest_replaced =
          std::max(largest_replaced, (with - eigenvalues(bound, second).head(rank)).lpNorm<1>());
      longest_added = std::max(longest_added, (with - eigenvalues(bound, rows).head(rank)).norm());
      longest_replaced =
          std::max(longest_replaced, (with - eigenvalues(bound, second).head(rank)).norm());
    }
    EXPECT_LE(largest_added * kEigenvalueSteps, *eigenvalue_l1_sensitivity(added));
    EXPECT_LE(largest_replaced * kEigenvalueSteps, *eigenvalue_l1_sensitivity(replaced));
    EXPECT_LE(longest_added * kEigenvalueSteps, *eigenvalue_l2_sensitivity(added));
    EXPECT_LE(longest_replaced * kEigenvalueSteps, *eigenvalue_l2_sensitivity(replaced));
  }
  // Attained: a row along the leading eigenvector; a row moved from one eigenvector to another.
  const std::vector<double> e1 = {1.0, 0.0, 0.0, 0.0};
  std::vector<double> two = e1;
  two.insert(two.end(), e1.begin(), e1.end());
  std::vector<double> moved = e1;
  moved.insert(moved.end(), {0.0, 1.0, 0.0, 0.0});
  EXPECT_NEAR((eigenvalues(bound, two) - eigenvalues(bound, e1)).lpNorm<1>(), 1.0, 1e-12);
  EXPECT_NEAR((eigenvalues(bound, two) - eigenvalues(bound, moved)).lpNorm<1>(), 2.0, 1e-12);
  EXPECT_NEAR((eigenvalues(bound, two) - eigenvalues(bound, e1)).norm(), 1.0, 1e-12);
  EXPECT_NEAR((eigenvalues(bound, two) - eigenvalues(bound, moved)).norm(), std::sqrt(2.0), 1e-12);
}

/// Every pair of tables of up to three rows of the grid {-1, 0, 1}² with norm at most 1, and of
/// their half steps: no pair passes the l2 claim, some pair passes 1% less.
TEST(EigenvalueNoise, NoPairOfASmallDomainExceedsTheLength) {
  const RowBound bound = *RowBound::row_norm(2, 1.0);
  std::vector<std::vector<double>> domain;
  for (const double a : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    for (const double b : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      if (a * a + b * b <= 1.0) {
        domain.push_back({a, b});
      }
    }
  }
  const auto with = [](const std::vector<double>& rows, const std::vector<double>& row) {
    std::vector<double> longer = rows;
    longer.insert(longer.end(), row.begin(), row.end());
    return longer;
  };
  for (const Eigen::Index rank : {1, 2}) {
    double added = 0.0;
    double replaced = 0.0;
    for (const auto& first : domain) {
      for (const auto& second : domain) {
        const std::vector<double> rows = with(first, second);
        const Vector base = eigenvalues(bound, rows).head(rank);
        for (const auto& third : domain) {
          const Vector more = eigenvalues(bound, with(rows, third)).head(rank);
          const Vector other = eigenvalues(bound, with(first, third)).head(rank);
          added = std::max(added, (more - base).norm());
          replaced = std::max(replaced, (other - base).norm());
        }
      }
    }
    const double of_added =
        *eigenvalue_l2_sensitivity({2, rank, Relation::ZeroRow}) / kEigenvalueSteps;
    const double of_replaced =
        *eigenvalue_l2_sensitivity({2, rank, Relation::ReplaceOne}) / kEigenvalueSteps;
    EXPECT_LE(added, of_added);
    EXPECT_LE(replaced, of_replaced);
    EXPECT_GT(added, 0.99 * of_added);
    EXPECT_GT(replaced, 0.99 * of_replaced);
  }
}

/// H D H / d with a Hadamard matrix H has the eigenvalues D exactly.
TEST(EigenvalueNoise, TheSolverStaysWithinItsAllowance) {
  constexpr Eigen::Index kDimension = 64;
  Matrix hadamard(kDimension, kDimension);
  for (Eigen::Index i = 0; i < kDimension; ++i) {
    for (Eigen::Index j = 0; j < kDimension; ++j) {
      hadamard(i, j) = __builtin_parityll(static_cast<unsigned long long>(i & j)) != 0 ? -1.0 : 1.0;
    }
  }
  std::mt19937_64 engine(seed_for("eigenvalues.solver"));
  for (const int spread : {0, 10, 40}) {
    Vector exact(kDimension);
    for (double& value : exact) {
      value = std::ldexp(static_cast<double>(engine() % 1024),
                         -static_cast<int>(engine() % 41) * spread / 40);
    }
    std::sort(exact.begin(), exact.end(), std::greater<>());
    const Matrix matrix = hadamard * exact.asDiagonal() * hadamard.transpose() / kDimension;
    const double allowance = solver_error(kDimension) * exact.sum();
    EXPECT_LE((symmetric_eigen(matrix).values - exact).norm(), allowance);
  }
}

TEST(EigenvalueNoise, NoiseHasTheStatedLawAndScale) {
  constexpr std::size_t kReleases = 20000;
  const RowBound bound = *RowBound::row_norm(2, 1.0);
  const EigenvalueShape shape{2, 1, Relation::AddRemove};
  const NoiseScale noise = *eigenvalue_noise_scale(shape, PureDp{1.0});
  const NoiseScale normal = *eigenvalue_noise_scale(shape, GaussianDp{1.0});
  const double scale = noise.diagonal;
  std::vector<double> rows;
  for (int i = 0; i < 60; ++i) {  // far from the clamp at 0
    rows.insert(rows.end(), {1.0, 0.0});
  }
  const ExactGram gram = gram_of(bound, rows);
  const HermitianMoment moment(gram, Vector::Ones(2), RowField::Real);
  RandomStream stream = RandomStream::seeded(seed_for("eigenvalues.law"));
  std::vector<double> values;
  std::vector<double> counts;
  std::vector<double> gaussian;
  for (std::size_t i = 0; i < kReleases; ++i) {
    const NoisyEigenvalues noisy = release_eigenvalues(gram, moment, shape, noise, stream);
    values.push_back((noisy.values[0] - 60.0) * kEigenvalueSteps);
    counts.push_back((noisy.count - 60.0) * kCountWeight);
    gaussian.push_back((release_eigenvalues(gram, moment, shape, normal, stream).values[0] - 60.0) *
                       kEigenvalueSteps);
  }
  const double limit = dkw_limit(kReleases, alpha_of("mechanism: eigenvalue noise") / 3.0);
  const auto distance = [](std::vector<double> seen, double b) {
    return kolmogorov_distance(seen, [b](double x) {
      return x < 0.0 ? 0.5 * std::exp(x / b) : 1.0 - 0.5 * std::exp(-x / b);
    });
  };
  for (const std::vector<double>* seen : {&values, &counts}) {
    EXPECT_LE(distance(*seen, scale), limit);
    EXPECT_GT(distance(*seen, 0.8 * scale), limit);  // twin: the count's share left out
  }
  const auto from_normal = [&](double sigma) {
    return kolmogorov_distance(
        gaussian, [sigma](double x) { return 0.5 * std::erfc(-x / sigma / std::sqrt(2.0)); });
  };
  EXPECT_LE(from_normal(normal.diagonal), limit);
  EXPECT_GT(from_normal(0.8 * normal.diagonal), limit);
  EXPECT_GE(normal.diagonal, std::sqrt(1.0 + 1.0 / 16.0) * kEigenvalueSteps);
  EXPECT_GE(scale, 1.25 * kEigenvalueSteps);  // R² and a quarter for the count, at epsilon 1
}

}  // namespace
}  // namespace eigenveil::test::eigenvalue_noise_test
