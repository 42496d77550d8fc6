#include "engine/released_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/parameter_names.hpp"
#include "data/open.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/documents/mask_document.hpp"
#include "engine/gap_words.hpp"
#include "engine/released_fields.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// Sum of row products of a table with `skipped` leading columns of names.
Result<Matrix> products_of_rows(const fs::path& path, std::size_t columns) {
  ReadOptions options;
  options.header = ReadOptions::Header::Numbers;  // a release names its own columns
  options.missing = MissingCell::Refuse;
  Result<std::unique_ptr<RowReader>> reader = open_rows(path.string(), options);
  if (!reader) {
    return error_of(reader);
  }
  if ((*reader)->schema().dimension() != columns) {
    return bad_request(fmt::format(
        "{} has another number of columns than its release document says", shown(path.string())));
  }
  const auto p = static_cast<Eigen::Index>(columns);
  Matrix sum = Matrix::Zero(p, p);
  RawRows block;
  for (;;) {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return sum;
    }
    const Eigen::Map<const Matrix> rows(block.values.data(), p,
                                        static_cast<Eigen::Index>(block.rows));
    sum.noalias() += rows * rows.transpose();
  }
}

Vector with_first(double first, const Vector& values) {
  Vector all(values.size() + 1);
  all << first, values;
  return all;
}

constexpr const char* kContradiction =
    "the release contradicts itself: its columns, its noise and its tables do not fit";

/// Whoever wrote the document, nothing is computed from noise or sums that cannot be.
Result<ReleasedGram> checked_gram(ReleasedGram gram) {
  const auto p = static_cast<Eigen::Index>(gram.names.size());
  const std::set<std::string> names(gram.names.begin(), gram.names.end());
  const auto is_noise = [](const auto& sd) { return sd.allFinite() && (sd.array() >= 0.0).all(); };
  const bool noise = gram.masked() ? gram.cell_sd.size() == p && is_noise(gram.cell_sd)
                                   : gram.entry_sd.rows() == p && gram.entry_sd.cols() == p &&
                                         is_noise(gram.entry_sd);
  if (!noise || p == 0 || std::ssize(names) != p || gram.products.rows() != p ||
      gram.products.cols() != p || !gram.products.allFinite() || !std::isfinite(gram.rows)) {
    return bad_request(kContradiction);
  }
  return gram;
}

/// Sums of row products: unbiased ones of method gauss, or those of factors and pseudo-data.
Result<Matrix> products_of(const ReleaseDocument& document, const fs::path& folder,
                           Eigen::Index columns) {
  if (document.tables.empty() && document.streamed.empty()) {
    return bad_request("the release lists no pseudo-data");
  }
  const auto fits = [&](const Matrix& values) { return values.cols() == columns; };
  if (const ReleasedTable* noisy = table_called(document, "noisy_gram")) {
    return noisy->values;
  }
  Matrix products = Matrix::Zero(columns, columns);
  for (const ReleasedTable& factor : document.tables) {
    if (!fits(factor.values)) {
      return bad_request(kContradiction);
    }
    products += factor.values.transpose() * factor.values;
  }
  for (const StreamedArray& rows : document.streamed) {
    const Result<Matrix> part =
        products_of_rows(folder / rows.name, static_cast<std::size_t>(columns));
    if (!part) {
      return part;
    }
    products += *part;
  }
  return products;
}

