#include "cli/commands/mask_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <optional>

#include "cli/options/checks.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/bound_words.hpp"
#include "publication/gap_words.hpp"
#include "publication/pseudo_release.hpp"
#include "report/release_writer.hpp"

namespace eigenveil::cli {
namespace {

namespace fs = std::filesystem;

PseudoTarget target_of(const MaskCommandRequest& request) {
  PseudoTarget target = pseudo_target(request.output.out, request.output.table_format());
  target.factor_only = request.factor_only;
  target.threads = request.input.thread_count();
  target.existing = request.output.existing();
  return target;
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
  app.add_option(
         "--method", method,
         "gauss (default: noise on the second moment, then pseudo-data that has it) or mask "
         "(noise on the rows, then a secret rotation: Ding, Wu, Miao, Chen 2022; more noise "
         "at the same budget)")
      ->check(one_of({"mask", "gauss"}));
  app.add_option("--calibration", calibration,
                 "of method mask: tight (default) or published (the rule of Ding et al. 2022)")
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
      : request_(request), settings_(std::move(settings)), target_(target_of(request)) {}

  Outcome run(std::vector<ExactPass>& passes);

 private:
  Result<void> check_output() const;
  Outcome draw(const std::vector<ExactGram>& grams);
  void print(const PseudoRelease& release, const PublishedPseudo& published) const;

  const MaskCommandRequest& request_;
  MaskSettings settings_;
  PseudoTarget target_;
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
  for (const std::string& name : names_beside(settings_, target_, !request_.output.seed)) {
    if (const Result<void> fresh = check_new_file((target_.folder / name).string()); !fresh) {
      return fresh;
    }
  }
  return check_new_file(request_.output.out);
}

Outcome MaskRun::run(std::vector<ExactPass>& passes) {
  if (const Result<void> checked = check_pseudo(settings_); !checked) {
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
  RandomStream stream = request_.output.stream();
  const Result<PseudoRelease> release = draw_pseudo(settings_, grams, request_.factor_only, stream);
  if (!release) {
    return error_of(release);
  }
  const Result<PublishedPseudo> published = publish_pseudo(settings_, *release, target_, stream);
  if (!published) {
    return error_of(published);
  }
  if (request_.output.json) {
    fmt::print("{}", summary_json(published->document));
  } else {
    print(*release, *published);
  }
  return {};
}

/// Both methods, so that nobody takes the noisier one unknowingly.
void print_other_noise(const ReleaseDocument& document) {
  const auto* gauss = field<double>(document.parameters, "noise_on_a_square_by_gauss");
  const auto* mask = field<double>(document.parameters, "noise_on_a_square_by_mask_at_least");
  if (gauss != nullptr) {
    fmt::print(
        "  compared    on a sum of squares --method gauss puts {:.4g}, --method mask {}\n", *gauss,
        mask != nullptr ? fmt::format("at least {:.4g}", *mask) : "has no rule for this request");
  }
}

void MaskRun::print(const PseudoRelease& release, const PublishedPseudo& published) const {
  const ReleaseDocument& document = published.document;
  const std::vector<std::int64_t> block_rows = release.block_rows();
  fmt::print("Private {} of {}  ({} columns, method {})\n",
             request_.factor_only ? "second moment" : "pseudo-data", request_.input.display_name(),
             pseudo_columns(settings_).size(), settings_.method);
  if (!document.is_private()) {
    fmt::print("  NOT PRIVATE the randomness is known (--seed): do not publish this result\n");
  }
  fmt::print("  guarantee   {}\n", headline(document.guarantee, document.requested));
  fmt::print("  in words    {}\n", detection_in_words(document.guarantee));
  fmt::print("  bounds      {}{}\n", for_command_line(describe_bound(settings_.bound)),
             settings_.intercept && release.noise.row_norm > 0.0
                 ? fmt::format(" ({:.4g} with the intercept)", release.noise.row_norm)
                 : "");
  fmt::print("  rows        {}{} (exact: public for these neighbours)\n",
             std::accumulate(block_rows.begin(), block_rows.end(), std::int64_t{0}),
             block_rows.size() > 1 ? fmt::format(" in {} blocks", block_rows.size()) : "");
  fmt::print("  missing     {}\n",
             gaps_in_words(settings_.schema.fills_gaps,
                           settings_.intercept ? GapEffect::Covariance : GapEffect::SecondMoment));
  if (settings_.method == "mask") {
    fmt::print(
        "  noise       standard deviation {:.4g} on every cell (scaled units), then a secret "
        "rotation of all rows\n",
        release.noise.cell_sd);
  } else {
    fmt::print(
        "  noise       standard deviation {:.4g} on a sum of squares over all rows (scaled "
        "units)\n",
        release.noise.gram_sd_diagonal);
  }
  print_other_noise(document);
  fmt::print("  use it with eigenveil analyse, which corrects for the noise\n");
  std::string written;
  for (const fs::path& file : published.files) {
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
