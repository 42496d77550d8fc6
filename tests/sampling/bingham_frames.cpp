// k = 2, 3 against importance-weighted Haar frames, agreement of two exact stages, and vectors of
// up to 2000 coordinates against a contour integral.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <functional>

#include "random/haar.hpp"
#include "random/normal.hpp"
#include "sampling/bingham.hpp"
#include "sampling/bingham_draws.hpp"
#include "sampling/head_tail.hpp"
#include "sampling/limits.hpp"
#include "sampling/peeled_frames.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::bingham_frames_test {
namespace {

double score(const Vector& spectrum, const Matrix& v) {
  return (v.transpose() * spectrum.asDiagonal() * v).trace();
}

/// Statistics with values in [0, 1]: squared row norms, and whether the score is in its upper part.
std::vector<double> bounded_statistics(const Vector& spectrum, const Matrix& v) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < v.rows(); ++i) {
    values.push_back(v.row(i).squaredNorm());
  }
  const double top = spectrum.head(v.cols()).sum();
  const double bottom = spectrum.tail(v.cols()).sum();
  for (const double share : {0.5, 0.7, 0.85, 0.95}) {
    values.push_back(score(spectrum, v) > bottom + share * (top - bottom) ? 1.0 : 0.0);
  }
  return values;
}

using StatisticColumns = std::vector<std::vector<double>>;

template <class Draw>
StatisticColumns statistics_of(const Vector& spectrum, std::size_t count, const Draw& draw) {
  StatisticColumns columns;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> values = bounded_statistics(spectrum, draw());
    columns.resize(values.size());
    for (std::size_t s = 0; s < values.size(); ++s) {
      columns[s].push_back(values[s]);
    }
  }
  return columns;
}

struct WeightedFrames {
  StatisticColumns statistics;
  std::vector<double> weights;  ///< in (0, 1]
};

WeightedFrames weighted_haar(const Vector& spectrum, double exponent, Eigen::Index k,
                             std::size_t count, RandomStream& stream) {
  WeightedFrames frames;
  const double top = spectrum.head(k).sum();
  frames.statistics = statistics_of(spectrum, count, [&] {
    Matrix v = haar_frame(stream, spectrum.size(), k);
    frames.weights.push_back(std::exp(exponent * (score(spectrum, v) - top)));
    return v;
  });
  return frames;
}

/// How far the sampler's means are from the weighted ones, in units of what chance allows at level
/// alpha: with m the mean of f under the law, E w (f - m) = 0, hence |E w (f - m')| <= E w |m -
/// m'|.
double worst_excess(const WeightedFrames& haar, const StatisticColumns& drawn, double alpha) {
  const double each = alpha / static_cast<double>(2 * drawn.size() + 1);
  const MeanInterval weight = empirical_bernstein(haar.weights, 1.0, each);
  double worst = 0.0;
  for (std::size_t s = 0; s < drawn.size(); ++s) {
    const MeanInterval mean = empirical_bernstein(drawn[s], 1.0, each);
    std::vector<double> contrast(haar.weights.size());
    for (std::size_t i = 0; i < contrast.size(); ++i) {
      contrast[i] = haar.weights[i] * (haar.statistics[s][i] - mean.mean);
    }
    const MeanInterval zero = empirical_bernstein(contrast, 2.0, each);
    const double allowed = zero.half_width + (weight.mean + weight.half_width) * mean.half_width;
    worst = std::max(worst, std::abs(zero.mean) / allowed);
  }
  return worst;
}

struct FrameCase {
  std::vector<double> eigenvalues;
  double exponent;
  Eigen::Index columns;
};

const std::array kFrameCases = {
    FrameCase{{1.0, 0.7, 0.3, 0.0}, 4.0, 2},
    FrameCase{{1.0, 0.7, 0.7, 0.0}, 5.0, 2},                   // tie at the cut
    FrameCase{{1.0, 0.7, 0.7 - 1e-10, 0.7 - 2e-10}, 12.0, 2},  // near-ties across it
    FrameCase{{1.0, 1.0, 0.2, 0.1, 0.0}, 3.0, 2},              // tie inside the top
    FrameCase{{1.0, 0.8, 0.5, 0.1, 0.0}, 4.0, 3},
    FrameCase{{1.0, 0.5, 0.5, 0.5, 0.5, 0.0}, 5.0, 3},
    FrameCase{{2.0, 0.3, 0.2, 0.1, 0.1, 0.0}, 2.5, 2},  // one captured, one roaming
    FrameCase{{1.0, 0.9, 0.8, 0.7, 0.2, 0.1, 0.0}, 3.0, 4},
    FrameCase{{1.0, 1.0, 0.9, 0.8, 0.6, 0.0, 0.0}, 3.0, 5},
};

