#include "cli/subspace/document.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/summary.hpp"
#include "report/release_writer.hpp"

namespace eigenveil::cli {
namespace {

ReleaseDocument head(const std::string& method, const Guarantee& guarantee, const ApproxDp& budget,
                     const Schema& schema, std::size_t rows, std::size_t k) {
  ReleaseDocument document;
  document.task = "subspace";
  document.method = method;
  document.guarantee = guarantee;
  document.requested = budget;
  document.parameters = {{"epsilon", budget.epsilon},
                         {"delta", budget.delta},
                         {"neighbours", std::string(name_of(guarantee.relation))},
                         {"group_size", std::int64_t{1}},
                         {"columns", schema.columns},
                         {"rows", static_cast<double>(rows)},
                         {"components", static_cast<std::int64_t>(k)}};
  return document;
}

void add_outcome(ReleaseDocument& document, bool found) {
  document.result.emplace_back("outcome", std::string(found ? "subspace" : "null"));
}

template <class T>
const T* find(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) {
      return std::get_if<T>(&value);
    }
  }
  return nullptr;
}

/// What was assumed about the length of a row.
std::string bound_in_words(const Fields& parameters) {
  if (const auto* norm = find<double>(parameters, "row_norm")) {
    return fmt::format("rows longer than {:.4g} are scaled down to it (scaled units)", *norm);
  }
  if (const auto* largest = find<std::int64_t>(parameters, "max_abs")) {
    return fmt::format("a row with a whole number beyond {} counts as zero", *largest);
  }
  return "none needed: a row may have any length";
}

/// How many dimensions the answer has; an affine subspace has one fewer than its linear one.
std::string answer_in_words(const Fields& parameters) {
  const auto* within = find<std::int64_t>(parameters, "within_subspace");
  const auto k = within != nullptr ? *within : *find<std::int64_t>(parameters, "components");
  const auto* affine = find<bool>(parameters, "affine");
  return affine != nullptr && *affine
             ? fmt::format("an affine subspace of dimension {}, written with a constant coordinate",
                           k - 1)
             : fmt::format("a subspace of dimension {}", k);
}

void print_summary(const ReleaseDocument& document, const std::string& input) {
  const Fields& parameters = document.parameters;
  // The document counts the constant coordinate of an affine subspace, who asked for it does not.
  const auto* affine = find<bool>(parameters, "affine");
  const unsigned constant = affine != nullptr && *affine ? 1 : 0;
  fmt::print("Private {} of {}  ({} columns, k = {}, method {})\n",
             document.task == "pca" ? "principal components" : document.task, input,
             find<std::vector<std::string>>(parameters, "columns")->size() - constant,
             *find<std::int64_t>(parameters, "components") - constant, document.method);
  if (!document.is_private()) {
    fmt::print("  NOT PRIVATE {}: do not publish this result\n",
               document.guarantee.secure_random ? "the published rule is unsound"
                                                : "the randomness is known (--seed)");
  }
  fmt::print("  guarantee   {}\n", headline(document.guarantee, document.requested));
  fmt::print("  in words    {}\n", detection_in_words(document.guarantee));
  fmt::print("  rows        {:.0f} (exact: public for these neighbours)\n",
             *find<double>(parameters, "rows"));
  fmt::print("  bounds      {}\n", bound_in_words(parameters));
  for (const char* name : {"sizes", "lower_bound"}) {
    if (const auto* text = find<std::string>(parameters, name)) {
      fmt::print("  {:<12}{}\n", std::string_view(name) == "sizes" ? "sizes" : "needed", *text);
    }
  }
  if (*find<std::string>(document.result, "outcome") == "null") {
    fmt::print(
        "  answer      NULL: no subspace is shared by enough of the rows to be told at this "
        "budget (a legal answer)\n");
    return;
  }
  fmt::print("  answer      {}\n", answer_in_words(parameters));
  if (const auto* angle = find<double>(document.result, "noise_angle")) {
    const auto* parts = find<std::int64_t>(parameters, "parts");
    fmt::print(
        "  error       noise turns it by an angle of sine at most {:.3g}, but for one {} in 1000\n",
        *angle, parts != nullptr && *parts > 1 ? "part" : "run");
  }
  if (const auto* variance =
          find<std::vector<double>>(document.result, "noisy_explained_variance")) {
    fmt::print("  variances   {:.4g} (noisy, scaled units)\n", fmt::join(*variance, ", "));
  }
}

}  // namespace

