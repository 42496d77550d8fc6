#include "report/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/fields.hpp"
#include "figure_panel.hpp"
#include "figure_text.hpp"
#include "report/report_text.hpp"

namespace eigenveil {
namespace {

constexpr double kPhoneWidth = 380.0;
constexpr Eigen::Index kMostRows = 24;
constexpr Eigen::Index kMostComponents = 8;
constexpr std::size_t kMostEigenvalues = 40;

/// Larger losses would lie on the axes, where no reader sees them.
struct FamiliarLevel {
  double epsilon;
  std::string_view words;
};
constexpr std::array kFamiliarLevels = {FamiliarLevel{1.0, "a common choice"},
                                        FamiliarLevel{3.0, "a loose one"}};

FigureSeries curve(const std::string& name, Emphasis emphasis, const Loss& loss) {
  FigureSeries series;
  series.name = name;
  series.emphasis = emphasis;
  constexpr int kSteps = 100;
  for (int i = 0; i <= kSteps; ++i) {  // denser where curves are steep, near no false alarms
    const double share = static_cast<double>(i) / kSteps;
    series.x.push_back(share * share);
    series.y.push_back(trade_off(loss, share * share));
  }
  return series;
}

/// In the legend rather than beside the point: a sentence there would cross the curves.
FigureSeries five_percent_point(const Guarantee& guarantee, double miss) {
  FigureSeries point;
  // Short enough to be drawn in full: a condition that is cut off is none.
  point.name = fmt::format(
      "{} at most {:.1f}%",
      condition_of(guarantee.basis).empty() ? "5% false alarms: power" : "conditional power at 5%:",
      power_in_percent(guarantee.loss));
  point.kind = SeriesKind::Points;
  point.x = {0.05};
  point.y = {miss};
  return point;
}

/// " in the limit of many rows; for the number ...": nothing where a basis covers every data set.
std::string condition_words(Basis basis) {
  const BasisCondition condition = condition_of(basis);
  return condition.empty() ? std::string()
                           : fmt::format(" {}; {}", condition.supposing, condition.not_covered);
}

/// Rows of largest `weight`, in the order of the table.
std::vector<Eigen::Index> leading(const Vector& weight, Eigen::Index most) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(weight.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, weight.size()));
  std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                    [&](Eigen::Index a, Eigen::Index b) { return weight[a] > weight[b]; });
  order.resize(static_cast<std::size_t>(shown));
  std::sort(order.begin(), order.end());
  return order;
}

/// A variance is drawn on where it is above so many deviations of its own noise; the same rule
/// leaves columns out of a released correlation.
constexpr double kVarianceRule = 3.0;

/// Those that pass, of many the clearest; few others are named.
std::vector<Eigen::Index> columns_above_noise(const ReleasedTable& table,
                                              const std::vector<double>& variance_sd,
                                              std::vector<std::string>& left_out) {
  const Vector sd =
      Eigen::Map<const Vector>(variance_sd.data(), static_cast<Eigen::Index>(variance_sd.size()));
  const Vector clear = (sd.array() > 0.0).select(table.values.diagonal().array() / sd.array(), 0.0);
  std::vector<Eigen::Index> rows = leading(clear, kMostRows);
  std::erase_if(rows, [&](Eigen::Index j) { return !(clear[j] > kVarianceRule); });
  for (Eigen::Index j = 0; table.values.rows() <= kMostRows && j < clear.size(); ++j) {
    if (!(clear[j] > kVarianceRule)) {
      left_out.push_back(table.column_names[static_cast<std::size_t>(j)]);
    }
  }
  return rows;
}

HeatMap heat_map_of(const ReleasedTable& table, const std::vector<Eigen::Index>& rows,
                    const std::vector<Eigen::Index>& columns) {
  HeatMap map;
  map.values.resize(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    map.row_names.push_back(table.row_names[static_cast<std::size_t>(rows[i])]);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      map.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          table.values(rows[i], columns[j]);
    }
  }
  for (const Eigen::Index column : columns) {
    map.column_names.push_back(table.column_names[static_cast<std::size_t>(column)]);
  }
  return map;
}

