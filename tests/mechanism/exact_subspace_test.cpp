// The exact case: scores against brute force over the rationals, output probabilities enumerated on
// tiny domains over all neighbours, answers on clean, degenerate and adversarial points.
#include "mechanism/subspace/exact_subspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "audit/exact_check.hpp"
#include "mechanism/subspace/gap_max.hpp"
#include "mechanism/subspace/stability_histogram.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exact_subspace_test {
namespace {

using Point = std::vector<std::int64_t>;
using Points = std::vector<Point>;
using Field = detail::Field127;

/// Rank over the rationals by fraction-free elimination; small integers never overflow.
std::size_t rank_of(Points rows) {
  std::size_t rank = 0;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t c = 0; c < columns && rank < rows.size(); ++c) {
    std::size_t found = rank;
    while (found < rows.size() && rows[found][c] == 0) {
      ++found;
    }
    if (found == rows.size()) {
      continue;
    }
    std::swap(rows[found], rows[rank]);
    for (std::size_t r = rank + 1; r < rows.size(); ++r) {
      const std::int64_t a = rows[rank][c];
      const std::int64_t b = rows[r][c];
      for (std::size_t j = 0; j < columns; ++j) {
        rows[r][j] = a * rows[r][j] - b * rows[rank][j];
      }
    }
    ++rank;
  }
  return rank;
}

/// Which points lie in the span of `basis`.
std::vector<bool> members(const Points& points, Points basis) {
  const std::size_t rank = rank_of(basis);
  std::vector<bool> inside;
  for (const Point& point : points) {
    basis.push_back(point);
    inside.push_back(rank_of(basis) == rank);
    basis.pop_back();
  }
  return inside;
}

void for_each_subset(std::size_t count, std::size_t size,
                     const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> chosen;
  const std::function<void(std::size_t)> extend = [&](std::size_t from) {
    if (chosen.size() == size) {
      visit(chosen);
      return;
    }
    for (std::size_t i = from; i < count; ++i) {
      chosen.push_back(i);
      extend(i + 1);
      chosen.pop_back();
    }
  };
  extend(0);
}

struct BruteForce {
  std::int64_t gap = 0;
  std::vector<bool> best;
};

/// The definition, literally: all flats of dimension k, all strict subspaces inside.
BruteForce brute_force(const Points& points, std::size_t k, std::int64_t exceptions,
                       std::int64_t floor) {
  const auto count = [](const std::vector<bool>& inside) {
    return static_cast<std::int64_t>(std::count(inside.begin(), inside.end(), true));
  };
  const auto pick = [&](const std::vector<std::size_t>& chosen) {
    Points rows;
    for (const std::size_t i : chosen) {
      rows.push_back(points[i]);
    }
    return rows;
  };
  std::set<std::vector<bool>> subspaces;  // of dimension below k, by their points
  for (std::size_t size = 0; size < k; ++size) {
    for_each_subset(points.size(), size,
                    [&](const auto& chosen) { subspaces.insert(members(points, pick(chosen))); });
  }
  std::set<std::vector<bool>> flats;
  for_each_subset(points.size(), k, [&](const auto& chosen) {
    if (rank_of(pick(chosen)) == k) {
      flats.insert(members(points, pick(chosen)));
    }
  });
  std::vector<std::pair<std::int64_t, std::vector<bool>>> scores;
  for (const std::vector<bool>& flat : flats) {
    std::int64_t held = exceptions;
    for (const std::vector<bool>& smaller : subspaces) {
      bool contained = true;
      for (std::size_t i = 0; i < points.size(); ++i) {
        contained = contained && (!smaller[i] || flat[i]);
      }
      if (contained) {
        held = std::max(held, count(smaller));
      }
    }
    scores.emplace_back(std::max(floor, count(flat) - held), flat);
  }
  std::sort(scores.rbegin(), scores.rend());
  BruteForce result;
  if (!scores.empty()) {
    const std::int64_t second = scores.size() > 1 ? scores[1].first : floor;
    result.gap = std::max<std::int64_t>(0, scores[0].first - std::max(second, floor) - 1);
    result.best = scores[0].second;
  }
  return result;
}

detail::GapMaxScore fast_score(const Points& points, const detail::GapMaxRule& rule,
                               RandomStream& stream) {
  ExactPoints exact(points.front().size(), 100);
  for (const Point& point : points) {
    exact.add(point);
  }
  const auto images = detail::compress<Field>(exact, rule.subspace, stream);
  return detail::FlatSearch<Field>(images, rule).run(stream);
}

