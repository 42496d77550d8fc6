#include "cli/explore/simulated.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include "core/symmetric_eigen.hpp"
#include "engine/compare.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::uint64_t kSeed = 20260300;
constexpr Eigen::Index kPeople = 1500;
constexpr Eigen::Index kSquares = 20;  // as scores has them

Matrix normals(Eigen::Index rows, Eigen::Index columns, std::uint64_t number) {
  RandomStream stream = trusted::substream(RandomStream::seeded(kSeed), number);
  Matrix drawn(rows, columns);
  fill_standard_normal(stream, {drawn.data(), static_cast<std::size_t>(drawn.size())});
  return drawn;
}

/// Values that are made once for a dimension and kept for the session.
template <class Value, class Make>
const Value& kept(Eigen::Index dimension, Make&& make) {
  static std::mutex mutex;
  static std::map<Eigen::Index, Value> values;
  const std::lock_guard lock(mutex);
  const auto found = values.find(dimension);
  return found != values.end() ? found->second : values.emplace(dimension, make()).first->second;
}

/// Signs are free: those that agree with the assumed direction.
void settle_signs(Matrix& directions) {
  for (Eigen::Index j = 0; j < directions.cols(); ++j) {
    if (directions(j, j) < 0.0) {
      directions.col(j) *= -1.0;
    }
  }
}

struct People {
  Matrix scores;  ///< standardised; the first two coordinates in three groups
};

const People& people_of(Eigen::Index dimension) {
  return kept<People>(dimension, [&] {
    struct Group {
      double x, y, until;
    };
    constexpr std::array kGroups = {Group{-1.1, -0.7, 0.3}, Group{0.1, 1.1, 0.75},
                                    Group{1.1, -0.6, 1.0}};
    People people{normals(kPeople, dimension, 7)};
    for (Eigen::Index i = 0; i < kPeople; ++i) {
      const double share = static_cast<double>(i) / kPeople;
      const auto* group = std::find_if(kGroups.begin(), kGroups.end(),
                                       [&](const Group& one) { return share < one.until; });
      people.scores(i, 0) = 0.5 * people.scores(i, 0) + group->x;
      if (dimension > 1) {
        people.scores(i, 1) = 0.5 * people.scores(i, 1) + group->y;
      }
    }
    for (Eigen::Index j = 0; j < std::min<Eigen::Index>(2, dimension); ++j) {
      Vector column = people.scores.col(j);
      column.array() -= column.mean();
      people.scores.col(j) = column * std::sqrt(kPeople / column.squaredNorm());
    }
    return people;
  });
}

/// Orthonormal without an elimination: cosines of all frequencies, with signs of rows at random.
Matrix cosines(Eigen::Index dimension) {
  const auto p = static_cast<double>(dimension);
  const Matrix signs = normals(dimension, 1, 1);
  Matrix directions(dimension, dimension);
  for (Eigen::Index j = 0; j < dimension; ++j) {
    for (Eigen::Index i = 0; i < dimension; ++i) {
      const double angle = (static_cast<double>(i) + 0.5) * static_cast<double>(j) / p;
      directions(i, j) = (signs(i, 0) < 0.0 ? -1.0 : 1.0) * std::sqrt((j == 0 ? 1.0 : 2.0) / p) *
                         std::cos(std::fmod(angle, 2.0) * std::acos(-1.0));
    }
  }
  return directions;
}

}  // namespace

int simulations_for(Eigen::Index dimension) {
  return dimension <= 40 ? 36 : dimension <= 120 ? 16 : 6;
}

const Matrix& assumed_directions(Eigen::Index dimension) {
  struct Directions {
    Matrix values;
  };
  return kept<Directions>(dimension,
                          [&] {
                            if (dimension > kSimulatedUpTo) {
                              return Directions{cosines(dimension)};
                            }
                            const Matrix drawn = normals(dimension, dimension, 1);
                            return Directions{Eigen::HouseholderQR<Matrix>(drawn).householderQ() *
                                              Matrix::Identity(dimension, dimension)};
                          })
      .values;
}

