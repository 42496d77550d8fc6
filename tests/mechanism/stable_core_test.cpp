// The stable core: its lemma by brute force over all neighbours of tiny domains, what a position
// depends on, and the law and size of its noise.
#include "mechanism/subspace/stable_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "audit/exact_check.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/core_weights.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::stable_core_test {
namespace {

using Index = Eigen::Index;

/// A place that stands for a group that abstains.
constexpr double kAbstains = -1.0;

Weighed weigh_places(Matrix places, double radius) {
  std::vector<std::uint8_t> abstains;
  for (Index i = 0; i < places.cols(); ++i) {
    abstains.push_back(places(0, i) == kAbstains ? 1 : 0);
    places.col(i) *= abstains.back() != 0 ? 0.0 : 1.0;
  }
  const GroupShape shape{static_cast<std::size_t>(places.rows()), 1, 1, abstains.size(), 3, 1.0};
  GroupPositions positions = GroupPositions::at(shape, places);
  positions.abstains = abstains;
  return weigh(positions, radius);
}

/// The worst ratios over all data sets of `groups` places from `domain` and all neighbours: moved
/// weight over K, moved mean over 2 K r / max(W, W').
struct Worst {
  double weight = 0.0;
  double mean = 0.0;
};

Worst worst_of(const std::vector<Vector>& domain, Index groups, double radius) {
  const std::size_t size = domain.size();
  std::size_t count = 1;
  for (Index i = 0; i < groups; ++i) {
    count *= size;
  }
  const auto digit = [&](std::size_t code, Index group) {
    for (Index i = 0; i < group; ++i) {
      code /= size;
    }
    return code % size;
  };
  std::vector<Weighed> all;
  for (std::size_t code = 0; code < count; ++code) {
    Matrix places(domain.front().size(), groups);
    for (Index i = 0; i < groups; ++i) {
      places.col(i) = domain[digit(code, i)];
    }
    all.push_back(weigh_places(places, radius));
  }
  const auto sensitivity = static_cast<double>(CoreUnits{groups}.sensitivity());
  Worst worst;
  std::size_t power = 1;
  for (Index moved = 0; moved < groups; ++moved, power *= size) {
    for (std::size_t code = 0; code < count; ++code) {
      for (std::size_t value = digit(code, moved) + 1; value < size; ++value) {
        const Weighed& a = all[code];
        const Weighed& b = all[code + (value - digit(code, moved)) * power];
        worst.weight =
            std::max(worst.weight, std::abs(static_cast<double>(a.total - b.total)) / sensitivity);
        if (a.total > 0 && b.total > 0) {
          const double allowed =
              2.0 * sensitivity * radius / static_cast<double>(std::max(a.total, b.total));
          worst.mean = std::max(worst.mean, (a.mean - b.mean).norm() / allowed);
        }
      }
    }
  }
  return worst;
}

TEST(StableCore, TheLemmaHoldsOnTinyDomains) {
  const auto on_line = [](const std::vector<double>& places) {
    std::vector<Vector> domain;
    for (const double place : places) {
      domain.push_back(Vector::Constant(1, place));
    }
    return domain;
  };
  Worst worst;
  const auto add = [&](const Worst& found) {
    worst.weight = std::max(worst.weight, found.weight);
    worst.mean = std::max(worst.mean, found.mean);
  };
  for (const Index groups : {3, 4, 5}) {
    add(worst_of(on_line({kAbstains, 0, 1, 2, 3, 4, 9}), groups, 1.0));
    add(worst_of(on_line({kAbstains, 0, 2, 3, 4, 6, 20}), groups, 2.0));
  }
  add(worst_of(on_line({kAbstains, 0, 1, 2, 9}), 6, 1.0));
  add(worst_of(on_line({kAbstains, 0, 1, 9}), 7, 1.0));
  std::vector<Vector> plane;
  for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}, {2, 0}}) {
    plane.push_back((Vector(2) << x, y).finished());
  }
  add(worst_of(plane, 5, 1.0));
  EXPECT_LE(worst.weight, 1.0);
  EXPECT_LE(worst.mean, 1.0);
  EXPECT_EQ(worst.weight, 1.0);  // attained: a smaller K would be refuted here
  EXPECT_GT(worst.mean, 0.2);
}

