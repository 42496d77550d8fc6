// How many SNPs a cohort and a budget can carry: the two ways to release genotype components.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "papers/data_files.hpp"
#include "papers/genotype_panel.hpp"
#include "papers/method_contest.hpp"

namespace eigenveil::papers {
namespace {

constexpr Eigen::Index kGenotypeComponents = 2;
constexpr Eigen::Index kPanelShare = 6;  ///< every sixth person stands for the public panel
constexpr double kGood = 0.9;
/// People times mu. Noise per person is as 1 / (n mu), so the rows at hand at a larger mu stand for
/// more people of the same populations.
constexpr std::array kStrengths = {300.0, 1000.0, 2000.0, 3000.0, 10'000.0};

/// Counts of the cohort and frequencies of the panel, for the same variants.
struct SplitGenotypes {
  Matrix cohort;
  Vector frequencies;
};

SplitGenotypes split(const Matrix& counts) {
  std::vector<Eigen::Index> panel;
  std::vector<Eigen::Index> cohort;
  for (Eigen::Index i = 0; i < counts.rows(); ++i) {
    (i % kPanelShare == 0 ? panel : cohort).push_back(i);
  }
  const Matrix reference = counts(panel, Eigen::all);
  // One more copy of each allele: no frequency of 0 or 1, which cannot be divided by.
  const auto copies = static_cast<double>(2 * reference.rows());
  return {counts(cohort, Eigen::all),
          ((reference.colwise().sum().array() + 1.0) / (copies + 2.0)).matrix().transpose()};
}

/// A way to bound the rows, with the components it has without noise.
struct Recipe {
  ExactGram gram;
  RowBound bound;
  Center center;
  Matrix exact;
};

/// `--range 0:2 --center private`.
Recipe by_range(const Matrix& cohort) {
  const RowBound bound = *RowBound::ranges(
      std::vector<ColumnRange>(static_cast<std::size_t>(cohort.cols()), {0.0, 2.0}));
  const Matrix centred = cohort.rowwise() - cohort.colwise().mean();
  return {exact_gram(bound, cohort.transpose()), bound, Center::PrivateMean,
          largest_eigenpairs(centred.transpose() * centred, kGenotypeComponents).vectors};
}

/// `--allele-frequencies panel.frq --row-norm sqrt(p)`: a standardised person has about that norm.
Recipe by_frequencies(const SplitGenotypes& genotypes) {
  const Eigen::ArrayXd f = genotypes.frequencies.array();
  const Vector sd = (2.0 * f * (1.0 - f)).sqrt();
  Matrix rows = (genotypes.cohort.rowwise() - 2.0 * genotypes.frequencies.transpose()) *
                sd.cwiseInverse().asDiagonal();
  const double radius = std::sqrt(static_cast<double>(rows.cols()));
  const RowBound bound = *RowBound::row_norm(static_cast<std::size_t>(rows.cols()), radius);
  const Matrix exact = largest_eigenpairs(rows.transpose() * rows, kGenotypeComponents).vectors;
  return {exact_gram(bound, rows.transpose()), bound, Center::PublicMidpoint, exact};
}

/// Mean share of the exact plane that releases find: |U'V|_F^2 / k.
double mean_overlap(const Recipe& recipe, double mu, int repetitions, RandomStream& stream) {
  const bool private_mean = recipe.center == Center::PrivateMean;
  const MomentPlan plan = *plan_gauss({recipe.bound, GaussianDp{mu}, Relation::AddRemove,
                                       private_mean ? Extension::Full : Extension::Count});
  double total = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const Release<NoisyMoment> release = *plan.run(recipe.gram, stream);
    const PrincipalComponents components = principal_components(
        raw_covariance(release.value(), recipe.center, Units::Scaled), kGenotypeComponents);
    total += (recipe.exact.transpose() * components.loadings).squaredNorm();
  }
  return total / (repetitions * static_cast<double>(kGenotypeComponents));
}

/// Overlaps at one number of SNPs, by strength.
struct OverlapRow {
  std::size_t variants = 0;
  std::vector<double> ranged;
  std::vector<double> standardised;
};

PrintedTable overlap_table(const std::vector<OverlapRow>& rows, bool standardised) {
  PrintedTable table{standardised ? "frequencies" : "range",
                     standardised
                         ? "Overlap with --allele-frequencies of a public panel and --row-norm "
                           "sqrt(SNPs), by people x mu."
                         : "Overlap with --range 0:2 --center private, by people x mu.",
                     {"SNPs"},
                     {}};
  for (const double strength : kStrengths) {
    table.header.push_back(fmt::format("{:.0f}", strength));
  }
  for (const OverlapRow& row : rows) {
    std::vector<std::string> cells{fmt::format("{}", row.variants)};
    for (const double overlap : standardised ? row.standardised : row.ranged) {
      cells.push_back(fmt::format("{:.2f}", overlap));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The largest number of SNPs tried up to which every overlap is at least kGood.
std::string carried(const std::vector<OverlapRow>& rows, std::size_t strength, bool standardised) {
  std::string most = fmt::format("fewer than {}", rows.front().variants);
  for (const OverlapRow& row : rows) {
    if ((standardised ? row.standardised : row.ranged)[strength] < kGood) {
      return most;
    }
    most = fmt::format("{}", row.variants);
  }
  return "at least " + most;
}

FigurePanel overlap_panel(const std::vector<OverlapRow>& rows, bool standardised) {
  FigurePanel panel;
  panel.title = standardised ? "public frequencies" : "--range 0:2";
  panel.x = {.label = "SNPs", .scale = Scale::Log10};
  panel.y = {.label = "overlap of two components", .low = 0.0, .high = 1.0};
  for (std::size_t i = 0; i < kStrengths.size(); ++i) {
    FigureSeries series{.name = fmt::format("people x mu = {:.0f}", kStrengths[i]),
                        .mark = Mark::Filled};
    for (const OverlapRow& row : rows) {
      series.x.push_back(static_cast<double>(row.variants));
      series.y.push_back((standardised ? row.standardised : row.ranged)[i]);
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

Result<std::vector<OverlapRow>> measured_overlaps(const std::filesystem::path& bed, EntryRun& run) {
  const bool full = run.effort == Effort::Full;
  const std::vector<std::size_t> sizes =
      full ? std::vector<std::size_t>{50, 100, 200, 300, 500, 1000, 2000}
           : std::vector<std::size_t>{50, 300};
  std::vector<OverlapRow> rows;
  for (const std::size_t variants : sizes) {
    const Result<Matrix> counts = random_variants(bed, variants, run.stream);
    if (!counts) {
      return error_of(counts);
    }
    const SplitGenotypes genotypes = split(*counts);
    const Recipe ranged = by_range(genotypes.cohort);
    const Recipe standardised = by_frequencies(genotypes);
    OverlapRow row{variants, {}, {}};
    const int repetitions = full && variants <= 500 ? 20 : 3;
    for (const double strength : kStrengths) {
      const double mu = strength / static_cast<double>(genotypes.cohort.rows());
      row.ranged.push_back(mean_overlap(ranged, mu, repetitions, run.stream));
      row.standardised.push_back(mean_overlap(standardised, mu, repetitions, run.stream));
    }
    rows.push_back(std::move(row));
    run.progress.at(static_cast<double>(rows.size()) / static_cast<double>(sizes.size()));
  }
  return rows;
}

Result<Reproduction> produce_genotype_budget(EntryRun& run) {
  const std::optional<std::filesystem::path> bed = data_file(kPhaseOne);
  if (!bed) {
    return skipped_without(kPhaseOne);
  }
  const Result<std::vector<OverlapRow>> rows = measured_overlaps(*bed, run);
  if (!rows) {
    return error_of(rows);
  }
  Reproduction result;
  result.tables = {overlap_table(*rows, true),
                   overlap_table(*rows, false),
                   {"carried",
                    "The most SNPs tried with an overlap of at least 0.9.",
                    {"people x mu", "public frequencies", "--range 0:2"},
                    {}}};
  for (std::size_t i = 0; i < kStrengths.size(); ++i) {
    result.tables.back().rows.push_back(
        {fmt::format("{:.0f}", kStrengths[i]), carried(*rows, i, true), carried(*rows, i, false)});
  }
  for (const OverlapRow& row : *rows) {
    result.comparisons.push_back(
        {fmt::format("{} SNPs, people x mu = {:.0f}", row.variants, kStrengths[1]), "(ours)",
         fmt::format("{:.2f} with public frequencies, {:.2f} with a range", row.standardised[1],
                     row.ranged[1]),
         row.standardised[1] > row.ranged[1]});
  }
  Figure figure{.title = "How many SNPs a cohort can carry",
                .description =
                    "Overlap of private and exact components falls with the number of "
                    "SNPs, later with public allele frequencies.",
                .panels = {overlap_panel(*rows, true), overlap_panel(*rows, false)},
                .columns = 2,
                .width = 900};
  result.figures = {{"overlap", std::move(figure)}};
  result.notes = {
      "910 people of 1000 Genomes phase 1 are the cohort, the 182 others the public panel; random "
      "choices of thinned SNPs; k = 2, method gauss, add-remove. A release is compared with the "
      "components the same rows have without noise.",
      "Noise per person is as 1 / (people x mu): a column at x stands for any cohort of these "
      "populations with that product, for example 10,000 people at mu = 1. (1, 1e-6)-DP is mu = "
      "0.24 or so; plan prints it."};
  return result;
}

}  // namespace

Entry genotype_budget_entry() {
  return {"own-genotypes", "how many SNPs a cohort and a budget can carry",
          "Our own measurement, 1000 Genomes phase 1, behind the guide's recipe for genotypes",
          "Standardising by public allele frequencies carries several times as many SNPs as a "
          "range of 0 to 2.",
          produce_genotype_budget};
}

}  // namespace eigenveil::papers