std::int64_t small_integer(RandomStream& stream, std::int64_t largest) {
  return static_cast<std::int64_t>(uniform_below(stream, static_cast<UInt128>(2 * largest + 1))) -
         largest;
}

/// Mostly inside of a common subspace, with duplicates, zeros, points on a common line and strays.
Points hostile_points(RandomStream& stream, std::size_t n, std::size_t d, std::size_t k) {
  Points basis(k, Point(d));
  for (Point& row : basis) {
    for (std::int64_t& value : row) {
      value = small_integer(stream, 2);
    }
  }
  Points points;
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = uniform_below(stream, 10);
    Point point(d, 0);
    if (kind < 5) {
      for (const Point& row : basis) {
        const std::int64_t factor = small_integer(stream, 1);
        for (std::size_t c = 0; c < d; ++c) {
          point[c] += factor * row[c];
        }
      }
    } else if (kind < 7 && !points.empty()) {
      point = points[static_cast<std::size_t>(uniform_below(stream, points.size()))];
    } else if (kind < 9) {
      for (std::int64_t& value : point) {
        value = small_integer(stream, 1);
      }
    }
    points.push_back(point);
  }
  return points;
}

TEST(ExactSubspace, ScoresAgreeWithBruteForce) {
  RandomStream stream = RandomStream::seeded(seed_for("exact scores"));
  int positive = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t k = 1 + static_cast<std::size_t>(round % 3);
    const std::size_t d = k + static_cast<std::size_t>(uniform_below(stream, 3));
    const std::size_t n = k + 2 + static_cast<std::size_t>(uniform_below(stream, 6));
    const Points points = hostile_points(stream, n, d, k);
    const auto exceptions = static_cast<std::int64_t>(uniform_below(stream, 2));
    const auto floor = static_cast<std::int64_t>(uniform_below(stream, 3));
    const BruteForce expected = brute_force(points, k, exceptions, floor);
    // A flat with a positive gap scores at least 2 of at most 10: hit with probability (1/5)^k.
    const std::uint64_t trials[] = {80, 400, 2000};
    const detail::GapMaxScore found =
        fast_score(points, {k, exceptions, floor, trials[k - 1]}, stream);
    ASSERT_EQ(found.gap, expected.gap) << "round " << round;
    if (expected.gap > 0) {
      ++positive;
      Points spanning;
      for (const std::size_t i : found.spanning) {
        spanning.push_back(points[i]);
      }
      ASSERT_EQ(members(points, spanning), expected.best) << "round " << round;
    }
  }
  EXPECT_GT(positive, 100);
}

/// The law of the answer, NULL first, then every flat of the domain by its key.
OutputLaw law_of(const Points& points, const detail::GapMaxRule& rule,
                 const TruncatedLaplace& noise, std::map<std::vector<Point>, std::size_t>& flats,
                 const std::function<std::vector<Point>(const Points&)>& canonical,
                 RandomStream& stream) {
  const detail::GapMaxScore score = fast_score(points, rule, stream);
  OutputLaw law(64, 0.0);
  double passes = 0.0;
  for (std::int64_t x = -noise.bound(); x <= noise.bound(); ++x) {
    passes += score.gap + x > noise.bound() ? noise.probability(x) : 0.0;
  }
  law[0] = 1.0 - passes;
  if (passes > 0.0) {
    Points spanning;
    for (const std::size_t i : score.spanning) {
      spanning.push_back(points[i]);
    }
    const auto index = flats.try_emplace(canonical(spanning), flats.size() + 1).first->second;
    law[index] = passes;
  }
  return law;
}

/// All data sets of `n` points from `domain`, as sorted index lists.
std::vector<std::vector<std::size_t>> multisets(std::size_t domain, std::size_t n) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> chosen;
  const std::function<void(std::size_t)> extend = [&](std::size_t from) {
    if (chosen.size() == n) {
      all.push_back(chosen);
      return;
    }
    for (std::size_t i = from; i < domain; ++i) {
      chosen.push_back(i);
      extend(i);
      chosen.pop_back();
    }
  };
  extend(0);
  return all;
}

bool differ_in_one(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.size() + 1 == a.size();
}

