#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/commands/commands.hpp"
#include "eigenveil/core/atomic_output.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil::cli {
namespace {

/// Made-up people, the same for a seed on every machine; nothing here is private.
struct Generator {
  std::int64_t rows = 2504;
  std::int64_t columns = 0;
  std::uint64_t seed = 1;
  std::string out;

  void declare(CLI::App& app, std::int64_t default_columns);
};

void Generator::declare(CLI::App& app, std::int64_t default_columns) {
  columns = default_columns;
  app.add_option("--rows", rows, "people (default 2504)")->check(CLI::Range(1, 100'000'000));
  app.add_option("--columns", columns, fmt::format("columns (default {})", default_columns))
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", seed, "which table to make (default 1)");
  app.add_option("--out", out, "the CSV file to write")->required();
}

Matrix standard_normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// Answers 0..10 to questions that hang together through three traits a person has.
std::string survey(const Generator& options) {
  constexpr Eigen::Index kTraits = 3;
  RandomStream stream = RandomStream::seeded(options.seed);
  const Matrix weights = standard_normals(stream, kTraits, options.columns);
  const Vector strength = Vector::LinSpaced(kTraits, 1.6, 0.6);
  std::string text;
  for (std::int64_t j = 1; j <= options.columns; ++j) {
    text += fmt::format("{}question_{}", j > 1 ? "," : "", j);
  }
  text += '\n';
  for (std::int64_t row = 0; row < options.rows; ++row) {
    const Matrix draw = standard_normals(stream, 1, kTraits + options.columns);
    const Vector traits = draw.leftCols(kTraits).transpose().cwiseProduct(strength);
    for (Eigen::Index j = 0; j < options.columns; ++j) {
      const double answer = 5.0 + traits.dot(weights.col(j)) + draw(kTraits + j);
      text += fmt::format("{}{}", j > 0 ? "," : "", std::clamp(std::lround(answer), 0L, 10L));
    }
    text += '\n';
  }
  return text;
}

/// Genotypes 0, 1, 2 of five populations: a tree of two continents and their parts, allele
/// frequencies drifting along its branches on the logistic scale.
std::string genotypes(const Generator& options) {
  constexpr Eigen::Index kPopulations = 5;
  constexpr Eigen::Index kContinentOf[kPopulations] = {0, 0, 1, 1, 1};
  RandomStream stream = RandomStream::seeded(options.seed);
  const Matrix ancestral = standard_normals(stream, 1, options.columns);
  const Matrix continents = standard_normals(stream, 2, options.columns);
  const Matrix populations = standard_normals(stream, kPopulations, options.columns);
  std::string text;
  for (std::int64_t j = 1; j <= options.columns; ++j) {
    text += fmt::format("{}snp_{}", j > 1 ? "," : "", j);
  }
  text += '\n';
  for (std::int64_t row = 0; row < options.rows; ++row) {
    const Eigen::Index population = row * kPopulations / options.rows;
    for (Eigen::Index j = 0; j < options.columns; ++j) {
      const double logit = 0.8 * ancestral(j) + 0.5 * continents(kContinentOf[population], j) +
                           0.35 * populations(population, j);
      const double frequency = 1.0 / (1.0 + std::exp(-logit));
      const int alleles =
          (uniform(stream) < frequency ? 1 : 0) + (uniform(stream) < frequency ? 1 : 0);
      text += fmt::format("{}{}", j > 0 ? "," : "", alleles);
    }
    text += '\n';
  }
  return text;
}

Outcome write_table(const Generator& options, const std::string& text) {
  return write_file_atomically(options.out, text).map([&] {
    fmt::print("wrote {} ({} rows, {} columns of made-up people)\n", options.out, options.rows,
               options.columns);
  });
}

}  // namespace

Command generate_command() {
  return {"generate",
          "Makes sample tables to try the program on: a survey, or genotypes of five populations.\n"
          "  eigenveil generate survey --rows 20000 --out survey.csv",
          [](CLI::App& app) {
            app.require_subcommand(1);
            auto survey_options = std::make_shared<Generator>();
            auto genotype_options = std::make_shared<Generator>();
            CLI::App* first = app.add_subcommand("survey", "answers 0..10 to related questions");
            survey_options->declare(*first, 12);
            genotype_options->declare(*app.add_subcommand("genotypes", "allele counts 0, 1, 2"),
                                      200);
            return [=]() -> Outcome {
              return first->parsed() ? write_table(*survey_options, survey(*survey_options))
                                     : write_table(*genotype_options, genotypes(*genotype_options));
            };
          }};
}

}  // namespace eigenveil::cli
