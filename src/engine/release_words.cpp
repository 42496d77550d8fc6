#include "engine/release_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "eigenveil/engine/request.hpp"
#include "eigenveil/report/fields.hpp"
#include "report/report_figures.hpp"
#include "report/table_format.hpp"

namespace eigenveil {
namespace {

/// What was released, as a noun.
std::string subject(const ReleaseDocument& document) {
  if (document.task == "pca") {
    return "principal components";
  }
  if (document.task == "mask") {
    return document.streamed.empty() ? "second moment" : "pseudo-data";
  }
  return document.task == "collect" ? "second moment" : document.task;
}

std::string title(const ReleaseDocument& document, const std::string& input) {
  const auto* columns = field<std::vector<std::string>>(document.parameters, "columns");
  const auto* count = field<std::int64_t>(document.parameters, "components");
  // The document counts the constant coordinate of an affine subspace, who asked for it does not.
  const auto* affine = field<bool>(document.parameters, "affine");
  const unsigned constant = affine != nullptr && *affine ? 1 : 0;
  const std::size_t shown = columns->size() - constant;
  return fmt::format("Private {} of {}  ({} column{}{}, method {})", subject(document), input,
                     shown, shown == 1 ? "" : "s",
                     count != nullptr ? fmt::format(", k = {}", *count - constant) : "",
                     document.method);
}

/// The first table whose name starts so; null without one.
const ReleasedTable* table_like(const ReleaseDocument& document, std::string_view start) {
  const auto found =
      std::find_if(document.tables.begin(), document.tables.end(),
                   [&](const ReleasedTable& table) { return table.name.starts_with(start); });
  return found == document.tables.end() ? nullptr : &*found;
}

/// Complex rows: the table after the real part.
bool has_imaginary_part(const ReleaseDocument& document) {
  return document.tables.size() > 1 && document.tables.front().name.ends_with("_real") &&
         document.tables[1].name.ends_with("_imaginary");
}

/// Loadings of one component; those of real rows have imaginary part 0.
Eigen::VectorXcd loadings_of(const ReleaseDocument& document, Eigen::Index component) {
  Eigen::VectorXcd loading =
      table_like(document, "loadings")->values.col(component).cast<std::complex<double>>();
  if (has_imaginary_part(document)) {
    loading += std::complex<double>(0.0, 1.0) *
               document.tables[1].values.col(component).cast<std::complex<double>>();
  }
  return loading;
}

/// The names that carry a component, largest loadings (by modulus) first.
std::string leading_columns(const ReleaseDocument& document, Eigen::Index component) {
  constexpr std::size_t kShown = 4;
  const ReleasedTable& loadings = *table_like(document, "loadings");
  std::vector<Eigen::Index> order(static_cast<std::size_t>(loadings.values.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Eigen::VectorXcd loading = loadings_of(document, component);
  const std::size_t shown = std::min(kShown, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
      [&](Eigen::Index a, Eigen::Index b) { return std::abs(loading[a]) > std::abs(loading[b]); });
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::complex<double> value = loading[order[i]];
    text += fmt::format("{}{} {:+.2f}{}", i > 0 ? ", " : "",
                        loadings.row_names[static_cast<std::size_t>(order[i])], value.real(),
                        has_imaginary_part(document) ? fmt::format("{:+.2f}i", value.imag()) : "");
  }
  return text;
}

/// Of a method that releases directions and no variances.
std::string loadings_alone(const ReleaseDocument& document) {
  const ReleasedTable* found = table_like(document, "loadings");
  if (document.task != "pca" || found == nullptr || found->name != "loadings") {
    return {};
  }
  const ReleasedTable& loadings = *found;
  std::string text = fmt::format("\n  {:<10}   {}\n", "component", "largest loadings");
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(loadings.values.cols(), 10); ++j) {
    text +=
        fmt::format("  {:<10}   {}\n", fmt::format("PC{}", j + 1), leading_columns(document, j));
  }
  return text + "\n";
}

/// Whether the list of this name holds a text.
bool lists(const Fields& fields, std::string_view list, const std::string& text) {
  const auto* texts = field<std::vector<std::string>>(fields, list);
  return texts != nullptr && std::find(texts->begin(), texts->end(), text) != texts->end();
}

std::string components_in_words(const ReleaseDocument& document) {
  const auto* variance = field<std::vector<double>>(document.result, "noisy_explained_variance");
  const auto* share = field<std::vector<double>>(document.result, "noisy_explained_share");
  const auto* edge = field<std::vector<double>>(document.result, "noise_edge");
  if (variance == nullptr || table_like(document, "loadings") == nullptr) {
    return loadings_alone(document);
  }
  const auto share_of = [&](std::size_t j) {  // noise has no share
    return share != nullptr && std::isfinite((*share)[j])
               ? fmt::format("{:.1f}%", 100.0 * (*share)[j])
               : std::string();
  };
  std::string text = fmt::format("\n  {:<10}{:>14}{:>9}{:>13}   {}\n", "component", "variance",
                                 share != nullptr ? "share" : "",
                                 edge != nullptr ? "must exceed" : "", "largest loadings");
  constexpr std::size_t kListed = 10;
  for (std::size_t j = 0; j < std::min(variance->size(), kListed); ++j) {
    const std::string name = fmt::format("PC{}", j + 1);
    text += fmt::format(
        "  {:<10}{:>14.5g}{:>9}{:>13}   {}{}{}\n", name, (*variance)[j], share_of(j),
        edge != nullptr ? fmt::format("{:.4g}", (*edge)[j]) : "",
        leading_columns(document, static_cast<Eigen::Index>(j)),
        lists(document.result, "below_noise", name) ? "   (cannot be told from noise)" : "",
        lists(document.result, "clipped_to_largest_possible", name)
            ? "   (clipped to the largest the bounds allow)"
            : "");
  }
  if (variance->size() > kListed) {
    text += fmt::format("  and {} more in the files\n", variance->size() - kListed);
  }
  return text + "\n";
}

std::string rows_in_words(double rows, std::int64_t blocks) {
  return fmt::format("{:.0f}{} (exact: public for these neighbours)", rows,
                     blocks > 1 ? fmt::format(" in {} blocks", blocks) : "");
}

}  // namespace

std::vector<FactLine> summary_lines(const ReleaseDocument& document, const std::string& bounds) {
  const Fields& parameters = document.parameters;
  const Fields& result = document.result;
  std::vector<FactLine> lines;
  const auto text_of = [&](const char* label, const Fields& fields, const char* name) {
    if (const auto* text = field<std::string>(fields, name)) {
      lines.push_back({label, *text});
    }
  };
  if (!document.is_private()) {
    lines.push_back({"NOT PRIVATE", fmt::format("{}: do not publish this result",
                                                document.guarantee().secure_random
                                                    ? "the published rule is unsound"
                                                    : "the randomness is known ({seed})")});
  }
  lines.push_back({"guarantee", headline(document.guarantee(), document.requested)});
  lines.push_back({"in words", detection_in_words(document.guarantee())});
  if (max_power(document.guarantee().loss, 0.05) > 0.9) {
    lines.push_back({"warning", "this budget hides almost nothing; spend less"});
  }
  if (!bounds.empty()) {
    lines.push_back({"bounds", bounds});
  }
  if (const Result<Task> task = parse_task(document.task); task && has_center(*task)) {
    text_of("about", parameters, "center");
  }
  text_of("missing", parameters, "missing_cells");
  if (const auto* rows = field<double>(result, "noisy_rows")) {
    const double sd = *field<double>(result, "noisy_rows_sd");
    lines.push_back(
        {"rows",
         fmt::format("about {:.0f} (noisy, standard deviation {:.2g}){}", *rows, sd,
                     *rows < 5.0 * sd ? ": too few for this budget, expect noise only" : "")});
  }
  for (const Fields* fields : {&parameters, &result}) {
    if (const auto* rows = field<double>(*fields, "rows")) {
      const auto* blocks = field<std::int64_t>(*fields, "blocks");
      lines.push_back({"rows", rows_in_words(*rows, blocks != nullptr ? *blocks : 1)});
    }
  }
  if (const auto* diagonal = field<double>(result, "entry_noise_sd_diagonal_scaled")) {
    lines.push_back(
        {"noise",
         fmt::format("standard deviation {:.3g} on a variance, {:.3g} on a "
                     "covariance (scaled units)",
                     *diagonal, *field<double>(result, "entry_noise_sd_off_diagonal_scaled"))});
  }
  if (const std::optional<Directions> directions = directions_of(document);
      directions && directions->scaled && directions->floor) {
    const auto above = std::count_if(directions->variances.begin(), directions->variances.end(),
                                     [&](double one) { return one > *directions->floor; });
    lines.push_back(
        {"floor", fmt::format("with each column over half its public range, noise alone passes a "
                              "variance of {:.4g} in one release of twenty at most: {} of {} "
                              "variances are above",
                              *directions->floor, above, directions->variances.size())});
  } else if (const std::string undecided = undecided_in_words(document); !undecided.empty()) {
    lines.push_back({"floor", undecided});
  } else if (const auto* floor = field<double>(result, "noise_floor")) {
    lines.push_back(
        {"floor", fmt::format("noise alone passes a variance of {:.4g} in one release of twenty "
                              "at most",
                              *floor)});
  }
  if (const auto* edge = field<double>(result, "told_edge")) {
    const auto* told = field<std::int64_t>(result, "told_directions");
    lines.push_back({"edge", fmt::format("{} directions are told from noise: a variance above "
                                         "{:.4g}, beside the directions after them",
                                         told != nullptr && *told > 0 ? fmt::format("{}", *told)
                                                                      : std::string("no"),
                                         *edge)});
  }
  if (const auto* sd = field<double>(result, "variance_noise_sd")) {
    const auto* units = field<std::string>(parameters, "units");
    lines.push_back(
        {"noise", fmt::format("directions are drawn; standard deviation {:.3g} on a variance{}",
                              *sd, units != nullptr ? fmt::format(" (units: {})", *units) : "")});
  }
  lines.insert(lines.end(), document.remarks.begin(), document.remarks.end());
  return lines;
}

std::string lines_in_words(const std::vector<FactLine>& lines, const SpellText& spell) {
  std::string text;
  for (const FactLine& line : lines) {
    text += fmt::format("  {:<12}{}\n", line.label, spell(line.text));
  }
  return text;
}

std::string release_in_words(const ReleaseDocument& document, const std::string& bounds,
                             const std::string& input, const SpellText& spell) {
  return title(document, input) + "\n" + lines_in_words(summary_lines(document, bounds), spell) +
         components_in_words(document);
}

std::string small_table(const ReleaseDocument& document) {
  constexpr Eigen::Index kLargest = 12;
  if (document.tables.empty() || document.task == "pca" ||
      document.tables.front().values.rows() > kLargest) {
    return {};
  }
  std::string text = "\n" + table_csv(document.tables.front());
  if (has_imaginary_part(document)) {
    text += "\nimaginary part\n" + table_csv(document.tables[1]);
  }
  return text;
}

}  // namespace eigenveil
