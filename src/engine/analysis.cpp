#include "engine/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/distributions.hpp"
#include "engine/gap_words.hpp"

namespace eigenveil {
namespace {

std::string gaps_of(const PairwiseGram& gram) {
  std::vector<std::string> named;
  for (std::size_t j = 0; j < gram.names.size(); ++j) {
    if (gram.indicator[j] != 0) {
      named.push_back(gram.names[j]);
    }
  }
  return pairwise_in_words(named);
}

/// Means in original units, where the release says how to come back to them; `midpoints` of the
/// columns. Correlations with their limits.
AnalysedMoments finished(AnalysedMoments found, const Vector& midpoints) {
  MomentEstimate& estimate = found.estimate;
  if (estimate.mean.size() > 0 && midpoints.size() == estimate.mean.size()) {
    estimate.mean += midpoints;
    found.from_midpoints = false;
  }
  const CorrelationEstimate& known = found.correlations;
  if (known.standard_error.size() > 0) {
    const Matrix reach = normal_upper_quantile(0.025) * known.standard_error;
    const auto possible = [](double value) { return std::clamp(value, -1.0, 1.0); };  // keeps NaN
    found.correlations_low = (known.value - reach).unaryExpr(possible);
    found.correlations_high = (known.value + reach).unaryExpr(possible);
  }
  return found;
}

Result<AnalysedMoments> moments_of(const ReleasedGram& gram, bool second) {
  const bool about_midpoint = second || !gram.intercept;
  return (about_midpoint ? Result<MomentEstimate>(second_moment(gram)) : covariance(gram))
      .map([&](MomentEstimate estimate) {
        const std::optional<PairwiseGram> whole = as_pairwise(gram);
        CorrelationEstimate correlations =
            !about_midpoint && whole ? correlation(*whole, estimate) : correlation(estimate);
        const Eigen::Index constants = gram.intercept && gram.midpoints.size() > 0 ? 1 : 0;
        return finished({about_midpoint, gram.rows, gram.from_midpoints, std::move(estimate),
                         std::move(correlations),
                         gaps_in_words(gram.fills_gaps, about_midpoint ? GapEffect::SecondMoment
                                                                       : GapEffect::Covariance)},
                        gram.midpoints.tail(gram.midpoints.size() - constants));
      });
}

Result<AnalysedMoments> moments_of(const PairwiseGram& gram, bool second) {
  if (second) {
    return bad_request(
        "{second_moment} is of all rows; this release is of the cells that are there");
  }
  MomentEstimate estimate = covariance(gram);
  CorrelationEstimate correlations = correlation(gram, estimate);
  return finished({false, gram.rows(), gram.midpoints.size() > 0 && !gram.midpoints.isZero(0.0),
                   std::move(estimate), std::move(correlations), gaps_of(gram)},
                  gram.midpoints);
}

constexpr const char* kOriginalIntercept =
    "the intercept is the response where every predictor is 0, in original units";

std::string intercept_words(const ReleasedGram& gram, const Regression& fit) {
  if (fit.original_intercept && gram.from_midpoints) {
    return kOriginalIntercept;
  }
  if (!gram.from_midpoints || gram.centered) {
    return {};
  }
  return std::string(
             "columns are measured from the midpoints of their public ranges (indicators from "
             "0.5)") +
         (gram.midpoints.size() == 0
              ? ", in scaled units"
              : "; the model goes through the midpoints: name 'intercept' among the predictors of "
                "a release that has one");
}

double sampling_factor_of(const ReleasedGram& gram, const RegressionRequest& request) {
  return request.target == CoefficientTarget::Population ? gram.sampling_factor() : 1.0;
}

Result<AnalysedRegression> regression_of(const ReleasedGram& gram,
                                         const RegressionRequest& request) {
  return regress(gram, request).map([&](Regression fit) {
    std::string from = measured_from(gram, fit);
    std::string words = intercept_words(gram, fit);
    return AnalysedRegression{gram.rows,
                              request.target,
                              std::move(fit),
                              std::move(from),
                              gaps_in_words(gram.fills_gaps, GapEffect::Regression),
                              std::move(words),
                              sampling_factor_of(gram, request)};
  });
}

Result<AnalysedRegression> regression_of(const PairwiseGram& gram,
                                         const RegressionRequest& request) {
  return regress(gram, request).map([&](Regression fit) {
    const bool original = fit.original_intercept;
    return AnalysedRegression{gram.rows(),    CoefficientTarget::RawData,
                              std::move(fit), "zero",
                              gaps_of(gram),  original ? kOriginalIntercept : ""};
  });
}

Result<void> check_count(Eigen::Index count, std::size_t columns) {
  if (count < 1 || count > static_cast<Eigen::Index>(columns)) {
    return bad_request(
        fmt::format("{{components}} must satisfy 1 <= k <= {}, the number of columns", columns));
  }
  return {};
}

Result<AnalysedComponents> components_in(const ReleasedGram& gram, Eigen::Index count) {
  const Result<MomentEstimate> moment =
      gram.intercept ? covariance(gram) : Result<MomentEstimate>(second_moment(gram));
  if (!moment) {
    return error_of(moment);
  }
  return check_count(count, moment->names.size())
      .and_then([&] { return components_of(gram, *moment, count); })
      .map([&](ComponentEstimate found) {
        return AnalysedComponents{
            gram.rows,
            gram.intercept,
            false,
            moment->names,
            std::move(found),
            gaps_in_words(gram.fills_gaps,
                          gram.intercept ? GapEffect::Covariance : GapEffect::SecondMoment)};
      });
}

Result<AnalysedComponents> components_in(const PairwiseGram& gram, Eigen::Index count) {
  return check_count(count, gram.names.size())
      .and_then([&] { return components_of(gram, covariance(gram), count); })
      .map([&](ComponentEstimate found) {
        return AnalysedComponents{gram.rows(),      true,         true, gram.names,
                                  std::move(found), gaps_of(gram)};
      });
}

}  // namespace

std::string sampling_in_words(double sampling_factor) {
  if (sampling_factor == 1.0) {
    return {};
  }
  return fmt::format(
      "sampling variances are multiplied by {:g}, the bound on the weights times the most rows "
      "that "
      "belong together: on the safe side, so intervals are wider than need be where weights are "
      "even and rows independent",
      sampling_factor);
}

Result<AnalysedMoments> analyse_moments(const ReleasedMoments& released, bool second_moment) {
  return std::visit([&](const auto& gram) { return moments_of(gram, second_moment); }, released);
}

Result<AnalysedRegression> analyse_regression(const ReleasedMoments& released,
                                              const RegressionRequest& request) {
  return std::visit([&](const auto& gram) { return regression_of(gram, request); }, released);
}

Result<AnalysedComponents> analyse_components(const ReleasedMoments& released, Eigen::Index count) {
  return std::visit([&](const auto& gram) { return components_in(gram, count); }, released);
}

}  // namespace eigenveil
