#include "publication/pseudo_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/atomic_output.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "publication/mask_facts.hpp"
#include "report/grid_rows.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

std::optional<PseudoFormat> format_of_name(const std::string& name) {
  for (const PseudoFormat format : {PseudoFormat::Csv, PseudoFormat::CsvGzip, PseudoFormat::Npy}) {
    if (name.ends_with(ending_of(format))) {
      return format;
    }
  }
  return std::nullopt;
}

Result<MomentPlan> gauss_plan(const MaskSettings& settings) {
  return plan_gauss({settings.bound, settings.requested, settings.relation,
                     settings.intercept ? Extension::Full : Extension::None, settings.group_size});
}

Result<PseudoRelease> release_by_mask(const MaskSettings& settings,
                                      const std::vector<ExactGram>& grams,
                                      std::int64_t smallest_block, RandomStream& stream) {
  const Result<MaskPlan> plan = MaskPlan::make(mask_request(settings), smallest_block);
  if (!plan) {
    return error_of(plan);
  }
  PseudoRelease all{
      {}, {.cell_sd = plan->sigma(), .row_norm = plan->shape().row_norm}, plan->guarantee(), {}};
  for (const ExactGram& gram : grams) {
    const Result<Release<PseudoFactor>> block = plan->run(gram, stream);
    if (!block) {
      return error_of(block);
    }
    all.blocks.push_back(block->value());
    all.guarantee = block->guarantee();
  }
  return all;
}

Result<PseudoRelease> release_by_gauss(const MaskSettings& settings,
                                       const std::vector<ExactGram>& grams, RandomStream& stream) {
  const Result<MomentPlan> plan = gauss_plan(settings);
  if (!plan) {
    return error_of(plan);
  }
  const auto columns = static_cast<Eigen::Index>(pseudo_columns(settings).size());
  PseudoRelease all{{}, {}, plan->guarantee(), Matrix::Zero(columns, columns)};
  for (const ExactGram& gram : grams) {
    const Result<Release<NoisyMoment>> moment = plan->run(gram, stream);
    if (!moment) {
      return error_of(moment);
    }
    all.blocks.push_back(factor_of(moment->value(), settings.intercept));
    *all.noisy_gram += noisy_gram(moment->value(), settings.intercept);
    all.noise = {0.0, moment->value().product_sd, moment->value().off_diagonal_sd,
                 moment->value().sum_sd};
    all.guarantee = moment->guarantee();
  }
  return all;
}

/// Decimals of the public grid: far below the noise on a cell, or below the cell noise that would
/// put as much on the Gram.
std::vector<int> decimals_of(const MaskSettings& settings, const MaskNoise& noise, double rows) {
  const double cell =
      noise.cell_sd > 0.0 ? noise.cell_sd : std::sqrt(noise.gram_sd_diagonal / rows) / 4.0;
  std::vector<int> decimals;
  for (const double scale : pseudo_scales(settings)) {
    decimals.push_back(grid_decimals(cell * scale));
  }
  return decimals;
}

/// What `analyse` uses: pseudo-data has positive semidefinite moments, which noise need not have.
ReleasedTable gram_table(const Matrix& gram, const MaskSettings& settings) {
  const Vector scales = pseudo_scales(settings);
  return {"noisy_gram",
          "noisy sums of row products, unbiased; pseudo-data has the nearest positive "
          "semidefinite ones",
          "column",
          pseudo_columns(settings),
          pseudo_columns(settings),
          scales.asDiagonal() * gram * scales.asDiagonal()};
}

ReleasedTable factor_table(const PseudoFactor& block, const MaskSettings& settings,
                           const std::string& name) {
  ReleasedTable table{name,
                      "factor F of the private second moment: F'F is the noisy sum of row products",
                      "row",
                      {},
                      pseudo_columns(settings),
                      block.factor * pseudo_scales(settings).asDiagonal()};
  for (Eigen::Index i = 1; i <= block.factor.rows(); ++i) {
    table.row_names.push_back(fmt::format("f{}", i));
  }
  return table;
}

