#include "engine/documents/learned_document.hpp"

#include <fmt/format.h>

#include "engine/gap_words.hpp"

namespace eigenveil {
namespace {

ReleaseDocument head(const std::string& method, const Guarantee& guarantee, const ApproxDp& budget,
                     const Schema& schema, std::size_t rows, std::size_t k) {
  ReleaseDocument document;
  document.task = "subspace";
  document.method = method;
  trusted::guarantee_of(document) = guarantee;
  document.requested = budget;
  document.parameters = {{"epsilon", budget.epsilon},
                         {"delta", budget.delta},
                         {"neighbours", std::string(name_of(guarantee.relation))},
                         {"group_size", std::int64_t{1}},
                         {"columns", schema.columns},
                         {"rows", static_cast<double>(rows)},
                         {"components", static_cast<std::int64_t>(k)},
                         {"missing_cells", gaps_in_words(schema.fills_gaps, GapEffect::Subspace)}};
  return document;
}

void add_outcome(ReleaseDocument& document, bool found, const std::string& answer) {
  document.result.emplace_back("outcome", std::string(found ? "subspace" : "null"));
  document.remarks.push_back(
      {"answer", found ? answer
                       : "NULL: no subspace is shared by enough of the rows to be told at this "
                         "budget (a legal answer)"});
}

/// A parameter in words, which the curator sees as well.
void add_words(ReleaseDocument& document, const std::string& name, const std::string& label,
               std::string words) {
  document.remarks.push_back({label, words});
  document.parameters.emplace_back(name, std::move(words));
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
  document.remarks.push_back(
      {"bounds",
       fmt::format("a row with a whole number beyond {} counts as zero", request.max_abs)});
  add_words(document, "sizes", "sizes",
            plan.by_votes()
                ? fmt::format("{} groups of {} rows, of which {} may disagree", plan.groups(),
                              request.subspace, plan.exceptions())
                : fmt::format("{} rows may lie elsewhere or together in a smaller subspace",
                              plan.exceptions()));
  add_words(
      document, "lower_bound", "needed",
      fmt::format(
          "{} rows suffice for a certain answer with l = {} exceptions; no method needs fewer "
          "than the order of l + k + ln(1/delta)/epsilon = {:.0f}",
          plan.sufficient_rows(), plan.sufficient_exceptions(), plan.lower_bound()));
  add_outcome(
      document, release.value().found,
      affine ? fmt::format("an affine subspace of dimension {}, written with a constant coordinate",
                           request.subspace - 1)
             : fmt::format("a subspace of dimension {}", request.subspace));
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
  add_words(document, "sizes", "sizes",
            fmt::format("{}{} groups of {} rows, {} reference points",
                        boost.parts > 1 ? fmt::format("{} parts of ", boost.parts) : "",
                        shape.groups, shape.per_group, shape.references));
  const LearnedSubspace& learned = release.value();
  add_outcome(document, learned.found, fmt::format("a subspace of dimension {}", shape.subspace));
  if (learned.found) {
    document.result.emplace_back("noise_angle", learned.noise_angle);
    document.remarks.push_back(
        {"error", fmt::format("noise turns it by an angle of sine at most {:.3g}, but for one {} "
                              "in 1000",
                              learned.noise_angle, boost.parts > 1 ? "part" : "run")});
    document.result.emplace_back("reference_noise_sd", learned.noise_sd);
    if (learned.radius > 0.0) {
      document.result.emplace_back("radius", learned.radius);
    }
    document.tables.push_back(frame_table(learned.frame, schema.columns));
  }
  return document;
}

}  // namespace eigenveil
