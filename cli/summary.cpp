#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numeric>

#include "core/parameter_names.hpp"
#include "eigenveil/report/fields.hpp"
#include "report/report_figures.hpp"
#include "report/table_format.hpp"

namespace eigenveil::cli {
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
void print_loadings_alone(const ReleaseDocument& document) {
  const ReleasedTable* found = table_like(document, "loadings");
  if (document.task != "pca" || found == nullptr || found->name != "loadings") {
    return;
  }
  const ReleasedTable& loadings = *found;
  fmt::print("\n  {:<10}   {}\n", "component", "largest loadings");
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(loadings.values.cols(), 10); ++j) {
    fmt::print("  {:<10}   {}\n", fmt::format("PC{}", j + 1), leading_columns(document, j));
  }
  fmt::print("\n");
}

/// Whether the list of this name holds a text.
bool lists(const Fields& fields, std::string_view list, const std::string& text) {
  const auto* texts = field<std::vector<std::string>>(fields, list);
  return texts != nullptr && std::find(texts->begin(), texts->end(), text) != texts->end();
}

void print_components(const ReleaseDocument& document) {
  const auto* variance = field<std::vector<double>>(document.result, "noisy_explained_variance");
  const auto* share = field<std::vector<double>>(document.result, "noisy_explained_share");
  const auto* edge = field<std::vector<double>>(document.result, "noise_edge");
  if (variance == nullptr || table_like(document, "loadings") == nullptr) {
    print_loadings_alone(document);
    return;
  }
  const auto share_of = [&](std::size_t j) {  // noise has no share
    return share != nullptr && std::isfinite((*share)[j])
               ? fmt::format("{:.1f}%", 100.0 * (*share)[j])
               : std::string();
  };
  fmt::print("\n  {:<10}{:>14}{:>9}{:>13}   {}\n", "component", "variance",
             share != nullptr ? "share" : "", "must exceed", "largest loadings");
  constexpr std::size_t kListed = 10;
  for (std::size_t j = 0; j < std::min(variance->size(), kListed); ++j) {
    const std::string name = fmt::format("PC{}", j + 1);
    fmt::print("  {:<10}{:>14.5g}{:>9}{:>13.4g}   {}{}{}\n", name, (*variance)[j], share_of(j),
               (*edge)[j], leading_columns(document, static_cast<Eigen::Index>(j)),
               lists(document.result, "below_noise", name) ? "   (cannot be told from noise)" : "",
               lists(document.result, "clipped_to_largest_possible", name)
                   ? "   (clipped to the largest the bounds allow)"
                   : "");
  }
  if (variance->size() > kListed) {
    fmt::print("  and {} more in the files\n", variance->size() - kListed);
  }
  fmt::print("\n");
}

std::string rows_in_words(double rows, std::int64_t blocks) {
  return fmt::format("{:.0f}{} (exact: public for these neighbours)", rows,
                     blocks > 1 ? fmt::format(" in {} blocks", blocks) : "");
}

/// What every release says, as far as its fields have it; then a method's own remarks.
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
                                                document.guarantee.secure_random
                                                    ? "the published rule is unsound"
                                                    : "the randomness is known ({seed})")});
  }
  lines.push_back({"guarantee", headline(document.guarantee, document.requested)});
  lines.push_back({"in words", detection_in_words(document.guarantee)});
  if (max_power(document.guarantee.loss, 0.05) > 0.9) {
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
                              "directions are above",
                              *directions->floor, above, directions->variances.size())});
  } else if (const auto* floor = field<double>(result, "noise_floor")) {
    lines.push_back(
        {"floor", fmt::format("noise alone passes a variance of {:.4g} in one release of twenty "
                              "at most",
                              *floor)});
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

/// Without --out a small table is still worth seeing.
void print_small_table(const ReleaseDocument& document) {
  constexpr Eigen::Index kLargest = 12;
  if (document.tables.empty()) {
    return;
  }
  const ReleasedTable& table = document.tables.front();
  if (document.task != "pca" && table.values.rows() <= kLargest) {
    fmt::print("\n{}", table_csv(table));
    if (has_imaginary_part(document)) {
      fmt::print("\nimaginary part\n{}", table_csv(document.tables[1]));
    }
  }
}

}  // namespace

void print_lines(const std::string& title, const std::vector<FactLine>& lines) {
  if (!title.empty()) {
    fmt::print("{}\n", title);
  }
  for (const FactLine& line : lines) {
    fmt::print("  {:<12}{}\n", line.label, for_command_line(line.text));
  }
}

void print_facts(const PlanFacts& facts, bool json) {
  if (json) {
    fmt::print("{}\n", for_command_line(facts.json));
  } else {
    print_lines(facts.title, facts.lines);
  }
}

void print_release(const TableOutcome& outcome, const OutputOptions& output,
                   const std::string& input) {
  const ReleaseDocument& document = outcome.document;
  if (outcome.again) {
    if (!output.json) {
      fmt::print(
          "the release of entry {} is in {}: the same bits, nothing was charged, and no row of {} "
          "was read\n",
          outcome.entry, output.out, input);
    }
    return;
  }
  if (output.json) {
    fmt::print("{}", summary_json(document));
    return;
  }
  print_lines(title(document, input), summary_lines(document, outcome.bounds));
  print_components(document);
  for (const std::string& warning : outcome.warnings) {
    print_lines("", {{"warning", warning}});
  }
  if (!outcome.charged.empty()) {
    print_lines("", {{"ledger", outcome.charged}});
  }
  if (output.out.empty()) {
    print_small_table(document);
    fmt::print(
        "\n  nothing was written: give --out DIR to keep this release (running again spends "
        "again)\n");
    return;
  }
  std::string names;
  for (const std::filesystem::path& file : outcome.files) {
    names += "  " + file.string();
  }
  fmt::print("  wrote     {}\n", names);
}

Outcome publish(ReleaseDocument document, const OutputOptions& output, const std::string& input,
                const ReleaseTarget& target) {
  document.data_set = output.data_set;
  document.date = output.date;
  Result<WrittenRelease> written = output.out.empty() ? WrittenRelease{std::move(document), {}}
                                                      : write_release(std::move(document), target);
  return std::move(written).map([&](WrittenRelease kept) {
    print_release({std::move(kept.document), {}, std::move(kept.files)}, output, input);
  });
}

}  // namespace eigenveil::cli
