#pragma once

#include <vector>

#include "cli/explore/question.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil::cli {

/// What releases would look like, on assumed data and with known seeds: for pictures alone. Every
/// draw keeps its seed while a slider moves, so a cloud breathes instead of flickering.
struct Simulated {
  Matrix truth;                    ///< weights of the assumed directions, columns by components
  std::vector<Matrix> directions;  ///< of each release, in coordinates of the assumed directions
  std::vector<Vector> variances;   ///< of each release, scaled units; empty where not simulated
  int nulls = 0;                   ///< releases that would answer NULL
};

/// Fewer for wide tables: a slider has a tenth of a second.
int simulations_for(Eigen::Index dimension);

/// Assumed directions in the columns, orthonormal, from a seed of the dimension alone.
/// Beyond this many columns every simulated release would take seconds: none is drawn, and the
/// assumed directions are made of cosines.
constexpr Eigen::Index kSimulatedUpTo = 1000;

const Matrix& assumed_directions(Eigen::Index dimension);

/// Noise of a moment (scaled units) on the assumed covariance.
Simulated simulate_moment(const Vector& spectrum, const NoiseScale& noise, Eigen::Index components);

/// Any other method, by its own trial (mechanism/comparison).
Simulated simulate_method(const Request& request, const AssumedTable& table,
                          Eigen::Index components);

/// Assumed people on two directions: counts per square, rows upwards. `directions` in coordinates
/// of the assumed ones; the identity shows the people as assumed.
Matrix people_map(const Vector& spectrum, const Matrix& directions);
/// Laplace noise of a histogram of `people`, in the counts of the assumed ones.
void add_map_noise(Matrix& counts, double people, double scale);

}  // namespace eigenveil::cli
