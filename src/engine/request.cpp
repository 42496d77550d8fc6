#include "eigenveil/engine/request.hpp"

#include <fmt/format.h>

#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {

bool takes_rank(Task task) {
  return task != Task::Covariance && task != Task::Mask;
}

Relation default_relation(Task task) {
  return task == Task::Mask       ? Relation::ZeroRow
         : task == Task::Subspace ? Relation::ReplaceOne
                                  : Relation::AddRemove;
}

Result<PublicFacts> unbounded(Schema schema) {
  return RowBound::row_norm(schema.dimension(), 1.0).map([&](const RowBound& placeholder) {
    return PublicFacts{std::move(schema), placeholder};
  });
}

double Request::variance_share() const {
  return options.value("variance_share", kDefaultVarianceShare);
}

bool Request::published() const {
  return options.value("calibration", std::string("tight")) == "published";
}

Result<void> Request::check_components(std::size_t dimension) const {
  if (takes_rank() && components > static_cast<Eigen::Index>(dimension)) {
    return bad_request(
        fmt::format("{{components}} must satisfy 1 <= k <= {}, the number of columns", dimension),
        "components");
  }
  return {};
}

OptionSpec variance_share_option() {
  return {.name = "variance_share",
          .kind = OptionKind::Share,
          .sentence = "share of the budget for the covariance inside the released subspace",
          .otherwise = kDefaultVarianceShare};
}

OptionSpec calibration_option() {
  return {.name = "calibration",
          .kind = OptionKind::Word,
          .sentence = "tight or published: the source's own constants, for reproduction",
          .words = {"tight", "published"},
          .otherwise = std::string("tight")};
}

OptionSpec correlation_option() {
  return {.name = "correlation",
          .kind = OptionKind::Flag,
          .sentence =
              "of correlations: divide by the released variances after the noise, which "
              "costs nothing; columns whose variance is within its noise are left out and "
              "listed",
          .otherwise = false,
          .tasks = {Task::Components, Task::Covariance}};
}

}  // namespace eigenveil
