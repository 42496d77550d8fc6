#include "data/genotypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/forwarding_reader.hpp"

namespace eigenveil {
namespace {

double standard_deviation(double frequency) {
  return std::sqrt(2.0 * frequency * (1.0 - frequency));
}

/// A frequency of 0 or 1 has no spread to divide by; 1e-9 is one copy in half a billion people.
Result<void> check_frequencies(const std::vector<std::string>& names,
                               const std::vector<double>& frequencies) {
  constexpr double kSmallest = 1e-9;
  if (names.size() != frequencies.size()) {
    return bad_request(fmt::format("there are {} allele frequencies for {} columns.",
                                   frequencies.size(), names.size()));
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!(frequencies[j] >= kSmallest && frequencies[j] <= 1.0 - kSmallest)) {
      return bad_request(
          fmt::format("the allele frequency of column {} must lie strictly between 0 and 1; leave "
                      "the column out if the allele is absent or fixed.",
                      shown(names[j])));
    }
  }
  return {};
}

class StandardisedReader final : public ForwardingReader {
 public:
  StandardisedReader(std::unique_ptr<RowReader> counts, std::vector<double> frequencies)
      : ForwardingReader(std::move(counts)) {
    for (const double frequency : frequencies) {
      means_.push_back(2.0 * frequency);
      deviations_.push_back(standard_deviation(frequency));
    }
    schema_.allele_frequencies = std::move(frequencies);
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    if (Result<void> parsed = table_->parse(chunk, block); !parsed) {
      return parsed;
    }
    double* row = block.values.data();
    for (std::size_t i = 0; i < block.rows; ++i, row += block.dimension) {
      for (std::size_t j = 0; j < means_.size(); ++j) {
        row[j] = (row[j] - means_[j]) / deviations_[j];
      }
    }
    return {};
  }

 private:
  std::vector<double> means_;
  std::vector<double> deviations_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> standardise_genotypes(std::unique_ptr<RowReader> counts,
                                                         std::vector<double> frequencies,
                                                         std::size_t others) {
  std::vector<std::string> names = counts->schema().columns;
  names.resize(names.size() - std::min(names.size(), others));
  if (const Result<void> valid = check_frequencies(names, frequencies); !valid) {
    return error_of(valid);
  }
  return std::make_unique<StandardisedReader>(std::move(counts), std::move(frequencies));
}

Result<std::vector<ColumnRange>> standardised_ranges(const std::vector<std::string>& names,
                                                     const std::vector<double>& frequencies) {
  if (const Result<void> valid = check_frequencies(names, frequencies); !valid) {
    return error_of(valid);
  }
  std::vector<ColumnRange> ranges;
  for (const double frequency : frequencies) {
    const double farthest =
        2.0 * std::max(frequency, 1.0 - frequency) / standard_deviation(frequency);
    ranges.push_back({-farthest, farthest});
  }
  return ranges;
}

}  // namespace eigenveil
