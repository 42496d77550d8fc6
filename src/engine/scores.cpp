#include "engine/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/genotypes.hpp"
#include "data/one_hot.hpp"
#include "data/parallel_rows.hpp"
#include "data/projection.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/counts_request.hpp"
#include "engine/documents/moment_document.hpp"
#include "engine/outlook.hpp"
#include "engine/table/prepared_table.hpp"
#include "engine/table/table_bound.hpp"
#include "report/report_figures.hpp"

namespace eigenveil {
namespace {

constexpr double kReach = 4.0;  ///< deviations from the middle to the end of the grid

constexpr std::size_t kMostCells = 200;

using Numbers = std::vector<double>;

/// The centre that the loadings are about, in the units of the rows; those of genotypes by their
/// frequencies come about zero.
Numbers center_of(const ReleaseDocument& on, std::size_t columns, bool by_frequencies) {
  const auto* mean = field<Numbers>(on.result, "noisy_mean");
  if (mean != nullptr && mean->size() == columns) {
    return *mean;
  }
  if (by_frequencies) {
    return Numbers(columns, 0.0);
  }
  const auto* low = field<Numbers>(on.parameters, "range_low");
  const auto* high = field<Numbers>(on.parameters, "range_high");
  const auto* given = field<Numbers>(on.parameters, "public_center");
  Numbers center(columns, 0.0);
  if (low != nullptr && high != nullptr && low->size() == columns) {
    for (std::size_t j = 0; j < columns; ++j) {
      center[j] = 0.5 * (*low)[j] + 0.5 * (*high)[j];
    }
  } else if (given != nullptr && given->size() == columns) {
    center = *given;
  }
  return center;
}

const ReleasedTable* loadings_of(const ReleaseDocument& on) {
  const auto found = std::find_if(on.tables.begin(), on.tables.end(),
                                  [](const auto& table) { return table.name == "loadings"; });
  return found == on.tables.end() ? nullptr : &*found;
}

/// Deviation along a component: what was released, or the limit of noise where that is larger.
double deviation_of(const ReleaseDocument& on, std::size_t component) {
  double variance = 0.0;
  for (const char* name : {"noisy_explained_variance", "noise_edge"}) {
    const auto* values = field<Numbers>(on.result, name);
    if (values != nullptr && component < values->size() && std::isfinite((*values)[component])) {
      variance = std::max(variance, (*values)[component]);
    }
  }
  const auto* floor = field<double>(on.result, "noise_floor");
  if (floor != nullptr && field<Numbers>(on.result, "noise_edge") == nullptr &&
      std::isfinite(*floor)) {
    variance = std::max(variance, *floor);
  }
  return std::sqrt(variance);
}

/// Components of correlations are of columns over their released deviations; those that were left
/// out have none, and no loading.
Result<Vector> inverse_deviations(const ReleaseDocument& on, Eigen::Index columns) {
  const auto* deviations = field<Numbers>(on.result, "noisy_column_deviations");
  if (deviations == nullptr || std::ssize(*deviations) != columns) {
    return bad_request("{on} lacks the deviations that its columns were divided by", "on");
  }
  Vector factors(columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double deviation = (*deviations)[static_cast<std::size_t>(j)];
    factors[j] = std::isfinite(deviation) && deviation > 0.0 ? 1.0 / deviation : 0.0;
  }
  return factors;
}

/// How a table is read whose columns are these: where they are levels of a column, that column
/// with its levels.
Result<TableSpec> table_of(const ReleaseDocument& on, const std::vector<std::string>& columns) {
  using Names = std::vector<std::string>;
  const auto* made = field<Names>(on.parameters, kLevelColumns);
  const auto* of = field<Names>(on.parameters, kLevelsOf);
  TableSpec table;
  for (const std::string& column : columns) {
    const auto at = made == nullptr
                        ? std::size_t{0}
                        : static_cast<std::size_t>(std::find(made->begin(), made->end(), column) -
                                                   made->begin());
    if (made == nullptr || of == nullptr || at >= std::min(made->size(), of->size())) {
      table.columns.push_back(column);
      continue;
    }
    const std::string& source = (*of)[at];
    if (!column.starts_with(source + "=")) {
      return bad_request("{on} contradicts itself: its columns are not the levels it names", "on");
    }
    if (table.one_hot.empty() || table.one_hot.back().column != source) {
      table.columns.push_back(source);
      table.one_hot.push_back({source, {}});
    }
    table.one_hot.back().words.push_back(column.substr(source.size() + 1));
  }
  return table;
}

std::vector<std::string> cell_names(double deviation, std::size_t cells) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cells; ++i) {
    const double middle = kReach * deviation *
                          ((2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(cells) - 1.0);
    names.push_back(fmt::format("{:.4g}", middle));
  }
  return names;
}

/// The noise of one histogram; people settle the group.
Result<CountsPlan> counts_of(ScoresRequest& request) {
  if (request.cells < 2 || request.cells > kMostCells) {
    return bad_request("{cells} must be a whole number from 2 to 200", "cells");
  }
  if (!request.label.column.empty() && !are_levels(request.label.words)) {
    return bad_request("{label} is a column and different public levels, COLUMN=A|B|C", "label");
  }
  return rows_together(request.people, request.relation, request.group_size)
      .and_then([&](int together) {
        request.group_size = together;
        return CountsPlan::make(
            {1, request.budget, request.relation, together, request.people.column});
      });
}

bool is_laplace(const CountsPlan& plan) {
  return plan.noise().law == NoiseLaw::Laplace;
}

/// What the noise of a count stays within 95 times in 100: 2.5% on each side.
double count_limits(const CountsPlan& plan) {
  return score_limit(plan.sd(), 2.0, is_laplace(plan));
}

/// Of scores that are normal along both axes: the share within the ellipse where cells of the grid
/// hold at least `least` of so many rows, 1 - 2 pi least / (rows h^2) for cells of width h.
double share_above(double least, double rows, std::size_t cells) {
  const double width = 2.0 * kReach / static_cast<double>(cells);
  return std::max(0.0, 1.0 - 2.0 * std::numbers::pi * least / (rows * width * width));
}

/// The most cells along each axis that would show nine tenths of such people; 0 where none would.
std::size_t most_cells(const CountsPlan& plan, double rows, std::size_t levels) {
  std::size_t most = 0;
  for (std::size_t cells = 2; cells <= kMostCells; ++cells) {
    const double limit =
        score_limit(plan.sd(), static_cast<double>(cells * cells * levels), is_laplace(plan));
    most = share_above(limit, rows, cells) >= 0.9 ? cells : most;
  }
  return most;
}

}  // namespace

