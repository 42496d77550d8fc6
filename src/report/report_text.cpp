#include "report/report_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "eigenveil/core/version.hpp"
#include "report/html_report.hpp"
#include "report/not_protected.hpp"

namespace eigenveil {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

constexpr std::array kTasks = {NamePair{"pca", "principal components"},
                               NamePair{"lowrank", "low-rank approximation"},
                               NamePair{"subspace", "subspace"}, NamePair{"mask", "pseudo-data"},
                               NamePair{"collect", "second moment, collected without a curator"}};

constexpr std::array kFieldTitles = {
    NamePair{"row_norm", "bound on the norm of a row"},
    NamePair{"grid", "largest integer on the rounding grid"},
    NamePair{"grid_unit", "step of the rounding grid"},
    NamePair{"range_low", "public lower bounds of the columns"},
    NamePair{"range_high", "public upper bounds of the columns"},
    NamePair{"center", "centred about"},
    NamePair{"neighbours", "neighbouring data sets"},
    NamePair{"group_size", "rows protected together"},
    NamePair{"sensitivity_in_grid_units", "sensitivity, in grid units"},
    NamePair{"noise_sd_diagonal", "standard deviation of the noise on sums of squares"},
    NamePair{"noise_sd_off_diagonal", "standard deviation of the noise on sums of products"},
    NamePair{"noise_sd_trace", "standard deviation of the noise on the sum of all squares"},
    NamePair{"noisy_rows", "number of rows, noisy"},
    NamePair{"noisy_rows_sd", "standard deviation of that number"},
    NamePair{"rows", "number of rows (public)"},
    NamePair{"noise_floor",
             "noise floor: a variance that noise alone passes in 5% of releases at most"},
    NamePair{"noisy_variance_sd", "standard deviation of the noise on each variance"},
    NamePair{"noisy_scaled_eigenvalues", "eigenvalues with each column over half its public range"},
    NamePair{"scaled_noise_floor", "noise floor of those"},
    NamePair{"told_directions", "directions told from noise: those that stand out of the others"},
    NamePair{"told_edge", "the variance that each of them exceeds"},
    NamePair{"entry_noise_sd_diagonal_scaled",
             "standard deviation of the noise on a variance (scaled units)"},
    NamePair{"entry_noise_sd_off_diagonal_scaled",
             "standard deviation of the noise on a covariance (scaled units)"},
    NamePair{"sum_noise_sd_scaled", "standard deviation of the noise on a sum (scaled units)"},
    NamePair{"noise_edge",
             "what a component must exceed: in 19 of 20 releases there is, along all that do, more "
             "variance than along those left out on average"},
    NamePair{"below_noise", "components that cannot be told from noise"},
    NamePair{"largest_possible_variance", "largest variance the bounds allow"},
    NamePair{"clipped_to_largest_possible", "variances clipped to it"},
    NamePair{"noisy_explained_variance", "variance along each component, noisy"},
    NamePair{"noisy_explained_share", "share of the total variance, noisy"},
    NamePair{"variance_low", "95% limits of the variances, all together: lower ends"},
    NamePair{"variance_high", "upper ends"},
    NamePair{"axis_shares", "share of the total variance along the axes, noisy"},
    NamePair{"axis_shares_inside_basis",
             "share of the variance inside the public basis along the axes, noisy"},
    NamePair{"levels", "public levels of the label"},
    NamePair{"reach", "ends of the grid along the axes"},
    NamePair{"noise_sd_count", "standard deviation of the noise on a count"},
    NamePair{"correlation", "columns divided by their released deviations"},
    NamePair{"variance_rule_deviations",
             "a column is left out unless its variance is above so many deviations of its noise"},
    NamePair{"noisy_column_deviations", "standard deviation of each column, noisy"},
    NamePair{"left_out_columns", "columns left out: variance within its noise"},
    NamePair{"pairwise_columns", "columns whose missing cells are left out pair by pair"},
    NamePair{"pairwise_constant", "constant that carries their counts (scaled units)"},
    NamePair{"noisy_mean_sd", "standard deviation of the noise on each mean"},
    NamePair{"refused_entries", "refused: noise hides how many rows have them"},
    NamePair{"repair_dropped_eigenvalues", "negative eigenvalues dropped"},
    NamePair{"repair_added_variance", "total variance that adds"},
    NamePair{"repair_largest_change", "largest change of an entry by it"},
    NamePair{"noise_edge_rule", "what a component must exceed is"},
    NamePair{"passes", "passes over the rows"},
    NamePair{"relative_residual", "residual of each component, of the largest variance"},
    NamePair{"not_converged", "components that the last pass still moved"},
    NamePair{"noisy_effective_rows", "rows of equal weight these are worth (Kish), noisy"},
    NamePair{"noisy_effective_rows_sd", "standard deviation of that number"},
    NamePair{"outcome", "answer"},
    NamePair{"null", "the answer is NULL"},
    NamePair{"gap_lower_bound_of_sum", "lower bound on the eigengap of the sum over rows, noisy"},
    NamePair{"gap_noise_sd", "standard deviation of that bound"},
    NamePair{"projector_noise_sd", "standard deviation of the noise on the projector"},
    NamePair{"noise_angle",
             "sine of the largest angle by which noise turns it, but for one in 1000"},
    NamePair{"reference_noise_sd", "standard deviation of the noise on the reference points"},
    NamePair{"calibration_rows", "number of rows the noise was calibrated for, noisy"},
    NamePair{"noisy_missing_cells", "missing cells of each column, noisy"},
    NamePair{"hidden_by_noise", "columns whose range noise hides"},
    NamePair{"share_noise_may_cut_off", "share of the rows that noise may leave outside of ranges"},
    NamePair{"cut_off_warning", "warning"},
    NamePair{"private_bounds_used", "warning of the private bounds it is made with"}};

template <class Pairs>
std::string lookup(const Pairs& pairs, const std::string& name) {
  for (const auto& [key, title] : pairs) {
    if (key == name) {
      return std::string(title);
    }
  }
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string join(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) {
    line += (line.empty() ? "" : "; ") + text;
  }
  return line;
}

}  // namespace

