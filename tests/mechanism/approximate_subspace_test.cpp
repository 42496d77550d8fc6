// Whole runs of the approximate case: on clean rows with limits from theory, on degenerate and
// hopeless rows, boosted, and refused.
#include "mechanism/subspace/approximate_subspace.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/core_weights.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::approximate_subspace_test {
namespace {

using Index = Eigen::Index;

Matrix rows_near(const Matrix& frame, Index n, double gamma, RandomStream& stream) {
  Matrix inside(frame.cols(), n);
  Matrix noise(frame.rows(), n);
  fill_standard_normal(stream, {inside.data(), static_cast<std::size_t>(inside.size())});
  fill_standard_normal(stream, {noise.data(), static_cast<std::size_t>(noise.size())});
  return frame * inside + gamma * noise;
}

LearnedSubspace learn(const SubspacePlan& plan, const Matrix& rows, RandomStream& stream) {
  GroupBuilder builder = plan.builder(stream, 2);
  for (Index i = 0; i < rows.cols(); ++i) {
    builder.add(rows.col(i).data());
  }
  return plan.run(std::move(builder).finish(), stream, 2).value();
}

LearnedSubspace learn(const SubspaceRequest& request, const Matrix& rows, RandomStream& stream) {
  return learn(*SubspacePlan::make(request), rows, stream);
}

SubspaceRequest request_for(const Matrix& rows, std::size_t k, std::optional<double> gamma) {
  SubspaceRequest request;
  request.rows = static_cast<std::size_t>(rows.cols());
  request.dimension = static_cast<std::size_t>(rows.rows());
  request.subspace = k;
  request.budget = {1.0, 1e-6};
  request.gamma = gamma;
  return request;
}

/// Weighted mean of the core at a radius, d x q, without noise.
Matrix mean_of_core(const GroupPositions& positions, double radius) {
  const Weighed weighed = weigh(positions, radius / positions.shape.step);
  return positions.shape.step *
         Eigen::Map<const Matrix>(weighed.mean.data(),
                                  static_cast<Index>(positions.shape.dimension),
                                  static_cast<Index>(positions.shape.references));
}

double spectral_norm(const Matrix& matrix) {
  return std::sqrt(symmetric_eigen(matrix.transpose() * matrix).values[0]);
}

/// A limit for the sine, false with probability at most alpha. With P the released points and U the
/// truth, sine <= |(I - UU')P| / s_k(P); the part of P that is no noise is computed here, and the
/// norm of d x q normals exceeds sqrt(d) + sqrt(q) + sqrt(2 ln(1/alpha)) with probability at most
/// alpha.
double sine_limit(const Matrix& frame, const Matrix& mean, double step,
                  const LearnedSubspace& learned, double alpha) {
  const double edge =
      std::sqrt(static_cast<double>(mean.rows())) + std::sqrt(static_cast<double>(mean.cols()));
  const double largest_noise = learned.noise_sd * (edge + std::sqrt(2.0 * std::log(1.0 / alpha)));
  const double rounding = std::sqrt(static_cast<double>(mean.size())) * learned.radius * 0x1p-24;
  // noise_angle = (noise + half a step a coordinate) / s_k, with the norm that noise exceeds once
  // in a thousand
  const double stated = learned.noise_sd * (edge + std::sqrt(2.0 * std::log(1e3))) +
                        0.5 * step * std::sqrt(static_cast<double>(mean.size()));
  const double smallest = stated / learned.noise_angle;
  return (spectral_norm(mean - frame * (frame.transpose() * mean)) + largest_noise + rounding) /
         smallest;
}

void expect_found(Index d, Index k, Index n, double gamma, bool gamma_is_known,
                  RandomStream& stream) {
  const Matrix frame = haar_frame(stream, d, k);
  const Matrix rows = rows_near(frame, n, gamma, stream);
  const SubspacePlan plan = *SubspacePlan::make(
      request_for(rows, static_cast<std::size_t>(k),
                  gamma_is_known ? std::optional<double>(gamma) : std::nullopt));
  GroupBuilder builder = plan.builder(stream, 2);
  for (Index i = 0; i < n; ++i) {
    builder.add(rows.col(i).data());
  }
  const GroupPositions positions = std::move(builder).finish();
  const LearnedSubspace learned = plan.run(positions, stream, 2).value();
  ASSERT_TRUE(learned.found) << d << " " << k;
  const double limit =
      sine_limit(frame, mean_of_core(positions, learned.radius), positions.shape.step, learned,
                 alpha_of("mechanism: subspace found") / 6.0);
  EXPECT_LE(sine_of_angle(frame, learned.frame), limit) << d << " " << k;
  // Broken twin: the same frame turned by what noise of three times the limit would do.
  const Matrix turned =
      Eigen::HouseholderQR<Matrix>(frame + 3.0 * limit * haar_frame(stream, d, k)).householderQ() *
      Matrix::Identity(d, k);
  EXPECT_GT(sine_of_angle(frame, turned), limit) << d << " " << k;
}

TEST(ApproximateSubspace, FindsTheSubspaceAtItsPredictedError) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace found"));
  expect_found(60, 2, 3000, 1e-3, true, stream);
  expect_found(60, 1, 3000, 1e-3, true, stream);
  expect_found(3, 1, 3000, 1e-3, true, stream);
}