/// Wide enough that every column keeps its label: the names of the rows, which take at most 0.38 of
/// the width, and kNarrowestColumn pixels for each column.
double heat_map_width(const HeatMap& map) {
  constexpr double kNarrowestColumn = 15.5;
  constexpr double kMargins = 24.0;
  double names = 0.0;
  for (const std::string& name : map.row_names) {
    names = std::max(names, text_width(name, kSmallText));
  }
  const double cells = kNarrowestColumn * static_cast<double>(map.values.cols()) + 18.0;
  return std::max(kPhoneWidth, kMargins + std::min(names + cells, cells / 0.62));
}

Figure heat_map_figure(const ReleaseDocument& document, HeatMap map) {
  Figure figure;
  figure.width = heat_map_width(map);
  figure.panels.emplace_back().heat_map = std::move(map);
  add_basis_note(figure, document.guarantee().basis);
  return figure;
}

/// A level that has its name in the legend: a label beside the line would cross bars.
FigureSeries noise_level(const std::string& name, const std::vector<double>& levels,
                         std::size_t shown) {
  const bool level = std::all_of(levels.begin(), levels.end(), [&](double one) {
    return std::abs(one - levels.front()) <= 0.01 * levels.front();
  });
  FigureSeries series;
  series.name = name;
  series.emphasis = Emphasis::Reference;
  if (level) {
    series.x = {0.5, static_cast<double>(shown) + 0.5};
    series.y = {levels.front(), levels.front()};
    return series;
  }
  series.kind = SeriesKind::Points;
  for (std::size_t i = 0; i < std::min(shown, levels.size()); ++i) {
    series.x.push_back(static_cast<double>(i + 1));
    series.y.push_back(levels[i]);
  }
  return series;
}

/// The limits of noise: a level along each component, or one line for eigenvalues.
void add_noise_level(const ReleaseDocument& document, const std::optional<Directions>& directions,
                     std::size_t shown, FigurePanel& panel, Figure& figure) {
  const auto* edges = field<std::vector<double>>(document.result, "noise_edge");
  const auto* below = field<std::vector<std::string>>(document.result, "below_noise");
  const auto* clipped =
      field<std::vector<std::string>>(document.result, "clipped_to_largest_possible");
  if (edges != nullptr && !edges->empty()) {
    panel.series.push_back(noise_level("must exceed this", *edges, shown));
    figure.notes.push_back(
        {below == nullptr || below->empty()
             ? "Every component is above what it must exceed."
             : fmt::format("{} cannot be told from noise.", fmt::join(*below, ", "))});
    if (const std::string moving = convergence_in_words(document); !moving.empty()) {
      figure.notes.push_back({sentence(moving)});
    }
    if (clipped != nullptr && !clipped->empty()) {
      figure.notes.push_back({fmt::format("{} clipped to the largest variance the bounds allow.",
                                          fmt::join(*clipped, ", "))});
    }
    return;
  }
  if (directions && directions->told && directions->edge) {
    panel.series.push_back(noise_level("must exceed this", {*directions->edge}, shown));
    figure.notes.push_back(
        {fmt::format("{} of {} directions stand out of those after them; what noise makes of such "
                     "directions passes the line in one release of twenty at most.",
                     *directions->told, directions->variances.size())});
  }
  const auto* released = field<double>(document.result, "noise_floor");
  const std::optional<double> floor = directions            ? directions->floor
                                      : released != nullptr ? std::optional(*released)
                                                            : std::nullopt;
  if (floor && !(directions && directions->edge)) {
    panel.series.push_back(noise_level("noise floor", {*floor}, shown));
    const std::string undecided = undecided_in_words(document);
    figure.notes.push_back({undecided.empty()
                                ? "Noise floor: noise alone passes it in one release of twenty at "
                                  "most. What lies below it should not be interpreted."
                                : sentence(undecided)});
  }
  if (directions && directions->scaled) {
    figure.notes.push_back(
        {"Columns are in several units: each is divided by half its public range here."});
  }
}

}  // namespace

