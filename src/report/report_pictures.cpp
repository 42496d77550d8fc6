#include "report/report_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "eigenveil/report/fields.hpp"
#include "report/html_text.hpp"
#include "report/pictures.hpp"
#include "report/report_figures.hpp"
#include "report/report_text.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kMostBars = 12;
constexpr Eigen::Index kMostWeightRows = 24;
constexpr Eigen::Index kMostWeightColumns = 8;

std::string listed(const std::vector<std::string>& names) {
  return names.size() == 1
             ? names.front()
             : fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "),
                           names.back());
}

/// The names, or how many where a list would be no sentence.
std::string named(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 6;
  return names.size() <= kMostNames
             ? listed(names)
             : fmt::format("{} to {}, {} in all,", names.front(), names.back(), names.size());
}

/// What can be told from noise, by the name of its component.
struct Verdict {
  std::vector<std::string> below;
  bool above(const std::string& name) const {
    return std::find(below.begin(), below.end(), name) == below.end();
  }
};

Verdict verdict_by(double floor, const std::vector<double>& variances) {
  Verdict verdict;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    if (variances[i] <= floor) {
      verdict.below.push_back(fmt::format("PC{}", i + 1));
    }
  }
  return verdict;
}

Verdict verdict_of(const ReleaseDocument& document, const std::vector<double>& variances) {
  if (const auto* below = field<std::vector<std::string>>(document.result, "below_noise")) {
    return {*below};
  }
  const auto* floor = field<double>(document.result, "noise_floor");
  return floor != nullptr ? verdict_by(*floor, variances) : Verdict{};
}

/// Those after the first so many.
Verdict verdict_after(std::int64_t told, const std::vector<double>& variances) {
  Verdict verdict;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    if (static_cast<std::int64_t>(i) >= told) {
      verdict.below.push_back(fmt::format("PC{}", i + 1));
    }
  }
  return verdict;
}

/// One level where the components share it.
std::optional<double> noise_line(const ReleaseDocument& document) {
  const auto* edges = field<std::vector<double>>(document.result, "noise_edge");
  if (edges != nullptr && !edges->empty()) {
    const auto [low, high] = std::minmax_element(edges->begin(), edges->end());
    return *high <= 1.05 * *low ? std::optional(*high) : std::nullopt;
  }
  const auto* floor = field<double>(document.result, "noise_floor");
  return floor != nullptr ? std::optional(*floor) : std::nullopt;
}

std::string spreads_html(const std::optional<double>& line, const std::vector<double>& variances,
                         const Verdict& verdict, std::string_view kind, std::string_view units = "",
                         const std::string& undecided = "") {
  ScreePicture picture;
  picture.axis = fmt::format("spread of people along a {}", kind);
  const auto spread = [](double variance) { return std::sqrt(std::max(0.0, variance)); };
  const std::size_t shown = std::min(variances.size(), kMostBars);
  constexpr std::size_t kMostWithNames = 8;  // beyond them names and numbers would collide
  const bool crowded = shown > kMostWithNames;
  double most = 0.0;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = fmt::format("PC{}", i + 1);
    picture.bars.push_back({.label = crowded ? fmt::format("{}", i + 1) : name,
                            .height = spread(variances[i]),
                            .above_noise = verdict.above(name)});
    most = std::max(most, spread(variances[i]));
  }
  if (line) {
    picture.floor = spread(*line);
    // A variance alone is held against what noise reaches, a direction against an edge.
    picture.floor_words =
        kind == "variance" || !undecided.empty() ? "noise alone reaches this" : "must exceed this";
    most = std::max(most, *picture.floor);
  }
  picture.top = most > 0.0 ? 1.18 * most : 1.0;
  picture.numbers = !crowded;
  picture.width = 380.0;
  picture.height = 280.0;
  const std::size_t standing = variances.size() - std::min(variances.size(), verdict.below.size());
  const std::string result =
      !undecided.empty()
          ? fmt::format("{} of {} variances can be told from zero.", standing, variances.size())
      : kind == "variance" ? fmt::format("{} of {} variances are larger than noise alone makes.",
                                         standing, variances.size())
      : variances.size() == 1
          ? fmt::format("The {} {}.", kind,
                        standing == 1 ? "rises above the noise" : "cannot be told from noise")
          : fmt::format("{} of {} {}s rise above the noise.", standing, variances.size(), kind);
  picture.words = result;
  const std::string faint =
      !undecided.empty() ? sentence(undecided)
      : verdict.below.empty()
          ? fmt::format("Every {} is above {}.", kind,
                        kind == "component"
                            ? "what it must exceed"
                            : "what noise alone passes in one release of twenty at most")
          : fmt::format(
                "{} cannot be told from {}noise: drawn faint, kept for the record, no "
                "finding.{}",
                named(verdict.below), kind == "direction" ? "each other, or from " : "",
                shown < variances.size() ? " The widest are drawn." : "");
  return fmt::format(
      "<div class=\"two\"><figure>{}</figure>\n<div><p><strong>{}</strong> Each is a direction in "
      "which people differ together; its height is how much, the square root of the released "
      "variance{}.</p>\n<p class=\"muted\">{}</p></div></div>\n",
      scree_picture(picture), result, units, escape_markup(faint));
}