bool has_score_units(const ReleaseDocument& on) {
  const auto* units = field<std::string>(on.parameters, "units");
  return units != nullptr && (*units == "original" || *units == kStandardisedUnits ||
                              field<Numbers>(on.parameters, "allele_frequencies") != nullptr);
}

Result<PlanFacts> Scores::outlook(const ScoresRequest& asked, std::int64_t rows) {
  ScoresRequest request = asked;
  return counts_of(request).map([&](const CountsPlan& plan) {
    const std::size_t levels = request.label.words.size() + 1;
    const std::size_t cells = request.cells * request.cells * levels;
    const double limit = score_limit(plan.sd(), static_cast<double>(cells), is_laplace(plan));
    const double shown = share_above(limit, static_cast<double>(rows), request.cells);
    Outlook outlook(
        "scores", plan.method(), plan.guarantee(), request.budget,
        fmt::format("{} rows, {} x {} cells{}", rows, request.cells, request.cells,
                    levels > 1 ? fmt::format(", {} levels and all others", levels - 1) : ""));
    outlook.json().update({{"noise_sd_count", plan.sd()},
                           {"count_limits", count_limits(plan)},
                           {"shown_from", limit},
                           {"shown_share_if_normal", shown}});
    outlook.line("noise", fmt::format("standard deviation {:.3g} on a count, however long rows "
                                      "are: 95% limits of plus or minus {:.3g}",
                                      plan.sd(), count_limits(plan)));
    outlook.line("shows", fmt::format("the picture draws cells above {:.3g}, which noise alone "
                                      "passes anywhere in it with probability 5%",
                                      limit));
    const std::size_t most = most_cells(plan, static_cast<double>(rows), levels);
    outlook.json()["most_cells"] = most;
    outlook.line(
        "people",
        fmt::format("were both scores normal, cells with {:.0f}% of the people would be "
                    "drawn, all of one level; {}",
                    100.0 * shown,
                    most == 0
                        ? std::string("fewer cells show more of them")
                        : fmt::format("{{cells {}}} is the finest picture with nine tenths of "
                                      "them, where axes reach four deviations to both sides",
                                      most)));
    outlook.line("spends", "on top of the release of the axes");
    return std::move(outlook).finish();
  });
}

