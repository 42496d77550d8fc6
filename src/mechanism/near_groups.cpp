// Which groups lie near which: the pairwise distances of the stable core.
//
// Positions are whole numbers. While a squared distance is below 2^53 both ways of computing it are
// exact, so the outcome for a pair does not depend on the way, nor on the other groups. Larger ones
// are sums of rounded squares, good to N 2^-52 of their value.
#include <algorithm>
#include <numeric>

#include "eigenveil/core/parallel.hpp"
#include "eigenveil/mechanism/stable_core.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

constexpr Index kBlock = 2048;
/// |a|^2 and |b|^2 at most 2^50: every partial sum of a'b is a whole number below 2^53
/// (Cauchy-Schwarz), and so is |a - b|^2.
constexpr double kExactNorm2 = 0x1p50;

/// Squared distance, or anything above `limit` once it is passed. Symmetric in its arguments.
double squared_distance(const double* a, const double* b, Index count, double limit) {
  double total = 0.0;
  for (Index begin = 0; begin < count && total <= limit; begin += kBlock) {
    const Index length = std::min(kBlock, count - begin);
    const Eigen::Map<const Eigen::ArrayXd> first(a + begin, length);
    const Eigen::Map<const Eigen::ArrayXd> second(b + begin, length);
    total += (first - second).square().sum();
  }
  return total;
}

/// Products of positions about those of one group, exact for groups that lie near it.
struct CentredGram {
  Matrix products;                 ///< upper triangle
  std::vector<std::uint8_t> near;  ///< 1: the row and column may be used
};

std::vector<std::uint8_t> near_centre(const GroupPositions& positions, Index centre) {
  std::vector<std::uint8_t> near;
  for (Index i = 0; i < positions.groups(); ++i) {
    near.push_back(squared_distance(positions.steps.col(i).data(),
                                    positions.steps.col(centre).data(), positions.steps.rows(),
                                    kExactNorm2) <= kExactNorm2
                       ? 1
                       : 0);
  }
  return near;
}

CentredGram centred_gram(const GroupPositions& positions, int threads) {
  const Index t = positions.groups();
  CentredGram gram;
  Index centre = 0;
  for (const Index candidate : {Index{0}, t / 2, t - 1}) {
    centre = candidate;
    gram.near = near_centre(positions, candidate);
    if (2 * std::accumulate(gram.near.begin(), gram.near.end(), Index{0}) > t) {
      break;
    }
  }
  const Index length = positions.steps.rows();
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  std::vector<Matrix> sums(workers, Matrix::Zero(t, t));
  parallel_for(workers, threads, [&](std::size_t worker) {
    for (Index begin = static_cast<Index>(worker) * kBlock; begin < length;
         begin += static_cast<Index>(workers) * kBlock) {
      const Index rows = std::min(kBlock, length - begin);
      const Matrix moved = positions.steps.middleRows(begin, rows).colwise() -
                           positions.steps.col(centre).segment(begin, rows);
      sums[worker].selfadjointView<Eigen::Upper>().rankUpdate(moved.transpose());
    }
  });
  gram.products = std::move(sums.front());
  for (std::size_t worker = 1; worker < workers; ++worker) {
    gram.products += sums[worker];
  }
  return gram;
}

}  // namespace

std::vector<std::vector<std::int64_t>> count_near(const GroupPositions& positions,
                                                  const std::vector<double>& radii, int threads) {
  const auto t = static_cast<std::size_t>(positions.groups());
  const double limit = radii.back() * radii.back();
  const CentredGram gram = centred_gram(positions, threads);
  // reach[i][j]: the first radius that reaches from i to j; each pair is written once.
  std::vector<std::vector<std::uint8_t>> reach(t, std::vector<std::uint8_t>(t));
  parallel_for(t, threads, [&](std::size_t first) {
    for (std::size_t second = first + 1; second < t; ++second) {
      const auto i = static_cast<Index>(first);
      const auto j = static_cast<Index>(second);
      if (positions.abstains[first] != 0 || positions.abstains[second] != 0) {
        reach[first][second] = static_cast<std::uint8_t>(radii.size());
        continue;
      }
      const double squared =
          gram.near[first] != 0 && gram.near[second] != 0
              ? gram.products(i, i) + gram.products(j, j) - 2.0 * gram.products(i, j)
              : squared_distance(positions.steps.col(i).data(), positions.steps.col(j).data(),
                                 positions.steps.rows(), limit);
      std::uint8_t rung = 0;
      while (rung < radii.size() && squared > radii[rung] * radii[rung]) {
        ++rung;
      }
      reach[first][second] = rung;
    }
  });
  std::vector<std::vector<std::int64_t>> near(radii.size(), std::vector<std::int64_t>(t, 0));
  for (std::size_t i = 0; i < t; ++i) {
    for (std::size_t j = i + 1; j < t; ++j) {
      for (std::size_t rung = reach[i][j]; rung < radii.size(); ++rung) {
        ++near[rung][i];
        ++near[rung][j];
      }
    }
  }
  return near;
}

}  // namespace eigenveil