/// Rows with the largest released weights, in the order of the table.
std::vector<Eigen::Index> largest_rows(const Matrix& weights) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(weights.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Vector size = weights.rowwise().squaredNorm();
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return size[a] > size[b]; });
  order.resize(static_cast<std::size_t>(std::min(kMostWeightRows, weights.rows())));
  std::sort(order.begin(), order.end());
  return order;
}

std::string weights_html(const ReleasedTable& table, const Verdict& verdict, std::string_view title,
                         std::string_view meaning) {
  LoadingsPicture picture;
  const Eigen::Index columns = std::min(kMostWeightColumns, table.values.cols());
  const std::vector<Eigen::Index> rows = largest_rows(table.values.leftCols(columns));
  picture.values.resize(static_cast<Eigen::Index>(rows.size()), columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    picture.rows.push_back(table.row_names[static_cast<std::size_t>(rows[i])]);
    picture.values.row(static_cast<Eigen::Index>(i)) = table.values.row(rows[i]).leftCols(columns);
  }
  for (Eigen::Index j = 0; j < columns; ++j) {
    picture.components.push_back(table.column_names[static_cast<std::size_t>(j)]);
    picture.above_noise.push_back(verdict.above(picture.components.back()));
  }
  picture.width = columns <= 2 ? 380.0 : 760.0;
  picture.words = fmt::format("{}: weight of each column", title);
  std::string notes;
  if (table.values.rows() > kMostWeightRows) {
    notes += fmt::format(
        " {} of {} columns: those with the largest released loadings. The file has all of them.",
        kMostWeightRows, table.values.rows());
  }
  if (table.values.cols() > columns) {
    notes += fmt::format(" The first {} of {} components.", columns, table.values.cols());
  }
  return fmt::format(
      "<h3>{}</h3>\n<figure class=\"wide scroll\">{}</figure>\n<p class=\"muted\">{} Bars to the "
      "right count for it, bars to the left against it.{}{}</p>\n",
      title, loadings_picture(picture), meaning,
      verdict.below.empty() ? "" : " Hatched: cannot be told from noise; do not interpret.", notes);
}

}  // namespace

namespace {

/// Of 100; "at most" rounds up.
int recognised_in(const ReleaseDocument& document) {
  return std::min(100,
                  static_cast<int>(std::ceil(power_in_percent(document.guarantee().loss) - 1e-9)));
}

}  // namespace

std::string people_headline(const ReleaseDocument& document) {
  const BasisCondition condition = condition_of(document.guarantee().basis);
  return fmt::format("At most <strong>{} of 100</strong> people {}{}. Blind guessing finds 5.",
                     recognised_in(document),
                     document.guarantee().relation == Relation::AddRemove
                         ? "who took part can be recognised in this release"
                         : "can be recognised by what they answered",
                     condition.empty() ? "" : fmt::format(", <em>{}</em>", condition.supposing));
}

std::string people_html(const ReleaseDocument& document) {
  if (!document.is_private()) {
    return "";
  }
  const int recognised = recognised_in(document);
  const int given = std::max(0, recognised - 5);
  const BasisCondition condition = condition_of(document.guarantee().basis);
  const bool membership = document.guarantee().relation == Relation::AddRemove;
  return fmt::format(
      "<div class=\"two\"><div>{}<dl class=\"tally\"><dt class=\"given\">{}</dt><dd>recognised "
      "because of this release</dd><dt>5</dt><dd>pointed at by chance</dd><dt>{}</dt><dd>stay "
      "hidden</dd></dl></div>\n<p class=\"muted\">Of 100 people, at most {}{}. This is the worst "
      "case: an attacker who knows everything else, lacks only {}, and accepts 5 false alarms in "
      "100.{}</p></div>\n",
      people_picture(given, 5, 380.0), given, 95 - given, recognised,
      condition.empty() ? "" : fmt::format(" ({})", condition.supposing),
      membership ? "whether a person took part" : "which of two records a person contributed",
      condition.empty() ? "" : fmt::format(" {}", sentence(std::string(condition.not_covered))));
}