TEST(Bingham, FramesMatchWeightedHaar) {
  constexpr std::size_t kHaar = 100'000;
  constexpr std::size_t kDraws = 40'000;
  constexpr double kAlpha = alpha_of("bingham: weighted haar frames") / (3.0 * kFrameCases.size());
  RandomStream stream = RandomStream::seeded(seed_for("bingham: weighted haar frames"));
  for (const FrameCase& c : kFrameCases) {
    const auto p = static_cast<Eigen::Index>(c.eigenvalues.size());
    const Vector spectrum = Eigen::Map<const Vector>(c.eigenvalues.data(), p);
    const WeightedFrames haar = weighted_haar(spectrum, c.exponent, c.columns, kHaar, stream);
    const auto excess = [&](const auto& draw) {
      return worst_excess(haar, statistics_of(spectrum, kDraws, draw), kAlpha);
    };
    const auto sampler_excess = [&](double exponent) {
      const auto sampler = BinghamSampler::make(spectrum, exponent, c.columns).value();
      return excess([&] { return sampler.draw(stream); });
    };
    EXPECT_LT(sampler_excess(c.exponent), 1.0);
    EXPECT_GT(sampler_excess(0.5 * c.exponent), 1.0);  // variance 1/(c gap)
    const double divisor_twin = static_cast<double>(p - c.columns) / static_cast<double>(p);
    EXPECT_GT(sampler_excess(divisor_twin * c.exponent), 1.0);
    const detail::HeadTail stage(spectrum, c.exponent, c.columns);
    const detail::AngularGaussianEnvelope envelope(c.exponent * (spectrum[0] - spectrum.array()),
                                                   c.columns);
    Matrix frame(p, c.columns);
    EXPECT_LT(excess([&] {
                detail::HeadTail::Workspace workspace;
                while (!stage.propose(stream, workspace, frame)) {
                }
                return frame;
              }),
              1.0);
    EXPECT_LT(excess([&] {
                detail::AngularGaussianEnvelope::Workspace workspace;
                while (!envelope.propose(stream, workspace, frame)) {
                }
                return frame;
              }),
              1.0);
  }
}

/// The first columns captured, the others not, against weighted Haar frames; the twins take the
/// Jacobian twice, or another exponent.
TEST(Bingham, PeeledFramesMatchWeightedHaar) {
  struct PeeledCase {
    FrameCase frame;
    Eigen::Index captured;
  };
  const std::array cases = {
      PeeledCase{{{1.0, 0.35, 0.2, 0.1, 0.0}, 3.0, 3}, 1},
      PeeledCase{{{1.0, 0.3, 0.2, 0.0}, 2.5, 2}, 1},
      PeeledCase{{{1.0, 0.65, 0.25, 0.1, 0.0, 0.0}, 4.0, 4}, 2},
      PeeledCase{{{1.0, 0.9, 0.2, 0.2, 0.2, 0.0, 0.0}, 4.0, 3}, 2},
  };
  constexpr std::size_t kHaar = 100'000;
  constexpr std::size_t kDraws = 40'000;
  constexpr double kAlpha = alpha_of("bingham: peeled frames") / (2.0 * cases.size());
  RandomStream stream = RandomStream::seeded(seed_for("bingham: peeled frames"));
  for (const PeeledCase& c : cases) {
    const auto p = static_cast<Eigen::Index>(c.frame.eigenvalues.size());
    const Eigen::Index k = c.frame.columns;
    const Vector spectrum = Eigen::Map<const Vector>(c.frame.eigenvalues.data(), p);
    const WeightedFrames haar = weighted_haar(spectrum, c.frame.exponent, k, kHaar, stream);
    const auto excess = [&](double exponent, bool weighted) {
      const detail::PeeledFrames stage(spectrum, exponent, k, c.captured);
      detail::PeeledFrames::Workspace workspace;
      Matrix frame(p, k);
      const auto draw = [&] {
        for (;;) {
          if (stage.propose(stream, workspace, frame)) {
            if (weighted) {
              return frame;
            }
            // det(W)^(m/2), which is in the law already.
            const Matrix top = frame.topRows(c.captured);
            const double jacobian = std::pow((top * top.transpose()).determinant(),
                                             0.5 * static_cast<double>(k - c.captured));
            if (uniform(stream) < jacobian) {
              return frame;
            }
          }
        }
      };
      return worst_excess(haar, statistics_of(spectrum, kDraws, draw), kAlpha);
    };
    EXPECT_LT(excess(c.frame.exponent, true), 1.0);
    EXPECT_GT(excess(0.5 * c.frame.exponent, true), 1.0);
    EXPECT_GT(excess(c.frame.exponent, false), 1.0) << "the Jacobian counted twice passes";
  }
}