/// Writes one release to its target.
class PseudoPublication {
 public:
  PseudoPublication(const MaskSettings& settings, const PseudoRelease& release,
                    const PseudoTarget& target)
      : settings_(settings), release_(release), target_(target) {}

  Result<void> write(ReleaseDocument& document, RandomStream& stream);
  /// Everything that was written.
  const std::vector<fs::path>& files() const { return files_; }

 private:
  /// Leaves the file complete but unpublished.
  Result<StreamedArray> stream_rows(AtomicFile& file, const std::string& name,
                                    RandomStream& stream) const;
  Result<void> write_beside(ReleaseDocument& document, const std::string& name,
                            RandomStream& stream);

  const MaskSettings& settings_;
  const PseudoRelease& release_;
  const PseudoTarget& target_;
  std::vector<fs::path> files_;
};

Result<StreamedArray> PseudoPublication::stream_rows(AtomicFile& file, const std::string& name,
                                                     RandomStream& stream) const {
  const int threads = target_.threads;
  std::vector<PseudoRows> blocks;
  for (const PseudoFactor& factor : release_.blocks) {
    Result<PseudoRows> rows = PseudoRows::make(factor, pseudo_scales(settings_), stream);
    if (!rows) {
      return error_of(rows);
    }
    blocks.push_back(std::move(*rows));
  }
  const std::vector<std::int64_t> block_rows = release_.block_rows();
  const std::int64_t rows = std::accumulate(block_rows.begin(), block_rows.end(), std::int64_t{0});
  const PseudoTable table{target_.format, pseudo_columns(settings_),
                          decimals_of(settings_, release_.noise, static_cast<double>(rows)),
                          threads};
  const Result<std::string> checksum = write_pseudo_rows(std::move(blocks), rows, table, file);
  if (!checksum) {
    return error_of(checksum);
  }
  return StreamedArray{name,
                       "pseudo-data: same columns, number of rows and, up to the noise, the same "
                       "second moments; no row belongs to a person",
                       *checksum, rows, table.columns};
}

/// A file with the release beside it. The pseudo-data comes last, so that it never lies there
/// without the document that says what it is; a failure takes back what was written.
Result<void> PseudoPublication::write_beside(ReleaseDocument& document, const std::string& name,
                                             RandomStream& stream) {
  document.prefix = target_.stem + ".";
  Result<AtomicFile> data = AtomicFile::create(target_.folder / name);
  if (!data) {
    return error_of(data);
  }
  const Result<StreamedArray> array = stream_rows(*data, name, stream);
  if (!array) {
    return error_of(array);
  }
  document.streamed.push_back(*array);
  Result<void> outcome;
  for (const ReleaseFile& file : release_files(document, TableFormat::Csv)) {
    outcome = write_file_atomically(target_.folder / file.name, file.bytes);
    if (!outcome) {
      break;
    }
    files_.push_back(target_.folder / file.name);
  }
  if (outcome) {
    outcome = data->publish();
  }
  for (std::size_t i = 0; !outcome && i < files_.size(); ++i) {
    std::error_code ignored;
    fs::remove(files_[i], ignored);
  }
  files_.insert(files_.begin(), target_.folder / name);
  return outcome;
}