ReleasedTable frame_table(const Matrix& frame, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (Eigen::Index j = 1; j <= frame.cols(); ++j) {
    names.push_back(fmt::format("S{}", j));
  }
  return {"subspace", "private subspace: orthonormal columns that span it",
          "column",   columns,
          names,      frame};
}

ReleaseDocument exact_document(const ExactSubspacePlan& plan, const Schema& schema, bool affine,
                               const Release<ExactSubspace>& release) {
  const ExactSubspaceRequest& request = plan.request();
  ReleaseDocument document =
      head(request.published ? "published-gapmax" : "exact-" + plan.aggregate_name(),
           release.guarantee(), request.budget, schema, request.rows, request.subspace);
  document.parameters.emplace_back("affine", affine);
  document.parameters.emplace_back("max_abs", request.max_abs);
  document.parameters.emplace_back("arithmetic",
                                   fmt::format("modulo 2^{} - 1, certified", plan.field_bits()));
  document.parameters.emplace_back(
      "sizes", plan.by_votes()
                   ? fmt::format("{} groups of {} rows, of which {} may disagree", plan.groups(),
                                 request.subspace, plan.exceptions())
                   : fmt::format("{} rows may lie elsewhere or together in a smaller subspace",
                                 plan.exceptions()));
  document.parameters.emplace_back(
      "lower_bound",
      fmt::format(
          "{} rows suffice for a certain answer with l = {} exceptions; no method needs fewer "
          "than the order of l + k + ln(1/delta)/epsilon = {:.0f}",
          plan.sufficient_rows(), plan.sufficient_exceptions(), plan.lower_bound()));
  add_outcome(document, release.value().found);
  if (release.value().found) {
    std::vector<std::string> echelon;
    for (const std::vector<std::string>& row : release.value().echelon) {
      echelon.push_back(fmt::format("{}", fmt::join(row, " ")));
    }
    document.result.emplace_back("echelon_rows", echelon);
    document.tables.push_back(frame_table(release.value().frame, schema.columns));
  }
  return document;
}

ReleaseDocument learned_document(const SubspacePlan& plan, const BoostSettings& boost,
                                 const Schema& schema, const Release<LearnedSubspace>& release) {
  const GroupShape& shape = plan.shape();
  ReleaseDocument document = head(plan.aggregate_name(), release.guarantee(), plan.request().budget,
                                  schema, boost.rows, shape.subspace);
  Fields& parameters = document.parameters;
  parameters.emplace_back("parts", static_cast<std::int64_t>(boost.parts));
  parameters.emplace_back("groups", static_cast<std::int64_t>(shape.groups));
  parameters.emplace_back("rows_per_group", static_cast<std::int64_t>(shape.per_group));
  parameters.emplace_back("reference_points", static_cast<std::int64_t>(shape.references));
  parameters.emplace_back(
      "gammas", plan.gammas().empty() ? std::vector<double>{*plan.request().gamma} : plan.gammas());
  if (plan.cell_side() > 0.0) {
    parameters.emplace_back("cell_side", plan.cell_side());
  } else {
    parameters.emplace_back("radii", plan.radii());
  }
  parameters.emplace_back(
      "sizes", fmt::format("{}{} groups of {} rows, {} reference points",
                           boost.parts > 1 ? fmt::format("{} parts of ", boost.parts) : "",
                           shape.groups, shape.per_group, shape.references));
  const LearnedSubspace& learned = release.value();
  add_outcome(document, learned.found);
  if (learned.found) {
    document.result.emplace_back("noise_angle", learned.noise_angle);
    document.result.emplace_back("reference_noise_sd", learned.noise_sd);
    if (learned.radius > 0.0) {
      document.result.emplace_back("radius", learned.radius);
    }
    document.tables.push_back(frame_table(learned.frame, schema.columns));
  }
  return document;
}

Outcome publish_subspace(const ReleaseDocument& document, const OutputOptions& output,
                         const std::string& input) {
  return publish_as(document, output, [&] { print_summary(document, input); });
}

}  // namespace eigenveil::cli
