// Which groups lie near which: the pairwise distances of the stable core.
//
// Positions are whole numbers. While a squared distance is below 2^53 both ways of computing it are
// exact, so the outcome for a pair does not depend on the way, nor on the other groups. Larger ones
// are sums of rounded squares, good to N 2^-52 of their value.
#include <algorithm>
#include <array>
#include <functional>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "eigenveil/core/cancellation.hpp"
#include "mechanism/subspace/stable_core.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

constexpr Index kBlock = 2048;
/// |a|^2 and |b|^2 at most 2^50: every partial sum of a'b is a whole number below 2^53
/// (Cauchy-Schwarz), and so is |a - b|^2.
constexpr double kExactNorm2 = 0x1p50;

/// Coordinates begin, ... of all positions, one column per group.
void write_block(const GroupPositions& positions, Index begin, Matrix& block) {
  for (Index i = 0; i < positions.groups(); ++i) {
    positions.write(i, begin, block.rows(), block.col(i).data());
  }
}

/// Hands every block of coordinates to one of `threads` workers: visit(worker, block).
void for_each_block(const GroupPositions& positions, int threads,
                    const std::function<void(std::size_t, Matrix&)>& visit) {
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  const BlasThreads one(1);
  parallel_for(workers, threads, [&](std::size_t worker) {
    Matrix block;
    for (Index begin = static_cast<Index>(worker) * kBlock; begin < positions.length();
         begin += static_cast<Index>(workers) * kBlock) {
      stop_if_cancelled();
      block.resize(std::min(kBlock, positions.length() - begin), positions.groups());
      write_block(positions, begin, block);
      visit(worker, block);
    }
  });
}

/// Products of positions about those of one group, exact for groups that lie near it.
struct CentredGram {
  Matrix products;                 ///< upper triangle
  std::vector<std::uint8_t> near;  ///< 1: the row and column may be used
};

/// A group with more than half of the others near it if one of three has that.
Index choose_centre(const GroupPositions& positions, int threads) {
  const Index t = positions.groups();
  const std::array<Index, 3> candidates = {0, t / 2, t - 1};
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  std::vector<Matrix> sums(workers, Matrix::Zero(t, 3));
  for_each_block(positions, threads, [&](std::size_t worker, Matrix& block) {
    for (Index c = 0; c < 3; ++c) {
      const auto centre = candidates[static_cast<std::size_t>(c)];
      for (Index i = 0; i < t; ++i) {
        sums[worker](i, c) += (block.col(i) - block.col(centre)).squaredNorm();
      }
    }
  });
  for (std::size_t worker = 1; worker < workers; ++worker) {
    sums.front() += sums[worker];
  }
  for (Index c = 0; c < 2; ++c) {
    if (2 * (sums.front().col(c).array() <= kExactNorm2).count() > t) {
      return candidates[static_cast<std::size_t>(c)];
    }
  }
  return candidates[2];
}

CentredGram centred_gram(const GroupPositions& positions, int threads) {
  const Index t = positions.groups();
  const Index centre = choose_centre(positions, threads);
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  std::vector<Matrix> sums(workers, Matrix::Zero(t, t));
  for_each_block(positions, threads, [&](std::size_t worker, Matrix& block) {
    const Vector origin = block.col(centre);
    block.colwise() -= origin;
    add_inner_products(block.data(), static_cast<std::size_t>(block.rows()),
                       static_cast<std::size_t>(t), sums[worker].data());
  });
  CentredGram gram{std::move(sums.front()), {}};
  for (std::size_t worker = 1; worker < workers; ++worker) {
    gram.products += sums[worker];
  }
  // A sum of squares of whole numbers that is at most 2^50 was exact all the way.
  for (Index i = 0; i < t; ++i) {
    gram.near.push_back(gram.products(i, i) <= kExactNorm2 ? 1 : 0);
  }
  return gram;
}

/// Squared distances of the pairs the Gram matrix does not serve, directly: sums over blocks in
/// their order, so that each depends on its pair alone. A pair is left once it passes `limit`.
void add_direct_distances(const GroupPositions& positions, const CentredGram& gram, double limit,
                          int threads, Matrix& squared) {
  const auto t = static_cast<std::size_t>(positions.groups());
  Matrix block;
  for (Index begin = 0; begin < positions.length(); begin += kBlock) {
    block.resize(std::min(kBlock, positions.length() - begin), positions.groups());
    write_block(positions, begin, block);
    parallel_for(t, threads, [&](std::size_t first) {
      const auto i = static_cast<Index>(first);
      for (auto j = i + 1; j < positions.groups(); ++j) {
        const bool served = gram.near[first] != 0 && gram.near[static_cast<std::size_t>(j)] != 0;
        if (!served && squared(i, j) <= limit) {
          squared(i, j) += (block.col(i) - block.col(j)).squaredNorm();
        }
      }
    });
  }
}

/// Upper triangle of squared distances.
Matrix squared_distances(const GroupPositions& positions, double limit, int threads) {
  const CentredGram gram = centred_gram(positions, threads);
  const Matrix& products = gram.products;
  Matrix squared = Matrix::Zero(positions.groups(), positions.groups());
  bool all_served = true;
  for (Index j = 0; j < positions.groups(); ++j) {
    all_served = all_served && gram.near[static_cast<std::size_t>(j)] != 0;
    for (Index i = 0; i < j; ++i) {
      if (gram.near[static_cast<std::size_t>(i)] != 0 &&
          gram.near[static_cast<std::size_t>(j)] != 0) {
        squared(i, j) = products(i, i) + products(j, j) - 2.0 * products(i, j);
      }
    }
  }
  if (!all_served) {
    add_direct_distances(positions, gram, limit, threads, squared);
  }
  return squared;
}

}  // namespace

std::vector<std::vector<std::int64_t>> count_near(const GroupPositions& positions,
                                                  const std::vector<double>& radii, int threads) {
  const auto t = static_cast<std::size_t>(positions.groups());
  const double limit = radii.back() * radii.back();
  const Matrix squared = squared_distances(positions, limit, threads);
  std::vector<std::vector<std::int64_t>> near(radii.size(), std::vector<std::int64_t>(t, 0));
  for (std::size_t i = 0; i < t; ++i) {
    for (std::size_t j = i + 1; j < t; ++j) {
      if (positions.abstains[i] != 0 || positions.abstains[j] != 0) {
        continue;
      }
      const double distance2 = squared(static_cast<Index>(i), static_cast<Index>(j));
      for (std::size_t rung = 0; rung < radii.size(); ++rung) {
        const std::int64_t within = distance2 <= radii[rung] * radii[rung] ? 1 : 0;
        near[rung][i] += within;
        near[rung][j] += within;
      }
    }
  }
  return near;
}

}  // namespace eigenveil