Result<void> PseudoPublication::write(ReleaseDocument& document, RandomStream& stream) {
  const std::string mark = document.is_private() ? "" : ".NOT-PRIVATE";
  const std::string name = target_.stem + mark + ending_of(target_.format);
  if (target_.file) {
    return write_beside(document, name, stream);
  }
  Result<AtomicDirectory> directory = AtomicDirectory::create(target_.folder, target_.existing);
  if (!directory) {
    return error_of(directory);
  }
  if (!target_.factor_only) {
    const Result<StreamedArray> array = directory->stream(name).and_then([&](AtomicFile&& file) {
      return stream_rows(file, name, stream).and_then([&](const StreamedArray& rows) {
        return file.publish().map([&] { return rows; });
      });
    });
    if (!array) {
      return error_of(array);
    }
    document.streamed.push_back(*array);
    files_.push_back(target_.folder / name);
  }
  for (const ReleaseFile& file : release_files(document, target_.tables)) {
    if (const Result<void> written = directory->write(file.name, file.bytes); !written) {
      return error_of(written);
    }
    files_.push_back(target_.folder / file.name);
  }
  return directory->publish();
}

}  // namespace

std::vector<std::int64_t> PseudoRelease::block_rows() const {
  std::vector<std::int64_t> rows;
  for (const PseudoFactor& block : blocks) {
    rows.push_back(block.rows);
  }
  return rows;
}

Result<void> check_pseudo(const MaskSettings& settings) {
  if (const Result<void> checked = check_public_rows(settings.relation); !checked) {
    return checked;
  }
  if (settings.smallest_block > 0 && settings.method != "mask") {
    return bad_request(
        "the noise of --method gauss, the default, needs no --smallest-block: leave it out, or "
        "give --method mask");
  }
  const auto& columns = settings.schema.columns;
  if (settings.intercept &&
      std::find(columns.begin(), columns.end(), kInterceptColumn) != columns.end()) {
    return bad_request(
        "a column is called 'intercept', the name of the column of ones: rename it, leave it out "
        "with --columns, or leave out --intercept");
  }
  if (settings.method == "mask") {
    return MaskPlan::check(mask_request(settings));
  }
  return gauss_plan(settings).map([](const MomentPlan&) {});
}

Result<PseudoRelease> draw_pseudo(const MaskSettings& settings, const std::vector<ExactGram>& grams,
                                  bool factor_only, RandomStream& stream) {
  for (std::size_t i = 0; i < grams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (grams[i].shares_rows_with(grams[j])) {
        return bad_request("two blocks hold the same rows, whose people would show twice");
      }
    }
  }
  std::int64_t smallest = public_rows(grams.front(), settings.relation);
  for (const ExactGram& gram : grams) {
    smallest = std::min(smallest, public_rows(gram, settings.relation));
  }
  if (settings.smallest_block > smallest) {  // the number of rows is public
    return bad_request(fmt::format(
        "this table has {} rows, fewer than --smallest-block says every shard has", smallest));
  }
  if (smallest < static_cast<std::int64_t>(pseudo_columns(settings).size()) && !factor_only) {
    return bad_request(
        "pseudo-data needs at least as many rows as columns in every block; choose fewer columns, "
        "or --factor-only");
  }
  if (settings.smallest_block > 0) {
    smallest = settings.smallest_block;
  }
  return settings.method == "mask" ? release_by_mask(settings, grams, smallest, stream)
                                   : release_by_gauss(settings, grams, stream);
}

PseudoTarget pseudo_target(const std::string& out, TableFormat tables) {
  PseudoTarget target;
  const fs::path path(out);
  if (const auto named = format_of_name(out)) {
    target.file = true;
    target.format = *named;
    const std::string name = path.filename().string();
    target.stem = name.substr(0, name.size() - ending_of(*named).size());
    target.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return target;
  }
  target.folder = path;
  target.tables = tables;
  target.format = tables == TableFormat::Npy ? PseudoFormat::Npy : PseudoFormat::Csv;
  return target;
}

std::vector<std::string> names_beside(const MaskSettings& settings, const PseudoTarget& target,
                                      bool is_private) {
  const std::string mark = is_private ? "" : ".NOT-PRIVATE";
  std::vector<std::string> names = {target.stem + mark + ending_of(target.format),
                                    target.stem + ".release" + mark + ".json",
                                    target.stem + ".report" + mark + ".html"};
  if (settings.method == "gauss") {
    names.push_back(target.stem + ".noisy_gram" + mark + ".csv");
  }
  return names;
}