/// Positions the builder itself gives to groups of two rows from {0, e1, e2, e3} with k = 2: the
/// three coordinate planes, and abstaining where the rows are dependent.
GroupPositions built_positions() {
  const GroupShape shape{3, 2, 2, 16, 2, 0x1p-10};
  RandomStream stream = RandomStream::seeded(seed_for("core built positions"));
  GroupBuilder builder(shape, draw_reference_points(shape, stream), 2);
  for (Index first = 0; first < 4; ++first) {
    for (Index second = 0; second < 4; ++second) {
      for (const Index axis : {first, second}) {
        const Vector row = axis == 3 ? Vector(Vector::Zero(3)) : Vector(Vector::Unit(3, axis));
        builder.add(row.data());
      }
    }
  }
  return std::move(builder).finish();
}

/// Weights of two neighbouring data sets, for all neighbours of `groups` groups.
std::set<std::pair<std::int64_t, std::int64_t>> neighbouring_weights(const std::vector<int>& places,
                                                                     Index groups) {
  // A place is one of three far points, or abstaining (3): weights depend on who is where alone.
  std::map<std::vector<int>, std::int64_t> weights;
  std::vector<int> chosen(static_cast<std::size_t>(groups), 0);
  const std::function<void(std::size_t)> extend = [&](std::size_t depth) {
    if (depth == chosen.size()) {
      Matrix at(1, groups);
      for (Index i = 0; i < groups; ++i) {
        const int place = chosen[static_cast<std::size_t>(i)];
        at(0, i) = place == 3 ? kAbstains : 100.0 * place;
      }
      weights[chosen] = weigh_places(at, 1.0).total;
      return;
    }
    for (const int place : places) {
      chosen[depth] = place;
      extend(depth + 1);
    }
  };
  extend(0);
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [data, weight] : weights) {
    for (std::size_t moved = 0; moved < data.size(); ++moved) {
      std::vector<int> other = data;
      for (const int place : places) {
        other[moved] = place;
        pairs.emplace(weight, weights.at(other));
      }
    }
  }
  return pairs;
}

/// The law of the weighing: NULL first, then every noisy weight from K on.
OutputLaw weighing_law(std::int64_t weight, const TruncatedLaplace& noise, std::int64_t smallest,
                       std::int64_t largest) {
  OutputLaw law(static_cast<std::size_t>(largest - smallest + 2), 0.0);
  for (std::int64_t x = -noise.bound(); x <= noise.bound(); ++x) {
    const std::int64_t noisy = weight + x - noise.bound();
    law[noisy < smallest ? 0 : static_cast<std::size_t>(noisy - smallest + 1)] +=
        noise.probability(x);
  }
  return law;
}

double weighing_delta(std::int64_t sensitivity, Index groups, const ApproxDp& claim) {
  const CoreUnits units{groups};
  const TruncatedLaplace noise = *TruncatedLaplace::make(sensitivity, claim.epsilon, claim.delta);
  double worst = 0.0;
  for (const auto& [first, second] : neighbouring_weights({0, 1, 2, 3}, groups)) {
    const std::int64_t all = groups * units.full();
    // As shipped, and with a threshold low enough that the noise is seen whole.
    for (const std::int64_t smallest : {units.sensitivity(), -1000 * all}) {
      worst =
          std::max(worst, hockey_stick(weighing_law(first, noise, smallest, all),
                                       weighing_law(second, noise, smallest, all), claim.epsilon));
    }
  }
  return worst;
}

