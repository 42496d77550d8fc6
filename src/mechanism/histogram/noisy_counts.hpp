#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/release.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Histograms over the rows of a table: a row adds one to one cell of each of `histograms`.
struct CountsRequest {
  std::size_t histograms = 1;
  Budget budget;
  Relation relation = Relation::AddRemove;
  int group_size = 1;       ///< rows of a person, or of a group
  std::string person = {};  ///< the column of people, where the rows of each are the group
};

/// How far all counts together can move between neighbours when one row does, rounded up: sqrt(h)
/// in l2 and h in l1 under add-remove; a row that is replaced, or becomes the zero row, leaves one
/// cell of each histogram and enters another: sqrt(2 h) and 2 h. Refused for other relations.
/// Proof: docs/proofs/histograms.md.
Result<double> counts_l2_sensitivity(std::size_t histograms, Relation relation);
Result<double> counts_l1_sensitivity(std::size_t histograms, Relation relation);

/// Counts with Gaussian noise, or Laplace noise for a pure budget, exactly rounded.
class CountsPlan {
 public:
  static Result<CountsPlan> make(const CountsRequest& request);
  const Guarantee& guarantee() const { return guarantee_; }
  const NoiseScale& noise() const { return scale_; }
  std::string method() const { return scale_.law == NoiseLaw::Gaussian ? "gauss" : "laplace"; }
  double sd() const { return standard_deviation(scale_.law, scale_.diagonal); }  ///< of a count
  /// What the noise of `cells` counts together exceeds with at most this probability.
  double exceeded(std::size_t cells, double probability) const;
  /// `counts` are exact counts of rows, every histogram's cells after the other's.
  Release<Vector> run(const std::vector<std::uint64_t>& counts, RandomStream& stream) const;

 private:
  CountsPlan(NoiseScale scale, Guarantee guarantee)
      : scale_(scale), guarantee_(std::move(guarantee)) {}
  NoiseScale scale_;
  Guarantee guarantee_;
};

}  // namespace eigenveil
