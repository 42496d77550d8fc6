#pragma once

#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// A line of a file of columns with names and numbers, such as `column,low,high`. Public
/// information, written by the curator.
struct NamedNumbers {
  std::string column;
  std::vector<double> numbers;
};
/// `wanted` names the number columns, which follow `column` in the first line.
Result<std::vector<NamedNumbers>> read_named_numbers(const std::string& path,
                                                     const std::vector<std::string>& wanted);

/// The fields of a line between commas outside of quotes, without spaces around them.
std::vector<std::string> split_public_line(const std::string& line);

/// A public frequency of an allele.
struct AlleleFrequency {
  std::string column;
  double frequency = 0.0;   ///< NaN where the file has none
  std::string allele = {};  ///< whose it is; empty: of the one that the table counts
  std::string other = {};   ///< the allele that has the rest
};
/// From plink's .frq, or CSV column,value.
Result<std::vector<AlleleFrequency>> read_allele_frequencies(const std::string& path);

}  // namespace eigenveil