Result<ReleasedGram> read_mask(const ReleaseDocument& document, const fs::path& folder) {
  ReleasedGram gram;
  NeededFields parameters(document.parameters);
  NeededFields result(document.result);
  gram.names = parameters.get<std::vector<std::string>>("columns");
  gram.intercept = parameters.get<bool>("intercept");
  gram.rows = result.number("rows");
  if (result.complete() && !(gram.rows > 0.0)) {
    return bad_request("this release has no rows, so there is nothing to estimate");
  }
  const std::size_t constant = gram.intercept ? 1 : 0;
  if (!parameters.complete() || gram.names.size() <= constant) {
    return lacks_a_field();
  }
  const auto p = static_cast<Eigen::Index>(gram.names.size());
  const Result<Matrix> products = products_of(document, folder, p);
  if (!products) {
    return error_of(products);
  }
  gram.products = *products;
  gram.from_midpoints = has_midpoints(parameters);
  gram.scales = parameters.numbers("column_scales", gram.names.size());
  gram.longest_row =
      longest_row(parameters, gram.scales.tail(p - static_cast<Eigen::Index>(constant)));
  gram.midpoints = midpoints_of(parameters, gram.names.size() - constant);
  if (gram.intercept && gram.midpoints.size() > 0) {
    gram.midpoints = with_first(0.0, gram.midpoints);
  }
  if (parameters.has("cell_noise_sd")) {
    gram.cell_sd = parameters.numbers("cell_noise_sd", gram.names.size());
  } else {
    MaskNoise noise;
    noise.gram_sd_diagonal = parameters.number("gram_noise_sd_diagonal");
    noise.gram_sd_off_diagonal = parameters.number("gram_noise_sd_off_diagonal");
    noise.gram_sd_sums = gram.intercept ? parameters.number("gram_noise_sd_sums") : 0.0;
    const double blocks = result.number("blocks");
    if (result.complete() && !(blocks >= 1.0)) {
      return bad_request(kContradiction);
    }
    gram.entry_sd = gram_deviations(gram.scales, noise, gram.intercept) * std::sqrt(blocks);
  }
  return parameters.complete() && result.complete() ? Result<ReleasedGram>(gram) : lacks_a_field();
}

/// A covariance by method gauss, as it was released.
struct ReleasedCovariance {
  std::vector<std::string> names;
  Matrix raw;
  double rows = 0.0;
  double rows_sd = 0.0;  ///< 0: the number is public
  Vector scales;         ///< of the columns, from scaled units to those of `raw`
  MaskNoise noise;       ///< on sums over rows
  bool from_midpoints = false;
  Vector midpoints = {};  ///< back to original units; empty: in other units
  double longest_row = 0.0;
  std::optional<Vector> mean = {};  ///< private, about the public midpoint; none: `raw` is about it
};

/// A covariance about a private mean was computed from noisy products, sums and a noisy count about
/// the public midpoint: back to those, because their noise is independent and known.
ReleasedGram with_intercept(ReleasedGram gram, const ReleasedCovariance& released) {
  const Vector& mean = *released.mean;
  const Eigen::Index p = mean.size();
  Matrix products(p + 1, p + 1);
  products(0, 0) = gram.rows;
  products.block(0, 1, 1, p) = gram.rows * mean.transpose();
  products.block(1, 0, p, 1) = gram.rows * mean;
  products.block(1, 1, p, p) = gram.products + gram.rows * mean * mean.transpose();
  Matrix sd(p + 1, p + 1);
  sd(0, 0) = released.rows_sd;
  const Vector of_sums = released.noise.gram_sd_sums * released.scales;
  sd.block(0, 1, 1, p) = of_sums.transpose();
  sd.block(1, 0, p, 1) = of_sums;
  sd.block(1, 1, p, p) = gram.entry_sd;
  gram.names.insert(gram.names.begin(), kInterceptColumn);
  gram.scales = with_first(1.0, gram.scales);
  if (gram.midpoints.size() > 0) {
    gram.midpoints = with_first(0.0, gram.midpoints);
  }
  gram.intercept = true;
  gram.products = std::move(products);
  gram.entry_sd = std::move(sd);
  return gram;
}

Result<ReleasedGram> gram_of(const ReleasedCovariance& released) {
  ReleasedGram gram;
  gram.names = released.names;
  gram.rows = std::max(1.0, released.rows);
  gram.from_midpoints = released.from_midpoints;
  gram.midpoints = released.midpoints;
  gram.scales = released.scales;
  gram.longest_row = released.longest_row;
  gram.rows_sd = released.rows_sd;
  gram.centered = released.mean.has_value();
  if (gram.centered &&
      std::find(gram.names.begin(), gram.names.end(), kInterceptColumn) != gram.names.end()) {
    return bad_request(
        "a column is called 'intercept', the name of the constant in a release about a private "
        "mean: rename it and release again");
  }
  gram.products = gram.rows * released.raw;
  gram.entry_sd = gram_deviations(released.scales, released.noise, false);
  return gram.centered ? with_intercept(std::move(gram), released) : gram;
}