void add_basis_note(Figure& figure, Basis basis) {
  if (basis == Basis::NotPrivate) {
    figure.notes.push_back({"NOT PRIVATE: do not publish", NoteLevel::Danger});
  } else if (!condition_of(basis).empty()) {
    figure.notes.push_back(
        {fmt::format("Weaker than a proof for all data: {}", describe(basis)), NoteLevel::Caution});
  }
}

Figure trade_off_figure(const Guarantee& guarantee) {
  Figure figure;
  figure.width = kPhoneWidth;
  figure.title = "What an adversary must miss";
  const double miss = trade_off(guarantee.loss, 0.05);
  figure.description = fmt::format(
      "Trade-off curve: smallest miss rate of any test against its false alarm rate. At 5% false "
      "alarms this release forces a miss rate of at least {:.1f}%{}.",
      std::floor(1000.0 * miss) / 10.0, condition_words(guarantee.basis));
  FigurePanel panel;
  panel.x = {"false alarm rate (type I error)", Scale::Linear, 0.0, 1.0};
  panel.y = {"smallest miss rate (type II error)", Scale::Linear, 0.0, 1.0};
  const bool is_private = guarantee.basis != Basis::NotPrivate;
  panel.series = {curve("guessing without looking", Emphasis::Reference, PureDp{0.0})};
  for (const FamiliarLevel& level : kFamiliarLevels) {
    panel.series.push_back(curve(fmt::format("epsilon = {:g}", level.epsilon), Emphasis::Reference,
                                 PureDp{level.epsilon}));
  }
  panel.series.push_back(
      curve(is_private ? "this release" : "would have been, with secret randomness",
            Emphasis::Strong, guarantee.loss));
  if (is_private) {
    panel.series.push_back(five_percent_point(guarantee, miss));
  }
  figure.panels.push_back(std::move(panel));
  add_basis_note(figure, guarantee.basis);
  figure.notes.push_back(
      {"Higher is more private. On the dotted line an adversary does no better "
       "than guessing without looking at the release."});
  return figure;
}

std::string reference_curves_in_words() {
  std::string levels;
  for (const FamiliarLevel& level : kFamiliarLevels) {
    levels += fmt::format("{}epsilon = {:g}, {}", levels.empty() ? "" : ", and ", level.epsilon,
                          level.words);
  }
  return fmt::format("The grey curves are pure differential privacy at {}.", levels);
}

const ReleasedTable* table_named(const ReleaseDocument& document, std::string_view name) {
  for (const auto* tables : {&document.tables, &document.drawn}) {
    for (const ReleasedTable& table : *tables) {
      if (table.name == name && table.values.size() > 0) {
        return &table;
      }
    }
  }
  return nullptr;
}

std::optional<Directions> directions_of(const ReleaseDocument& document) {
  const auto* scaled = field<std::vector<double>>(document.result, "noisy_scaled_eigenvalues");
  const auto* values =
      scaled != nullptr ? scaled : field<std::vector<double>>(document.result, "noisy_eigenvalues");
  if (values == nullptr || values->empty()) {
    return std::nullopt;
  }
  const auto* floor =
      field<double>(document.result, scaled != nullptr ? "scaled_noise_floor" : "noise_floor");
  Directions found{*values, floor != nullptr ? std::optional(*floor) : std::nullopt,
                   scaled != nullptr};
  if (const auto* told = field<std::int64_t>(document.result, "told_directions")) {
    found.told = *told;
  }
  if (const auto* edge = field<double>(document.result, "told_edge")) {
    found.edge = *edge;
  }
  std::sort(found.variances.begin(), found.variances.end(), std::greater<>());
  return found;
}

