// How often noise alone passes the floor and the edge of a component, at the limits that releases
// state and at those they stated before, and how many rows more a component needs to be told
// (docs/proofs/noise_limits.md). Noise in doubles: nothing here is released.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/noise_reach.hpp"
#include "random/normal.hpp"

namespace {

using eigenveil::EntryNoise;
using eigenveil::Matrix;
using eigenveil::NoiseLaw;
using eigenveil::NoiseReach;
using eigenveil::RandomStream;
using eigenveil::Vector;
using Index = Eigen::Index;

Matrix normals(RandomStream& stream, Index rows, Index columns) {
  Matrix values(rows, columns);
  eigenveil::fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// Deviation 1 on a product of two columns.
Matrix noise(RandomStream& stream, NoiseLaw law, Index p) {
  if (law == NoiseLaw::Wishart) {
    const Matrix g = normals(stream, p, p + 1);
    const Matrix h = normals(stream, p, p + 1);
    return (g * g.transpose() - h * h.transpose()) / std::sqrt(2.0 * static_cast<double>(p + 1));
  }
  Matrix values = normals(stream, p, p);
  if (law == NoiseLaw::Laplace) {  // a variance mixture: normal times the root of an exponential
    const Matrix others = normals(stream, p, 2 * p);
    for (Index i = 0; i < values.size(); ++i) {
      values.data()[i] *=
          std::hypot(others.data()[2 * i], others.data()[2 * i + 1]) / std::sqrt(2.0);
    }
  } else {
    values.diagonal() *= std::sqrt(2.0);
  }
  return values.selfadjointView<Eigen::Upper>();
}

NoiseReach reach_of(NoiseLaw law, Index p, double deviation) {
  return eigenveil::noise_reach({.scales = Vector::Ones(p), .product = deviation, .law = law}, 0.0,
                                1.0);
}

/// Until 0.2.0.
double edge_before(const Vector& values, Index k, const NoiseReach& reach) {
  const auto rest = values.tail(values.size() - k);
  const double mean = rest.size() > 0 ? rest.mean() : 0.0;
  const double variance = rest.size() > 0 ? (rest.array() - mean).square().mean() : 0.0;
  const double own = reach.norm / (2.0 * reach.factor);
  return std::max(mean, 0.0) +
         std::hypot(reach.norm, 2.0 * std::sqrt(std::max(0.0, variance - own * own)));
}

double edge_now(const Vector& values, Index k, const NoiseReach& reach) {
  return eigenveil::noise_edge(values, Matrix::Identity(values.size(), k),
                               Vector::Ones(values.size()), reach)[0];
}

const char* word_of(NoiseLaw law) {
  return law == NoiseLaw::Gaussian ? "gauss" : law == NoiseLaw::Wishart ? "wishart" : "laplace";
}

/// Tables of equal directions: the first of k components is told from noise by mistake.
void false_alarms(NoiseLaw law, Index p) {
  RandomStream stream = RandomStream::seeded(static_cast<std::uint64_t>(p));
  const int runs = p <= 20 ? 20'000 : p <= 50 ? 6000 : 1500;
  const NoiseReach reach = reach_of(law, p, 1.0);
  std::vector<Index> kept = {1, p / 2, p - 1};
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::erase_if(kept, [p](Index k) { return k < 1 || k >= p; });
  std::vector<double> largest;
  std::vector<int> now(kept.size());
  std::vector<int> before(kept.size());
  int floors = 0;
  int norms = 0;
  for (int run = 0; run < runs; ++run) {
    const Vector values = eigenveil::symmetric_eigen(noise(stream, law, p)).values;
    largest.push_back(values[0]);
    floors += values[0] > reach.floor ? 1 : 0;
    norms += values[0] > reach.norm ? 1 : 0;
    const Vector shifted = values.array() + 100.0 * reach.norm;  // all variances alike, and large
    for (std::size_t i = 0; i < kept.size(); ++i) {
      now[i] += shifted[0] > edge_now(shifted, kept[i], reach) ? 1 : 0;
      before[i] += shifted[0] > edge_before(shifted, kept[i], reach) ? 1 : 0;
    }
  }
  std::sort(largest.begin(), largest.end());
  const auto share = [runs](int count) { return 100.0 * count / runs; };
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.1f}% | {:.1f}% |", word_of(law), p,
             largest[static_cast<std::size_t>(0.95 * runs)], reach.floor, share(floors),
             share(norms));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    fmt::print(" k = {}: {:.1f}% ({:.0f}%)", kept[i], share(now[i]), share(before[i]));
  }
  fmt::print(" |\n");
}

