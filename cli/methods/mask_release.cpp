#include "cli/methods/mask_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>

#include "cli/options/checks.hpp"
#include "eigenveil/core/atomic_output.hpp"
#include "eigenveil/mechanism/gauss.hpp"
#include "eigenveil/mechanism/released_gram.hpp"
#include "eigenveil/report/grid_rows.hpp"
#include "eigenveil/report/release_writer.hpp"

namespace eigenveil::cli {
namespace {

namespace fs = std::filesystem;

/// The factors of all blocks under one plan.
struct PseudoRelease {
  std::vector<PseudoFactor> blocks;
  MaskNoise noise;
  Guarantee guarantee;
  std::optional<Matrix> noisy_gram;  ///< of method gauss, before it is made positive semidefinite
};

/// Where the pseudo-data goes: into a release directory, or to a file with the release beside it.
struct Target {
  bool file = false;
  fs::path folder;
  std::string stem = "pseudo_data";
  PseudoFormat format = PseudoFormat::Csv;
};

std::optional<PseudoFormat> format_of_name(const std::string& name) {
  for (const PseudoFormat format : {PseudoFormat::Csv, PseudoFormat::CsvGzip, PseudoFormat::Npy}) {
    if (name.ends_with(ending_of(format))) {
      return format;
    }
  }
  return std::nullopt;
}

Target target_of(const OutputOptions& output) {
  Target target;
  const fs::path path(output.out);
  if (const auto named = format_of_name(output.out)) {
    target.file = true;
    target.format = *named;
    const std::string name = path.filename().string();
    target.stem = name.substr(0, name.size() - ending_of(*named).size());
    target.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return target;
  }
  target.folder = path;
  target.format = output.format == "npy" ? PseudoFormat::Npy : PseudoFormat::Csv;
  return target;
}

MaskRequest mask_request(const MaskSettings& settings) {
  return {settings.bound,     settings.requested, settings.relation,
          settings.intercept, settings.published, settings.group_size};
}

Result<MomentPlan> gauss_plan(const MaskSettings& settings) {
  return plan_gauss({settings.bound, settings.requested, settings.relation,
                     settings.intercept ? Extension::Full : Extension::None, settings.group_size});
}

/// What can be refused before a row is read.
Result<void> check_settings(const MaskSettings& settings) {
  if (!row_count_is_public(settings.relation)) {
    return bad_request(
        "pseudo-data has as many rows as the table, so their number is public: use --neighbours "
        "zero-row (default) or replace-one");
  }
  if (settings.smallest_block > 0 && settings.method != "mask") {
    return bad_request("the noise of --method gauss needs no --smallest-block");
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

}  // namespace

void MaskCommandRequest::declare(CLI::App& app) {
  budget.neighbours = "zero-row";
  input.declare(app);
  input.declare_one_hot(app);
  app.add_option(
         "--blocks", more_blocks,
         "further shards of the table: every file is masked by itself, the noise is that of "
         "the smallest, and the output holds all of them")
      ->group("Input");
  app.add_option("--smallest-block", smallest_block,
                 "a shard masked alone: rows of the smallest shard of all, whose noise it gets")
      ->check(whole_number(1, std::uint64_t{1} << 50))
      ->group("Input");
  app.add_option("--method", method,
                 "mask (default: noise on the rows, then a secret rotation) or gauss (noise on the "
                 "second moment, then pseudo-data that has it)")
      ->check(one_of({"mask", "gauss"}));
  app.add_option("--calibration", calibration,
                 "of method mask: tight (default) or published (the source's rule)")
      ->check(one_of({"tight", "published"}));
  app.add_flag("--intercept", intercept,
               "with a column of ones, for means and models with an intercept; counts in the norm");
  app.add_flag("--factor-only", factor_only,
               "release only the p x p factor, from which pseudo-data could be made");
  app.add_flag("--standardize", standardize,
               "columns scaled from their public range to [-1, 1] instead of original units");
  bounds.declare(app);
  budget.declare(app);
  output.declare(app);
  app.get_option("--out")->description(
      "directory for release.json and its arrays, or a file .csv, .csv.gz or .npy with the release "
      "beside it; written whole or not at all");
}

namespace {

/// One run of the command, once the public facts are known.
class MaskRun {
 public:
  MaskRun(const MaskCommandRequest& request, MaskSettings settings)
      : request_(request), settings_(std::move(settings)), target_(target_of(request.output)) {}

  Outcome run(std::vector<ExactPass>& passes);

 private:
  Result<void> check_output() const;
  Outcome draw(const std::vector<ExactGram>& grams);
  Outcome publish(const PseudoRelease& release, ReleaseDocument& document, RandomStream& stream);
  Outcome write_files(const PseudoRelease& release, ReleaseDocument& document,
                      RandomStream& stream);
  Outcome write_beside(const PseudoRelease& release, ReleaseDocument& document,
                       const std::string& name, RandomStream& stream);
  /// Leaves the file complete but unpublished.
  Result<StreamedArray> stream_rows(const PseudoRelease& release, AtomicFile& file,
                                    const std::string& name, RandomStream& stream) const;
  void print(const ReleaseDocument& document) const;

  const MaskCommandRequest& request_;
  MaskSettings settings_;
  Target target_;
  std::vector<std::int64_t> block_rows_;
  MaskNoise noise_;
  std::vector<fs::path> small_files_;  ///< written beside the pseudo-data
};

/// A name that ends like a table of another kind: a directory of that name is not what was meant.
bool ends_like_a_table(const std::string& name) {
  const std::string ending = fs::path(name).extension().string();
  constexpr std::array kEndings = {".tsv", ".txt", ".json", ".gz", ".xls", ".xlsx", ".parquet"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

Result<void> MaskRun::check_output() const {
  if (request_.output.out.empty()) {
    return bad_request(
        "--out DIR or --out FILE (.csv, .csv.gz or .npy) says where pseudo-data goes");
  }
  if (!target_.file && ends_like_a_table(request_.output.out)) {
    return bad_request("pseudo-data is written as .csv, .csv.gz or .npy, or into a directory");
  }
  if (!target_.file) {
    return request_.output.check_writable();
  }
  if (request_.factor_only) {
    return bad_request("--factor-only writes a release: give --out a directory");
  }
  // Nobody's file is lost, neither under the name given nor under those that go with it.
  const std::string mark = request_.output.seed ? ".NOT-PRIVATE" : "";
  std::vector<std::string> names = {target_.stem + mark + ending_of(target_.format),
                                    target_.stem + ".release" + mark + ".json",
                                    target_.stem + ".report" + mark + ".html"};
  if (settings_.method == "gauss") {
    names.push_back(target_.stem + ".noisy_gram" + mark + ".csv");
  }
  for (const std::string& name : names) {
    if (const Result<void> fresh = check_new_file((target_.folder / name).string()); !fresh) {
      return fresh;
    }
  }
  return check_new_file(request_.output.out);
}

Outcome MaskRun::run(std::vector<ExactPass>& passes) {
  if (const Result<void> checked = check_settings(settings_); !checked) {
    return error_of(checked);
  }
  if (const Result<void> writable = check_output(); !writable) {
    return error_of(writable);
  }
  std::vector<ExactGram> grams;
  for (ExactPass& pass : passes) {
    Result<ExactGram> gram = pass.run(request_.output.is_quiet());
    if (!gram) {
      return error_of(gram);
    }
    grams.push_back(std::move(*gram));
  }
  return draw(grams);
}

Outcome MaskRun::draw(const std::vector<ExactGram>& grams) {
  for (const ExactGram& gram : grams) {
    block_rows_.push_back(public_rows(gram, settings_.relation));
  }
  std::int64_t smallest = *std::min_element(block_rows_.begin(), block_rows_.end());
  if (settings_.smallest_block > smallest) {  // the number of rows is public
    return bad_request(fmt::format(
        "this table has {} rows, fewer than --smallest-block says every shard has", smallest));
  }
  if (smallest < static_cast<std::int64_t>(pseudo_columns(settings_).size()) &&
      !request_.factor_only) {
    return bad_request(
        "pseudo-data needs at least as many rows as columns in every block; choose fewer columns, "
        "or --factor-only");
  }
  if (settings_.smallest_block > 0) {
    smallest = settings_.smallest_block;
  }
  RandomStream stream = request_.output.stream();
  const Result<PseudoRelease> release = settings_.method == "mask"
                                            ? release_by_mask(settings_, grams, smallest, stream)
                                            : release_by_gauss(settings_, grams, stream);
  if (!release) {
    return error_of(release);
  }
  noise_ = release->noise;
  ReleaseDocument document =
      mask_document(settings_, release->noise, block_rows_, release->guarantee);
  return publish(*release, document, stream);
}

Result<StreamedArray> MaskRun::stream_rows(const PseudoRelease& release, AtomicFile& file,
                                           const std::string& name, RandomStream& stream) const {
  const int threads = request_.input.thread_count();
  std::vector<PseudoRows> blocks;
  for (const PseudoFactor& factor : release.blocks) {
    Result<PseudoRows> rows = PseudoRows::make(factor, pseudo_scales(settings_), stream);
    if (!rows) {
      return error_of(rows);
    }
    blocks.push_back(std::move(*rows));
  }
  const std::int64_t rows =
      std::accumulate(block_rows_.begin(), block_rows_.end(), std::int64_t{0});
  const PseudoTable table{target_.format, pseudo_columns(settings_),
                          decimals_of(settings_, release.noise, static_cast<double>(rows)),
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
Outcome MaskRun::write_beside(const PseudoRelease& release, ReleaseDocument& document,
                              const std::string& name, RandomStream& stream) {
  document.prefix = target_.stem + ".";
  Result<AtomicFile> data = AtomicFile::create(target_.folder / name);
  if (!data) {
    return error_of(data);
  }
  const Result<StreamedArray> array = stream_rows(release, *data, name, stream);
  if (!array) {
    return error_of(array);
  }
  document.streamed.push_back(*array);
  Outcome outcome;
  for (const ReleaseFile& file : release_files(document, TableFormat::Csv)) {
    outcome = write_file_atomically(target_.folder / file.name, file.bytes);
    if (!outcome) {
      break;
    }
    small_files_.push_back(target_.folder / file.name);
  }
  if (outcome) {
    outcome = data->publish();
  }
  for (std::size_t i = 0; !outcome && i < small_files_.size(); ++i) {
    std::error_code ignored;
    fs::remove(small_files_[i], ignored);
  }
  return outcome;
}

Outcome MaskRun::write_files(const PseudoRelease& release, ReleaseDocument& document,
                             RandomStream& stream) {
  const std::string mark = document.is_private() ? "" : ".NOT-PRIVATE";
  const std::string name = target_.stem + mark + ending_of(target_.format);
  if (target_.file) {
    return write_beside(release, document, name, stream);
  }
  Result<AtomicDirectory> directory = AtomicDirectory::create(target_.folder);
  if (!directory) {
    return error_of(directory);
  }
  if (!request_.factor_only) {
    const Result<StreamedArray> array = directory->stream(name).and_then([&](AtomicFile&& file) {
      return stream_rows(release, file, name, stream).and_then([&](const StreamedArray& rows) {
        return file.publish().map([&] { return rows; });
      });
    });
    if (!array) {
      return error_of(array);
    }
    document.streamed.push_back(*array);
  }
  for (const ReleaseFile& file : release_files(document, request_.output.table_format())) {
    if (const Result<void> written = directory->write(file.name, file.bytes); !written) {
      return error_of(written);
    }
    small_files_.push_back(target_.folder / file.name);
  }
  return directory->publish();
}

Outcome MaskRun::publish(const PseudoRelease& release, ReleaseDocument& document,
                         RandomStream& stream) {
  for (std::size_t i = 0; request_.factor_only && i < release.blocks.size(); ++i) {
    document.tables.push_back(
        factor_table(release.blocks[i], settings_,
                     release.blocks.size() == 1 ? "factor" : fmt::format("factor_{}", i + 1)));
  }
  if (release.noisy_gram) {
    document.tables.push_back(gram_table(*release.noisy_gram, settings_));
  }
  if (const Outcome written = write_files(release, document, stream); !written) {
    return written;
  }
  if (request_.output.json) {
    fmt::print("{}", summary_json(document));
  } else {
    print(document);
  }
  return {};
}

void MaskRun::print(const ReleaseDocument& document) const {
  fmt::print("Private {} of {}  ({} columns, method {})\n",
             request_.factor_only ? "second moment" : "pseudo-data", request_.input.display_name(),
             pseudo_columns(settings_).size(), settings_.method);
  if (!document.is_private()) {
    fmt::print("  NOT PRIVATE the randomness is known (--seed): do not publish this result\n");
  }
  fmt::print("  guarantee   {}\n", headline(document.guarantee, document.requested));
  fmt::print("  in words    {}\n", detection_in_words(document.guarantee));
  fmt::print("  bounds      {}{}\n", describe_bound(settings_.bound),
             settings_.intercept && noise_.row_norm > 0.0
                 ? fmt::format(" ({:.4g} with the intercept)", noise_.row_norm)
                 : "");
  fmt::print("  rows        {}{} (exact: public for these neighbours)\n",
             std::accumulate(block_rows_.begin(), block_rows_.end(), std::int64_t{0}),
             block_rows_.size() > 1 ? fmt::format(" in {} blocks", block_rows_.size()) : "");
  if (settings_.method == "mask") {
    fmt::print(
        "  noise       standard deviation {:.4g} on every cell (scaled units), then a secret "
        "rotation of all rows\n",
        noise_.cell_sd);
  } else {
    fmt::print(
        "  noise       standard deviation {:.4g} on a sum of squares over all rows (scaled "
        "units)\n",
        noise_.gram_sd_diagonal);
  }
  fmt::print("  use it with eigenveil analyse, which corrects for the noise\n");
  std::string written;
  for (const StreamedArray& array : document.streamed) {
    written += "  " + (target_.folder / array.name).string();
  }
  for (const fs::path& file : small_files_) {
    written += "  " + file.string();
  }
  fmt::print("  wrote     {}\n", written);
}

}  // namespace

Outcome MaskCommandRequest::run() const {
  const Result<Budget> spent = budget.budget();
  if (!spent) {
    return error_of(spent);
  }
  const Result<Relation> relation = budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  if (bounds.private_mean()) {
    return bad_request(
        "pseudo-data has no private centre; give --intercept, and analyse subtracts "
        "the mean");
  }
  std::vector<ExactPass> passes;
  std::vector<std::string> files = {input.input};
  files.insert(files.end(), more_blocks.begin(), more_blocks.end());
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto same = [&](const std::string& other) {
      return &other != &file && (other == file || fs::equivalent(other, file, ignored));
    };
    if (std::any_of(files.begin(), files.end(), same)) {
      return bad_request("a file is named twice among the blocks; its people would show twice");
    }
    InputOptions one = input;
    one.input = file;
    Result<ExactPass> pass = ExactPass::open(one, bounds);
    if (!pass) {
      return error_of(pass);
    }
    passes.push_back(std::move(*pass));
    if (!(passes.back().schema() == passes.front().schema())) {
      return bad_request("the blocks have different columns; choose the same with --columns");
    }
  }
  MaskSettings settings{method,
                        *spent,
                        *relation,
                        passes.front().bound(),
                        passes.front().schema(),
                        intercept,
                        calibration == "published",
                        standardize,
                        budget.group_size,
                        smallest_block};
  return MaskRun(*this, std::move(settings)).run(passes);
}

}  // namespace eigenveil::cli
