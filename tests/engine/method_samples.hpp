#pragma once

#include <functional>
#include <map>
#include <string>

#include "eigenveil/engine/registry.hpp"

namespace eigenveil::test::method_samples {

inline constexpr Eigen::Index kColumns = 4;

/// A request that its method serves, with the rows its plan needs.
struct Sample {
  std::function<void(Request&)> change;
  Eigen::Index rows = 400;
  double radius = 2.0;
};

inline void by_rho(Request& request) {
  request.budget = Zcdp{0.02};
}
inline void pure(Request& request) {
  request.budget = PureDp{1.0};
}
inline void about_nothing(Request& request) {
  request.center = CenterChoice::None;
}
inline void replace_one(Request& request) {
  request.relation = Relation::ReplaceOne;
}
inline void spiked(Request& request) {
  request.relation = Relation::IndependentCopy;
  request.center = CenterChoice::None;
  request.options.set("sigma2", 1.0);
  request.options.set("lambda", 30.0);
  request.options.set("row_count", std::int64_t{400});
}
inline void within(Request& request) {
  replace_one(request);
  about_nothing(request);
  request.options.set("within_subspace", std::int64_t{1});
  request.options.set("gamma", 1e-3);
}

/// Every method and task must stand here, so that a new one is looked at.
inline const std::multimap<std::string, Sample>& samples() {
  static const std::multimap<std::string, Sample> all = {
      {"pca/gauss", {[](Request&) {}}},
      {"pca/gauss", {by_rho}},
      {"pca/gauss", {[](Request& r) { r.group_size = 3; }}},
      {"covariance/gauss", {replace_one}},
      {"lowrank/gauss", {[](Request&) {}}},
      {"pca/laplace", {pure}},
      {"covariance/laplace", {pure}},
      {"lowrank/laplace", {pure}},
      {"pca/wishart", {pure}},
      {"covariance/wishart", {pure}},
      {"lowrank/wishart", {pure}},
      {"pca/exponential", {[](Request& r) { pure(r), about_nothing(r); }}},
      {"pca/exponential", {[](Request& r) { by_rho(r), about_nothing(r); }}},
      {"pca/orbit", {[](Request& r) { pure(r), about_nothing(r); }}},
      {"covariance/orbit", {[](Request& r) { pure(r), about_nothing(r); }}},
      {"lowrank/orbit", {[](Request& r) { pure(r), about_nothing(r); }}},
      {"pca/sharp", {[](Request& r) { r.budget = GaussianDp{0.5}, about_nothing(r); }}},
      {"pca/spiked", {spiked, 400, 30.0}},
      {"covariance/spiked", {spiked, 400, 30.0}},
      {"pca/spiked-robust", {[](Request& r) {
         r.budget = ApproxDp{50.0, 1e-3}, about_nothing(r);
       }}},
      {"pca/oja", {[](Request& r) { replace_one(r), about_nothing(r); }}},
      {"pca/subspace", {within, 8000}},
      {"covariance/subspace", {within, 8000}},
      {"mask/gauss", {[](Request& r) { r.relation = Relation::ZeroRow; }}},
      {"mask/mask", {[](Request& r) {
         r.relation = Relation::ZeroRow, r.budget = ApproxDp{1.0, 1e-3};
       }}},
      {"subspace/exact", {[](Request& r) { replace_one(r), r.options.set("exact", true); }}},
      {"subspace/exact", {[](Request& r) {
         replace_one(r), r.options.set("exact", true);
         r.options.set("aggregate", std::string("votes"));
       }}},
      {"subspace/exact", {[](Request& r) {
         replace_one(r), r.options.set("exact", true);
         r.options.set("calibration", std::string("published"));
       }}},
      {"subspace/near", {[](Request& r) { replace_one(r), r.options.set("gamma", 1e-4); }, 4000}},
      {"subspace/near",
       {[](Request& r) {
          replace_one(r), r.options.set("gamma", 1e-4);
          r.options.set("aggregate", std::string("grid"));
        },
        4000}}};
  return all;
}

inline Request request_for(const std::string& task, const std::string& method,
                           const Sample& sample) {
  Request request;
  request.task = *parse_task(task);
  request.method = method;
  request.budget = ApproxDp{1.0, 1e-6};
  request.components_given = true;
  sample.change(request);
  return request;
}

}  // namespace eigenveil::test::method_samples
