#include "cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numeric>

#include "cli/subspace/summary.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/report/fields.hpp"
#include "report/table_format.hpp"

namespace eigenveil::cli {
namespace {

std::string title(const ReleaseDocument& document, const TerminalNotes& notes) {
  const auto* columns = field<std::vector<std::string>>(document.parameters, "columns");
  const auto* count = field<std::int64_t>(document.parameters, "components");
  return fmt::format("Private {} of {}  ({} column{}{}, method {})",
                     document.task == "pca" ? "principal components" : document.task, notes.input,
                     columns->size(), columns->size() == 1 ? "" : "s",
                     count != nullptr ? fmt::format(", k = {}", *count) : "", document.method);
}

/// Complex rows: the table after the real part.
bool has_imaginary_part(const ReleaseDocument& document) {
  return document.tables.size() > 1 && document.tables.front().name.ends_with("_real") &&
         document.tables[1].name.ends_with("_imaginary");
}

/// Loadings of one component; those of real rows have imaginary part 0.
Eigen::VectorXcd loadings_of(const ReleaseDocument& document, Eigen::Index component) {
  Eigen::VectorXcd loading =
      document.tables.front().values.col(component).cast<std::complex<double>>();
  if (has_imaginary_part(document)) {
    loading += std::complex<double>(0.0, 1.0) *
               document.tables[1].values.col(component).cast<std::complex<double>>();
  }
  return loading;
}

/// The names that carry a component, largest loadings (by modulus) first.
std::string leading_columns(const ReleaseDocument& document, Eigen::Index component) {
  constexpr std::size_t kShown = 4;
  const ReleasedTable& loadings = document.tables.front();
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
  if (document.task != "pca" || document.tables.empty() ||
      document.tables.front().name != "loadings") {
    return;
  }
  const ReleasedTable& loadings = document.tables.front();
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
  if (variance == nullptr) {
    print_loadings_alone(document);
    return;
  }
  const auto share_of = [&](std::size_t j) {  // noise has no share
    return share != nullptr && std::isfinite((*share)[j])
               ? fmt::format("{:.1f}%", 100.0 * (*share)[j])
               : std::string();
  };
  fmt::print("\n  {:<10}{:>14}{:>9}{:>13}   {}\n", "component", "variance",
             share != nullptr ? "share" : "", "noise shows", "largest loadings");
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

void print_summary(const ReleaseDocument& document, const TerminalNotes& notes) {
  fmt::print("{}\n", title(document, notes));
  if (!document.is_private()) {
    fmt::print("  NOT PRIVATE the randomness is known (--seed): do not publish this result\n");
  }
  fmt::print("  guarantee   {}\n", headline(document.guarantee, document.requested));
  fmt::print("  in words    {}\n", detection_in_words(document.guarantee));
  if (max_power(document.guarantee.loss, 0.05) > 0.9) {
    fmt::print("  warning     this budget hides almost nothing; spend less\n");
  }
  fmt::print("  bounds      {}\n", for_command_line(notes.bounds));
  if (const auto* center = field<std::string>(document.parameters, "center")) {
    fmt::print("  about       {}\n", *center);
  }
  if (const auto* rows = field<double>(document.result, "noisy_rows")) {
    const double sd = *field<double>(document.result, "noisy_rows_sd");
    fmt::print("  rows        about {:.0f} (noisy, standard deviation {:.2g}){}\n", *rows, sd,
               *rows < 5.0 * sd ? ": too few for this budget, expect noise only" : "");
  }
  if (const auto* rows = field<double>(document.result, "rows")) {
    fmt::print("  rows        {:.0f} (exact: public for these neighbours)\n", *rows);
  }
  if (const auto* diagonal = field<double>(document.result, "entry_noise_sd_diagonal_scaled")) {
    fmt::print(
        "  noise       standard deviation {:.3g} on a variance, {:.3g} on a covariance (scaled "
        "units)\n",
        *diagonal, *field<double>(document.result, "entry_noise_sd_off_diagonal_scaled"));
  }
  if (const auto* sd = field<double>(document.result, "variance_noise_sd")) {
    const auto* units = field<std::string>(document.parameters, "units");
    fmt::print("  noise       directions are drawn; standard deviation {:.3g} on a variance{}\n",
               *sd, units != nullptr ? fmt::format(" (units: {})", *units) : "");
  }
  for (const FactLine& line : document.remarks) {
    fmt::print("  {:<12}{}\n", line.label, for_command_line(line.text));
  }
  print_components(document);
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

Outcome publish_as(const ReleaseDocument& document, const OutputOptions& output,
                   const std::function<void()>& print) {
  std::string written;
  if (!output.out.empty()) {
    const Result<std::vector<std::string>> names =
        write_release(document, output.table_format(), output.out);
    if (!names) {
      return error_of(names);
    }
    for (const std::string& name : *names) {
      written += "  " + (std::filesystem::path(output.out) / name).string();
    }
  }
  if (output.json) {
    fmt::print("{}", summary_json(document));
    return {};
  }
  print();
  if (written.empty()) {
    fmt::print(
        "\n  nothing was written: give --out DIR to keep this release (running again spends "
        "again)\n");
  } else {
    fmt::print("  wrote     {}\n", written);
  }
  return {};
}

Outcome publish(const ReleaseDocument& document, const OutputOptions& output,
                const TerminalNotes& notes) {
  if (field<std::int64_t>(document.parameters, "within_subspace") != nullptr) {
    return publish_subspace(document, output, notes.input);
  }
  return publish_as(document, output, [&] {
    print_summary(document, notes);
    if (!output.warning.empty()) {
      fmt::print("  warning     {}\n", for_command_line(output.warning));
    }
    if (output.out.empty()) {
      print_small_table(document);
    }
  });
}

}  // namespace eigenveil::cli
