#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/analysis.hpp"
#include "engine/gap_words.hpp"
#include "report/explain.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

nb::dict moments(const ReleasedMoments& released, bool second_moment) {
  const AnalysedMoments found = unwrap(analyse_moments(released, second_moment));
  const MomentEstimate& estimate = found.estimate;
  nb::dict all;
  all["estimate"] = found.about_midpoint ? "second_moment" : "covariance";
  all["rows"] = found.rows;
  all["columns"] = estimate.names;
  all["values"] = estimate.value;
  all["standard_errors"] = estimate.standard_error;
  all["mean"] = estimate.mean.size() > 0 ? nb::cast(estimate.mean) : nb::none();
  all["measured_from"] = found.from_midpoints ? "public midpoints" : "zero";
  all["correlations"] = found.correlations.value;  // NaN where a variance is within its noise
  const auto known = [](const Matrix& matrix) {
    return matrix.size() > 0 ? nb::cast(matrix) : nb::none();
  };
  all["correlation_standard_errors"] = known(found.correlations.standard_error);
  all["correlations_low"] = known(found.correlations_low);
  all["correlations_high"] = known(found.correlations_high);
  all["left_out_of_correlations"] = found.correlations.left_out;
  all["missing_cells"] = found.missing_cells;
  return all;
}

nb::dict regression(const ReleasedMoments& released, const std::string& response,
                    const std::vector<std::string>& predictors, double ridge, double level,
                    bool raw) {
  constexpr double kLargestRidge = 1e50;  // its square, times any number of rows, is a double
  if (!(ridge >= 0.0) || !(ridge <= kLargestRidge)) {
    throw Failure{{ErrorCode::BadRequest, "{ridge} must be a number from 0 to 1e50"}};
  }
  const AnalysedRegression found = unwrap(analyse_regression(
      released, {response, predictors, ridge, level,
                 raw ? CoefficientTarget::RawData : CoefficientTarget::Population}));
  const Regression& fit = found.fit;
  nb::dict all;
  all["predictors"] = fit.names;
  all["rows"] = found.rows;
  all["measured_from"] = found.measured_from;
  all["coefficients"] = fit.coefficients;
  all["standard_errors"] = fit.standard_errors;
  all["low"] = fit.low;
  all["high"] = fit.high;
  all["uncorrected"] = fit.uncorrected;
  all["residual_sd"] = fit.residual_sd;
  all["sampling_factor"] = found.sampling_factor;
  all["missing_cells"] = found.missing_cells;
  return all;
}

nb::dict components(const ReleasedMoments& released, Eigen::Index count) {
  const AnalysedComponents analysed = unwrap(analyse_components(released, count));
  const ComponentEstimate& found = analysed.found;
  nb::dict all;
  all["columns"] = analysed.names;
  all["variance"] = found.variance;
  all["low"] = found.low;
  all["high"] = found.high;
  all["noise_edge"] = found.noise_edge;
  all["below_noise"] = found.below_noise;
  all["clipped"] = found.clipped;
  all["loadings"] = found.loadings;
  all["missing_cells"] = analysed.missing_cells;
  return all;
}

}  // namespace

void bind_analyse(nb::module_& m) {
  nb::class_<ReleasedGram>(m, "ReleasedGram", "Released sums of row products, with their noise.")
      .def_ro("names", &ReleasedGram::names)
      .def_ro("rows", &ReleasedGram::rows)
      .def_ro("intercept", &ReleasedGram::intercept)
      .def_ro("products", &ReleasedGram::products)
      .def("corrected", &ReleasedGram::corrected);
  nb::class_<PairwiseGram>(m, "PairwiseGram",
                           "Released sums over the rows that have both of two columns.")
      .def_ro("names", &PairwiseGram::names)
      .def_prop_ro("rows", &PairwiseGram::rows)
      .def_ro("sums", &PairwiseGram::sums)
      .def_ro("entry_sd", &PairwiseGram::entry_sd);
  m.def(
      "read_released_moments",
      [](const std::vector<std::string>& paths) { return unwrap(read_released_moments(paths)); },
      "paths"_a, "Masked tables, covariances, and those with missing cells left out pairwise.");
  m.def(
      "read_released_grams",
      [](const std::vector<std::string>& paths) { return unwrap(read_released_grams(paths)); },
      "paths"_a, "Masked tables and covariances as the command line wrote them.");
  m.def(
      "released_moments", [](const ReleaseDocument& d) { return unwrap(released_moments(d)); },
      "document"_a);
  m.def(
      "released_gram", [](const ReleaseDocument& d) { return unwrap(released_gram(d)); },
      "document"_a);
  m.def("analyse_moments", &moments, "gram"_a, "second_moment"_a);
  m.def("analyse_regress", &regression, "gram"_a, "response"_a, "predictors"_a, "ridge"_a,
        "level"_a, "raw"_a);
  m.def("analyse_pca", &components, "gram"_a, "components"_a);
  m.def(
      "explain_releases",
      [](const std::vector<std::string>& paths) {
        return unwrap(explain_releases({paths.begin(), paths.end()}));
      },
      "paths"_a);
}

}  // namespace eigenveil::python