/// One column captured, three roaming, 200 coordinates: the number of tries does not grow with p.
TEST(Bingham, PeeledFramesAreFoundAtOnce) {
  RandomStream stream = RandomStream::seeded(seed_for("bingham: peeled tries"));
  for (const Eigen::Index p : {20, 200}) {
    Vector spectrum = Vector::LinSpaced(p, 2.0, 0.1);
    spectrum[0] = 15.0;
    const double exponent = 0.15 * static_cast<double>(p);
    const auto sampler = BinghamSampler::make(spectrum, exponent, 4).value();
    EXPECT_EQ(sampler.outlook().captured, 1);
    // About one proposal in two is accepted; seeds are fixed.
    for (int draw = 0; draw < 20; ++draw) {
      EXPECT_TRUE(sampler.draw_within(stream, 64));
    }
  }
}

/// (spikes, then an even bulk from 2 down to 0.1).
Vector spiked_spectrum(Eigen::Index p, std::initializer_list<double> spikes) {
  Vector spectrum = Vector::LinSpaced(p, 2.0, 0.1);
  std::copy(spikes.begin(), spikes.end(), spectrum.begin());
  return spectrum;
}

struct AgreementCase {
  Vector spectrum;
  double beta;
  Eigen::Index columns;
  std::size_t draws;
};

