#include "mechanism/subspace/grid_cells.hpp"

#include <cmath>

#include "random/normal.hpp"

namespace eigenveil::detail {
namespace {

/// floor((position + offset) / side), exactly: whole numbers below 2^45.
std::int64_t cell_of(double position, std::int64_t offset, std::int64_t side) {
  const std::int64_t moved = static_cast<std::int64_t>(position) + offset;
  const std::int64_t quotient = moved / side;
  return moved % side < 0 ? quotient - 1 : quotient;
}

}  // namespace

std::optional<Matrix> point_of_fullest_cell(const GroupPositions& positions,
                                            const StabilityHistogram& histogram, std::int64_t side,
                                            RandomStream& stream) {
  const auto offset = static_cast<std::int64_t>(uniform_below(stream, static_cast<UInt128>(side)));
  const Eigen::Index length = positions.length();
  std::vector<Vote> votes;
  std::vector<std::int64_t> index(static_cast<std::size_t>(length));
  Vector place(length);
  const auto locate = [&](Eigen::Index group) {
    positions.write(group, 0, length, place.data());
    for (Eigen::Index c = 0; c < length; ++c) {
      index[static_cast<std::size_t>(c)] = cell_of(place[c], offset, side);
    }
  };
  for (Eigen::Index group = 0; group < positions.groups(); ++group) {
    if (positions.abstains[static_cast<std::size_t>(group)] != 0) {
      votes.emplace_back();
      continue;
    }
    locate(group);
    Sha256 hash;
    hash.update(index.data(), index.size() * sizeof(std::int64_t));
    votes.emplace_back(hash.finish());
  }
  const std::optional<NoisyWinner> winner = histogram.winner(votes, stream);
  if (!winner) {
    return std::nullopt;
  }
  locate(static_cast<Eigen::Index>(winner->group));  // a function of the key alone
  Matrix point(static_cast<Eigen::Index>(positions.shape.dimension),
               static_cast<Eigen::Index>(positions.shape.references));
  for (Eigen::Index c = 0; c < length; ++c) {
    const double inside = static_cast<double>(index[static_cast<std::size_t>(c)]) + uniform(stream);
    point.data()[c] =
        (inside * static_cast<double>(side) - static_cast<double>(offset)) * positions.shape.step;
  }
  return point;
}

}  // namespace eigenveil::detail