TEST(ApproximateSubspace, LadderFindsGammaByItself) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace ladder"));
  expect_found(20, 1, 6000, 1e-4, false, stream);
}

/// Steps fine enough for these radii would cut reference points off at the largest position, which
/// gave a wrong subspace with a tiny noise_angle.
TEST(ApproximateSubspace, TinyRadiiDoNotCutReferencePointsOff) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace tiny radii"));
  expect_found(50, 2, 4000, 1e-12, true, stream);
  expect_found(50, 2, 4000, 1e-10, true, stream);
  SubspaceRequest request = request_for(Matrix::Zero(50, 4000), 2, 1e-12);
  for (const SubspaceAggregate aggregate : {SubspaceAggregate::Core, SubspaceAggregate::Grid}) {
    for (const double gamma : {1e-300, 1e-9}) {
      for (const double factor : {1e-3, 1.0}) {
        request.aggregate = aggregate;
        request.gamma = gamma;
        request.cell_factor = request.radius_factor = factor;
        const Result<SubspacePlan> plan = SubspacePlan::make(request);
        EXPECT_TRUE(!plan || plan->shape().step * kLargestPosition >= 8.0) << gamma;
      }
    }
  }
}

TEST(ApproximateSubspace, DegenerateAndHopelessRowsGiveNull) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace null"));
  const Index n = 3000;
  const Matrix zero = Matrix::Zero(30, n);
  const Matrix equal = Matrix::Constant(30, n, 2.0);
  Matrix wild = Matrix::Constant(30, n, std::numeric_limits<double>::infinity());
  wild.col(0).setConstant(std::numeric_limits<double>::quiet_NaN());
  const Matrix round = rows_near(Matrix::Zero(30, 2), n, 1.0, stream);
  for (const Matrix& rows : {zero, equal, wild, round}) {
    EXPECT_FALSE(learn(request_for(rows, 2, 1e-3), rows, stream).found);
  }
}

TEST(ApproximateSubspace, TheWholeSpaceIsFound) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace whole"));
  for (const Index d : {1, 3}) {
    const Matrix rows = rows_near(Matrix::Identity(d, d), 3000, 1e-3, stream);
    EXPECT_TRUE(learn(request_for(rows, static_cast<std::size_t>(d), 1e-3), rows, stream).found);
  }
}

TEST(ApproximateSubspace, NoiseBeyondTheLimitIsNull) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace limit"));
  const Matrix rows = rows_near(haar_frame(stream, 20, 1), 3000, 1e-3, stream);
  SubspaceRequest request = request_for(rows, 1, 1e-3);
  const LearnedSubspace learned = learn(request, rows, stream);
  ASSERT_TRUE(learned.found);
  request.largest_noise_angle = 0.01 * learned.noise_angle;
  EXPECT_FALSE(learn(request, rows, stream).found);
  for (const double limit : {0.0, 1.0, -0.1, std::nan("")}) {
    request.largest_noise_angle = limit;
    EXPECT_FALSE(SubspacePlan::make(request)) << limit;
  }
}

/// Runs in which the grid answered.
int grid_answers(double gamma, double cell_factor, int runs, double* planned,
                 RandomStream& stream) {
  SubspaceRequest request = request_for(Matrix::Zero(20, 600), 1, gamma);
  request.aggregate = SubspaceAggregate::Grid;
  request.cell_factor = cell_factor;
  const SubspacePlan plan = *SubspacePlan::make(request);
  *planned = plan.answer_probability();
  int found = 0;
  for (int run = 0; run < runs; ++run) {
    found += learn(plan, rows_near(haar_frame(stream, 20, 1), 600, gamma, stream), stream).found;
  }
  return found;
}

