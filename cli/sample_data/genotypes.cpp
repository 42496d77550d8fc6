#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/sample_data/sample_table.hpp"
#include "eigenveil/core/matrix.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::array<Eigen::Index, kPopulations> kContinentOf{0, 0, 1, 1, 1};

Matrix standard_normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// One column per population, so that a person reads them in order.
Matrix allele_frequencies(RandomStream& stream, Eigen::Index variants) {
  const Matrix ancestral = standard_normals(stream, 1, variants);
  const Matrix continents = standard_normals(stream, 2, variants);
  const Matrix populations = standard_normals(stream, kPopulations, variants);
  Matrix frequencies(variants, kPopulations);
  for (Eigen::Index population = 0; population < kPopulations; ++population) {
    const Eigen::Index continent = kContinentOf[static_cast<std::size_t>(population)];
    for (Eigen::Index j = 0; j < variants; ++j) {
      const double logit =
          0.8 * ancestral(j) + 0.5 * continents(continent, j) + 0.35 * populations(population, j);
      frequencies(j, population) = 1.0 / (1.0 + std::exp(-logit));
    }
  }
  return frequencies;
}

class Genotypes final : public SampleTable {
 public:
  Genotypes(std::int64_t people, std::int64_t variants, std::uint64_t seed)
      : people_(people),
        stream_(RandomStream::seeded(seed)),
        frequencies_(allele_frequencies(stream_, variants)) {
    for (std::int64_t j = 1; j <= variants; ++j) {
      columns_.push_back({fmt::format("snp_{}", j), 0.0, 2.0});
    }
  }

  const std::vector<SampleColumn>& columns() const override { return columns_; }

  void next_row(std::span<double> values) override {
    const auto frequency = frequencies_.col(population_of(person_++, people_));
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double of_variant = frequency(static_cast<Eigen::Index>(j));
      const int first = uniform(stream_) < of_variant ? 1 : 0;
      const int second = uniform(stream_) < of_variant ? 1 : 0;
      values[j] = first + second;
    }
  }

 private:
  std::int64_t people_;
  std::int64_t person_ = 0;
  RandomStream stream_;
  Matrix frequencies_;
  std::vector<SampleColumn> columns_;
};

}  // namespace

std::unique_ptr<SampleTable> genotypes(std::int64_t people, std::int64_t variants,
                                       std::uint64_t seed) {
  return std::make_unique<Genotypes>(people, variants, seed);
}

}  // namespace eigenveil::cli
