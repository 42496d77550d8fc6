// Every pair of samplers of the same law, and the promises of the interface.
#include <gtest/gtest.h>

#include <cmath>

#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_agreement_test {
namespace {

constexpr std::size_t kDraws = 3000;
constexpr std::size_t kStatistics = 4;
using Columns = std::array<std::vector<double>, kStatistics>;

Columns collect(const OrbitMethod& method, const OrbitLaw& law, RandomStream& stream) {
  Columns columns;
  for (std::size_t n = 0; n < kDraws; ++n) {
    const ComplexMatrix v = method.draw(stream);
    columns[0].push_back(score(law.diagonal, v));
    columns[1].push_back(v.row(0).squaredNorm());
    columns[2].push_back(std::norm(v.row(1).dot(v.row(2))));
    columns[3].push_back(
        (v.row(0).dot(v.row(1)) * v.row(1).dot(v.row(2)) * v.row(2).dot(v.row(0))).real());
  }
  return columns;
}

bool agree(const Columns& a, const Columns& b) {
  constexpr double kAlpha = alpha_of("sampling: orbit pairs of samplers") / 256;
  for (std::size_t s = 0; s < kStatistics; ++s) {
    if (distance_of_samples(a[s], b[s]) > two_sample_limit(kDraws, kDraws, kAlpha)) {
      return false;
    }
  }
  return true;
}

using MakeMethod = OrbitMethod (*)(const OrbitLaw&);

void expect_all_pairs_agree(const OrbitLaw& law, std::initializer_list<MakeMethod> methods,
                            RandomStream& stream) {
  std::vector<Columns> samples;
  for (const MakeMethod make : methods) {
    samples.push_back(collect(make(law), law, stream));
  }
  const OrbitLaw wrong{law.diagonal, law.spectrum, 2.5 * law.exponent};
  const Columns twin = collect(cascade_method(wrong), law, stream);
  for (std::size_t a = 0; a < samples.size(); ++a) {
    EXPECT_FALSE(agree(samples[a], twin));
    for (std::size_t b = a + 1; b < samples.size(); ++b) {
      EXPECT_TRUE(agree(samples[a], samples[b])) << a << " against " << b;
    }
  }
}

TEST(OrbitAgreement, EveryPairOfSamplers) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.pairs"));
  const Vector y = vector_of({1.0, 0.85, 0.4, 0.35, 0.1, 0.0});
  const auto projector = {block_method, angular_method, coupling_method, cascade_method};
  const MakeMethod captured = captured_method;
  const auto distinct = {vertex_method, tilted_method, captured, coupling_method, cascade_method};
  const auto tied = {tilted_method, captured, coupling_method, cascade_method};
  const auto full_rank = {tilted_method, coupling_method, cascade_method};
  expect_all_pairs_agree({y, vector_of({1.0}), 5.0}, projector, stream);
  expect_all_pairs_agree({y, vector_of({0.8, 0.8}), 9.0}, projector, stream);
  expect_all_pairs_agree({y, vector_of({1.0, 0.5}), 20.0}, distinct, stream);
  expect_all_pairs_agree({y.head(3), vector_of({1.0, 0.5, 0.0}), 6.0}, distinct, stream);
  // Ties in y, where vertices do not apply, with nearly tied l, and of full rank.
  const Vector ties = vector_of({1.0, 1.0, 0.4, 0.4, 0.0, 0.0});
  expect_all_pairs_agree({ties, vector_of({1.0, 0.9}), 6.0}, tied, stream);
  expect_all_pairs_agree({ties.head(4), vector_of({1.0, 0.6, 0.6, 0.3}), 6.0}, full_rank, stream);
  // Ties in l: a draw of the top rows does not say which of the equal ones is which.
  const Vector top = vector_of({1.0, 0.9, 0.8, 0.3, 0.1, 0.0});
  expect_all_pairs_agree({top, vector_of({1.0, 0.6, 0.6}), 8.0}, tied, stream);
}

/// Broken twin of a captured top: its rows turned uniformly, as if their weights were tied.
TEST(OrbitAgreement, ATopDrawnByAnotherLawIsNoticed) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.captured twin"));
  const OrbitLaw law{vector_of({1.0, 0.7, 0.2, 0.1, 0.0}), vector_of({1.0, 0.4}), 15.0};
  const Columns shipped = collect(captured_method(law), law, stream);
  EXPECT_TRUE(agree(shipped, collect(coupling_method(law), law, stream)));
  EXPECT_FALSE(agree(shipped, collect(captured_method(law, 0.0), law, stream)));
}

