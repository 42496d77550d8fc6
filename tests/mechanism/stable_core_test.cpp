// The stable core: its lemma by brute force over all neighbours of tiny domains, what a position
// depends on, and the law and size of its noise.
#include "mechanism/subspace/stable_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
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
/// weight over K, moved mean over 2 B r / max(W, W') with B at the smaller weight.
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
          const auto smaller = static_cast<double>(std::min(a.total, b.total));
          const double allowed = 2.0 * CoreUnits{groups}.moved_mass(smaller) * radius /
                                 static_cast<double>(std::max(a.total, b.total));
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

/// Who is near whom, as bits: among the others, and for the group that moves, before and after.
struct NearGraph {
  std::int64_t others = 0;
  std::vector<std::int64_t> near_others;  ///< of each other group, among the others
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// Total variation of the normalised weights times the larger total, and the smaller total (0: one
/// of them has no core). Old and new place of the moved group are two atoms.
std::pair<double, double> moved_mass_of(const NearGraph& graph) {
  const CoreUnits units{graph.others + 1};
  const auto weigh_others = [&](std::uint32_t near, auto&& use) {
    std::int64_t total = units.weight(std::popcount(near));
    for (std::int64_t i = 0; i < graph.others; ++i) {
      total +=
          use(i, units.weight(graph.near_others[static_cast<std::size_t>(i)] + ((near >> i) & 1U)));
    }
    return static_cast<double>(total);
  };
  std::vector<double> old_weights(static_cast<std::size_t>(graph.others));
  std::vector<double> new_weights(old_weights.size());
  const auto keep = [](std::vector<double>& list) {
    return [&list](std::int64_t i, std::int64_t weight) {
      list[static_cast<std::size_t>(i)] = static_cast<double>(weight);
      return weight;
    };
  };
  const double before = weigh_others(graph.before, keep(old_weights));
  const double after = weigh_others(graph.after, keep(new_weights));
  if (before == 0.0 || after == 0.0) {
    return {0.0, 0.0};
  }
  double variation = static_cast<double>(units.weight(std::popcount(graph.after))) / after;
  for (std::size_t i = 0; i < old_weights.size(); ++i) {
    variation += std::max(0.0, new_weights[i] / after - old_weights[i] / before);
  }
  return {variation * std::max(before, after), std::min(before, after)};
}

/// The largest moved mass over B for all graphs of t groups, whether or not points of a space can
/// be near each other like that. `slack` is taken off B: a twin.
double worst_moved_mass(std::int64_t groups, double slack) {
  const CoreUnits units{groups};
  const std::int64_t others = units.others();
  const std::int64_t pairs = others * (others - 1) / 2;
  std::vector<double> allowed(static_cast<std::size_t>(groups * units.full()) + 1, 1.0);
  for (std::size_t weight = 1; weight < allowed.size(); ++weight) {
    allowed[weight] = units.moved_mass(static_cast<double>(weight)) - slack;
  }
  double worst = 0.0;
  NearGraph graph{others, {}, 0, 0};
  for (std::uint32_t edges = 0; edges < (1U << pairs); ++edges) {
    graph.near_others.assign(static_cast<std::size_t>(others), 0);
    std::uint32_t bit = 0;
    for (std::size_t i = 0; i < graph.near_others.size(); ++i) {
      for (std::size_t j = i + 1; j < graph.near_others.size(); ++j, ++bit) {
        graph.near_others[i] += (edges >> bit) & 1U;
        graph.near_others[j] += (edges >> bit) & 1U;
      }
    }
    for (graph.before = 0; graph.before < (1U << others); ++graph.before) {
      for (graph.after = 0; graph.after < (1U << others); ++graph.after) {
        const auto [mass, weight] = moved_mass_of(graph);
        worst = std::max(worst, mass / allowed[static_cast<std::size_t>(weight)]);
      }
    }
  }
  return worst;
}

TEST(StableCore, MovedMassIsBoundedForAllGraphsAndAttained) {
  for (const std::int64_t groups : {3, 4, 5, 6}) {
    const double worst = worst_moved_mass(groups, 0.0);
    EXPECT_LE(worst, 1.0 + 1e-12) << groups;
    EXPECT_GT(worst, 1.0 - 1e-12) << groups;  // attained
  }
  EXPECT_GT(worst_moved_mass(5, 0.1), 1.0);  // twin: a tenth of a unit less
}

TEST(StableCore, MovedMassFallsFromTheOldBoundToAQuarterMoreThanFullWeight) {
  for (const std::int64_t groups : {3, 10, 101, 600}) {
    const CoreUnits units{groups};
    const std::int64_t all = groups * units.full();
    double before = static_cast<double>(units.sensitivity());
    for (std::int64_t weight = 1; weight <= all; weight += std::max<std::int64_t>(1, all / 50)) {
      const double mass = units.moved_mass(static_cast<double>(weight));
      EXPECT_LE(mass, before);
      before = mass;
    }
  }
  const CoreUnits units{601};
  const double all = 601.0 * static_cast<double>(units.full());
  EXPECT_NEAR(units.moved_mass(all) / static_cast<double>(units.full()), 1.25, 0.01);
  EXPECT_NEAR(units.moved_mass(0.5 * all) / static_cast<double>(units.full()), 2.0, 0.01);
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
      const double moved = 2.0 * average->radius * units.moved_mass(weight) / weight;
      EXPECT_LT(units.moved_mass(weight), 0.7 * static_cast<double>(units.sensitivity()));
      EXPECT_GE(average->noise_sd * mu, moved);
      EXPECT_LE(average->noise_sd * mu, moved * (1.0 + 1e-4));  // rounding of mean and distances
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::stable_core_test
