// Intervals about the population from weighted rows, and from rows of which several belong to one
// person: never below their level, and exact where the bound on the sampling variance is attained.
// The broken twin reads the same release as independent rows of weight 1.
#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "mechanism/mask/released_gram.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::regression_dependence_test {
namespace {

constexpr Eigen::Index kPeople = 200;
constexpr std::size_t kReplications = 2000;
constexpr double kSlope = 0.5;
constexpr double kNoise = 2.0;  ///< on an entry of the Gram

/// Columns 1, x, y, one row per person and visit, with the weights of the rows.
struct Weighted {
  Matrix rows;
  Vector weights;
};

/// `visits` rows per person, of which x is one value and `shared` of the residual variance too.
Weighted draw(RandomStream& stream, Eigen::Index visits, double shared) {
  Weighted drawn{Matrix(kPeople * visits, 3), Vector::Ones(kPeople * visits)};
  for (Eigen::Index person = 0; person < kPeople; ++person) {
    const Matrix common = normals(stream, 1, 2);
    const Matrix own = normals(stream, visits, 1);
    for (Eigen::Index visit = 0; visit < visits; ++visit) {
      const double residual =
          std::sqrt(shared) * common(0, 1) + std::sqrt(1.0 - shared) * own(visit, 0);
      drawn.rows.row(person * visits + visit) << 1.0, common(0, 0),
          kSlope * common(0, 0) + residual;
    }
  }
  return drawn;
}

/// One row in twenty has weight `most`, the others a twentieth of it.
void weigh_unevenly(RandomStream& stream, Weighted& drawn, double most) {
  const Matrix chosen = normals(stream, drawn.weights.size(), 1);
  constexpr double kUpperTwentieth = 1.6448536269514722;
  for (Eigen::Index i = 0; i < drawn.weights.size(); ++i) {
    drawn.weights[i] = chosen(i, 0) > kUpperTwentieth ? most : most / 20.0;
  }
}

ReleasedGram release(RandomStream& stream, const Weighted& drawn, double most,
                     Eigen::Index visits) {
  ReleasedGram gram;
  gram.names = {kInterceptColumn, "x", "y"};
  gram.intercept = true;
  gram.rows = drawn.weights.sum();
  const double sd = most * kNoise;
  const Matrix square = normals(stream, 3, 3);
  Matrix noise = sd * 0.5 * (square + square.transpose());
  gram.entry_sd = Matrix::Constant(3, 3, sd / std::sqrt(2.0));
  gram.entry_sd.diagonal().setConstant(sd);
  gram.entry_sd(0, 0) = noise(0, 0) = 0.0;
  gram.products = drawn.rows.transpose() * drawn.weights.asDiagonal() * drawn.rows + noise;
  gram.weight_bound = most;
  gram.rows_together = static_cast<double>(visits);
  return gram;
}

struct Setting {
  const char* name;
  Eigen::Index visits;
  double shared;
  double most;  ///< W
  bool uneven;
  bool exact;  ///< the bound on the sampling variance is attained
};

struct Covered {
  std::size_t ours = 0;
  std::size_t twin = 0;
};

bool holds_slope(const ReleasedGram& gram) {
  const Result<Regression> fit =
      regress(gram, {"y", {kInterceptColumn, "x"}, 0.0, 0.95, CoefficientTarget::Population});
  return fit && fit->low[1] <= kSlope && kSlope <= fit->high[1];
}

Covered coverage(const Setting& wanted) {
  RandomStream stream = RandomStream::seeded(seed_for(wanted.name));
  Covered covered;
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    Weighted drawn = draw(stream, wanted.visits, wanted.shared);
    drawn.weights *= wanted.most;
    if (wanted.uneven) {
      weigh_unevenly(stream, drawn, wanted.most);
    }
    ReleasedGram gram = release(stream, drawn, wanted.most, wanted.visits);
    covered.ours += holds_slope(gram) ? 1 : 0;
    gram.weight_bound = gram.rows_together = 1.0;
    covered.twin += holds_slope(gram) ? 1 : 0;
  }
  return covered;
}

/// Six of the fifty bands that share the rate (noisy_regression_test.cpp uses 42).
constexpr double band_alpha() {
  return alpha_of("mechanism: regression coverage") / 50.0;
}

bool in_band(std::size_t covered) {
  const std::array<double, 2> probabilities = {0.95, 0.05};
  const std::array<std::size_t, 2> counts = {covered, kReplications - covered};
  return cell_p_value(probabilities, counts) >= band_alpha();
}

/// Less often than 95% allows: the exact binomial tail.
bool too_few(std::size_t covered) {
  const boost::math::binomial law(static_cast<double>(kReplications), 0.95);
  return boost::math::cdf(law, static_cast<double>(covered)) < band_alpha();
}

TEST(RegressionCoverage, WeightsAndSeveralRowsPerPersonAreAllowedFor) {
  for (const Setting& wanted : {Setting{"regression.weights.equal", 1, 0.0, 8.0, false, true},
                                Setting{"regression.weights.uneven", 1, 0.0, 8.0, true, false},
                                Setting{"regression.people.equal", 5, 1.0, 1.0, false, true},
                                Setting{"regression.people.alike", 5, 0.6, 1.0, false, false}}) {
    const Covered covered = coverage(wanted);
    EXPECT_FALSE(too_few(covered.ours)) << wanted.name << ' ' << covered.ours;
    EXPECT_TRUE(!wanted.exact || in_band(covered.ours)) << wanted.name << ' ' << covered.ours;
    EXPECT_TRUE(too_few(covered.twin)) << wanted.name << ' ' << covered.twin;
  }
}

}  // namespace
}  // namespace eigenveil::test::regression_dependence_test