double worst_delta(const Points& domain, std::size_t n, const detail::GapMaxRule& rule,
                   std::int64_t noise_sensitivity, const ApproxDp& claim) {
  RandomStream stream = RandomStream::seeded(seed_for("exact enumeration"));
  const TruncatedLaplace noise =
      *TruncatedLaplace::make(noise_sensitivity, claim.epsilon, claim.delta);
  const auto canonical = [&](const Points& spanning) {
    const std::vector<bool> inside = members(domain, spanning);
    Points held;
    for (std::size_t i = 0; i < domain.size(); ++i) {
      if (inside[i]) {
        held.push_back(domain[i]);
      }
    }
    return held;
  };
  std::map<std::vector<Point>, std::size_t> flats;
  const auto sets = multisets(domain.size(), n);
  std::vector<OutputLaw> laws;
  for (const auto& chosen : sets) {
    Points points;
    for (const std::size_t i : chosen) {
      points.push_back(domain[i]);
    }
    laws.push_back(law_of(points, rule, noise, flats, canonical, stream));
  }
  return exact_delta(
      laws, [&](std::size_t i, std::size_t j) { return differ_in_one(sets[i], sets[j]); },
      claim.epsilon);
}

TEST(ExactSubspace, EnumeratedProbabilitiesMeetTheClaim) {
  const ApproxDp claim{1.5, 0.1};
  const Points plane = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  const Points space = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
  double largest = 0.0;
  for (const std::int64_t floor : {0, 1, 2}) {
    for (const std::int64_t exceptions : {0, 1}) {
      largest = std::max(largest, worst_delta(plane, 9, {1, exceptions, floor, 40}, 2, claim));
      largest = std::max(largest, worst_delta(space, 6, {2, exceptions, floor, 120}, 2, claim));
    }
  }
  EXPECT_LE(largest, claim.delta + 1e-12);
  EXPECT_GT(largest, 0.2 * claim.delta);  // the enumeration sees the mechanism at work
  // Broken twin: noise for a gap that moves by one.
  EXPECT_GT(worst_delta(plane, 9, {1, 0, 0, 40}, 1, claim), claim.delta);
}

/// The law of Singhal and Steinke's Algorithm 1 for k = 1 on points of `plane` whose lines all
/// differ: every line that holds a point, and NULL, has its gap and noise of its own; the largest
/// wins.
OutputLaw published_law(const std::vector<std::size_t>& chosen, std::size_t domain,
                        double null_score, const TruncatedLaplace& noise) {
  std::vector<std::pair<std::size_t, double>> candidates = {{0, null_score}};  // output, score
  for (std::size_t i = 1; i < domain; ++i) {
    if (const auto held = std::count(chosen.begin(), chosen.end(), i); held > 0) {
      candidates.emplace_back(i, static_cast<double>(held));
    }
  }
  std::vector<double> scores;
  for (const auto& [output, score] : candidates) {
    scores.push_back(score);
  }
  std::sort(scores.rbegin(), scores.rend());
  const double second = scores.size() > 1 ? scores[1] : scores[0];
  const auto gap = [&](std::size_t i) {
    return std::max(0.0, candidates[i].second - second - 1.0);
  };
  OutputLaw law(domain, 0.0);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::int64_t x = -noise.bound(); x <= noise.bound(); ++x) {
      double wins = noise.probability(x);
      for (std::size_t j = 0; j < candidates.size(); ++j) {
        double below = 0.0;
        for (std::int64_t y = -noise.bound(); y <= noise.bound() && j != i; ++y) {
          const double rest = gap(j) + static_cast<double>(y) - gap(i) - static_cast<double>(x);
          below += rest < 0.0 || (rest == 0.0 && j > i) ? noise.probability(y) : 0.0;
        }
        wins *= j == i ? 1.0 : below;
      }
      law[candidates[i].first] += wins;
    }
  }
  return law;
}

TEST(ExactSubspace, EnumerationRejectsThePublishedRule) {
  const ApproxDp claim{1.5, 0.1};
  const TruncatedLaplace noise = *TruncatedLaplace::make(2, claim.epsilon, claim.delta);
  constexpr std::size_t kDomain = 4;  // the origin and three lines of the plane
  const double null_score = 4.0 * std::log(1.0 / claim.delta) / claim.epsilon + 1.0;
  const auto sets = multisets(kDomain, 9);
  std::vector<OutputLaw> laws;
  for (const auto& chosen : sets) {
    laws.push_back(published_law(chosen, kDomain, null_score, noise));
  }
  EXPECT_GT(exact_delta(
                laws, [&](std::size_t i, std::size_t j) { return differ_in_one(sets[i], sets[j]); },
                claim.epsilon),
            2.0 * claim.delta);
}

ExactPoints as_exact(const Points& points, std::int64_t max_abs = 1000) {
  ExactPoints exact(points.front().size(), max_abs);
  for (const Point& point : points) {
    exact.add(point);
  }
  return exact;
}