Result<Scores> Scores::make(const ScoresRequest& asked, const ReadRelease& on) {
  ScoresRequest request = asked;
  const ReleasedTable* loadings = loadings_of(on.document);
  if (loadings == nullptr) {
    return bad_request("{on} must be a release with loadings, as eigenveil pca writes it", "on");
  }
  const auto* units = field<std::string>(on.document.parameters, "units");
  const auto* frequencies = field<Numbers>(on.document.parameters, "allele_frequencies");
  const bool standardised = units != nullptr && *units == kStandardisedUnits;
  if (!has_score_units(on.document)) {
    return bad_request(
        "scores are for loadings in original units, of correlations, or by allele frequencies: "
        "take axes of a release without {standardize} and {normalise_rows}",
        "on");
  }
  Result<TableSpec> table = table_of(on.document, loadings->row_names);
  if (!table) {
    return error_of(table);
  }
  Result<std::vector<Categories>> one_hot = levels_of(*table);
  const Result<Schema> expanded = one_hot.and_then([&](const std::vector<Categories>& lists) {
    return one_hot_schema({table->columns}, lists);
  });
  if (!expanded || expanded->columns != loadings->row_names) {
    return bad_request("{on} contradicts itself: its columns are not the levels it names", "on");
  }
  const std::vector<std::string>& read = table->columns;
  if (std::find(read.begin(), read.end(), request.label.column) != read.end()) {
    return bad_request(
        "{label} is a column of the release: its cells are numbers there. Copy it to a column of "
        "another name, or take axes of a release without it",
        "label");
  }
  if (const std::string& person = on.document.guarantee().person;
      !person.empty() && person != request.people.column) {
    return bad_request(
        fmt::format("{{on}} protects a person with all rows of the same {0}: give {{person {0}}} "
                    "and {{rows_per_person G}}, or its scores would protect single rows",
                    person),
        "person");
  }
  Result<CountsPlan> plan = counts_of(request);
  if (!plan) {
    return error_of(plan);
  }
  Scores scores(request, *std::move(table), *std::move(plan));
  scores.one_hot_ = *std::move(one_hot);
  scores.inside_ = field<std::string>(on.document.parameters, "projected_on") != nullptr;
  const Eigen::Index p = loadings->values.rows();
  scores.axes_.directions.resize(p, 2);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::size_t component = request.axes[axis];
    if (component < 1 || component > static_cast<std::size_t>(loadings->values.cols()) ||
        request.axes[0] == request.axes[1]) {
      return bad_request(fmt::format("{{axes}} are two different components of the {} released",
                                     loadings->values.cols()),
                         "axes");
    }
    scores.axes_.directions.col(static_cast<Eigen::Index>(axis)) =
        loadings->values.col(static_cast<Eigen::Index>(component - 1));
    scores.deviations_[axis] = deviation_of(on.document, component - 1);
    const auto* shares = field<Numbers>(on.document.result, "noisy_explained_share");
    if (shares != nullptr && component <= shares->size()) {
      scores.shares_[axis] = (*shares)[component - 1];
    }
    if (!(scores.deviations_[axis] > 0.0)) {
      return bad_request("{on} released no variance along these axes, so there is no public range",
                         "on");
    }
  }
  if (frequencies != nullptr) {
    scores.frequencies_ = *frequencies;
  }
  if (standardised) {
    const Result<Vector> factors = inverse_deviations(on.document, p);
    if (!factors) {
      return error_of(factors);
    }
    scores.axes_.directions = factors->asDiagonal() * scores.axes_.directions;
  }
  scores.center_ = center_of(on.document, static_cast<std::size_t>(p), frequencies != nullptr);
  scores.checksum_ = on.checksum;
  const auto* axes_rows = field<double>(on.document.result, "noisy_rows");
  const auto* axes_sd = field<double>(on.document.result, "noisy_rows_sd");
  if (axes_rows != nullptr && axes_sd != nullptr) {
    scores.rows_of_axes_ = {*axes_rows, *axes_sd};
  }
  return scores;
}

std::string Scores::request_text() const {
  return counts_request_json("scores", request_.budget, request_.relation, request_.group_size,
                             request_.people.column,
                             {{"on", checksum_},
                              {"axes", request_.axes},
                              {"cells", request_.cells},
                              {"label", request_.label.column},
                              {"levels", request_.label.words}});
}

/// Rows hold two scores and perhaps a level. Total: a score that is no number is in the middle.
std::size_t Scores::cell_of(const double* row, std::size_t width) const {
  std::array<std::size_t, 2> place{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double share = 0.5 + row[axis] / (2.0 * kReach * deviations_[axis]);
    const double last = static_cast<double>(request_.cells) - 1.0;
    const double cell = std::floor(share * static_cast<double>(request_.cells));
    place[axis] = static_cast<std::size_t>(std::isnan(cell) ? std::floor(last / 2.0)
                                                            : std::clamp(cell, 0.0, last));
  }
  std::size_t level = 0;
  if (width > 2 && row[2] >= 1.0 && row[2] <= static_cast<double>(levels() - 1)) {
    level = static_cast<std::size_t>(row[2]);
  }
  return (level * request_.cells + place[1]) * request_.cells + place[0];
}