std::string undecided_in_words(const ReleaseDocument& document) {
  const auto* floor = field<double>(document.result, "noise_floor");
  if (floor == nullptr ||
      field<std::vector<double>>(document.result, "noisy_explained_variance") == nullptr ||
      field<std::vector<double>>(document.result, "noise_edge") != nullptr) {
    return "";
  }
  return fmt::format(
      "a variance below {:.4g} cannot be told from zero; whether there is more along these "
      "directions than along those left out, this release does not say",
      *floor);
}

std::optional<Figure> scree_figure(const ReleaseDocument& document) {
  const auto* variances = field<std::vector<double>>(document.result, "noisy_explained_variance");
  const bool components = variances != nullptr;
  const std::optional<Directions> directions = components ? std::nullopt : directions_of(document);
  if (!directions && (!components || variances->empty())) {
    return std::nullopt;
  }
  std::vector<double> values = components ? *variances : directions->variances;
  std::sort(values.begin(), values.end(), std::greater<>());
  const std::size_t shown = std::min(values.size(), kMostEigenvalues);
  FigureSeries series;
  series.name = components ? "noisy explained variance" : "noisy eigenvalue";
  series.kind = shown <= 12 ? SeriesKind::Bars : SeriesKind::Points;
  series.y.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown));
  const auto* low = field<std::vector<double>>(document.result, "variance_low");
  const auto* high = field<std::vector<double>>(document.result, "variance_high");
  const bool limits = components && low != nullptr && high != nullptr &&
                      low->size() == values.size() && high->size() == values.size();
  if (limits) {
    series.low.assign(low->begin(), low->begin() + static_cast<std::ptrdiff_t>(shown));
    series.high.assign(high->begin(), high->begin() + static_cast<std::ptrdiff_t>(shown));
  }
  FigurePanel panel;
  for (std::size_t i = 1; i <= shown; ++i) {
    series.x.push_back(static_cast<double>(i));
    if (shown <= 12) {
      panel.x.categories.push_back(components ? fmt::format("PC{}", i) : fmt::format("{}", i));
    }
  }
  Figure figure;
  figure.width = kPhoneWidth;
  figure.title = components ? "Variance of the components" : "Eigenvalues of the covariance";
  figure.description =
      fmt::format("The {} largest {}s and the limit of noise alone.", shown, series.name);
  panel.x.label = components ? "component" : "eigenvalue, largest first";
  panel.y.label = series.name;
  panel.series.push_back(std::move(series));
  add_noise_level(document, directions, shown, panel, figure);
  if (limits) {
    figure.notes.push_back(
        {"Bars hold the variances of the clipped rows, all of them, with probability 0.95 "
         "(Weyl)."});
  }
  if (shown < values.size()) {
    figure.notes.push_back({fmt::format("The first {} of {}.", shown, values.size())});
  }
  figure.panels.push_back(std::move(panel));
  add_basis_note(figure, document.guarantee().basis);
  return figure;
}

std::optional<Figure> loadings_figure(const ReleaseDocument& document) {
  const ReleasedTable* table = table_named(document, "loadings");
  if (table == nullptr) {
    return std::nullopt;
  }
  const Eigen::Index components = std::min(kMostComponents, table->values.cols());
  const Matrix first = table->values.leftCols(components);
  const std::vector<Eigen::Index> rows = leading(first.rowwise().squaredNorm(), kMostRows);
  std::vector<Eigen::Index> columns(static_cast<std::size_t>(components));
  std::iota(columns.begin(), columns.end(), Eigen::Index{0});
  HeatMap map = heat_map_of(*table, rows, columns);
  map.name = "loading";
  Figure figure = heat_map_figure(document, std::move(map));
  figure.title = "Loadings";
  figure.description = "How much each column contributes to each private component.";
  if (table->values.rows() > kMostRows) {
    figure.notes.push_back(
        {fmt::format("{} of {} columns: those with the largest released "
                     "loadings. The file has all of them.",
                     kMostRows, table->values.rows())});
  }
  if (table->values.cols() > components) {
    figure.notes.push_back(
        {fmt::format("The first {} of {} components.", components, table->values.cols())});
  }
  return figure;
}