Points clean_points(RandomStream& stream, std::size_t n, std::size_t d, std::size_t k,
                    std::size_t strays) {
  Points basis(k, Point(d));
  for (Point& row : basis) {
    for (std::int64_t& value : row) {
      value = 1 + std::abs(small_integer(stream, 9));
    }
  }
  Points points;
  for (std::size_t i = 0; i < n; ++i) {
    Point point(d, 0);
    for (const Point& row : basis) {
      const std::int64_t factor = small_integer(stream, 9);
      for (std::size_t c = 0; c < d; ++c) {
        point[c] += i < strays ? small_integer(stream, 100) : factor * row[c];
      }
    }
    points.push_back(point);
  }
  return points;
}

ExactSubspaceRequest request_for(const Points& points, std::size_t k, ExactAggregate aggregate) {
  ExactSubspaceRequest request;
  request.rows = points.size();
  request.dimension = points.front().size();
  request.subspace = k;
  request.budget = {1.0, 1e-6};
  request.aggregate = aggregate;
  return request;
}

TEST(ExactSubspace, CleanPointsGiveTheirSubspace) {
  RandomStream stream = RandomStream::seeded(seed_for("exact clean"));
  for (const ExactAggregate aggregate : {ExactAggregate::GapMax, ExactAggregate::Votes}) {
    for (const std::size_t k : {1, 2, 3}) {
      for (const std::size_t d : {k, k + 1, std::size_t{30}}) {
        const Points points = clean_points(stream, 60 * k + 60, d, k, 0);
        const ExactSubspacePlan plan = *ExactSubspacePlan::make(request_for(points, k, aggregate));
        const auto release = plan.run(as_exact(points), stream);
        ASSERT_TRUE(release.value().found) << k << " " << d;
        // Every point is the combination of echelon rows its pivots say: check in doubles.
        const Matrix& frame = release.value().frame;
        for (const Point& point : points) {
          Vector x(static_cast<Eigen::Index>(d));
          for (std::size_t c = 0; c < d; ++c) {
            x[static_cast<Eigen::Index>(c)] = static_cast<double>(point[c]);
          }
          EXPECT_LT((x - frame * (frame.transpose() * x)).norm(), 1e-9 * (1.0 + x.norm()));
        }
      }
    }
  }
}

TEST(ExactSubspace, CertainUnderItsConditionAndNullWhenDegenerate) {
  RandomStream stream = RandomStream::seeded(seed_for("exact degenerate"));
  const Points clean = clean_points(stream, 140, 20, 2, 20);  // 20 strays: n > 3 l + 1 + 2A
  const ExactSubspacePlan plan =
      *ExactSubspacePlan::make(request_for(clean, 2, ExactAggregate::GapMax));
  ASSERT_GE(plan.exceptions(), 21);
  for (int run = 0; run < 50; ++run) {
    EXPECT_TRUE(plan.run(as_exact(clean), stream).value().found);
  }
  for (const Points& bad :
       {Points(140, Point(20, 0)), Points(140, Point(20, 3)), clean_points(stream, 140, 20, 2, 140),
        Points(140, Point(20, 100000))}) {
    EXPECT_FALSE(plan.run(as_exact(bad), stream).value().found);
  }
}

TEST(ExactSubspace, LargeCoordinatesUseALargerField) {
  RandomStream stream = RandomStream::seeded(seed_for("exact large"));
  Points points = clean_points(stream, 150, 8, 2, 0);
  for (Point& point : points) {
    for (std::int64_t& value : point) {
      value *= 1'000'000'007;
    }
  }
  ExactSubspaceRequest request = request_for(points, 2, ExactAggregate::GapMax);
  request.max_abs = std::int64_t{1} << 45;
  const ExactSubspacePlan plan = *ExactSubspacePlan::make(request);
  EXPECT_EQ(plan.field_bits(), 521);
  EXPECT_TRUE(plan.run(as_exact(points, request.max_abs), stream).value().found);
}

TEST(ExactSubspace, RefusesByPublicSizesAlone) {
  ExactSubspaceRequest request;
  request.rows = 20;
  request.dimension = 5;
  request.subspace = 2;
  request.budget = {1.0, 1e-6};
  EXPECT_FALSE(ExactSubspacePlan::make(request));
  request.rows = 100'000;
  request.subspace = 5;
  request.aggregate = ExactAggregate::GapMax;
  EXPECT_FALSE(ExactSubspacePlan::make(request));  // n^(k-1)
  request.aggregate = ExactAggregate::Votes;
  EXPECT_TRUE(ExactSubspacePlan::make(request));
  request.subspace = 6;
  EXPECT_FALSE(ExactSubspacePlan::make(request));  // k > d
}

}  // namespace
}  // namespace eigenveil::test::exact_subspace_test