Result<void> check_gaussian(const ReleaseDocument& document) {
  const auto gaussian = [](const auto& info) {
    return info.entry_noise == NoiseOnEntries::Gaussian;
  };
  if (entry_noise_of(document.method) == NoiseOnEntries::Gaussian) {
    return {};
  }
  return bad_request(
      fmt::format("intervals are only known for Gaussian noise: release the covariance with {}, or "
                  "mask the table",
                  choices(Task::Covariance, gaussian)),
      "method");
}

Result<ReleasedGram> read_covariance(const ReleaseDocument& document) {
  if (const Result<void> known = check_gaussian(document); !known) {
    return error_of(known);
  }
  ReleasedCovariance released;
  NeededFields parameters(document.parameters);
  NeededFields result(document.result);
  released.names = parameters.get<std::vector<std::string>>("columns");
  released.rows = result.number(result.has("rows") ? "rows" : "noisy_rows");
  released.rows_sd = result.has("noisy_rows_sd") ? result.number("noisy_rows_sd") : 0.0;
  released.from_midpoints = has_midpoints(parameters);
  const std::size_t columns = released.names.size();
  const ReleasedTable* raw = table_called(document, "covariance_raw");
  if (columns == 0 || raw == nullptr || raw->column_names != released.names ||
      raw->values.rows() != raw->values.cols()) {
    return bad_request("the release lists no square table called covariance_raw");
  }
  released.raw = raw->values;
  released.scales = scales_of(parameters, columns);
  Vector middle = Vector::Zero(released.scales.size());
  if (parameters.has("range_low") && parameters.get<std::string>("units") != "scaled to [-1, 1]") {
    middle = 0.5 *
             (parameters.numbers("range_low", columns) + parameters.numbers("range_high", columns));
  }
  released.midpoints = midpoints_of(parameters, columns);
  released.longest_row = longest_row(parameters, released.scales);
  // Where the trace has less noise of its own (replace-one), variances go against each other: their
  // covariance is at most that of independent ones with the noise of a difference, sqrt(2) times
  // that of a product (docs/proofs/trace_noise.md).
  released.noise.gram_sd_off_diagonal = parameters.number("noise_sd_off_diagonal");
  released.noise.gram_sd_diagonal = std::max(parameters.number("noise_sd_diagonal"),
                                             std::sqrt(2.0) * released.noise.gram_sd_off_diagonal);
  if (parameters.get<std::string>("center") == "private mean") {
    if (!result.has("sum_noise_sd_scaled")) {
      return bad_request(
          "this covariance about a private mean comes from an early version, which did not write "
          "down the noise on the sums, so intervals are not known: release it again with this "
          "version (that spends budget), or analyse a release about the public midpoint");
    }
    released.noise.gram_sd_sums = result.number("sum_noise_sd_scaled");
    released.mean = result.numbers("noisy_mean", columns) - middle;
  }
  return parameters.complete() && result.complete() ? gram_of(released) : lacks_a_field();
}

/// What the release says about weights and about rows that belong together.
Result<ReleasedGram> with_dependence(ReleasedGram gram, const Fields& said) {
  NeededFields parameters(said);
  if (parameters.has("weight_bound")) {
    gram.weight_bound = parameters.number("weight_bound");
  }
  for (const char* together : {"rows_per_person", "group_size"}) {
    if (parameters.has(together)) {
      gram.rows_together = std::max(gram.rows_together, parameters.number(together));
    }
  }
  const double factor = gram.sampling_factor();
  if (!parameters.complete() || !(factor > 0.0) || !std::isfinite(factor)) {
    return bad_request(kContradiction);
  }
  return gram;
}

/// Shards of one table: sums about the same points, in the same units, of a public number of rows.
bool can_be_added(const ReleasedGram& one, const ReleasedGram& other) {
  const auto is_public = [](const ReleasedGram& gram) {
    return !gram.centered && gram.rows_sd == 0.0;
  };
  const auto same = [](const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; };
  return one.names == other.names && one.intercept == other.intercept &&
         same(one.cell_sd, other.cell_sd) && same(one.scales, other.scales) &&
         same(one.midpoints, other.midpoints) && is_public(one) && is_public(other);
}

}  // namespace