/// Of n rows with variances (.4, .25, .15, the rest alike): whether the third of 3 components is
/// told in half of the releases.
bool third_is_told(NoiseLaw law, Index p, double n, bool now) {
  RandomStream stream = RandomStream::seeded(static_cast<std::uint64_t>(p) + 1);
  Vector spectrum = Vector::Constant(p, 0.2 / static_cast<double>(p - 3));
  spectrum.head(3) << 0.4, 0.25, 0.15;
  const NoiseReach reach = reach_of(law, p, 1.0);
  constexpr int kRuns = 400;
  int told = 0;
  for (int run = 0; run < kRuns; ++run) {
    Matrix released = noise(stream, law, p);
    released.diagonal() += n * spectrum;
    const Vector values = eigenveil::symmetric_eigen(released).values;
    told += values[2] > (now ? edge_now : edge_before)(values, 3, reach) ? 1 : 0;
  }
  return 2 * told >= kRuns;
}

double rows_needed(NoiseLaw law, Index p, bool now) {
  double low = 1.0;
  double high = 1e6;
  while (high / low > 1.005) {
    const double middle = std::sqrt(low * high);
    (third_is_told(law, p, middle, now) ? high : low) = middle;
  }
  return high;
}

/// Columns of different widths, in their own units.
struct Units {
  std::string name;
  Vector scales;
};

std::vector<Units> units_of(Index p) {
  const auto last = [p](Index narrow, double width) {
    Vector scales = Vector::Ones(p);
    scales.tail(narrow).setConstant(width);
    return scales;
  };
  return {{"one tenfold wider", last(p - 1, 0.1)},
          {"one a hundredfold wider", last(p - 1, 0.01)},
          {"half at .3", last(p / 2, 0.3)},
          {"half at .9", last(p / 2, 0.9)},
          {"one a hundredth", last(1, 0.01)}};
}

/// Until the release that this page was written anew for: b times the length of those left out.
Vector uneven_edge_before(const Vector& values, const Matrix& loadings, const Vector& scales,
                          const NoiseReach& reach) {
  const Vector lengths = (scales.asDiagonal() * loadings).colwise().norm() / scales.maxCoeff();
  const auto rest = values.tail(values.size() - loadings.cols());
  const double variance = (rest.array() - rest.mean()).square().mean();
  const double own = reach.norm / (2.0 * reach.factor);
  const double spread = 2.0 * std::sqrt(std::max(0.0, variance - own * own));
  const double left = scales.squaredNorm() / std::pow(scales.maxCoeff(), 2) - lengths.squaredNorm();
  const double odds = static_cast<double>(loadings.cols()) / static_cast<double>(rest.size());
  const double below = std::min(1.0, std::sqrt(std::max(0.0, left))) *
                       std::min({1.0, odds, std::sqrt(odds) / (2.0 * reach.factor)});
  Vector edge(loadings.cols());
  for (Index j = 0; j < edge.size(); ++j) {
    edge[j] = std::max(reach.floor * lengths[j],
                       rest.mean() + std::hypot(reach.apart * (lengths[j] + below), spread));
  }
  return edge;
}

struct UnevenAlarms {
  double now = 0.0;
  double before = 0.0;
};

