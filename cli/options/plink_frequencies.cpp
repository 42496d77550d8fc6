#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "cli/options/bound_options.hpp"

namespace eigenveil::cli {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> fields;
  for (std::string word; words >> word;) {
    fields.push_back(word);
  }
  return fields;
}

}  // namespace

Result<std::vector<NamedNumbers>> read_plink_frequencies(const std::string& path,
                                                         const Schema& schema) {
  if (schema.counted_alleles.empty()) {
    return bad_request(fmt::format(
        "{} gives frequencies of named alleles, but the table does not say which allele its "
        "columns count; give a CSV file column,value instead",
        path));
  }
  std::unordered_map<std::string, std::string> counted;
  for (std::size_t j = 0; j < schema.dimension(); ++j) {
    counted.emplace(schema.columns[j], schema.counted_alleles[j]);
  }
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) {
    return input_output_error(fmt::format("cannot read {}", path));
  }
  if (fields_of(line) != std::vector<std::string>{"CHR", "SNP", "A1", "A2", "MAF", "NCHROBS"}) {
    return bad_request(
        fmt::format("the first line of {} must be CHR SNP A1 A2 MAF NCHROBS, as plink --freq "
                    "writes it",
                    path));
  }
  std::vector<NamedNumbers> rows;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    const std::vector<std::string> fields = fields_of(line);
    const auto found = fields.size() == 6 ? counted.find(fields[1]) : counted.end();
    if (fields.size() != 6 && !fields.empty()) {
      return bad_request(fmt::format("{} line {}: 6 fields expected", path, number));
    }
    if (found == counted.end()) {
      continue;  // of a variant that is not used
    }
    char* end = nullptr;
    const double frequency = std::strtod(fields[4].c_str(), &end);
    if (*end != '\0' || (fields[2] != found->second && fields[3] != found->second)) {
      return bad_request(
          fmt::format("{} line {}: there is no frequency of allele {}, which the table counts",
                      path, number, found->second));
    }
    rows.push_back({fields[1], {fields[2] == found->second ? frequency : 1.0 - frequency}});
  }
  return rows;
}

}  // namespace eigenveil::cli