TEST(OrbitSampler, NearlyTiedOrbitsAreDrawnWithoutCoupling) {
  // Chains of the coupling meet at a tied row with probability 1e-9 a sweep here.
  RandomStream stream = RandomStream::seeded(seed_for("orbit.nearly tied"));
  Vector y = Vector::Zero(60);
  y.head(20).setOnes();
  const Vector l = vector_of({1.0, 1.0 - 1e-9, 1.0 - 2e-9});
  const ComplexMatrix v = OrbitSampler::make({y, l, 30.0}).value().draw(stream);
  EXPECT_LE((v.adjoint() * v - ComplexMatrix(l.cast<std::complex<double>>().asDiagonal())).norm(),
            1e-13);
  // A tied top far above the rest: chains did not meet in minutes.
  Vector top = Vector::Zero(100);
  top.head(5).setConstant(2000.0);
  const Vector near = vector_of({1.0, 0.99, 0.98, 0.97, 0.96});
  const ComplexMatrix w = OrbitSampler::make({top, near, 4.5}).value().draw(stream);
  EXPECT_NEAR(w.squaredNorm(), near.sum(), 1e-12);
}

TEST(OrbitSampler, DrawsDoNotDependOnTheNumberOfThreads) {
  const OrbitLaw law{vector_of({0.1, 0.9, 0.5, 0.0}), vector_of({1.0, 0.7, 0.7}), 3.0};
  const OrbitSampler sampler = OrbitSampler::make(law).value();
  std::vector<std::vector<ComplexMatrix>> runs;
  for (const unsigned threads : {1U, 2U, 5U}) {
    RandomStream stream = RandomStream::seeded(seed_for("orbit.threads"));
    runs.push_back(draw_many(sampler, 20, stream, threads));
    EXPECT_NE(draw_many(sampler, 1, stream, threads)[0], runs.back()[0]);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
  EXPECT_NE(runs[0][0], runs[0][1]);
}

TEST(OrbitSampler, DegenerateOrbits) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.degenerate"));
  const Vector y = vector_of({0.3, 1.0, 0.6});
  const ComplexMatrix full =
      OrbitSampler::make({y, Vector::Constant(3, 0.7), 5.0}).value().draw(stream);
  EXPECT_LE((full * full.adjoint() - 0.7 * ComplexMatrix::Identity(3, 3)).norm(), 1e-14);
  const ComplexMatrix zero = OrbitSampler::make({y, Vector::Zero(2), 5.0}).value().draw(stream);
  EXPECT_EQ(zero, ComplexMatrix::Zero(3, 2));
  const ComplexMatrix partly =
      OrbitSampler::make({y, vector_of({1.0, 0.0}), 5.0}).value().draw(stream);
  EXPECT_EQ(partly.col(1), Eigen::VectorXcd::Zero(3));
  EXPECT_NEAR(partly.col(0).norm(), 1.0, 1e-14);
  const ComplexMatrix scalar =
      OrbitSampler::make({Vector::Ones(1), vector_of({2.0}), 1.0}).value().draw(stream);
  EXPECT_NEAR(std::norm(scalar(0, 0)), 2.0, 1e-14);
  // An unsorted diagonal: the large entry keeps its place.
  const ComplexMatrix peaked = OrbitSampler::make({y, vector_of({1.0}), 1e6}).value().draw(stream);
  EXPECT_GT(std::norm(peaked(1, 0)), 0.99);
}

TEST(OrbitSampler, RefusesBadRequests) {
  const Vector y = vector_of({1.0, 0.0});
  const double nan = std::nan("");
  EXPECT_FALSE(OrbitSampler::make({y, Vector(0), 1.0}));
  EXPECT_FALSE(OrbitSampler::make({y, Vector::Ones(3), 1.0}));
  EXPECT_FALSE(OrbitSampler::make({y, vector_of({0.5, 1.0}), 1.0}));
  EXPECT_FALSE(OrbitSampler::make({y, vector_of({1.0, -0.1}), 1.0}));
  EXPECT_FALSE(OrbitSampler::make({y, vector_of({1.0}), -1.0}));
  EXPECT_FALSE(OrbitSampler::make({y, vector_of({1.0}), nan}));
  EXPECT_FALSE(OrbitSampler::make({vector_of({1.0, nan}), vector_of({1.0}), 1.0}));
  EXPECT_FALSE(OrbitSampler::make({vector_of({1e300, -1e300}), vector_of({1.0}), 1e300}));
  EXPECT_TRUE(OrbitSampler::make({y, vector_of({1.0}), 0.0}));
}

TEST(OrbitSampler, CostIsJudgedByPublicSize) {
  EXPECT_TRUE(check_coupling_cost(200, 10));
  EXPECT_TRUE(check_coupling_cost(100000, 1));
  EXPECT_FALSE(check_coupling_cost(1000, 2));
  EXPECT_TRUE(check_coupling_cost(1000, 2, 1e12));
  const PatternCoupling flat(Vector::Zero(9), vector_of({1.0, 1.0}));
  const PatternCoupling peaked(Vector::Constant(9, 1e6), vector_of({2.0, 1.0, 0.5}));
  EXPECT_EQ(flat.block_sweeps(), peaked.block_sweeps());
}

}  // namespace
}  // namespace eigenveil::test::orbit_agreement_test
