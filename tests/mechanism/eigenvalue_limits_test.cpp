// Limits for all eigenvalues at once, and the verdicts that every face shares.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "support/alpha_ledger.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

constexpr std::size_t kReplications = 600;
constexpr Eigen::Index kRows = 400;
constexpr Eigen::Index kColumns = 8;
const Vector kScales = (Vector(kColumns) << 4.0, 2.0, 1.0, 1.0, 0.5, 0.5, 0.2, 0.2).finished();

/// What a case releases: masked rows or a noisy Gram, about the mean or the midpoint, with a public
/// or a noisy number of rows.
struct LimitsCase {
  bool mask;
  bool mean;
  bool noisy_count;
};

/// Two strong directions, the rest far below the noise; rows within their ranges.
Matrix draw_table(RandomStream& stream, bool mean) {
  Matrix table = 0.05 * normals(stream, kRows, kColumns);
  const Matrix factors = normals(stream, kRows, 2);
  table.col(0) += 0.4 * factors.col(0);
  table.col(1) += 0.5 * factors.col(1) - 0.1 * factors.col(0);
  if (mean) {
    table.array() += 0.3;
  }
  return table.cwiseMax(-1.0).cwiseMin(1.0) * kScales.asDiagonal();
}

Matrix with_ones(const Matrix& table) {
  Matrix all(table.rows(), table.cols() + 1);
  all << Vector::Ones(table.rows()), table;
  return all;
}

ReleasedGram released(RandomStream& stream, const Matrix& table, const LimitsCase& wanted) {
  ReleasedGram gram;
  const Matrix rows = wanted.mean ? with_ones(table) : table;
  const Eigen::Index p = rows.cols();
  gram.intercept = wanted.mean;
  gram.names.assign(static_cast<std::size_t>(p), "x");
  gram.rows = double{kRows};
  gram.scales = Vector::Ones(p);
  gram.scales.tail(kColumns) = kScales;
  gram.longest_row = kScales.norm();
  if (wanted.mask) {
    gram.cell_sd = 0.4 * gram.scales;
    const Matrix noisy = rows + normals(stream, kRows, p) * gram.cell_sd.asDiagonal();
    gram.products = noisy.transpose() * noisy;
    return gram;
  }
  constexpr double kSd = 6.0;
  gram.entry_sd = kSd / std::sqrt(2.0) * gram.scales * gram.scales.transpose();
  gram.entry_sd.diagonal() *= std::sqrt(2.0);
  const Matrix square = normals(stream, p, p);
  Matrix noise = gram.scales.asDiagonal() * (kSd * 0.5 * (square + square.transpose())) *
                 gram.scales.asDiagonal();
  const double of_count = wanted.noisy_count ? 4.0 * normals(stream, 1, 1)(0, 0) : 0.0;
  if (wanted.mean) {
    gram.entry_sd(0, 0) = wanted.noisy_count ? 4.0 : 0.0;
    noise(0, 0) = of_count;
  } else {
    gram.rows_sd = wanted.noisy_count ? 4.0 : 0.0;
  }
  gram.rows += of_count;
  gram.products = rows.transpose() * rows + noise;
  return gram;
}

/// The first-order interval that was printed before, for the eigenvalue of `component`.
bool first_order_covers(const ReleasedGram& gram, const ComponentEstimate& found,
                        const MomentEstimate& moment, Eigen::Index component, double truth) {
  const Vector v = found.loadings.col(component);
  Vector direction = v;
  if (moment.mean.size() > 0) {
    direction.resize(v.size() + 1);
    direction << -moment.mean.dot(v), v;
  }
  const double sd = std::sqrt(direction_variance(gram, direction)) / gram.rows;
  return std::abs(found.variance[component] - truth) <= 1.959963984540054 * sd;
}

/// One-sided: the limits may be wider than needed, never too narrow.
bool at_least_95_percent(std::size_t covered) {
  // Six cases share the rate of the row.
  const double alpha = alpha_of("mechanism: eigenvalue limits") / 6.0;
  const boost::math::binomial law(double{kReplications}, 0.95);
  return boost::math::cdf(law, static_cast<double>(covered)) >= alpha;
}