std::string sentence(std::string words) {
  if (!words.empty()) {
    words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
    words += words.back() == '.' ? "" : ".";
  }
  return words;
}

std::string report_title(const ReleaseDocument& document) {
  const std::string task = lookup(kTasks, document.task);
  if (document.is_private()) {
    return "Private " + task;
  }
  std::string title = sentence(task);
  title.pop_back();
  return title + " (NOT PRIVATE)";
}

std::string convergence_in_words(const ReleaseDocument& document) {
  const auto* names = field<std::vector<std::string>>(document.result, "not_converged");
  const auto* passes = field<std::int64_t>(document.result, "passes");
  if (names == nullptr || names->empty() || passes == nullptr) {
    return "";
  }
  return fmt::format("not converged after {} {}: {}", *passes, *passes == 1 ? "pass" : "passes",
                     fmt::join(*names, ", "));
}

std::string field_title(const std::string& name) {
  return lookup(kFieldTitles, name);
}

std::string not_private_reason(const Guarantee& guarantee) {
  return guarantee.secure_random
             ? "It was made by a published rule that is known to be unsound."
             : "Its randomness came from a known seed, so the noise can be subtracted.";
}

std::string disclosure_statement(const ReleaseDocument& document) {
  if (!document.is_private()) {
    return fmt::format(
        "NOT PRIVATE. This output of Eigenveil {} is for tests and reproduction only and must not "
        "be published as a private release. {}\n",
        kVersion, not_private_reason(document.guarantee()));
  }
  std::string text;
  if (!document.data_set.empty()) {
    text += fmt::format("Data set: {}\n", document.data_set);
  }
  if (!document.date.empty()) {
    text += fmt::format("Date: {}\n", document.date);
  }
  text += fmt::format(
      "{}, released with Eigenveil {} (method {}).\n\n"
      "Guarantee: {}\nIn words: {}\n",
      report_title(document), kVersion, document.method,
      sentence(headline(document.guarantee(), document.requested)),
      sentence(detection_in_words(document.guarantee())));
  text +=
      document.guarantee().assumptions.empty()
          ? "Assumptions: none beyond the program; bounds on the data are enforced, not assumed.\n"
          : fmt::format("Assumptions: {}\n", sentence(join(document.guarantee().assumptions)));
  text += fmt::format("Not protected: {}\n", sentence(join(not_protected(document))));
  text +=
      "The guarantee covers this release alone. Every further release from the same data adds to "
      "the total privacy loss.\n";
  return text;
}

std::vector<std::string> references_of(const ReleaseDocument& document) {
  std::vector<std::string> papers = {
      "C. Dwork, F. McSherry, K. Nissim, A. Smith. Calibrating Noise to Sensitivity in Private "
      "Data Analysis. TCC 2006.",
      "C. Dwork, A. Roth. The Algorithmic Foundations of Differential Privacy. Foundations and "
      "Trends in Theoretical Computer Science 9(3–4), 2014.",
      "J. Dong, A. Roth, W. J. Su. Gaussian Differential Privacy. Journal of the Royal Statistical "
      "Society, Series B 84(1), 2022."};
  papers.insert(papers.end(), document.papers.begin(), document.papers.end());
  papers.emplace_back("I. Mironov. Rényi Differential Privacy. IEEE CSF 2017.");
  if (std::holds_alternative<Zcdp>(document.requested)) {
    papers.emplace_back(
        "C. L. Canonne, G. Kamath, T. Steinke. The Discrete Gaussian for Differential Privacy. "
        "NeurIPS 2020.");
  }
  return papers;
}

}  // namespace eigenveil
