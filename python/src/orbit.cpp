#include "mechanism/orbit/orbit.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "engine/methods/orbit_plan_facts.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/orbit/low_rank.hpp"
#include "mechanism/orbit/orbit_components.hpp"
#include "mechanism/orbit/orbit_matrices.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

OrbitRequest request_of(const RowBound& bound, const Budget& budget, const std::string& relation,
                        int group_size, bool scaled, bool published, bool unbounded_time,
                        bool complex_rows) {
  OrbitRequest request{bound, column_scales(bound, units_of(scaled)), unwrap(check_budget(budget))};
  request.relation = unwrap(parse_relation(relation));
  request.group_size = group_size;
  request.calibration = published ? OrbitCalibration::Published : OrbitCalibration::Tight;
  request.unbounded_time = unbounded_time;
  request.field = complex_rows ? RowField::Complex : RowField::Real;
  return request;
}

using ReleasedComponents = Release<OrbitComponents>;
using ReleasedLowRank = Release<LowRankDraw>;
using ReleasedOrbit = Release<OrbitDraw>;

/// The draw per row, in the units of the plan.
OrbitDraw per_row(const LowRankDraw& drawn, double norm2) {
  const double scale = norm2 / std::max(drawn.eigenvalues.count, 1.0);
  return {drawn.orbit.matrix * scale, drawn.orbit.spectrum * scale};
}

void bind_components(nb::module_& m) {
  nb::class_<ReleasedComponents>(m, "ReleasedOrbitComponents",
                                 "Components from a drawn projection.")
      .def_prop_ro("guarantee", &ReleasedComponents::guarantee, nb::rv_policy::copy)
      .def_prop_ro("count", [](const ReleasedComponents& r) { return r.value().projection.count; })
      .def_prop_ro("count_sd",
                   [](const ReleasedComponents& r) { return r.value().projection.count_sd; })
      .def_prop_ro("count_is_public",
                   [](const ReleasedComponents& r) { return r.value().projection.count_is_public; })
      .def("hermitian", [](const ReleasedComponents& r) { return r.value().orbit.matrix; })
      .def("components", [](const ReleasedComponents& r) { return r.value().components; })
      .def("complex_components",
           [](const ReleasedComponents& r) { return r.value().complex_row_components; });
  nb::class_<ComplexComponents>(m, "ComplexComponents", "Post-processed release.")
      .def_prop_ro("loadings", [](const ComplexComponents& c) { return c.loadings; })
      .def_prop_ro("explained_variance",
                   [](const ComplexComponents& c) { return c.explained_variance; })
      .def_prop_ro("noise_edge", [](const ComplexComponents& c) { return c.noise_edge; })
      .def_prop_ro("noise_floor", [](const ComplexComponents& c) {
        return c.noise_edge.size() > 0 ? c.noise_edge.maxCoeff() : 0.0;
      });
  nb::class_<OrbitComponentsPlan> plan(m, "OrbitComponentsPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &OrbitComponentsPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("draw_seconds", &OrbitComponentsPlan::draw_seconds)
      .def_prop_ro("exponent", &OrbitComponentsPlan::exponent)
      .def(
          "facts",
          [](const OrbitComponentsPlan& p, const std::string& task, double rows,
             const Vector& spectrum) {
            return components_facts({task, rows}, p, spectrum).dump();
          },
          "task"_a, "rows"_a, "spectrum"_a, "JSON, as `plan` prints it.")
      .def_prop_ro("product_sd",
                   [](const OrbitComponentsPlan& p) { return p.projection().product_sd(); })
      .def_prop_ro("count_sd",
                   [](const OrbitComponentsPlan& p) { return p.projection().count_sd(); });
  m.def(
      "plan_orbit_components",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, int group_size,
         double variance_share, Eigen::Index rank, bool scaled, bool published, bool unbounded_time,
         bool complex_rows) {
        return unwrap(
            OrbitComponentsPlan::make(request_of(bound, budget, relation, group_size, scaled,
                                                 published, unbounded_time, complex_rows),
                                      rank, variance_share));
      },
      "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "variance_share"_a, "rank"_a, "scaled"_a,
      "published"_a, "unbounded_time"_a, "complex_rows"_a);
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
            return real_part(per_row(r.value(), norm2));
          },
          "norm2"_a, "Per row, in the units of the plan.")
      .def(
          "hermitian",
          [](const ReleasedLowRank& r, double norm2) { return per_row(r.value(), norm2).matrix; },
          "norm2"_a);
  nb::class_<LowRankPlan> plan(m, "LowRankPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &LowRankPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("draw_seconds", &LowRankPlan::draw_seconds)
      .def(
          "facts",
          [](const LowRankPlan& p, const std::string& task, double rows, const Vector& spectrum) {
            return low_rank_facts({task, rows}, p, spectrum).dump();
          },
          "task"_a, "rows"_a, "spectrum"_a, "JSON, as `plan` prints it.")
      .def_prop_ro("eigenvalue_sd", &LowRankPlan::eigenvalue_sd)
      .def_prop_ro("count_sd", &LowRankPlan::count_sd)
      .def_prop_ro("norm2", [](const LowRankPlan& p) {
        return scaled_norm2_bound(p.bound(), p.request().scales);
      });
  m.def(
      "plan_low_rank",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, int group_size,
         Eigen::Index rank, bool scaled, bool published, bool unbounded_time, bool complex_rows,
         const std::optional<double>& eigenvalue_share) {
        return unwrap(LowRankPlan::make(request_of(bound, budget, relation, group_size, scaled,
                                                   published, unbounded_time, complex_rows),
                                        rank, eigenvalue_share));
      },
      "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "rank"_a, "scaled"_a, "published"_a,
      "unbounded_time"_a, "complex_rows"_a, "eigenvalue_share"_a.none());
}

void bind_target(nb::module_& m) {
  nb::class_<ReleasedOrbit>(m, "ReleasedOrbit", "A matrix with prescribed eigenvalues.")
      .def_prop_ro("guarantee", &ReleasedOrbit::guarantee, nb::rv_policy::copy)
      .def("matrix", [](const ReleasedOrbit& r) { return real_with_spectrum(r.value()); })
      .def("hermitian", [](const ReleasedOrbit& r) { return r.value().matrix; });
  nb::class_<OrbitPlan> plan(m, "OrbitPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &OrbitPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("draw_seconds", &OrbitPlan::draw_seconds)
      .def(
          "facts",
          [](const OrbitPlan& p, const std::string& task, double rows, const Vector&) {
            return target_facts({task, rows}, p).dump();
          },
          "task"_a, "rows"_a, "spectrum"_a, "JSON, as `plan` prints it.")
      .def_prop_ro("spectrum", [](const OrbitPlan& p) { return p.spectrum(); })
      .def_prop_ro("exponent", &OrbitPlan::exponent);
  m.def(
      "plan_orbit_target",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, int group_size,
         const Vector& spectrum, bool published, bool unbounded_time, bool complex_rows) {
        return unwrap(OrbitPlan::make(request_of(bound, budget, relation, group_size, true,
                                                 published, unbounded_time, complex_rows),
                                      spectrum));
      },
      "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "spectrum"_a, "published"_a,
      "unbounded_time"_a, "complex_rows"_a);
}

}  // namespace

void bind_orbit(nb::module_& m) {
  bind_components(m);
  bind_low_rank(m);
  bind_target(m);
}

}  // namespace eigenveil::python