namespace {

/// Correlations (cosines without an intercept) of the release, for its report; not a number where
/// the noise leaves no variance.
ReleasedTable drawn_correlations(const ReleasedGram& gram) {
  const Result<MomentEstimate> about_mean = covariance(gram);
  const MomentEstimate found = about_mean ? *about_mean : second_moment(gram);
  const Vector variance = found.value.diagonal();
  const Vector noise = found.standard_error.diagonal();
  const Vector inverse = (variance.array() > 2.0 * noise.array())
                             .select(variance.cwiseMax(0.0).cwiseSqrt().cwiseInverse(),
                                     Vector::Constant(variance.size(), NAN));
  return {"correlations",
          about_mean ? "correlations between columns, noise removed"
                     : "cosines between columns about the public midpoint, noise removed",
          "column",
          found.names,
          found.names,
          (inverse.asDiagonal() * found.value * inverse.asDiagonal()).cwiseMax(-1.0).cwiseMin(1.0)};
}

}  // namespace

Result<PublishedPseudo> publish_pseudo(const MaskSettings& settings, const PseudoRelease& release,
                                       const PseudoTarget& target, RandomStream& stream) {
  ReleaseDocument document =
      mask_document(settings, release.noise, release.block_rows(), release.guarantee);
  for (std::size_t i = 0; target.factor_only && i < release.blocks.size(); ++i) {
    document.tables.push_back(
        factor_table(release.blocks[i], settings,
                     release.blocks.size() == 1 ? "factor" : fmt::format("factor_{}", i + 1)));
  }
  if (release.noisy_gram) {
    document.tables.push_back(gram_table(*release.noisy_gram, settings));
  }
  document.drawn.push_back(drawn_correlations(gram_of(settings, release)));
  PseudoPublication publication(settings, release, target);
  return publication.write(document, stream).map([&] {
    return PublishedPseudo{document, publication.files()};
  });
}

ReleasedGram gram_of(const MaskSettings& settings, const PseudoRelease& release) {
  const Vector scales = pseudo_scales(settings);
  ReleasedGram gram;
  gram.names = pseudo_columns(settings);
  gram.intercept = settings.intercept;
  gram.fills_gaps = settings.schema.fills_gaps;
  gram.products = Matrix::Zero(scales.size(), scales.size());
  for (const PseudoFactor& block : release.blocks) {
    gram.rows += static_cast<double>(block.rows);
    gram.products += block.factor.transpose() * block.factor;
  }
  if (release.noisy_gram) {  // unbiased sums instead of the positive semidefinite ones
    gram.products = *release.noisy_gram;
  }
  gram.products = (scales.asDiagonal() * gram.products * scales.asDiagonal()).eval();
  for (std::size_t j = 0; settings.bound.has_ranges() && j < settings.bound.dimension(); ++j) {
    gram.from_midpoints = gram.from_midpoints || settings.bound.midpoint(j) != 0.0;
  }
  const auto columns = static_cast<Eigen::Index>(settings.bound.dimension());
  const Units units = settings.scaled_units ? Units::Scaled : Units::Original;
  gram.scales = scales;
  gram.longest_row = row_radius(settings.bound, units);
  if (units == Units::Original) {
    gram.midpoints = Vector::Zero(scales.size());
    for (Eigen::Index j = 0; j < columns; ++j) {
      gram.midpoints[scales.size() - columns + j] =
          settings.bound.midpoint(static_cast<std::size_t>(j));
    }
  }
  if (settings.method == "mask") {
    gram.cell_sd = release.noise.cell_sd * scales;
  } else {
    gram.entry_sd = gram_deviations(scales, release.noise, settings.intercept) *
                    std::sqrt(static_cast<double>(release.blocks.size()));
  }
  return gram;
}

}  // namespace eigenveil
