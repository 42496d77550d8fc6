#include "eigenveil/engine/estimates.hpp"

#include <nlohmann/json.hpp>

#include "core/strict_json.hpp"
#include "engine/analysis.hpp"
#include "engine/estimate_answer.hpp"
#include "engine/estimate_words.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

Json list_json(const Vector& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

/// As a list of rows.
Json matrix_json(const Matrix& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows.push_back(list_json(values.row(i)));
  }
  return rows;
}

Json to_json(const AnalysedMoments& found) {
  const MomentEstimate& estimate = found.estimate;
  Json json{{"estimate", found.about_midpoint ? "second_moment" : "covariance"},
            {"rows", found.rows},
            {"columns", estimate.names},
            {"values", matrix_json(estimate.value)},
            {"standard_errors", matrix_json(estimate.standard_error)}};
  if (estimate.mean.size() > 0) {
    json["mean"] = list_json(estimate.mean);
    json["mean_standard_errors"] = list_json(estimate.mean_standard_error);
    json["measured_from"] = found.from_midpoints ? "public midpoints" : "zero";
  }
  // Null where a variance is within its noise, or too few rows have both columns.
  json["correlations"] = matrix_json(found.correlations.value);
  if (found.correlations.standard_error.size() > 0) {
    json["correlation_standard_errors"] = matrix_json(found.correlations.standard_error);
    json["correlations_low"] = matrix_json(found.correlations_low);
    json["correlations_high"] = matrix_json(found.correlations_high);
  }
  json["left_out_of_correlations"] = found.correlations.left_out;
  json["missing_cells"] = found.missing_cells;
  return json;
}

Json to_json(const AnalysedRegression& found, const RegressionRequest& request) {
  const Regression& fit = found.fit;
  return {{"response", request.response},
          {"predictors", fit.names},
          {"rows", found.rows},
          {"ridge", request.ridge},
          {"level", request.level},
          {"about", found.target == CoefficientTarget::RawData ? "raw" : "population"},
          {"measured_from", found.measured_from},
          {"coefficients", list_json(fit.coefficients)},
          {"standard_errors", list_json(fit.standard_errors)},
          {"covariance", matrix_json(fit.covariance)},
          {"low", list_json(fit.low)},
          {"high", list_json(fit.high)},
          {"uncorrected", list_json(fit.uncorrected)},
          {"residual_sd", fit.residual_sd},
          {"sampling_factor", found.sampling_factor},
          {"sampling", sampling_in_words(found.sampling_factor)},
          {"missing_cells", found.missing_cells}};
}

Json to_json(const AnalysedComponents& all) {
  const ComponentEstimate& found = all.found;
  return {{"columns", all.names},
          {"variance", list_json(found.variance)},
          {"low", list_json(found.low)},
          {"high", list_json(found.high)},
          {"noise_edge", list_json(found.noise_edge)},
          {"below_noise", found.below_noise},
          {"clipped", found.clipped},
          {"loadings", matrix_json(found.loadings)},
          {"missing_cells", all.missing_cells}};
}

template <class Found, class... More>
std::string in_form(AnswerForm form, const Found& found, const More&... more) {
  return form == AnswerForm::Json ? to_json(found, more...).dump(2) : in_words(found, more...);
}

Result<std::string> moments(const ReleasedMoments& released, StrictObject& in, AnswerForm form) {
  bool second_moment = false;
  in.flag("second_moment", second_moment);
  return in.finish()
      .and_then([&] { return analyse_moments(released, second_moment); })
      .map([&](const AnalysedMoments& found) { return in_form(form, found); });
}

Result<std::string> regression(const ReleasedMoments& released, StrictObject& in, AnswerForm form) {
  constexpr double kLargestRidge = 1e50;  // its square, times any number of rows, is a double
  RegressionRequest request;
  std::string about;  // empty: what the release allows, the population if it can be
  in.text("response", request.response);
  in.texts("predictors", request.predictors);
  in.number("ridge", request.ridge);
  in.number("level", request.level);
  in.word("about", {"population", "raw"}, about);
  if (!(request.ridge >= 0.0) || !(request.ridge <= kLargestRidge)) {
    in.refuse("ridge", "a number from 0 to 1e50");
  }
  if (!(request.level > 0.0) || !(request.level < 1.0)) {
    in.refuse("level", "a number above 0 and below 1");
  }
  request.target = about == "raw" ? CoefficientTarget::RawData : CoefficientTarget::Population;
  return in.finish()
      .and_then([&] { return analyse_regression(released, request); })
      .and_then([&](const AnalysedRegression& found) -> Result<std::string> {
        if (about == "population" && found.target != CoefficientTarget::Population) {
          return bad_request(
              "a release of pairs has intervals about its rows alone: leave out {about}, or give "
              "{about raw}",
              "about");
        }
        return in_form(form, found, request);
      });
}

Result<std::string> components(const ReleasedMoments& released, StrictObject& in, AnswerForm form) {
  Eigen::Index count = 2;
  in.whole("components", 1, std::numeric_limits<std::int32_t>::max(), count);
  return in.finish()
      .and_then([&] { return analyse_components(released, count); })
      .map([&](const AnalysedComponents& all) { return in_form(form, all); });
}

}  // namespace

Result<std::string> estimate_answer(const ReleasedMoments& released, std::string_view question,
                                    AnswerForm form) {
  const Json json = json_from_outside<Json>(question);
  if (!json.is_object()) {
    return bad_request("the text is not a question of Eigenveil");
  }
  StrictObject in(json, "a question");
  std::string estimate;
  in.word("estimate", {"moments", "regression", "components"}, estimate);
  if (estimate.empty()) {
    in.refuse("estimate", "moments or regression or components");
  }
  return estimate == "regression"   ? regression(released, in, form)
         : estimate == "components" ? components(released, in, form)
                                    : moments(released, in, form);
}

Result<std::string> estimate_from(const ReleaseDocument& document,
                                  const std::filesystem::path& folder, std::string_view question) {
  return released_gram(document, folder).and_then([&](const ReleasedGram& gram) {
    return estimate_answer(gram, question, AnswerForm::Json);
  });
}

}  // namespace eigenveil
