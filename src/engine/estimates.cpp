#include "eigenveil/engine/estimates.hpp"

#include <nlohmann/json.hpp>

#include "eigenveil/report/read_release.hpp"
#include "engine/analysis.hpp"
#include "engine/gap_words.hpp"
#include "engine/released_input.hpp"
#include "mechanism/mask/released_gram.hpp"

namespace eigenveil {
namespace {

using Answer = nlohmann::ordered_json;

Answer list_json(const Vector& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

Answer columns_json(const Matrix& values) {
  Answer columns = Answer::array();
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    columns.push_back(list_json(values.col(j)));
  }
  return columns;
}

Result<Answer> moments(const ReleasedGram& gram, const Answer& question) {
  const bool about_zero = question.value("about", "mean") != "mean" || !gram.intercept;
  const Result<MomentEstimate> found =
      about_zero ? Result<MomentEstimate>(second_moment(gram)) : covariance(gram);
  return found.map([&](const MomentEstimate& moment) {
    const CorrelationEstimate correlations = correlation(moment);
    return Answer{
        {"estimate", about_zero ? "second_moment" : "covariance"},
        {"rows", gram.rows},
        {"columns", moment.names},
        {"values", columns_json(moment.value)},
        {"standard_errors", columns_json(moment.standard_error)},
        {"mean", list_json(moment.mean)},
        {"mean_standard_errors", list_json(moment.mean_standard_error)},
        {"from_midpoints", gram.from_midpoints},
        {"correlations", columns_json(correlations.value)},
        {"correlations_left_out", correlations.left_out},
        {"missing_cells", gaps_in_words(gram.fills_gaps, about_zero ? GapEffect::SecondMoment
                                                                    : GapEffect::Covariance)}};
  });
}

Result<Answer> regression(const ReleasedGram& gram, const Answer& question) {
  constexpr double kLargestRidge = 1e50;  // its square, times any number of rows, is a double
  RegressionRequest request{question.at("response").get<std::string>(),
                            question.at("predictors").get<std::vector<std::string>>()};
  request.ridge = question.value("ridge", 0.0);
  request.level = question.value("level", 0.95);
  request.target = question.value("target", "population") == "raw" ? CoefficientTarget::RawData
                                                                   : CoefficientTarget::Population;
  if (!(request.ridge >= 0.0) || !(request.ridge <= kLargestRidge)) {
    return bad_request("{ridge} must be a number from 0 to 1e50", "ridge");
  }
  if (!(request.level > 0.0) || !(request.level < 1.0)) {
    return bad_request("{level} must be a number above 0 and below 1", "level");
  }
  const bool population = request.target == CoefficientTarget::Population;
  const double factor = population ? gram.sampling_factor() : 1.0;
  return regress(gram, request).map([&](const Regression& fit) {
    return Answer{{"predictors", fit.names},
                  {"rows", gram.rows},
                  {"measured_from", measured_from(gram, fit)},
                  {"coefficients", list_json(fit.coefficients)},
                  {"standard_errors", list_json(fit.standard_errors)},
                  {"covariance", columns_json(fit.covariance)},
                  {"low", list_json(fit.low)},
                  {"high", list_json(fit.high)},
                  {"uncorrected", list_json(fit.uncorrected)},
                  {"residual_sd", fit.residual_sd},
                  {"sampling_factor", factor},
                  {"sampling", sampling_in_words(factor)},
                  {"missing_cells", gaps_in_words(gram.fills_gaps, GapEffect::Regression)}};
  });
}

}  // namespace

Result<std::string> estimate_from(const ReleaseDocument& document,
                                  const std::filesystem::path& folder, std::string_view question) {
  const Answer asked = Answer::parse(question, nullptr, false);
  if (!asked.is_object()) {
    return bad_request("the text is not a question of Eigenveil");
  }
  // The JSON library reports a missing or mistyped field by exception.
  try {
    return released_gram(document, folder)
        .and_then([&](const ReleasedGram& gram) {
          return asked.at("estimate") == "regression" ? regression(gram, asked)
                                                      : moments(gram, asked);
        })
        .map([](const Answer& answer) { return answer.dump(); });
  } catch (const nlohmann::json::exception&) {
    return bad_request("a field of the question is not what it should be");
  }
}

}  // namespace eigenveil