Result<ReleaseDocument> Scores::release(std::unique_ptr<RowReader> rows, RandomStream& stream,
                                        int threads) const {
  Result<std::unique_ptr<RowReader>> reader = rows_of_people(request_.people, std::move(rows));
  if (reader && !frequencies_.empty()) {
    reader = standardise_genotypes(std::move(*reader), frequencies_,
                                   request_.label.column.empty() ? 0 : 1);
  }
  if (reader && !one_hot_.empty()) {
    reader = one_hot(std::move(*reader), one_hot_);
  }
  if (!reader) {
    return error_of(reader);
  }
  const Result<RowBound> about =
      RowBound::row_norm(center_.size(), 1.0, RowBound::kDefaultMaxAbs, center_);
  if (!about) {
    return error_of(about);
  }
  reader = project_rows(std::move(*reader), *about, false, axes_);
  const std::size_t cells = request_.cells * request_.cells;
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  std::vector<std::vector<std::uint64_t>> own(workers,
                                              std::vector<std::uint64_t>(cells * levels()));
  const Result<void> read =
      for_each_block(**reader, workers, [&](std::size_t worker, RawRows& block) {
        for (std::size_t i = 0; i < block.rows; ++i) {
          ++own[worker][cell_of(block.values.data() + i * block.dimension, block.dimension)];
        }
      });
  if (!read) {
    return error_of(read);
  }
  std::vector<std::uint64_t> counts(cells * levels());
  for (const auto& part : own) {
    std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
  }
  const Release<Vector> noisy = plan_.run(counts, stream);

  ReleaseDocument document;
  document.task = "scores";
  document.method = noisy.mechanism();
  trusted::guarantee_of(document) = noisy.guarantee();
  document.requested = request_.budget;
  document.builds_on = {checksum_};
  document.parameters = {{"neighbours", std::string(name_of(request_.relation))},
                         {"group_size", std::int64_t{request_.group_size}},
                         {"columns", table_.columns},
                         {"axes", Numbers{static_cast<double>(request_.axes[0]),
                                          static_cast<double>(request_.axes[1])}},
                         {inside_ ? kSharesInside : "axis_shares", Numbers{shares_[0], shares_[1]}},
                         {"levels", request_.label.words},
                         {"reach", Numbers{kReach * deviations_[0], kReach * deviations_[1]}},
                         {"noise_sd_count", plan_.sd()},
                         {"interval", fmt::format("a count has 95% limits of plus or minus {:.3g}",
                                                  count_limits(plan_))}};
  document.result = {{"noisy_rows", noisy.value().sum()},
                     {"noisy_rows_sd", plan_.sd() * std::sqrt(static_cast<double>(counts.size()))}};
  document.remarks = {{"counts", *field<std::string>(document.parameters, "interval")},
                      {"spent", "on top of the release of the axes, which it names (builds_on)"}};
  if (rows_of_axes_[1] > 0.0 &&
      rows_of_axes_[1] < plan_.sd() * std::sqrt(static_cast<double>(counts.size()))) {
    document.remarks.insert(
        document.remarks.begin(),
        {"of them", fmt::format("the release of the axes knows it better: about {:.0f}, standard "
                                "deviation {:.2g}",
                                rows_of_axes_[0], rows_of_axes_[1])});
  }
  describe_people(request_.people, document);
  std::vector<std::string> down = cell_names(deviations_[1], request_.cells);
  std::reverse(down.begin(), down.end());  // the picture has the second axis upwards
  for (std::size_t level = 0; level < levels(); ++level) {
    const auto side = static_cast<Eigen::Index>(request_.cells);
    Matrix map(side, side);
    for (Eigen::Index row = 0; row < side; ++row) {
      map.row(row) =
          noisy.value()
              .segment((static_cast<Eigen::Index>(level) * side + side - 1 - row) * side, side)
              .transpose();
    }
    const bool labelled = !request_.label.words.empty();
    const std::string who =
        level == 0 ? (labelled ? "any other level" : "all rows") : request_.label.words[level - 1];
    document.tables.push_back(
        {level == 0 ? "scores" : fmt::format("scores_{}", level),
         fmt::format("noisy counts of {} by component {} (across) and {} (up); cell middles", who,
                     request_.axes[0], request_.axes[1]),
         fmt::format("PC{}", request_.axes[1]), down, cell_names(deviations_[0], request_.cells),
         std::move(map)});
  }
  return document;
}

}  // namespace eigenveil