Result<ReleasedGram> released_gram(const ReleaseDocument& document, const fs::path& folder) {
  const std::string& task = document.task;
  if (is_pairwise(document)) {
    return bad_request("a release with cells left out pair by pair is read by itself");
  }
  if (task != "mask" && task != "covariance" && task != "collect") {
    return bad_request(
        "analyse works on pseudo-data (mask), on a released covariance and on a collected Gram");
  }
  const auto* gaps = field<std::string>(document.parameters, "missing_cells");
  return (task == "covariance" ? read_covariance(document) : read_mask(document, folder))
      .and_then(checked_gram)
      .and_then([&](ReleasedGram gram) {
        gram.fills_gaps = gaps == nullptr || *gaps != gaps_in_words(false, GapEffect::SecondMoment);
        return with_dependence(std::move(gram), document.parameters);
      });
}

namespace {

Result<PairwiseGram> pairwise_in(const ReleaseDocument& document) {
  if (const Result<void> known = check_gaussian(document); !known) {
    return error_of(known);
  }
  NeededFields parameters(document.parameters);
  PublishedPairwise published;
  published.names = parameters.get<std::vector<std::string>>("columns");
  published.indicated = parameters.get<std::vector<std::string>>("pairwise_columns");
  published.constant = parameters.number("pairwise_constant");
  published.diagonal_sd = parameters.number("noise_sd_diagonal");
  published.off_diagonal_sd = parameters.number("noise_sd_off_diagonal");
  published.scales = scales_of(parameters, published.names.size());
  const Vector midpoints = midpoints_of(parameters, published.names.size());
  const double longest = longest_row(parameters, published.scales);
  const ReleasedTable* sums = table_called(document, "pairwise_gram");
  if (!parameters.complete() || sums == nullptr) {
    return lacks_a_field();
  }
  published.sums = sums->values;
  return pairwise_gram(published).map([&](PairwiseGram gram) {
    gram.midpoints = midpoints;
    gram.longest_row = longest;
    return gram;
  });
}

}  // namespace

Result<ReleasedGram> read_released_gram(const std::string& path) {
  // Whoever changed a file must not get intervals from it.
  return read_release(path).and_then(
      [](const ReadRelease& release) { return released_gram(release.document, release.folder); });
}

Result<ReleasedMoments> released_moments(const ReleaseDocument& document) {
  const auto any = [](auto gram) { return ReleasedMoments(std::move(gram)); };
  return is_pairwise(document) ? pairwise_in(document).map(any) : released_gram(document).map(any);
}

Result<ReleasedMoments> read_released_moments(const std::vector<std::string>& paths) {
  if (paths.size() == 1) {
    const Result<ReadRelease> release = read_release(paths.front());
    if (!release) {
      return error_of(release);
    }
    if (is_pairwise(release->document)) {
      return released_moments(release->document);
    }
  }
  return read_released_grams(paths).map([](ReleasedGram gram) { return ReleasedMoments(gram); });
}

Result<ReleasedGram> read_released_grams(const std::vector<std::string>& paths) {
  Result<ReleasedGram> all = read_released_gram(paths.front());
  std::vector<Matrix> seen;
  if (all) {
    seen.push_back(all->products);
  }
  for (std::size_t i = 1; all && i < paths.size(); ++i) {
    const Result<ReleasedGram> next = read_released_gram(paths[i]);
    if (!next) {
      return error_of(next);
    }
    if (!can_be_added(*all, *next)) {
      return bad_request(
          "several releases are read as one table only when all are pseudo-data with the same "
          "columns, units and method, by method mask with the same noise as well: mask every shard "
          "with the same {smallest_block}");
    }
    seen.push_back(next->products);
    if (std::find(seen.begin(), seen.end() - 1, seen.back()) != seen.end() - 1) {
      return bad_request("a release is named twice");
    }
    all->products += next->products;
    all->rows += next->rows;
    if (!all->masked()) {  // independent noise on the same sums
      all->entry_sd = (all->entry_sd.cwiseAbs2() + next->entry_sd.cwiseAbs2()).cwiseSqrt();
    }
    all->longest_row = std::max(all->longest_row, next->longest_row);
    all->weight_bound = std::max(all->weight_bound, next->weight_bound);
    all->rows_together = std::max(all->rows_together, next->rows_together);
    all->fills_gaps = all->fills_gaps || next->fills_gaps;
  }
  return all;
}

}  // namespace eigenveil