Simulated simulate_moment(const Vector& spectrum, const NoiseScale& noise,
                          Eigen::Index components) {
  const Eigen::Index dimension = spectrum.size();
  Simulated simulated;
  simulated.truth = assumed_directions(dimension).leftCols(components);
  if (dimension > kSimulatedUpTo) {
    return simulated;
  }
  for (int i = 0; i < simulations_for(dimension); ++i) {
    RandomStream stream =
        trusted::substream(RandomStream::seeded(kSeed), 1000 + static_cast<unsigned>(i));
    Matrix noisy = simulated_noise(noise, dimension, stream);
    noisy.diagonal() += spectrum;
    SymmetricEigen found = largest_eigenpairs(std::move(noisy), components);
    settle_signs(found.vectors);
    simulated.directions.push_back(std::move(found.vectors));
    simulated.variances.push_back(std::move(found.values));
  }
  return simulated;
}

Simulated simulate_method(const Request& request, const AssumedTable& table,
                          Eigen::Index components) {
  Simulated simulated;
  const Eigen::Index dimension = table.spectrum.size();
  simulated.truth = assumed_directions(dimension).leftCols(components);
  Request asked = request;
  asked.components = components;
  const Result<const Method*> method = choose_method(asked);
  const Result<AssumedSetting> setting = assumed_setting(asked, table);
  constexpr Eigen::Index kTrialsUpTo = 60;
  if (!method || !setting || dimension > kTrialsUpTo) {
    return simulated;
  }
  const std::optional<PredictedError> predicted = (*method)->predicted_error(asked, *setting);
  if (!predicted || !predicted->available || !predicted->trial) {
    return simulated;
  }
  const Matrix moment = (static_cast<double>(table.rows) * table.spectrum).asDiagonal();
  constexpr int kTrials = 12;
  for (int i = 0; i < kTrials; ++i) {
    RandomStream stream =
        trusted::substream(RandomStream::seeded(kSeed), 2000 + static_cast<unsigned>(i));
    std::optional<Matrix> drawn = predicted->trial(moment, stream);
    if (!drawn || drawn->cols() < components) {
      ++simulated.nulls;
      continue;
    }
    Matrix directions = drawn->leftCols(components);
    settle_signs(directions);
    simulated.directions.push_back(std::move(directions));
  }
  return simulated;
}

Matrix people_map(const Vector& spectrum, const Matrix& directions) {
  const People& people = people_of(spectrum.size());
  const Matrix axes = spectrum.cwiseSqrt().asDiagonal() * directions.leftCols(2);
  const Matrix scores = people.scores * axes;
  const double reach = 3.4;
  Matrix counts = Matrix::Zero(kSquares, kSquares);
  const auto square = [&](double score, double spread) {
    return static_cast<Eigen::Index>(
        std::floor((score / (reach * spread) + 1.0) * 0.5 * static_cast<double>(kSquares)));
  };
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    const Eigen::Index x = square(scores(i, 0), std::sqrt(spectrum[0]));
    const Eigen::Index y = square(scores(i, 1), std::sqrt(spectrum[1]));
    if (x >= 0 && x < kSquares && y >= 0 && y < kSquares) {
      counts(y, x) += 1.0;
    }
  }
  return counts;
}

void add_map_noise(Matrix& counts, double people, double scale) {
  RandomStream stream = trusted::substream(RandomStream::seeded(kSeed), 8);
  Matrix drawn(counts.rows(), counts.cols());
  fill_standard_normal(stream, {drawn.data(), static_cast<std::size_t>(drawn.size())});
  const double in_these = scale * static_cast<double>(kPeople) / people;
  for (Eigen::Index i = 0; i < drawn.size(); ++i) {  // sqrt(2 E) N is Laplace
    counts.data()[i] += in_these * drawn.data()[i] * std::sqrt(-2.0 * std::log(uniform(stream)));
  }
}

}  // namespace eigenveil::cli
