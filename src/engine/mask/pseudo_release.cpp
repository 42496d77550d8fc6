#include "engine/mask/pseudo_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/mask/mask_facts.hpp"
#include "engine/mask/pseudo_writer.hpp"
#include "engine/released_input.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "report/grid_rows.hpp"

namespace eigenveil {
namespace {

constexpr const char* kFactor = "factor";

/// The methods of pseudo-data, as sentences name them: noise on the sums, or on rows that are
/// rotated.
std::string noise_on_sums() {
  return choices(Task::Mask,
                 [](const auto& each) { return each.entry_noise != NoiseOnEntries::None; });
}
std::string noise_on_rows() {
  return choices(Task::Mask,
                 [](const auto& each) { return each.entry_noise == NoiseOnEntries::None; });
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
  if (settings.smallest_block > 0 && !settings.rotates) {
    return bad_request(
        fmt::format("the noise of {}, the default, needs no {{smallest_block}}: leave it out, or "
                    "give {}",
                    noise_on_sums(), noise_on_rows()),
        "smallest_block");
  }
  const auto& columns = settings.schema.columns;
  if (settings.intercept &&
      std::find(columns.begin(), columns.end(), kInterceptColumn) != columns.end()) {
    return bad_request(
        "a column is called 'intercept', the name of the column of ones: rename it, leave it out "
        "with {columns}, or leave out {intercept}",
        "intercept");
  }
  if (settings.rotates) {
    return MaskPlan::check(mask_request(settings));
  }
  return gauss_plan(settings).map([](const MomentPlan&) {});
}

Result<PseudoRelease> draw_pseudo(const MaskSettings& settings, const std::vector<ExactGram>& grams,
                                  bool factor_only, RandomStream& stream) {
  if (grams.empty()) {
    return bad_request("pseudo-data needs a table, or blocks of one");
  }
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
    return bad_request(
        fmt::format("this table has {} rows, fewer than {{smallest_block}} says every shard has",
                    smallest),
        "smallest_block");
  }
  if (smallest < static_cast<std::int64_t>(pseudo_columns(settings).size()) && !factor_only) {
    return bad_request(
        "pseudo-data needs at least as many rows as columns in every block; choose fewer columns, "
        "or {factor_only}",
        "factor_only");
  }
  if (settings.smallest_block > 0) {
    smallest = settings.smallest_block;
  }
  return settings.rotates ? release_by_mask(settings, grams, smallest, stream)
                          : release_by_gauss(settings, grams, stream);
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

Result<Guarantee> pseudo_guarantee(const MaskSettings& settings, std::optional<std::int64_t> rows) {
  if (!settings.rotates) {
    return gauss_plan(settings).map([](const MomentPlan& plan) { return plan.guarantee(); });
  }
  if (!rows) {
    return MaskPlan::promised(mask_request(settings));
  }
  return MaskPlan::make(mask_request(settings), *rows).map([](const MaskPlan& plan) {
    return plan.guarantee();
  });
}

namespace {

/// For the curator: the noise, and what the other method would put, so that nobody takes the
/// noisier one unknowingly.
std::vector<FactLine> noise_in_words(const MaskSettings& settings, const PseudoRelease& release,
                                     const Fields& parameters) {
  const MaskNoise& noise = release.noise;
  std::vector<FactLine> lines;
  if (settings.intercept && noise.row_norm > 0.0) {
    lines.push_back({"row norm", fmt::format("{:.4g} with the intercept", noise.row_norm)});
  }
  lines.push_back(
      {"noise", settings.rotates
                    ? fmt::format("standard deviation {:.4g} on every cell (scaled units), then a "
                                  "secret rotation of all rows",
                                  noise.cell_sd)
                    : fmt::format("standard deviation {:.4g} on a sum of squares over all rows "
                                  "(scaled units)",
                                  noise.gram_sd_diagonal)});
  const auto* gauss = field<double>(parameters, "noise_on_a_square_by_gauss");
  const auto* mask = field<double>(parameters, "noise_on_a_square_by_mask_at_least");
  if (gauss != nullptr) {
    lines.push_back({"compared", fmt::format("on a sum of squares {} puts {:.4g}, {} {}",
                                             noise_on_sums(), *gauss, noise_on_rows(),
                                             mask != nullptr ? fmt::format("at least {:.4g}", *mask)
                                                             : "has no rule for this request")});
  }
  lines.push_back({"use it with", "analyse, which corrects for the noise"});
  return lines;
}

}  // namespace

ReleaseDocument factor_document(const MaskSettings& settings, const PseudoRelease& release) {
  ReleaseDocument document =
      mask_document(settings, release.noise, release.block_rows(), release.guarantee);
  for (std::size_t i = 0; i < release.blocks.size(); ++i) {
    document.tables.push_back(
        factor_table(release.blocks[i], settings,
                     release.blocks.size() == 1 ? kFactor : fmt::format("{}_{}", kFactor, i + 1)));
  }
  if (release.noisy_gram) {
    document.tables.push_back(gram_table(*release.noisy_gram, settings));
  }
  if (const Result<ReleasedGram> gram = released_gram(document)) {
    document.drawn.push_back(drawn_correlations(*gram));
  }
  document.remarks = noise_in_words(settings, release, document.parameters);
  return document;
}

namespace {

using Numbers = std::vector<double>;

/// Decimals of the public grid: far below the noise on a cell, or below the cell noise that would
/// put as much on the Gram.
std::vector<int> decimals_of(const Fields& parameters, double rows) {
  const auto* on_cells = field<Numbers>(parameters, "cell_noise_sd");
  const double share =
      on_cells != nullptr
          ? 1.0
          : std::sqrt(*field<double>(parameters, "gram_noise_sd_diagonal") / rows) / 4.0;
  std::vector<int> decimals;
  for (const double scale :
       on_cells != nullptr ? *on_cells : *field<Numbers>(parameters, "column_scales")) {
    decimals.push_back(grid_decimals(share * scale));
  }
  return decimals;
}

/// The rows of all blocks, one after the other; drawn while they are written.
Result<PendingArray> pending_rows(const ReleaseDocument& factors, RandomStream& stream) {
  auto blocks = std::make_shared<std::vector<PseudoRows>>();
  const Numbers& block_rows = *field<Numbers>(factors.result, "block_rows");
  for (std::size_t i = 0; i < block_rows.size(); ++i) {
    const Matrix& factor = factors.tables[i].values;
    Result<PseudoRows> rows = PseudoRows::make({static_cast<std::int64_t>(block_rows[i]), factor},
                                               Vector::Ones(factor.cols()), stream);
    if (!rows) {
      return error_of(rows);
    }
    blocks->push_back(std::move(*rows));
  }
  const double rows = std::accumulate(block_rows.begin(), block_rows.end(), 0.0);
  PseudoTable table{ArrayFormat::Csv, factors.tables.front().column_names,
                    decimals_of(factors.parameters, rows)};
  return PendingArray{
      "pseudo_data",
      "pseudo-data: same columns, number of rows and, up to the noise, the same second moments; no "
      "row belongs to a person",
      static_cast<std::int64_t>(rows), table.columns,
      [blocks, rows, table](ArrayFormat format, int threads, AtomicFile& file) mutable {
        table.format = format;
        table.threads = threads;
        return write_pseudo_rows(std::move(*blocks), static_cast<std::int64_t>(rows), table, file);
      }};
}

/// What would have been asked for pseudo-data instead.
std::string without_factor_only(const std::string& json) {
  const Result<Request> asked = request_from_json(json);
  if (!asked) {
    return json;
  }
  Request request = *asked;
  request.options = {};
  for (const auto& [name, value] : asked->options.all()) {
    if (name != "factor_only") {
      request.options.set(name, value);
    }
  }
  return to_json(request);
}

}  // namespace

Result<ReleaseDocument> pseudo_document(ReleaseDocument factors, RandomStream& stream) {
  return pending_rows(factors, stream).map([&](PendingArray&& rows) {
    std::erase_if(factors.tables,
                  [](const ReleasedTable& table) { return table.name.starts_with(kFactor); });
    factors.pending.push_back(std::move(rows));
    factors.request = without_factor_only(factors.request);
    return std::move(factors);
  });
}

}  // namespace eigenveil