/// How often a component is further above its edge than its exact variance is above that of those
/// left out, in per cent.
UnevenAlarms uneven_alarms(NoiseLaw law, const Units& units, Index kept, const Matrix& exact,
                           double shared) {
  constexpr int kRuns = 4000;
  const Index p = units.scales.size();
  RandomStream stream = RandomStream::seeded(static_cast<std::uint64_t>(100 * p + kept));
  const NoiseReach reach = eigenveil::noise_reach(
      {.scales = units.scales, .product = 1.0, .shared = shared, .law = law}, 0.0, 1.0);
  UnevenAlarms alarms;
  for (int run = 0; run < kRuns; ++run) {
    Matrix released = noise(stream, law, p);
    released.diagonal().array() += shared * normals(stream, 1, 1)(0, 0);
    released = exact + units.scales.asDiagonal() * released * units.scales.asDiagonal();
    const auto eigen = eigenveil::symmetric_eigen(released);
    const Matrix loadings = eigen.vectors.leftCols(kept);
    const Vector along = (loadings.transpose() * exact * loadings).diagonal();
    const double left = (exact.trace() - along.sum()) / static_cast<double>(p - kept);
    const auto wrong = [&](const Vector& edge) {
      return (eigen.values.head(kept) - edge - along).maxCoeff() > 1e-9 * reach.norm - left;
    };
    alarms.now +=
        wrong(eigenveil::noise_edge(eigen.values, loadings, units.scales, reach)) ? 1.0 : 0.0;
    alarms.before +=
        wrong(uneven_edge_before(eigen.values, loadings, units.scales, reach)) ? 1.0 : 0.0;
  }
  return {100.0 * alarms.now / kRuns, 100.0 * alarms.before / kRuns};
}

/// The most over numbers kept and exact tables: one variance for all; zero; rows along the last
/// column; a rank-one table askew to all columns.
void uneven_units(NoiseLaw law, Index p, double shared) {
  for (const Units& units : units_of(p)) {
    std::vector<Index> kept = {1, p / 2, p - 1};
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    UnevenAlarms most;
    for (const Index k : kept) {
      Matrix along_last = Matrix::Zero(p, p);
      along_last(p - 1, p - 1) = 3.0;
      const Matrix askew = Matrix::Constant(p, p, 30.0 / static_cast<double>(p));
      for (const Matrix& exact : {Matrix(1000.0 * Matrix::Identity(p, p)),
                                  Matrix(Matrix::Zero(p, p)), along_last, askew}) {
        const UnevenAlarms found = uneven_alarms(law, units, k, exact, shared);
        most = {std::max(most.now, found.now), std::max(most.before, found.before)};
      }
    }
    fmt::print("| {}{} | {} | {} | {:.1f}% | {:.1f}% |\n", word_of(law),
               shared > 0.0 ? fmt::format(", shared {:g}", shared) : "", p, units.name, most.now,
               most.before);
  }
}

void uneven_tables() {
  fmt::print("| law | columns | units | passed by more than is there | before |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const Index p : {2, 3, 5, 10}) {
    for (const NoiseLaw law : {NoiseLaw::Gaussian, NoiseLaw::Wishart, NoiseLaw::Laplace}) {
      uneven_units(law, p, 0.0);
    }
    uneven_units(NoiseLaw::Gaussian, p, 5.0);
  }
}

}  // namespace

/// "units": only the table of units that differ.
int main(int count, char** words) {
  if (count > 1 && std::string_view(words[1]) == "units") {
    uneven_tables();
    return 0;
  }
  fmt::print("| law | columns | 95% quantile | floor | passed | norm, passed | edge (before) |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const NoiseLaw law : {NoiseLaw::Gaussian, NoiseLaw::Wishart, NoiseLaw::Laplace}) {
    for (const Index p : {1, 2, 3, 5, 10, 20, 50, 100}) {
      false_alarms(law, p);
    }
  }
  fmt::print("\n| law | columns | rows now | before | ratio |\n|---|---|---|---|---|\n");
  for (const NoiseLaw law : {NoiseLaw::Gaussian, NoiseLaw::Wishart}) {
    for (const Index p : {5, 10, 20, 50}) {
      const double now = rows_needed(law, p, true);
      const double before = rows_needed(law, p, false);
      fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} |\n", word_of(law), p, now, before,
                 now / before);
    }
  }
  fmt::print("\n");
  uneven_tables();
}
