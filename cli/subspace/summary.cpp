#include "cli/subspace/summary.hpp"

#include <fmt/format.h>

#include "cli/summary.hpp"
#include "eigenveil/report/fields.hpp"

namespace eigenveil::cli {
namespace {

/// What was assumed about the length of a row.
std::string bound_in_words(const Fields& parameters) {
  if (const auto* norm = field<double>(parameters, "row_norm")) {
    return fmt::format("rows longer than {:.4g} are scaled down to it (scaled units)", *norm);
  }
  if (const auto* largest = field<std::int64_t>(parameters, "max_abs")) {
    return fmt::format("a row with a whole number beyond {} counts as zero", *largest);
  }
  return "none needed: a row may have any length";
}

/// How many dimensions the answer has; an affine subspace has one fewer than its linear one.
std::string answer_in_words(const Fields& parameters) {
  const auto* within = field<std::int64_t>(parameters, "within_subspace");
  const auto k = within != nullptr ? *within : *field<std::int64_t>(parameters, "components");
  const auto* affine = field<bool>(parameters, "affine");
  return affine != nullptr && *affine
             ? fmt::format("an affine subspace of dimension {}, written with a constant coordinate",
                           k - 1)
             : fmt::format("a subspace of dimension {}", k);
}

void print_summary(const ReleaseDocument& document, const std::string& input) {
  const Fields& parameters = document.parameters;
  // The document counts the constant coordinate of an affine subspace, who asked for it does not.
  const auto* affine = field<bool>(parameters, "affine");
  const unsigned constant = affine != nullptr && *affine ? 1 : 0;
  fmt::print("Private {} of {}  ({} columns, k = {}, method {})\n",
             document.task == "pca" ? "principal components" : document.task, input,
             field<std::vector<std::string>>(parameters, "columns")->size() - constant,
             *field<std::int64_t>(parameters, "components") - constant, document.method);
  if (!document.is_private()) {
    fmt::print("  NOT PRIVATE {}: do not publish this result\n",
               document.guarantee.secure_random ? "the published rule is unsound"
                                                : "the randomness is known (--seed)");
  }
  fmt::print("  guarantee   {}\n", headline(document.guarantee, document.requested));
  fmt::print("  in words    {}\n", detection_in_words(document.guarantee));
  fmt::print("  rows        {:.0f} (exact: public for these neighbours)\n",
             *field<double>(parameters, "rows"));
  fmt::print("  bounds      {}\n", bound_in_words(parameters));
  if (const auto* gaps = field<std::string>(parameters, "missing_cells")) {
    fmt::print("  missing     {}\n", *gaps);
  }
  for (const char* name : {"sizes", "lower_bound"}) {
    if (const auto* text = field<std::string>(parameters, name)) {
      fmt::print("  {:<12}{}\n", std::string_view(name) == "sizes" ? "sizes" : "needed", *text);
    }
  }
  if (*field<std::string>(document.result, "outcome") == "null") {
    fmt::print(
        "  answer      NULL: no subspace is shared by enough of the rows to be told at this "
        "budget (a legal answer)\n");
    return;
  }
  fmt::print("  answer      {}\n", answer_in_words(parameters));
  if (const auto* angle = field<double>(document.result, "noise_angle")) {
    const auto* parts = field<std::int64_t>(parameters, "parts");
    fmt::print(
        "  error       noise turns it by an angle of sine at most {:.3g}, but for one {} in 1000\n",
        *angle, parts != nullptr && *parts > 1 ? "part" : "run");
  }
  if (const auto* variance =
          field<std::vector<double>>(document.result, "noisy_explained_variance")) {
    fmt::print("  variances   {:.4g} (noisy, scaled units)\n", fmt::join(*variance, ", "));
  }
}

}  // namespace

Outcome publish_subspace(const ReleaseDocument& document, const OutputOptions& output,
                         const std::string& input) {
  return publish_as(document, output, [&] { print_summary(document, input); });
}

}  // namespace eigenveil::cli
