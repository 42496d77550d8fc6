#include "cli/options/bound_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cli/options/checks.hpp"
#include "engine/table/public_numbers.hpp"

namespace eigenveil::cli {
void BoundOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Bounds (what is known without looking)";
  app.add_option("--row-norm", row_norm,
                 "every row is scaled down to this Euclidean norm when longer; after --range or "
                 "--bounds it is in scaled units")
      ->group(kGroup);
  app.add_option("--range", range, "LO:HI, the public range of every column; mapped to [-1, 1]")
      ->group(kGroup);
  app.add_option("--bounds", bounds_file, "CSV file column,low,high with a range for each column")
      ->group(kGroup);
  app.add_option("--center", center,
                 "private (about a privately released mean; default where the method releases one: "
                 "gauss, wishart, laplace), none (second moments about the public midpoint), or "
                 "public FILE "
                 "(CSV column,value)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool known = text == "none" || text == "private" ||
                               (text.starts_with("public:") && text.size() > 7);
            return known ? std::string() : "must be none, private, or public FILE";
          },
          choices({"none", "private", "public"})))
      ->group(kGroup);
  app.add_option("--allele-frequencies", frequencies_file,
                 "genotypes: standardise each variant by its public allele frequency f, (copies - "
                 "2f) / sqrt(2f(1-f)); CSV column,value or plink's .frq")
      ->group(kGroup);
  app.add_option(
         "--grid", grid,
         "grid steps from zero to the bound, up to 16777216 (default 262144); 1 is exact and "
         "fastest for genotypes with --range 0:2")
      ->group(kGroup);
}

CenterChoice BoundOptions::center_choice() const {
  if (center.empty()) {
    return CenterChoice::Unsaid;
  }
  return private_mean()          ? CenterChoice::Private
         : public_center_given() ? CenterChoice::Public
                                 : CenterChoice::None;
}

void BoundOptions::declare_rank_transform(CLI::App& app) {
  app.add_flag("--rank-transform", rank_transform,
               "replace every column by its average ranks, scaled to [-1, 1]: needs no range; for "
               "method sharp only; --row-norm then clips in scaled units")
      ->group("Bounds (what is known without looking)");
}

void BoundOptions::declare_basis(CLI::App& app) {
  constexpr const char* kGroup = "Stages (before the statistic)";
  app.add_option("--project", project_file,
                 "a public basis, columns by directions: CSV column,PC1,PC2,... as loadings.csv of "
                 "a release of other people, or .npy; rows become their coordinates in it, and "
                 "loadings come back in the columns")
      ->group(kGroup);
  app.add_option("--projected-norm", projected_norm,
                 "with --project: coordinates longer than this norm are scaled down to it")
      ->group(kGroup);
  app.add_option("--outside-norm", outside_norm,
                 "with --project: release what share of the rows lies inside of the basis, for a "
                 "tenth more noise; what lies outside has this norm at most")
      ->group(kGroup);
}

void BoundOptions::declare_stages(CLI::App& app) {
  declare_basis(app);
  app.add_flag("--normalise-rows", normalise_rows,
               "scale every row to norm 1 about the public centre (spherical components): needs no "
               "bound")
      ->group("Stages (before the statistic)");
}

Result<ColumnRange> parse_range(const std::string& text, const std::string& option) {
  const std::size_t colon = text.find(':');
  char* low_end = nullptr;
  char* high_end = nullptr;
  if (colon == std::string::npos) {
    return bad_request(fmt::format("{0} is written LO:HI, for example {0} 0:10", option));
  }
  const double low = std::strtod(text.c_str(), &low_end);
  const double high = std::strtod(text.c_str() + colon + 1, &high_end);
  if (low_end != text.c_str() + colon || colon == 0 || *high_end != '\0' ||
      colon + 1 == text.size() || !std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
    return bad_request(
        fmt::format("{0} is written LO:HI with finite LO < HI, for example {0} 0:10", option));
  }
  return ColumnRange{low, high};
}

Result<void> BoundOptions::fill(TableSpec& spec) const {
  if (!range.empty() && !bounds_file.empty()) {
    return bad_request("give {range} or {bounds}, not both", "range");
  }
  spec.row_norm = row_norm;
  spec.grid = grid;
  spec.rank_transform = rank_transform;
  spec.projected_norm = projected_norm;
  spec.outside_norm = outside_norm;
  spec.normalise_rows = normalise_rows;
  if (!range.empty()) {
    if (const Result<void> kept = keep(parse_range(range), spec.range); !kept) {
      return kept;
    }
  }
  return read_public_files(
      {project_file, bounds_file, public_center_given() ? center.substr(7) : std::string(),
       frequencies_file},
      spec);
}

}  // namespace eigenveil::cli