/// Head-tail and envelope share no formula beyond the small head: where both accept, they agree.
TEST(Bingham, TwoStagesAgree) {
  const std::array cases = {
      AgreementCase{spiked_spectrum(50, {15.0}), 0.1, 1, 20'000},
      AgreementCase{spiked_spectrum(50, {15.0}), 2.0, 1, 20'000},
      AgreementCase{spiked_spectrum(300, {3.0}), 0.7, 1, 5'000},
      AgreementCase{spiked_spectrum(2000, {15.0}), 0.2, 1, 2'000},
      AgreementCase{spiked_spectrum(500, {3.0}), 4'000.0, 1, 2'000},  // exponent 1e6
      AgreementCase{spiked_spectrum(20, {3.0, 2.6}), 0.5, 2, 4'000},
  };
  constexpr double kChecks = 12.0;
  constexpr double kAlpha = alpha_of("bingham: two stages agree") / kChecks;
  RandomStream stream = RandomStream::seeded(seed_for("bingham: two stages agree"));
  for (const AgreementCase& c : cases) {
    const Eigen::Index p = c.spectrum.size();
    const double exponent = 0.5 * static_cast<double>(p) * c.beta;
    Matrix frame(p, c.columns);
    const auto collect = [&](const auto& stage, auto workspace) {
      std::array<std::vector<double>, 2> values;
      while (values[0].size() < c.draws) {
        if (stage.propose(stream, workspace, frame)) {
          values[0].push_back(frame.row(0).squaredNorm());
          values[1].push_back(score(c.spectrum, frame));
        }
      }
      return values;
    };
    const auto head_tail =
        collect(detail::HeadTail(c.spectrum, exponent, c.columns), detail::HeadTail::Workspace());
    const auto envelope = collect(
        detail::AngularGaussianEnvelope(exponent * (c.spectrum[0] - c.spectrum.array()), c.columns),
        detail::AngularGaussianEnvelope::Workspace());
    const auto twin = collect(detail::HeadTail(c.spectrum, 0.5 * exponent, c.columns),
                              detail::HeadTail::Workspace());
    const double limit = two_sample_limit(c.draws, c.draws, kAlpha);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_LT(distance_of_samples(head_tail[s], envelope[s]), limit) << p << " " << s;
      EXPECT_GT(distance_of_samples(twin[s], envelope[s]), limit) << p << " " << s;
    }
  }
}

/// E x_i^2 under density exp(-sum a_i x_i^2) on the sphere of R^p, p >= 20: the normalising
/// constant is an inverse Laplace transform, (2 pi i)^-1 int e^s prod (s + a_i)^(-1/2) ds on the
/// line through the saddle point, so E x_i^2 is the ratio of that integral with and without 1 / (2
/// (s + a_i)).
Vector mean_squares(const Vector& penalties) {
  const double saddle = 0.5 * detail::envelope_offset(penalties);
  const Eigen::ArrayXd shifted = penalties.array() + saddle;
  const double curvature = 0.5 * shifted.inverse().square().sum();
  // The nearest singularity is `saddle` >= 1/2 away from the line: the error is e^(-2 pi
  // saddle/step).
  const double step = std::min(0.1 / std::sqrt(curvature), 0.25 * saddle);
  Eigen::ArrayXd numerator = Eigen::ArrayXd::Zero(penalties.size());
  double denominator = 0.0;
  // The modulus of the integrand falls along the line; the rule is spectrally accurate.
  for (int n = 0; n < 2'000'000; ++n) {
    const double y = step * n;
    const double log_modulus = -0.25 * (y / shifted).square().log1p().sum();
    if (log_modulus < -40.0) {
      break;
    }
    const double phase = y - 0.5 * (y / shifted).atan().sum();
    const double weight = (n == 0 ? 0.5 : 1.0) * std::exp(log_modulus);
    denominator += weight * std::cos(phase);
    // Re of e^(i phase) / (2 (a + i y)).
    const Eigen::ArrayXd inverse = 0.5 / (shifted.square() + y * y);
    numerator += weight * inverse * (std::cos(phase) * shifted + std::sin(phase) * y);
  }
  return numerator / denominator;
}

struct VectorCase {
  Vector spectrum;
  double exponent;
  std::size_t draws;
};

TEST(Bingham, LargeVectorsHaveTheRightMeans) {
  const std::array cases = {
      VectorCase{spiked_spectrum(20, {3.0}), 4.0, 40'000},
      VectorCase{spiked_spectrum(200, {15.0}), 20.0, 20'000},
      VectorCase{spiked_spectrum(200, {3.0, 3.0}), 200.0, 20'000},
      VectorCase{spiked_spectrum(2000, {3.0}), 800.0, 5'000},
      VectorCase{spiked_spectrum(2000, {3.0, 3.0 - 1e-4}), 2'000.0, 5'000},
      VectorCase{1e-4 * spiked_spectrum(500, {15.0}), 1e6, 5'000},
  };
  constexpr double kStatistics = 4.0;
  RandomStream stream = RandomStream::seeded(seed_for("bingham: large vectors"));
  for (const VectorCase& c : cases) {
    const double alpha = alpha_of("bingham: large vectors") / (kStatistics * cases.size());
    const Eigen::Index p = c.spectrum.size();
    const Vector expected = mean_squares(c.exponent * (c.spectrum[0] - c.spectrum.array()));
    EXPECT_NEAR(expected.sum(), 1.0, 1e-9);  // the oracle's own check
    const auto worst = [&](double exponent) {
      const auto sampler = BinghamSampler::make(c.spectrum, exponent, 1).value();
      std::array<std::vector<double>, 4> values;
      for (const Matrix& x : draw_many(sampler, c.draws, stream, 2)) {
        const Eigen::ArrayXd squares = x.col(0).array().square();
        values[0].push_back(squares[0]);
        values[1].push_back(squares[1]);
        values[2].push_back(squares.head(p / 4).sum());
        values[3].push_back(squares.tail(p / 2).sum());
      }
      const std::array<double, 4> means = {expected[0], expected[1], expected.head(p / 4).sum(),
                                           expected.tail(p / 2).sum()};
      double excess = 0.0;
      for (std::size_t s = 0; s < values.size(); ++s) {
        const MeanInterval interval = empirical_bernstein(values[s], 1.0, alpha);
        excess = std::max(excess, std::abs(interval.mean - means[s]) / interval.half_width);
      }
      return excess;
    };
    EXPECT_LT(worst(c.exponent), 1.0) << p;
    EXPECT_GT(worst(0.5 * c.exponent), 1.0) << p;
  }
}

}  // namespace
}  // namespace eigenveil::test::bingham_frames_test