TEST(StableCore, TheLemmaHoldsForBuiltGroupsThatMayAbstain) {
  const GroupPositions built = built_positions();
  std::vector<std::size_t> distinct;  // the planes, and one group that abstains
  Matrix places(built.length(), 16);
  for (Index i = 0; i < 16; ++i) {
    built.write(i, 0, built.length(), places.col(i).data());
    const auto seen = std::any_of(distinct.begin(), distinct.end(), [&](std::size_t j) {
      return built.abstains[j] == built.abstains[static_cast<std::size_t>(i)] &&
             places.col(static_cast<Index>(j)) == places.col(i);
    });
    if (!seen) {
      distinct.push_back(static_cast<std::size_t>(i));
    }
  }
  EXPECT_EQ(std::count(built.abstains.begin(), built.abstains.end(), 1), 10);
  ASSERT_EQ(distinct.size(), 4U);  // the order of the rows of a group does not matter here
  std::vector<Vector> domain;
  for (const std::size_t i : distinct) {
    domain.push_back(built.abstains[i] != 0 ? Vector(Vector::Constant(built.length(), kAbstains))
                                            : Vector(places.col(static_cast<Index>(i))));
  }
  for (const double radius : {1.0, 1500.0, 1e6}) {
    for (const Index groups : {3, 4, 5}) {
      const Worst worst = worst_of(domain, groups, radius);
      EXPECT_LE(worst.weight, 1.0);
      EXPECT_LE(worst.mean, 1.0);
    }
  }
}

TEST(StableCore, EnumeratedWeighingMeetsItsClaim) {
  const ApproxDp claim{1.0, 0.05};
  for (const Index groups : {3, 4, 5}) {
    const CoreUnits units{groups};
    EXPECT_LE(weighing_delta(units.sensitivity(), groups, claim), claim.delta + 1e-12) << groups;
    // Broken twins: K too small, by one unit and by what a moved group does to the others.
    EXPECT_GT(weighing_delta(units.sensitivity() - 1, groups, claim), claim.delta) << groups;
    EXPECT_GT(weighing_delta(units.full(), groups, claim), claim.delta) << groups;
  }
}

TEST(StableCore, DistancesAreExactEitherWay) {
  RandomStream stream = RandomStream::seeded(seed_for("core distances"));
  Matrix places(300, 12);
  for (Index c = 0; c < places.size(); ++c) {
    places.data()[c] = static_cast<double>(uniform_below(stream, 1000));
  }
  places.col(3).array() += 0x1p40;  // far out: the direct way
  places.col(7).array() += 0x1p40;
  const GroupPositions positions = GroupPositions::at({300, 1, 1, 12, 3, 1.0}, places);
  // The radius is exactly the distance of one pair: integers decide it.
  const double squared = (places.col(3) - places.col(7)).squaredNorm();
  const auto near = count_near(positions, {std::sqrt(squared) * (1.0 + 1e-15)}, 2).front();
  std::int64_t expected = 0;
  for (Index j = 0; j < 12; ++j) {
    expected += j != 3 && (places.col(3) - places.col(j)).squaredNorm() <= squared ? 1 : 0;
  }
  EXPECT_EQ(near[3], expected);
  EXPECT_GE(near[3], 1);
}

TEST(StableCore, APositionDependsOnItsGroupAlone) {
  RandomStream stream = RandomStream::seeded(seed_for("core group alone"));
  for (const std::size_t d : {5, 37, 200}) {  // more rows than columns, and fewer
    const GroupShape shape{d, 2, 8, 6, 9, 0x1p-20};
    const Matrix references = draw_reference_points(shape, stream);
    Matrix own(static_cast<Index>(d), 9);
    fill_standard_normal(stream, {own.data(), static_cast<std::size_t>(own.size())});
    Vector first(static_cast<Index>(shape.coordinates()));
    for (const std::size_t place : {0, 1, 4, 5}) {
      for (const int threads : {1, 2, 3}) {
        GroupBuilder builder(shape, references, threads);
        Matrix others(static_cast<Index>(d), 9);
        for (std::size_t group = 0; group < shape.groups; ++group) {
          fill_standard_normal(stream, {others.data(), static_cast<std::size_t>(others.size())});
          const Matrix& rows = group == place ? own : others;
          for (Index i = 0; i < 9; ++i) {
            builder.add(rows.col(i).data());
          }
        }
        const GroupPositions positions = std::move(builder).finish();
        Vector here(first.size());
        // In pieces or at once, the same numbers.
        const Index half = here.size() / 3;
        positions.write(static_cast<Index>(place), 0, half, here.data());
        positions.write(static_cast<Index>(place), half, here.size() - half, here.data() + half);
        if (place == 0 && threads == 1) {
          first = here;
          EXPECT_GT(first.norm(), 0.0);
        }
        EXPECT_TRUE(here == first) << d << " " << place << " " << threads;
      }
    }
  }
}

