#include "engine/private_bounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/parameter_names.hpp"
#include "data/parallel_rows.hpp"
#include "data/row_norms.hpp"
#include "engine/counts_request.hpp"
#include "engine/outlook.hpp"
#include "engine/table/prepared_table.hpp"

namespace eigenveil {
namespace {

/// Windows of one, two, four, ... cells.
constexpr std::size_t kLongestWindow = 256;
/// Histograms of 800 cells each are kept for every thread: 200 MB.
constexpr std::size_t kMostRangedColumns = std::size_t{1} << 15U;
/// Probability that noise alone fills a window anywhere.
constexpr double kFalseAlarm = 0.01;
/// What so many cells beyond an end may hold unseen is said: a factor of 16, in which the rest of a
/// column lies that is not spread over many powers of ten.
constexpr std::size_t kBeyond = 16;
/// From this share of the rows on, ends that noise may move are spoken of ...
constexpr double kToldShare = 0.1;
/// ... and from this one on nothing is called a range.
constexpr double kMostShare = 0.5;

/// What norms are measured in.
Result<RowBound> norm_units(TableSpec ranges, const Schema& schema) {
  if (!ranges.bounded()) {
    ranges.row_norm = 1.0;  // nothing is clipped: norms are of the cells as they stand
  }
  return PreparedTable::make(ranges, schema).map([](const PreparedTable& table) {
    return table.bound();
  });
}

/// The highest filled window of w cells, by its lowest cell; nothing where none is filled.
std::optional<std::size_t> last_filled(const Vector& counts, std::size_t w, double needed) {
  const auto cells = static_cast<std::size_t>(counts.size());
  double sum = counts.tail(static_cast<Eigen::Index>(w)).sum();
  for (std::size_t first = cells - w;; --first) {
    if (sum >= needed) {
      return first;
    }
    if (first == 0) {
      return std::nullopt;
    }
    sum += counts[static_cast<Eigen::Index>(first - 1)] -
           counts[static_cast<Eigen::Index>(first + w - 1)];
  }
}

std::optional<std::size_t> end_of_rows(const Vector& counts, double rows, double outside,
                                       const std::function<double(std::size_t)>& noise) {
  std::optional<std::size_t> end;
  for (std::size_t w = 1; w <= kLongestWindow; w *= 2) {
    const double needed = std::max(rows, 0.0) * outside + noise(w);
    const std::optional<std::size_t> filled = last_filled(counts, w, needed);
    end = filled ? std::max(end.value_or(0), *filled) : end;
  }
  return end;
}

}  // namespace

std::optional<ShownCells> shown_cells(const Vector& counts, double rows, double outside,
                                      const std::function<double(std::size_t)>& noise) {
  const std::optional<std::size_t> last = end_of_rows(counts, rows, outside, noise);
  const std::optional<std::size_t> mirrored = end_of_rows(counts.reverse(), rows, outside, noise);
  if (!last || !mirrored) {
    return std::nullopt;
  }
  const std::size_t first = static_cast<std::size_t>(counts.size()) - 1 - *mirrored;
  // Ends that cross come from windows so long that nothing says where in them the rows lie.
  return first <= *last ? std::optional(ShownCells{first, *last}) : std::nullopt;
}

PrivateBounds::PrivateBounds(PrivateBoundsRequest request, Schema schema, CountsPlan plan)
    : request_(std::move(request)), schema_(std::move(schema)), plan_(std::move(plan)) {}

Result<PrivateBounds> PrivateBounds::make(const PrivateBoundsRequest& asked, const Schema& read) {
  if (asked.relation != Relation::AddRemove && asked.relation != Relation::ReplaceOne) {
    return bad_request(
        "ranges that nobody knows have no public midpoint yet: give {neighbours add-remove} or "
        "{neighbours replace-one}",
        "neighbours");
  }
  if (!(asked.outside > 0.0 && asked.outside < 0.5)) {
    return bad_request("{outside} must lie between 0 and 0.5", "outside");
  }
  PrivateBoundsRequest request = asked;
  const Result<int> together = rows_together(request.people, request.relation, request.group_size);
  const Result<Schema> schema = without_person(request.people, read);
  if (!together || !schema) {
    return !together ? error_of(together) : error_of(schema);
  }
  request.group_size = *together;
  if (!request.row_norm && schema->dimension() > kMostRangedColumns) {
    return bad_request(fmt::format("ranges are found for at most {} columns, not {}: select fewer, "
                                   "or ask for one norm of the rows, {{row_norm}}",
                                   kMostRangedColumns, schema->dimension()),
                       "columns");
  }
  const std::size_t histograms = request.row_norm ? 1 : schema->dimension();
  Result<CountsPlan> noise = CountsPlan::make(
      {histograms, request.budget, request.relation, request.group_size, request.people.column});
  if (!request.row_norm) {
    return std::move(noise).map(
        [&](CountsPlan plan) { return PrivateBounds(request, *schema, std::move(plan)); });
  }
  request.row_norm->person.clear();  // they stand in front of the norms
  request.row_norm->rows_per_person = 0;
  Result<RowBound> units = norm_units(*request.row_norm, *schema);
  if (!units) {
    return error_of(units);
  }
  return std::move(noise).map([&](CountsPlan plan) {
    PrivateBounds made(request, Schema{{kRowNormColumn}}, std::move(plan));
    made.norm_units_ = *std::move(units);
    return made;
  });
}

std::string PrivateBounds::request_text() const {
  Json outer = nullptr;
  if (request_.outer) {
    outer = {request_.outer->low, request_.outer->high};
  }
  Json own = {{"columns", schema_.columns}, {"outside", request_.outside}, {"outer", outer}};
  if (request_.row_norm) {  // two norms in other units are two requests
    own["preparation"] = table_json(*request_.row_norm);
  }
  return counts_request_json("bounds", request_.budget, request_.relation, request_.group_size,
                             request_.people.column, own);
}

double PrivateBounds::hidden_rows(double rows, std::size_t cells) const {
  return std::max(rows, 0.0) * request_.outside + window_noise(cells);
}

double PrivateBounds::window_noise(std::size_t cells) const {
  // Nine lengths of windows, looked at from both ends.
  const double windows = 2.0 * 9.0 * static_cast<double>(grid_.values() * schema_.dimension());
  return plan_.exceeded(cells, kFalseAlarm / windows);
}

double PrivateBounds::share_outside(double rows) const {
  const double ends = norm_units_ ? 1.0 : 2.0;
  return ends * window_noise(kBeyond) / std::max(rows, 1.0);
}

std::string PrivateBounds::outside_in_words(double rows) const {
  const double share = share_outside(rows);
  const std::string what = norm_units_ ? "the norm" : "the ranges";
  if (share > kMostShare) {
    return fmt::format(
        "noise could leave more than half of the rows outside of {}, so none {}: "
        "give more budget, or fewer columns",
        what, norm_units_ ? "is called one" : "are shown");
  }
  if (share > kToldShare) {
    return fmt::format(
        "{} may cut off up to about {:.0f}% of the rows{}, which noise hides: "
        "variances come out too small. More budget or fewer columns show more",
        what, 100.0 * share, norm_units_ ? "" : ", half of them at either end");
  }
  return {};
}

double PrivateBounds::rows_sd() const {
  return plan_.sd() *
         std::sqrt(static_cast<double>(grid_.cells()) / static_cast<double>(schema_.dimension()));
}

Result<std::vector<std::uint64_t>> PrivateBounds::counted(RowReader& rows,
                                                          std::size_t workers) const {
  const std::size_t cells = grid_.cells();
  Result<std::unique_ptr<RowReader>> given = rows_of_people(request_.people, borrowed(rows));
  if (!given) {
    return error_of(given);
  }
  if (norm_units_) {
    given = row_norms(*std::move(given), *norm_units_);
  }
  std::vector<std::vector<std::uint64_t>> own(
      workers, std::vector<std::uint64_t>(cells * schema_.dimension()));
  const Result<void> read =
      for_each_block(**given, workers, [&](std::size_t worker, RawRows& block) {
        const double* cell = block.values.data();
        for (std::size_t i = 0; i < block.rows; ++i) {
          for (std::size_t j = 0; j < block.dimension; ++j) {
            ++own[worker][j * cells + grid_.cell_of(*cell++)];
          }
        }
      });
  if (!read) {
    return error_of(read);
  }
  std::vector<std::uint64_t> counts(own.front().size());
  for (const auto& part : own) {
    std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
  }
  return counts;
}

namespace {

/// By what the noise of a release grows when this loss is the `part`-th of what both may cost: mus
/// add in quadrature, epsilons add.
double noise_beside(const Loss& loss, double part) {
  const double share = 1.0 / part;
  return std::holds_alternative<PureDp>(loss) ? 1.0 / (1.0 - share)
                                              : 1.0 / std::sqrt(1.0 - share * share);
}

}  // namespace

PlanFacts PrivateBounds::outlook(std::int64_t rows) const {
  const auto n = static_cast<double>(rows);
  const double one = hidden_rows(n, 1);
  const double many = hidden_rows(n, kLongestWindow);
  const double tenth = noise_beside(guarantee().loss, 10.0);
  const double half = noise_beside(guarantee().loss, 2.0);
  const double cell = std::exp2(0.25);  // of the grid: what is found is too wide by so much at most
  Outlook outlook("bounds", plan_.method(), guarantee(), request_.budget,
                  norm_units_ ? fmt::format("{} rows, one norm", rows)
                              : size_in_words(rows, schema_.dimension()));
  outlook.json().update({{"noise_sd_count", plan_.sd()},
                         {"noise_sd_rows", rows_sd()},
                         {"hidden_rows_in_one_cell", one},
                         {fmt::format("hidden_rows_in_{}_cells", kLongestWindow), many},
                         {"release_noise_beside_tenth", tenth},
                         {"release_noise_beside_half", half},
                         {"share_noise_may_cut_off", std::min(1.0, share_outside(n))},
                         {"pays_from_width", cell * std::sqrt(tenth)}});
  outlook.line("noise", fmt::format("standard deviation {:.3g} on a count, {:.3g} on the number "
                                    "of rows",
                                    plan_.sd(), rows_sd()));
  outlook.line("shows",
               fmt::format("an end of a range lies where about {:.3g} rows are within one factor "
                           "of 2^(1/4), or {:.3g} within {} of them; fewer are left outside",
                           one, many, kLongestWindow));
  if (const std::string words = outside_in_words(n); !words.empty()) {
    outlook.line("warning", words);
  }
  if (share_outside(n) > kMostShare) {
    return std::move(outlook).finish();
  }
  outlook.line(
      "pays",
      fmt::format("noise falls with the square of the bound, and what is found is too wide by up "
                  "to 19%: with a tenth of all that is spent, where the declared bound is more "
                  "than {:.3g} times too wide ({:.2g}% more noise for the rest); with half, {:.3g} "
                  "times ({:.2g}%)",
                  cell * std::sqrt(tenth), 100.0 * (tenth - 1.0), cell * std::sqrt(half),
                  100.0 * (half - 1.0)));
  return std::move(outlook).finish();
}

Result<ReleaseDocument> PrivateBounds::release(RowReader& rows, RandomStream& stream,
                                               int threads) const {
  const std::size_t cells = grid_.cells();
  const Result<std::vector<std::uint64_t>> counts =
      counted(rows, static_cast<std::size_t>(std::max(1, threads)));
  if (!counts) {
    return error_of(counts);
  }
  const Release<Vector> noisy = plan_.run(*counts, stream);
  // Every histogram sums to the number of rows, so all of them together say it best.
  const double count = noisy.value().sum() / static_cast<double>(schema_.dimension());

  ReleaseDocument document;
  document.task = "bounds";
  document.method = noisy.mechanism();
  trusted::guarantee_of(document) = noisy.guarantee();
  document.requested = request_.budget;
  document.parameters = {{"neighbours", std::string(name_of(request_.relation))},
                         {"group_size", std::int64_t{request_.group_size}},
                         {"columns", schema_.columns},
                         {"outside", request_.outside},
                         {"grid", std::string("powers of 2^(1/4) from 2^-40 to 2^60, both signs, "
                                              "zero, missing")},
                         {"noise_sd_count", plan_.sd()}};
  describe_people(request_.people, document);
  document.result = {{"noisy_rows", count}, {"noisy_rows_sd", rows_sd()}};
  Matrix ranges(static_cast<Eigen::Index>(schema_.dimension()), 2);
  const bool drowned = share_outside(count) > kMostShare;
  const std::string outside = outside_in_words(count);
  std::vector<std::string> hidden;
  std::vector<double> missing;
  for (std::size_t j = 0; j < schema_.dimension(); ++j) {
    const Vector column = noisy.value().segment(static_cast<Eigen::Index>(j * cells),
                                                static_cast<Eigen::Index>(cells));
    missing.push_back(column[static_cast<Eigen::Index>(grid_.missing())]);
    const std::optional<ShownCells> shown =
        drowned ? std::nullopt
                : shown_cells(column.head(static_cast<Eigen::Index>(grid_.values())), count,
                              request_.outside,
                              [this](std::size_t window) { return window_noise(window); });
    const auto row = static_cast<Eigen::Index>(j);
    if (!shown) {
      hidden.push_back(schema_.columns[j]);
      const double none = std::nan("");
      ranges.row(row) << (request_.outer ? request_.outer->low : none),
          (request_.outer ? request_.outer->high : none);
      continue;
    }
    // A column of zeros has a cell about zero; otherwise the zero cell ends at zero.
    const bool zeros = shown->first == shown->last;
    const std::size_t zero = grid_.values() / 2;
    ranges.row(row) << (shown->first == zero && !zeros ? 0.0 : grid_.low(shown->first)),
        (shown->last == zero && !zeros ? 0.0 : grid_.high(shown->last));
  }
  document.result.emplace_back("noisy_missing_cells", missing);
  document.remarks.push_back(
      {"noise", fmt::format("standard deviation {:.3g} on a count. Outside of a range, at either "
                            "end, up to about {:.3g} rows may lie within one factor of 2^(1/4), "
                            "and {:.3g} within {} of them: {:g} of the noisy {:.4g} rows, and what "
                            "noise alone may fill",
                            plan_.sd(), hidden_rows(count, 1), hidden_rows(count, kLongestWindow),
                            kLongestWindow, request_.outside, count)});
  document.result.emplace_back("share_noise_may_cut_off", std::min(1.0, share_outside(count)));
  if (!outside.empty()) {
    document.result.emplace_back(kCutOffWarning, outside);
    document.remarks.push_back({"warning", outside});
  }
  if (!hidden.empty()) {
    document.remarks.push_back(
        {"hidden",
         request_.outer ? fmt::format("noise hides {}: the outer range stands for what it hides",
                                      fmt::join(shown(hidden), ", "))
         : norm_units_  ? std::string("noise hides the norm: give a public one, or more budget")
                        : fmt::format("noise hides {}: their lines in bounds.csv are empty. Fill "
                                       "them in, leave the columns out, or give {{outer LO:HI}}",
                                      fmt::join(shown(hidden), ", "))});
  }
  if (request_.outer || hidden.size() < schema_.dimension()) {
    document.remarks.push_back(
        {"next", norm_units_
                     ? fmt::format("give {{row_norm {:.6g}}}, and this release as {{builds_on}}; "
                                   "both spend, and noise falls with the square of the norm",
                                   ranges(0, 1))
                     : std::string("give bounds.csv of it as {bounds}; both releases spend, one "
                                   "after the other")});
  }
  document.result.emplace_back("hidden_by_noise", hidden);
  document.tables.push_back({"bounds",
                             "private range of each column; outside of it lie few rows",
                             "column",
                             schema_.columns,
                             {"low", "high"},
                             std::move(ranges)});
  return document;
}

}  // namespace eigenveil
