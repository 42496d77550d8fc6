#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace eigenveil::cli {

/// A column of a made-up table with the public range its values stay in.
struct SampleColumn {
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

/// A table of made-up people, row after row, the same for a seed on every machine. Nothing in it
/// is private, so the randomness is seeded.
class SampleTable {
 public:
  virtual ~SampleTable() = default;
  SampleTable() = default;
  SampleTable(const SampleTable&) = delete;
  SampleTable& operator=(const SampleTable&) = delete;

  virtual const std::vector<SampleColumn>& columns() const = 0;
  virtual void next_row(std::span<double> values) = 0;
};

/// Answers 0..10 to questions that hang together through three traits a person has.
std::unique_ptr<SampleTable> question_survey(std::int64_t columns, std::uint64_t seed);

/// Age, income, weekly hours, then scores and yes/no answers in turn: columns of several kinds and
/// ranges, related through the same three traits.
std::unique_ptr<SampleTable> mixed_survey(std::int64_t columns, std::uint64_t seed);

inline constexpr std::int64_t kPopulations = 5;

/// The people are in order of their population; the parts are equal up to one person.
inline std::int64_t population_of(std::int64_t person, std::int64_t people) {
  return person * kPopulations / people;
}

/// Counts 0, 1, 2 of one allele in five populations: a tree of two continents and their parts,
/// allele frequencies drifting along its branches on the logistic scale.
std::unique_ptr<SampleTable> genotypes(std::int64_t people, std::int64_t variants,
                                       std::uint64_t seed);

}  // namespace eigenveil::cli
