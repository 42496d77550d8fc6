#include "papers/genotype_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/sample_data/sample_table.hpp"
#include "core/symmetric_eigen.hpp"
#include "data/open.hpp"
#include "data/rank_transform.hpp"
#include "papers/data_files.hpp"
#include "papers/figure_files.hpp"
#include "sampling/bingham.hpp"

namespace eigenveil::papers {
namespace {

constexpr std::int64_t kPeople = 2504;
constexpr std::int64_t kVariants = 200;

void finish(GenotypePanel& panel) {
  panel.ranks.resize(panel.counts.rows(), panel.counts.cols());
  for (Eigen::Index j = 0; j < panel.counts.cols(); ++j) {
    const std::vector<double> ranks =
        centred_ranks({panel.counts.col(j).data(), static_cast<std::size_t>(panel.counts.rows())});
    panel.ranks.col(j) =
        Eigen::Map<const Vector>(ranks.data(), static_cast<Eigen::Index>(ranks.size()));
  }
  const SymmetricEigen eigen =
      symmetric_eigen(panel.ranks.transpose() * panel.ranks / panel.rows());
  panel.eigenvalues = eigen.values;
  panel.eigenvectors = eigen.vectors;
}

GenotypePanel generated_panel() {
  GenotypePanel panel;
  panel.name = fmt::format("generated, n = {}, p = {}", kPeople, kVariants);
  panel.file_name = "generated";
  panel.counts.resize(kPeople, kVariants);
  const std::unique_ptr<cli::SampleTable> table = cli::genotypes(kPeople, kVariants, 1);
  std::vector<double> row(kVariants);
  for (std::int64_t i = 0; i < kPeople; ++i) {
    table->next_row(row);
    panel.counts.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), kVariants);
    panel.population.push_back(fmt::format("population {}", cli::population_of(i, kPeople) + 1));
  }
  finish(panel);
  return panel;
}

std::vector<std::string> super_populations(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> labels;
  std::string line;
  std::getline(file, line);  // header: iid, population, super_population, sex
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 3; ++i) {
      std::getline(fields, field, '\t');
    }
    labels.push_back(field);
  }
  return labels;
}

Result<GenotypePanel> phase_one_panel(const std::filesystem::path& bed, std::size_t count,
                                      RandomStream& stream) {
  Result<Matrix> counts = random_variants(bed, count, stream);
  if (!counts) {
    return error_of(counts);
  }
  GenotypePanel panel;
  panel.counts = std::move(*counts);
  panel.name = fmt::format("1000 Genomes phase 1, n = {}, p = {}", panel.counts.rows(), count);
  panel.file_name = fmt::format("phase1-p{}", count);
  panel.population = super_populations(bed.parent_path() / "populations.tsv");
  if (panel.population.size() != static_cast<std::size_t>(panel.counts.rows())) {
    return bad_request("populations.tsv and the genotypes differ in the number of people");
  }
  finish(panel);
  return panel;
}

/// Q = polar part of VᵀU, so that V Q lies as close to U as its span allows.
Matrix towards(const Matrix& frame, const Matrix& target) {
  const Matrix overlap = frame.transpose() * target;
  const SymmetricEigen eigen = symmetric_eigen(overlap.transpose() * overlap);
  const Vector roots = eigen.values.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  return frame * (overlap * eigen.vectors * roots.asDiagonal() * eigen.vectors.transpose());
}

}  // namespace

Result<Matrix> random_variants(const std::filesystem::path& bed, std::size_t count,
                               RandomStream& stream) {
  const Result<std::unique_ptr<RowReader>> whole = open_rows(bed.string(), {});
  if (!whole) {
    return error_of(whole);
  }
  std::vector<std::string> names = (*whole)->schema().columns;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(names[i], names[i + stream.bits64() % (names.size() - i)]);
  }
  names.resize(count);
  ReadOptions options;
  options.columns = names;
  const Result<std::unique_ptr<RowReader>> reader = open_rows(bed.string(), options);
  if (!reader) {
    return error_of(reader);
  }
  std::vector<double> values;
  for (RawRows block;;) {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      break;
    }
    values.insert(values.end(), block.values.begin(), block.values.end());
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto p = static_cast<Eigen::Index>(count);
  return Matrix(
      Eigen::Map<const RowMajor>(values.data(), static_cast<Eigen::Index>(values.size()) / p, p));
}

Result<std::vector<GenotypePanel>> genotype_panels(RandomStream& stream,
                                                   std::vector<std::string>& notes) {
  std::vector<GenotypePanel> panels;
  panels.push_back(generated_panel());
  const std::optional<std::filesystem::path> bed = data_file(kPhaseOne);
  if (!bed) {
    notes.emplace_back(
        fmt::format("{} was found neither in $EIGENVEIL_DATA nor in ../shared/data, so only "
                    "generated genotypes are shown.",
                    kPhaseOne));
    return panels;
  }
  notes.emplace_back(
      "1000 Genomes: 1092 people of phase 1 and a random choice of their thinned variants, where "
      "the paper has 2504 people of phase 3. p = 115 has the paper's n / p^1.5 = 0.885.");
  for (const std::size_t count : {std::size_t{200}, std::size_t{115}}) {
    Result<GenotypePanel> panel = phase_one_panel(*bed, count, stream);
    if (!panel) {
      return error_of(panel);
    }
    panels.push_back(std::move(*panel));
  }
  return panels;
}

Result<void> run_on_panels(EntryRun& run, Reproduction& result,
                           Result<void> (*run_panel)(const GenotypePanel&, EntryRun&,
                                                     Reproduction&)) {
  const Result<std::vector<GenotypePanel>> panels = genotype_panels(run.stream, result.notes);
  if (!panels) {
    return error_of(panels);
  }
  for (const GenotypePanel& panel : *panels) {
    if (const Result<void> done = run_panel(panel, run, result); !done) {
      return error_of(done);
    }
    run.progress.at(static_cast<double>(result.figures.size()) /
                    static_cast<double>(panels->size()));
  }
  return {};
}

FigurePanel projection_panel(const GenotypePanel& panel, const Matrix& frame,
                             const std::string& title) {
  const Matrix scores = panel.ranks * towards(frame, panel.eigenvectors.leftCols(frame.cols()));
  FigurePanel drawn;
  drawn.title = title;
  drawn.x.label = "first direction";
  drawn.y.label = "second direction";
  drawn.series = points_by_category({scores.col(0).begin(), scores.col(0).end()},
                                    {scores.col(1).begin(), scores.col(1).end()}, panel.population);
  return drawn;
}

Result<Matrix> draw_at(const GenotypePanel& panel, double beta, Eigen::Index components,
                       RandomStream& stream) {
  return BinghamSampler::make(panel.eigenvalues, 0.5 * panel.dimension() * beta, components)
      .map([&](const BinghamSampler& sampler) {
        return Matrix(panel.eigenvectors * sampler.draw(stream));
      });
}

}  // namespace eigenveil::papers