TEST(StableCore, NoiseFollowsItsLaw) {
  constexpr std::size_t kGroups = 120;
  const GroupShape shape{1, 1, 1, kGroups, 3, 0x1p-14};
  const StableCore core = *StableCore::make(shape, {1.0}, ApproxDp{4.0, 1e-3});
  const GroupPositions positions = GroupPositions::at(shape, Matrix::Constant(1, kGroups, 1000.0));
  RandomStream stream = RandomStream::seeded(seed_for("core noise"));
  std::vector<double> values;
  std::vector<double> twin;
  for (int i = 0; i < 20'000; ++i) {
    const std::optional<CoreAverage> average = core.run(positions, stream, 1);
    ASSERT_TRUE(average);
    const double z = (average->reference_points(0, 0) - 1000.0 * shape.step) / average->noise_sd;
    values.push_back(z);
    twin.push_back(1.1 * z);
  }
  const boost::math::normal standard;
  const auto law = [&](double x) { return cdf(standard, x); };
  // The grid of 2^-24 radii moves the distribution by less than 1e-5.
  const double limit = dkw_limit(values.size(), alpha_of("mechanism: stable core noise")) + 1e-5;
  EXPECT_LT(kolmogorov_distance(values, law), limit);
  EXPECT_GT(kolmogorov_distance(twin, law), limit);
}

TEST(StableCore, NoiseIsWhatTheLemmaAndTheBudgetAskFor) {
  const boost::math::normal standard;
  for (const ApproxDp budget : {ApproxDp{1.0, 1e-6}, {4.0, 1e-3}}) {
    for (const std::vector<double>& radii : {std::vector<double>{1.0}, {0.5, 1.0, 2.0}}) {
      constexpr std::size_t kGroups = 600;
      const GroupShape shape{1, 1, 1, kGroups, 3, 0x1p-15};
      const StableCore core = *StableCore::make(shape, radii, budget);
      const CoreBudget& split = core.budget();
      // The Gaussian step and all weighings together stay within the budget.
      const double epsilon = budget.epsilon - split.tests * split.weighing.epsilon;
      const double mu = split.average.mu;
      const double delta = cdf(standard, mu / 2.0 - epsilon / mu) -
                           std::exp(epsilon) * cdf(standard, -mu / 2.0 - epsilon / mu);
      EXPECT_LE(delta + split.tests * split.weighing.delta, budget.delta * (1.0 + 1e-9));
      const GroupPositions positions =
          GroupPositions::at(shape, Matrix::Constant(1, kGroups, 1000.0));
      RandomStream stream = RandomStream::seeded(seed_for("core noise scale"));
      const std::optional<CoreAverage> average = core.run(positions, stream, 1);
      ASSERT_TRUE(average);
      const CoreUnits units{kGroups};
      const double weight = average->noisy_share * static_cast<double>(units.groups * units.full());
      const double moved =
          2.0 * average->radius * static_cast<double>(units.sensitivity()) / weight;
      EXPECT_GE(average->noise_sd * mu, moved);
      EXPECT_LE(average->noise_sd * mu, moved * (1.0 + 1e-4));  // rounding of mean and distances
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::stable_core_test