TEST(ApproximateSubspace, GridAnswersAsOftenAsPlanned) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace grid"));
  constexpr int kRuns = 60;
  double planned = 0.0;
  const int found = grid_answers(1e-7, 1.0, kRuns, &planned, stream);
  EXPECT_NEAR(planned, 0.9, 0.01);  // what the default cells are made for
  const double least =
      quantile(boost::math::binomial(kRuns, planned), alpha_of("mechanism: grid answers"));
  EXPECT_GE(found, least);
  // Broken twin: cells of a tenth of that width.
  double narrow = 0.0;
  EXPECT_LT(grid_answers(1e-7, 0.1, kRuns, &narrow, stream), least);
  EXPECT_LT(narrow, 0.5);
  // Beyond the gamma it can bear the grid answers NULL, whatever the cells hold.
  EXPECT_EQ(grid_answers(1e-2, 1.0, 5, &planned, stream), 0);
}

struct GridTurns {
  int answers = 0;
  int beyond_stated = 0;    ///< further from the truth than noise_angle
  int beyond_expected = 0;  ///< than the sine that the plan expects
};

/// Rows in the subspace itself, so that the truth is the position of every group but for rounding.
GridTurns grid_turns(double gamma, int runs, RandomStream& stream) {
  SubspaceRequest request = request_for(Matrix::Zero(50, 600), 2, gamma);
  request.aggregate = SubspaceAggregate::Grid;
  const SubspacePlan plan = *SubspacePlan::make(request);
  GridTurns turns;
  for (int run = 0; run < runs; ++run) {
    const Matrix frame = haar_frame(stream, 50, 2);
    const LearnedSubspace learned = learn(plan, rows_near(frame, 600, 0.0, stream), stream);
    if (learned.found) {
      const double sine = sine_of_angle(frame, learned.frame);
      turns.answers += 1;
      turns.beyond_stated += sine > learned.noise_angle ? 1 : 0;
      turns.beyond_expected += sine > plan.predicted_angle(gamma) ? 1 : 0;
    }
  }
  return turns;
}

TEST(ApproximateSubspace, TheCellTurnsTheSubspaceByNoMoreThanStated) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace grid turns"));
  for (const double gamma : {1e-12, 1e-7}) {
    const GridTurns turns = grid_turns(gamma, 60, stream);
    ASSERT_GT(turns.answers, 0) << gamma;
    const double most = quantile(complement(boost::math::binomial(turns.answers, 1e-3),
                                            alpha_of("mechanism: grid noise angle") / 2.0));
    EXPECT_LE(turns.beyond_stated, most) << gamma;
    // Broken twin: what noise_angle was, an expectation.
    EXPECT_GT(turns.beyond_expected, most) << gamma;
  }
}

TEST(ApproximateSubspace, BoostingTakesWhatMostAgreeOn) {
  RandomStream stream = RandomStream::seeded(seed_for("subspace boosted"));
  const Matrix right = haar_frame(stream, 10, 2);
  const Matrix wrong = haar_frame(stream, 10, 2);
  const LearnedSubspace good{true, right, 0.0, 0.0, 0.0};
  const LearnedSubspace bad{true, wrong, 0.0, 0.0, 0.0};
  EXPECT_TRUE(agreeing_subspace({bad, good, good, {}, good}, 0.2).frame == right);
  EXPECT_FALSE(agreeing_subspace({bad, good, {}, {}, good}, 0.2).found);
  EXPECT_EQ(boosting_parts(0.5), 3U);
  EXPECT_EQ(boosting_parts(1e-3) % 2, 1U);
  // Parts that err with probability 0.058 leave a failure probability of at most b.
  for (const double b : {0.5, 0.1, 1e-3, 1e-6, 1e-12}) {
    const auto parts = static_cast<double>(boosting_parts(b));
    const boost::math::binomial erring(parts, 0.058);
    EXPECT_LE(cdf(complement(erring, std::floor(0.4 * parts))), b);
  }
}

TEST(ApproximateSubspace, TooFewRowsAreRefusedBeforeAnyIsRead) {
  SubspaceRequest request;
  request.rows = 100;
  request.dimension = 50;
  request.subspace = 2;
  request.budget = {1.0, 1e-6};
  request.gamma = 1e-3;
  EXPECT_FALSE(SubspacePlan::make(request));
  request.aggregate = SubspaceAggregate::Grid;
  EXPECT_FALSE(SubspacePlan::make(request));
  request.rows = 100'000;
  request.subspace = 51;
  EXPECT_FALSE(SubspacePlan::make(request));
}

}  // namespace
}  // namespace eigenveil::test::approximate_subspace_test