std::string components_html(const ReleaseDocument& document) {
  if (!document.is_private()) {
    return "";
  }
  const auto* variances = field<std::vector<double>>(document.result, "noisy_explained_variance");
  const ReleasedTable* loadings = table_named(document, "loadings");
  if (variances == nullptr || variances->empty() || loadings == nullptr) {
    return "";
  }
  const Verdict verdict = verdict_of(document, *variances);
  return spreads_html(noise_line(document), *variances, verdict, "component", "",
                      undecided_in_words(document)) +
         weights_html(*loadings, verdict, "Loadings",
                      "How strongly each column counts in each component.");
}

std::string directions_html(const ReleaseDocument& document) {
  const std::optional<Directions> found = directions_of(document);
  if (!document.is_private() || !found) {
    return "";
  }
  if (document.task == "lowrank") {
    return spreads_html(noise_line(document), found->variances,
                        verdict_of(document, found->variances), "component");
  }
  if (document.task != "covariance" || !found->floor) {  // without a floor nothing is above it
    return "";
  }
  const bool told = found->told && found->edge;
  return spreads_html(
      told ? found->edge : found->floor, found->variances,
      told ? verdict_after(*found->told, found->variances)
           : verdict_by(*found->floor, found->variances),
      told ? "direction" : "variance",
      found->scaled ? ". Columns are in several units, so each is divided by half its public range "
                      "here: then all have the same noise"
                    : "");
}

std::string null_html(const ReleaseDocument& document) {
  const std::string reason = null_reason(document);
  if (!document.is_private() || reason.empty()) {
    return "";
  }
  NullPicture picture;
  picture.words = "The answer is NULL: nothing can be told from noise";
  picture.nothing = "nothing can be told from noise";
  const auto* gap = field<double>(document.result, "gap_lower_bound_of_sum");
  const auto* sd = field<double>(document.result, "gap_noise_sd");
  if (gap != nullptr && sd != nullptr) {
    picture.reach = Reach{*gap - 1.96 * *sd, *gap + 1.96 * *sd};
    picture.nothing = "no gap";
    picture.found = fmt::format("gap found, at least {:.3g}", *gap);
  }
  return fmt::format(
      "<div class=\"two\"><figure>{}</figure>\n<div><p><strong>The answer is NULL.</strong> "
      "{}</p>\n<p class=\"muted\">A legal answer, covered by the guarantee like any other; its "
      "budget is spent. It says that at this size and budget the noise would have hidden what was "
      "asked for, not that there is nothing. More people, fewer columns or components, or more "
      "budget may show it.</p></div></div>\n",
      null_picture(picture), escape_markup(sentence(reason)));
}

std::string ranges_html(const ReleaseDocument& document) {
  const ReleasedTable* table =
      document.task == "bounds" ? table_named(document, "bounds") : nullptr;
  if (!document.is_private() || table == nullptr || table->values.cols() != 2) {
    return "";
  }
  RangesPicture picture;
  std::vector<std::string> hidden;
  const Eigen::Index shown = std::min(kMostWeightRows, table->values.rows());
  for (Eigen::Index i = 0; i < shown; ++i) {
    const std::string& name = table->row_names[static_cast<std::size_t>(i)];
    if (std::isnan(table->values(i, 0))) {
      hidden.push_back(name);
      continue;
    }
    picture.rows.push_back(name);
    picture.ranges.push_back({table->values(i, 0), table->values(i, 1)});
  }
  picture.words = "Private range of each column";
  const auto* cut_off = field<std::string>(document.result, "cut_off_warning");
  std::string words;
  if (!picture.rows.empty()) {
    words = fmt::format(
        "From where to where {} of a column lie, by noisy counts on a coarse public grid: the ends "
        "are steps of that grid, not the smallest and largest answer.",
        cut_off != nullptr ? "the rows that noise does not hide" : "nearly all rows");
  }
  if (!hidden.empty()) {
    words += fmt::format(" Hidden by noise: {}.", named(hidden));
  }
  if (cut_off != nullptr) {
    words += " " + sentence(*cut_off);
  }
  if (shown < table->values.rows()) {
    words += fmt::format(" The first {} of {} columns; the file has all of them.", shown,
                         table->values.rows());
  }
  return fmt::format(
      "{}<p class=\"muted\">{}</p>\n",
      picture.rows.empty()
          ? std::string()
          : fmt::format("<figure class=\"wide scroll\">{}</figure>\n", ranges_picture(picture)),
      escape_markup(words));
}

std::string subspace_html(const ReleaseDocument& document) {
  const ReleasedTable* table = table_named(document, "subspace");
  if (!document.is_private() || table == nullptr) {
    return "";
  }
  return weights_html(
      *table, {}, "A basis of the subspace",
      "How strongly each column counts in each direction. Other directions may span "
      "the same subspace: what is released is the space, not its axes.");
}

}  // namespace eigenveil