std::optional<Figure> covariance_figure(const ReleaseDocument& document) {
  const bool cut = document.task == "lowrank";
  const ReleasedTable* table = table_named(document, cut ? "lowrank" : "covariance");
  if (table == nullptr || table->values.rows() != table->values.cols()) {
    return std::nullopt;
  }
  std::vector<Eigen::Index> rows = leading(table->values.diagonal(), kMostRows);
  const auto* sd = field<std::vector<double>>(document.result, "noisy_variance_sd");
  const std::optional<Directions> directions = directions_of(document);
  const bool divided =
      directions && directions->scaled && sd != nullptr && std::ssize(*sd) == table->values.rows();
  std::vector<std::string> left_out;
  if (divided) {
    rows = columns_above_noise(*table, *sd, left_out);
  }
  HeatMap map = heat_map_of(*table, rows, rows);
  map.name = divided ? "correlation" : "covariance";
  if (divided) {
    const Vector inverse = map.values.diagonal().cwiseSqrt().cwiseInverse();
    map.values = inverse.asDiagonal() * map.values * inverse.asDiagonal();
  }
  Figure figure = heat_map_figure(document, std::move(map));
  figure.title = divided ? "Private correlations"
                 : cut   ? "The covariance they make up"
                         : "Private covariance";
  figure.description =
      divided ? "Released covariances over the released standard deviations of both columns."
              : "The released covariance between columns.";
  if (divided) {
    figure.notes.push_back(
        {"Columns are in several units: covariances are drawn over both "
         "released standard deviations. The files have them as they are."});
  }
  if (!left_out.empty()) {
    figure.notes.push_back(
        {fmt::format("Left out, variance below {:g} deviations of its noise: {}.", kVarianceRule,
                     fmt::join(left_out, ", "))});
  }
  if (static_cast<Eigen::Index>(rows.size() + left_out.size()) < table->values.rows()) {
    figure.notes.push_back(
        {fmt::format("{} of {} columns: those with the largest released "
                     "variances{}. The file has all of them.",
                     rows.size(), table->values.rows(), divided ? " beside their noise" : "")});
  }
  return figure;
}

std::optional<Figure> correlations_figure(const ReleaseDocument& document) {
  const ReleasedTable* table = table_named(document, "correlations");
  if (table == nullptr) {
    return std::nullopt;
  }
  const Vector known = table->values.array().isFinite().cast<double>().rowwise().sum();
  const std::vector<Eigen::Index> rows = leading(known, kMostRows);
  HeatMap map = heat_map_of(*table, rows, rows);
  map.name = "correlation";
  Figure figure = heat_map_figure(document, std::move(map));
  figure.title = "Correlations in the pseudo-data, noise removed";
  figure.description = table->description;
  if (table->values.rows() > kMostRows) {
    figure.notes.push_back({fmt::format("{} of {} columns.", kMostRows, table->values.rows())});
  }
  if (known.sum() < static_cast<double>(table->values.size())) {
    figure.notes.push_back({"Empty: the noise leaves no variance of that column to divide by."});
  }
  return figure;
}

std::optional<Figure> null_figure(const ReleaseDocument& document) {
  std::string reason = null_reason(document);
  if (reason.empty()) {
    return std::nullopt;
  }
  reason.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(reason.front())));
  reason += '.';
  Figure figure;
  figure.width = kPhoneWidth;
  figure.title = "The answer is NULL";
  figure.description = reason;
  figure.notes.push_back({reason, NoteLevel::Caution});
  figure.notes.push_back(
      {"A legal answer, covered by the guarantee like any other; its budget is spent."});
  add_basis_note(figure, document.guarantee().basis);
  return figure;
}

std::vector<Figure> result_figures(const ReleaseDocument& document) {
  std::vector<Figure> figures;
  for (auto* make : {null_figure, scree_figure, loadings_figure, covariance_figure,
                     correlations_figure, scores_figure, score_levels_figure}) {
    if (std::optional<Figure> figure = make(document)) {
      figures.push_back(std::move(*figure));
    }
  }
  return figures;
}

}  // namespace eigenveil
