#include "eigenveil/mechanism/orbit.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>

#include "bind.hpp"
#include "eigenveil/mechanism/covariance.hpp"
#include "eigenveil/mechanism/low_rank.hpp"
#include "eigenveil/mechanism/orbit_bounds.hpp"
#include "eigenveil/mechanism/orbit_components.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

OrbitRequest request_of(const RowBound& bound, const Budget& budget, const std::string& relation,
                        int group_size, bool scaled, bool published, bool unbounded_time) {
  OrbitRequest request{bound, column_scales(bound, units_of(scaled)), unwrap(check_budget(budget))};
  request.relation = unwrap(parse_relation(relation));
  request.group_size = group_size;
  request.calibration = published ? OrbitCalibration::Published : OrbitCalibration::Tight;
  request.unbounded_time = unbounded_time;
  return request;
}

using ReleasedComponents = Release<OrbitComponents>;
using ReleasedLowRank = Release<LowRankDraw>;

void bind_components(nb::module_& m) {
  nb::class_<ReleasedComponents>(m, "ReleasedOrbitComponents",
                                 "Components from a drawn projection.")
      .def_prop_ro("guarantee", &ReleasedComponents::guarantee, nb::rv_policy::copy)
      .def_prop_ro("count", [](const ReleasedComponents& r) { return r.value().projection.count; })
      .def_prop_ro("count_sd",
                   [](const ReleasedComponents& r) { return r.value().projection.count_sd; })
      .def_prop_ro("count_is_public",
                   [](const ReleasedComponents& r) { return r.value().projection.count_is_public; })
      .def("components", [](const ReleasedComponents& r) { return r.value().components; });
  nb::class_<OrbitComponentsPlan> plan(m, "OrbitComponentsPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &OrbitComponentsPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("exponent", &OrbitComponentsPlan::exponent)
      .def(
          "predicted_error",
          [](const OrbitComponentsPlan& p, const Vector& covariance, double rows) {
            const double norm2 =
                scaled_norm2_bound(p.bound(), Vector::Ones(p.request().scales.size()));
            return predicted_orbit_error(Vector(covariance * (rows / norm2)), p.rank(),
                                         p.exponent());
          },
          "spectrum"_a, "rows"_a)
      .def_prop_ro("product_sd",
                   [](const OrbitComponentsPlan& p) { return p.projection().product_sd(); })
      .def_prop_ro("count_sd",
                   [](const OrbitComponentsPlan& p) { return p.projection().count_sd(); });
  m.def(
      "plan_orbit_components",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, int group_size,
         double variance_share, Eigen::Index rank, bool scaled, bool published,
         bool unbounded_time) {
        return unwrap(OrbitComponentsPlan::make(
            request_of(bound, budget, relation, group_size, scaled, published, unbounded_time),
            rank, variance_share));
      },
      "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "variance_share"_a, "rank"_a, "scaled"_a,
      "published"_a, "unbounded_time"_a);
}

void bind_low_rank(nb::module_& m) {
  nb::class_<ReleasedLowRank>(m, "ReleasedLowRank", "A rank-k second moment drawn privately.")
      .def_prop_ro("guarantee", &ReleasedLowRank::guarantee, nb::rv_policy::copy)
      .def_prop_ro("count", [](const ReleasedLowRank& r) { return r.value().eigenvalues.count; })
      .def_prop_ro("count_sd",
                   [](const ReleasedLowRank& r) { return r.value().eigenvalues.count_sd; })
      .def(
          "matrix",
          [](const ReleasedLowRank& r, double norm2) {
            const NoisyEigenvalues& values = r.value().eigenvalues;
            return Matrix(real_truncation(r.value().orbit, values.values.size()) *
                          (norm2 / std::max(values.count, 1.0)));
          },
          "norm2"_a, "Per row, in the units of the plan.");
  nb::class_<LowRankPlan> plan(m, "LowRankPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &LowRankPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("eigenvalue_sd", &LowRankPlan::eigenvalue_sd)
      .def_prop_ro("count_sd", &LowRankPlan::count_sd)
      .def_prop_ro("norm2", [](const LowRankPlan& p) {
        return scaled_norm2_bound(p.bound(), p.request().scales);
      });
  m.def(
      "plan_low_rank",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, int group_size,
         Eigen::Index rank, bool scaled, bool published, bool unbounded_time,
         const std::optional<double>& eigenvalue_share) {
        return unwrap(LowRankPlan::make(
            request_of(bound, budget, relation, group_size, scaled, published, unbounded_time),
            rank, eigenvalue_share));
      },
      "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "rank"_a, "scaled"_a, "published"_a,
      "unbounded_time"_a, "eigenvalue_share"_a.none());
}

}  // namespace

void bind_orbit(nb::module_& m) {
  bind_components(m);
  bind_low_rank(m);
}

}  // namespace eigenveil::python
