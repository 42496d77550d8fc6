#include "engine/estimate_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "engine/documents/document_parts.hpp"

namespace eigenveil {
namespace {

/// A text that grows line by line.
class Words {
 public:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }
  void add_matrix(const std::vector<std::string>& names, const std::vector<std::string>& header,
                  const Matrix& values) {
    add("column,{}\n", fmt::join(header, ","));
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      add("{}", names[static_cast<std::size_t>(i)]);
      for (Eigen::Index j = 0; j < values.cols(); ++j) {
        add(",{:.6g}", values(i, j));
      }
      add("\n");
    }
  }
  std::string taken() { return std::move(text_); }

 private:
  std::string text_;
};

/// "column,column,correlation,low,high", a line for every pair.
void add_limits(Words& words, const AnalysedMoments& found, const std::vector<Eigen::Index>& kept) {
  const std::vector<std::string>& names = found.estimate.names;
  const auto name = [&](Eigen::Index j) { return names[static_cast<std::size_t>(j)]; };
  words.add(
      "\n95% limits of them for the rows, one pair at a time, to first order in the noise\n"
      "column,column,correlation,low,high\n");
  for (const Eigen::Index i : kept) {
    for (const Eigen::Index j : kept) {
      if (i < j) {
        words.add("{},{},{:.6g},{:.6g},{:.6g}\n", name(i), name(j), found.correlations.value(i, j),
                  found.correlations_low(i, j), found.correlations_high(i, j));
      }
    }
  }
}

/// Of the columns that have one.
void add_correlations(Words& words, const AnalysedMoments& found) {
  const char* title = found.about_midpoint ? "cosines" : "correlations";
  const CorrelationEstimate& correlations = found.correlations;
  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;
  for (Eigen::Index j = 0; j < correlations.value.rows(); ++j) {
    if (!std::isnan(correlations.value(j, j))) {
      kept.push_back(j);
      names.push_back(found.estimate.names[static_cast<std::size_t>(j)]);
    }
  }
  if (!kept.empty()) {
    words.add("\n{}\n", title);
    words.add_matrix(names, names, correlations.value(kept, kept));
  }
  if (kept.size() > 1 && found.correlations_low.size() > 0) {
    add_limits(words, found, kept);
  }
  if (!correlations.left_out.empty()) {
    words.add("\nno {} of {}: the noise leaves no variance to divide by\n", title,
              fmt::join(correlations.left_out, ", "));
  }
}

}  // namespace

std::string in_words(const AnalysedMoments& found) {
  const MomentEstimate& estimate = found.estimate;
  Words words;
  words.add("{} of {:.0f} rows, corrected for the noise\n",
            found.about_midpoint ? "Second moment about the public midpoint" : "Covariance",
            found.rows);
  words.add_matrix(estimate.names, estimate.names, estimate.value);
  words.add("\nstandard errors (noise of the release)\n");
  words.add_matrix(estimate.names, estimate.names, estimate.standard_error);
  if (estimate.mean.size() > 0) {
    words.add("\nmeans{}\n", found.from_midpoints ? " (from the public midpoints)" : "");
    Matrix means(estimate.mean.size(), 2);
    means << estimate.mean, estimate.mean_standard_error;
    words.add_matrix(estimate.names, {"mean", "standard error"}, means);
  }
  add_correlations(words, found);
  words.add("\nmissing cells: {}\n", found.missing_cells);
  return words.taken();
}

std::string in_words(const AnalysedRegression& found, const RegressionRequest& request) {
  const Regression& fit = found.fit;
  Words words;
  words.add(
      "{} of {} on {} predictor{}, {:.0f} rows, corrected for the noise\n",
      request.ridge > 0.0 ? fmt::format("Ridge regression ({})", request.ridge) : "Least squares",
      request.response, fit.names.size(), fit.names.size() == 1 ? "" : "s", found.rows);
  words.add("  {:<28}{:>13}{:>13}{:>28}{:>14}\n", "", "coefficient", "std. error",
            fmt::format("{:g}% interval", 100.0 * request.level), "uncorrected");
  for (std::size_t j = 0; j < fit.names.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    words.add("  {:<28}{:>13.5g}{:>13.3g}{:>14.5g}{:>14.5g}{:>14.5g}\n", fit.names[j],
              fit.coefficients[i], fit.standard_errors[i], fit.low[i], fit.high[i],
              fit.uncorrected[i]);
  }
  words.add("  residual standard deviation {:.4g}; intervals are about {}\n", fit.residual_sd,
            found.target == CoefficientTarget::RawData
                ? "what the rows, clipped to their bounds, would have given"
                : "the population that the rows, clipped to their bounds, were drawn from");
  if (const std::string sampling = sampling_in_words(found.sampling_factor); !sampling.empty()) {
    words.add("  {}\n", sampling);
  }
  words.add("  missing cells: {}\n", found.missing_cells);
  if (!found.intercept_words.empty()) {
    words.add("  {}\n", found.intercept_words);
  }
  return words.taken();
}

std::string in_words(const AnalysedComponents& all) {
  const ComponentEstimate& found = all.found;
  Words words;
  words.add("Principal components of {:.0f} rows {}\n", all.rows,
            all.about_mean ? "about their mean" : "about the public midpoint");
  words.add("  {:<10}{:>14}{:>28}{:>13}\n", "component", "variance", "95% limits, all together",
            "must exceed");
  for (Eigen::Index k = 0; k < found.variance.size(); ++k) {
    const auto j = static_cast<std::size_t>(k);
    words.add("  {:<10}{:>14.5g}{:>14.5g}{:>14.5g}{:>13.4g}{}{}\n", fmt::format("PC{}", k + 1),
              found.variance[k], found.low[k], found.high[k], found.noise_edge[k],
              found.below_noise[j] ? "   (cannot be told from noise)" : "",
              found.clipped[j] ? "   (clipped to the largest the bounds allow)" : "");
  }
  words.add("  variances are noisy and tend to be too large; the limits {}\n",
            all.approximate_limits ? "are approximate, for the cells that are there"
                                   : "hold for the rows, clipped to their bounds");
  words.add_matrix(all.names, component_names(found.loadings.cols()), found.loadings);
  words.add("\nmissing cells: {}\n", all.missing_cells);
  return words.taken();
}

}  // namespace eigenveil
