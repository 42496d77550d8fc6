#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/distributions.hpp"
#include "core/parameter_names.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/correlation.hpp"
#include "mechanism/pairwise/pairwise.hpp"

namespace eigenveil {
namespace {

/// The columns of a model, all pairs of which are released.
struct Model {
  std::vector<Eigen::Index> predictors;
  Eigen::Index response = 0;
  std::vector<std::vector<Estimated>> products;  ///< covariances of the predictors
  std::vector<Estimated> with_response;
};

Result<Eigen::Index> column_called(const PairwiseGram& gram, const std::string& name) {
  const auto found = std::find(gram.names.begin(), gram.names.end(), name);
  if (found == gram.names.end()) {
    return bad_request(fmt::format("the release has no column '{}'", shown(name)));
  }
  return found - gram.names.begin();
}

Result<Model> model_of(const PairwiseGram& gram, const RegressionRequest& request) {
  Model model;
  std::set<std::string> seen = {request.response};
  for (const std::string& name : request.predictors) {
    if (!seen.insert(name).second) {
      return bad_request(fmt::format("'{}' is named twice", shown(name)));
    }
    if (name == kInterceptColumn) {
      continue;
    }
    const Result<Eigen::Index> column = column_called(gram, name);
    if (!column) {
      return error_of(column);
    }
    model.predictors.push_back(*column);
  }
  if (model.predictors.empty()) {
    return bad_request("a model needs a predictor besides the intercept");
  }
  const Result<Eigen::Index> response = column_called(gram, request.response);
  if (!response) {
    return error_of(response);
  }
  model.response = *response;
  std::vector<Eigen::Index> all = model.predictors;
  all.push_back(model.response);
  for (const Eigen::Index i : all) {
    for (const Eigen::Index j : all) {
      if (!gram.has_pair(i, j)) {
        return bad_request(
            fmt::format("noise hides how many rows have both '{}' and '{}': leave one out",
                        shown(gram.names[static_cast<std::size_t>(i)]),
                        shown(gram.names[static_cast<std::size_t>(j)])));
      }
    }
  }
  for (const Eigen::Index i : model.predictors) {
    model.with_response.push_back(gram.covariance(i, model.response));
    std::vector<Estimated>& row = model.products.emplace_back();
    for (const Eigen::Index j : model.predictors) {
      row.push_back(gram.covariance(i, j));
    }
  }
  return model;
}

Matrix values_of(const std::vector<std::vector<Estimated>>& products, double ridge) {
  const auto k = static_cast<Eigen::Index>(products.size());
  Matrix values(k, k);
  for (Eigen::Index i = 0; i < k; ++i) {
    for (Eigen::Index j = 0; j < k; ++j) {
      values(i, j) = products[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].value +
                     (i == j ? ridge : 0.0);
    }
  }
  return values;
}

/// Whether the predictors have variance above the noise in every direction: v' C v of the weakest.
bool has_signal(const Model& model, const Matrix& products, const Matrix& entry_sd) {
  const Vector deviations = products.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const Vector inverse = deviations.cwiseInverse();
  const SymmetricEigen eigen =
      symmetric_eigen(inverse.asDiagonal() * products * inverse.asDiagonal());
  const Vector weakest = inverse.cwiseProduct(eigen.vectors.col(products.rows() - 1));
  Estimated along{weakest.dot(products * weakest)};
  for (Eigen::Index i = 0; i < weakest.size(); ++i) {
    for (Eigen::Index j = 0; j < weakest.size(); ++j) {
      along.add_slopes(model.products[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)],
                       weakest[i] * weakest[j]);
    }
  }
  return along.value > kVarianceDeviations * along.sd(entry_sd);
}

/// d beta = C^-1 (d c - dC beta).
std::vector<Estimated> coefficients_of(const Model& model, const Matrix& products) {
  const Matrix inverse = products.inverse();
  const auto k = products.rows();
  Vector c(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    c[i] = model.with_response[static_cast<std::size_t>(i)].value;
  }
  const Vector beta = inverse * c;
  std::vector<Estimated> coefficients;
  for (Eigen::Index row = 0; row < k; ++row) {
    Estimated& one = coefficients.emplace_back(Estimated{beta[row]});
    for (Eigen::Index i = 0; i < k; ++i) {
      const auto a = static_cast<std::size_t>(i);
      one.add_slopes(model.with_response[a], inverse(row, i));
      for (Eigen::Index j = 0; j < k; ++j) {
        one.add_slopes(model.products[a][static_cast<std::size_t>(j)], -inverse(row, i) * beta[j]);
      }
    }
  }
  return coefficients;
}

/// The response where every predictor is 0, in original units where they are known.
Estimated intercept_of(const PairwiseGram& gram, const Model& model,
                       const std::vector<Estimated>& coefficients) {
  const auto mean = [&](Eigen::Index column) {
    Estimated value = gram.mean(column);
    value.value += gram.midpoints.size() > 0 ? gram.midpoints[column] : 0.0;
    return value;
  };
  Estimated intercept = mean(model.response);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    intercept = intercept - coefficients[i] * mean(model.predictors[i]);
  }
  return intercept;
}

}  // namespace

Result<Regression> regress(const PairwiseGram& gram, const RegressionRequest& request) {
  const Result<Model> model = model_of(gram, request);
  if (!model) {
    return error_of(model);
  }
  const Matrix products = values_of(model->products, request.ridge);
  if (!has_signal(*model, products, gram.entry_sd)) {
    return bad_request(
        "the noise leaves no signal in some direction of the predictors: leave one out, or give "
        "{ridge}");
  }
  const std::vector<Estimated> slopes = coefficients_of(*model, products);
  std::vector<Estimated> named;
  std::size_t next = 0;
  for (const std::string& name : request.predictors) {
    named.push_back(name == kInterceptColumn ? intercept_of(gram, *model, slopes) : slopes[next++]);
  }
  Regression fit;
  fit.names = request.predictors;
  fit.original_intercept =
      gram.midpoints.size() > 0 &&
      std::find(fit.names.begin(), fit.names.end(), kInterceptColumn) != fit.names.end();
  const auto k = static_cast<Eigen::Index>(named.size());
  fit.coefficients.resize(k);
  fit.standard_errors.resize(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const Estimated& one = named[static_cast<std::size_t>(i)];
    fit.coefficients[i] = one.value;
    fit.standard_errors[i] = one.sd(gram.entry_sd);
  }
  const double z = normal_quantile(0.5 + 0.5 * request.level);
  fit.low = fit.coefficients - z * fit.standard_errors;
  fit.high = fit.coefficients + z * fit.standard_errors;
  fit.uncorrected = fit.coefficients;
  double residual = gram.covariance(model->response, model->response).value;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    residual -= slopes[i].value * model->with_response[i].value;
  }
  fit.residual_sd = std::sqrt(std::max(0.0, residual));
  return fit;
}

}  // namespace eigenveil