void expect_limits(const LimitsCase& wanted) {
  SCOPED_TRACE(
      fmt::format("mask {}, mean {}, count {}", wanted.mask, wanted.mean, wanted.noisy_count));
  RandomStream stream =
      RandomStream::seeded(seed_for("moments.limits") + (wanted.mask ? 1U : 0U) +
                           (wanted.mean ? 2U : 0U) + (wanted.noisy_count ? 4U : 0U));
  const Matrix table = draw_table(stream, wanted.mean);
  Matrix about = table;
  if (wanted.mean) {
    about.rowwise() -= table.colwise().mean().eval();
  }
  const Vector truth = symmetric_eigen(about.transpose() * about / double{kRows}).values;
  std::size_t covered = 0;
  std::size_t by_first_order = 0;  // the broken twin
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    const ReleasedGram gram = released(stream, table, wanted);
    const Result<MomentEstimate> moment =
        wanted.mean ? covariance(gram) : Result<MomentEstimate>(second_moment(gram));
    ASSERT_TRUE(moment) << moment.error().message;
    const Result<ComponentEstimate> found = components_of(gram, *moment, kColumns);
    ASSERT_TRUE(found) << found.error().message;
    covered +=
        (found->low.array() <= truth.array()).all() && (found->high.array() >= truth.array()).all()
            ? 1
            : 0;
    bool all = true;
    for (Eigen::Index j = 0; j < kColumns; ++j) {
      all = all && first_order_covers(gram, *found, *moment, j, truth[j]);
    }
    by_first_order += all ? 1 : 0;
  }
  EXPECT_TRUE(at_least_95_percent(covered)) << covered;
  EXPECT_FALSE(at_least_95_percent(by_first_order)) << by_first_order;
}

TEST(EigenvalueLimits, HoldForAllEigenvaluesAtOnce) {
  for (const bool mask : {false, true}) {
    for (const bool mean : {false, true}) {
      expect_limits({mask, mean, false});
    }
  }
  expect_limits({false, false, true});
  expect_limits({false, true, true});
}

/// `analyse pca` of a covariance says of every component what `pca` says.
TEST(EigenvalueLimits, VerdictsAreThoseOfPca) {
  RandomStream stream = RandomStream::seeded(seed_for("moments.verdicts"));
  const ReleasedGram gram = released(stream, draw_table(stream, false), {false, false, false});
  const ComponentEstimate found = *components_of(gram, second_moment(gram), 4);
  NoisyCovariance covariance;
  covariance.raw = gram.products / gram.rows;
  covariance.scales = kScales;
  covariance.reach =
      noise_reach({.scales = kScales, .product = gram.entry_sd(0, 1) / (kScales[0] * kScales[1])},
                  0.0, gram.rows);
  const PrincipalComponents pca = principal_components(covariance, 4);
  for (Eigen::Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(found.noise_edge[j], pca.noise_edge[j], 1e-9 * pca.noise_edge[j]);
    EXPECT_EQ(found.below_noise[static_cast<std::size_t>(j)],
              pca.explained_variance[j] < pca.noise_edge[j]);
  }
  EXPECT_FALSE(found.below_noise[0]);
  EXPECT_TRUE(found.below_noise[3]);
}

TEST(ComponentVerdicts, NoiseHasNoShareAndNothingExceedsTheBounds) {
  const Vector noisy = (Vector(4) << 203.0, 9.0, 2.0, -1.0).finished();
  const Vector edge = Vector::Constant(4, 3.0);
  const Vector share = (Vector(4) << 0.9, 0.05, 0.03, 0.0).finished();
  const ComponentVerdicts judged = judge_components(noisy, edge, share, 16.0);
  EXPECT_EQ(judged.variance, (Vector(4) << 16.0, 9.0, 2.0, 0.0).finished());
  EXPECT_EQ(judged.clipped, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(judged.below_noise, (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(judged.share[0], 0.9);
  EXPECT_TRUE(std::isnan(judged.share[2]) && std::isnan(judged.share[3]));
  // Noise that could show more than the bounds allow tells nothing, whatever it shows.
  EXPECT_TRUE(judge_components(noisy, Vector::Constant(4, 50.0), {}, 16.0).below_noise[0]);
}

TEST(ComponentVerdicts, TheLargestVarianceIsThatOfTheLongestRow) {
  const RowBound bound = *RowBound::ranges({{0.0, 8.0}, {-1.0, 1.0}});
  EXPECT_NEAR(largest_variance(bound, Units::Original), 17.0, 1e-9);
  EXPECT_NEAR(largest_variance(bound, Units::Scaled), 2.0, 1e-9);
}

}  // namespace
}  // namespace eigenveil::test
