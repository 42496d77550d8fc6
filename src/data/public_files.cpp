#include "data/public_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "core/number_text.hpp"
#include "core/parameter_names.hpp"

namespace eigenveil {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

/// A doubled quote inside quotes stands for one.
std::vector<std::string> split_public_line(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  for (std::string& field : fields) {
    field = trimmed(field);
  }
  return fields;
}

namespace {

Result<double> parse_number(const std::string& text, const std::string& place) {
  if (text.empty()) {
    return bad_request(fmt::format("{} is empty: fill in what is publicly known", place));
  }
  const std::optional<double> value = finite_number(text);
  return value ? Result<double>(*value)
               : bad_request(fmt::format("{} is not a finite number", place));
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> fields;
  for (std::string word; words >> word;) {
    fields.push_back(word);
  }
  return fields;
}

Result<std::vector<AlleleFrequency>> read_plink_frequencies(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) {
    return input_output_error(fmt::format("cannot read {}", shown(path)));
  }
  if (words_of_line(line) != std::vector<std::string>{"CHR", "SNP", "A1", "A2", "MAF", "NCHROBS"}) {
    return bad_request(fmt::format(
        "the first line of {} must be CHR SNP A1 A2 MAF NCHROBS, as plink (option freq) "
        "writes it",
        shown(path)));
  }
  std::vector<AlleleFrequency> rows;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    const std::vector<std::string> fields = words_of_line(line);
    if (fields.empty()) {
      continue;
    }
    if (fields.size() != 6) {
      return bad_request(fmt::format("{} line {}: 6 fields expected", shown(path), number));
    }
    rows.push_back({fields[1],
                    finite_number(fields[4]).value_or(std::numeric_limits<double>::quiet_NaN()),
                    fields[2], fields[3]});
  }
  return rows;
}

}  // namespace

Result<std::vector<AlleleFrequency>> read_allele_frequencies(const std::string& path) {
  if (path.ends_with(".frq")) {
    return read_plink_frequencies(path);
  }
  return read_named_numbers(path, {"value"}).map([](const std::vector<NamedNumbers>& lines) {
    std::vector<AlleleFrequency> rows;
    rows.reserve(lines.size());
    for (const NamedNumbers& line : lines) {
      rows.push_back({line.column, line.numbers.front()});
    }
    return rows;
  });
}

Result<std::vector<NamedNumbers>> read_named_numbers(const std::string& path,
                                                     const std::vector<std::string>& wanted) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) {
    return input_output_error(fmt::format("cannot read {}", shown(path)));
  }
  std::vector<std::string> expected = {"column"};
  expected.insert(expected.end(), wanted.begin(), wanted.end());
  if (split_public_line(line) != expected) {
    return bad_request(
        fmt::format("the first line of {} must be {}", shown(path), fmt::join(expected, ",")));
  }
  std::vector<NamedNumbers> rows;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    if (trimmed(line).empty()) {
      continue;
    }
    const std::vector<std::string> fields = split_public_line(line);
    if (fields.size() != expected.size()) {
      return bad_request(
          fmt::format("{} line {}: {} fields expected", shown(path), number, expected.size()));
    }
    NamedNumbers row{fields[0], {}};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Result<double> value = parse_number(
          fields[i + 1], fmt::format("{} line {}, field {} of column '{}'", shown(path), number,
                                     wanted[i], shown(fields[0])));
      if (!value) {
        return error_of(value);
      }
      row.numbers.push_back(*value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace eigenveil
