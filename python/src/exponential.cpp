#include "mechanism/exponential/exponential.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// A drawn subspace with its guarantee; also what later methods that draw a frame release.
using ReleasedSubspace = Release<DrawnSubspace>;

ExponentialPlan plan(const RowBound& bound, const Budget& budget, const std::string& relation,
                     int group_size, double variance_share, bool scaled) {
  return unwrap(
      plan_exponential({bound, column_scales(bound, units_of(scaled)), unwrap(check_budget(budget)),
                        unwrap(parse_relation(relation)), group_size, variance_share}));
}

}  // namespace

void bind_exponential(nb::module_& m) {
  nb::class_<ReleasedSubspace>(m, "ReleasedSubspace", "A drawn subspace and what is inside it.")
      .def_prop_ro("guarantee", &ReleasedSubspace::guarantee, nb::rv_policy::copy)
      .def_prop_ro("is_null", [](const ReleasedSubspace& r) { return r.value().is_null(); })
      .def_prop_ro("frame", [](const ReleasedSubspace& r) { return r.value().frame; })
      .def_prop_ro("count", [](const ReleasedSubspace& r) { return r.value().projection.count; })
      .def_prop_ro("count_sd",
                   [](const ReleasedSubspace& r) { return r.value().projection.count_sd; })
      .def_prop_ro("count_is_public",
                   [](const ReleasedSubspace& r) { return r.value().projection.count_is_public; })
      .def("components", [](const ReleasedSubspace& r) {
        return components_in_subspace(r.value().frame, r.value().projection);
      });
  nb::class_<ExponentialPlan> planned(m, "ExponentialPlan", "From public parameters alone.");
  bind_run<ExactGram>(planned)
      .def_prop_ro("guarantee", &ExponentialPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("exponent", &ExponentialPlan::exponent)
      .def_prop_ro("zcdp_rho", &ExponentialPlan::zcdp_rho)
      .def_prop_ro("product_sd",
                   [](const ExponentialPlan& p) { return p.projection().product_sd(); })
      .def_prop_ro("count_sd", [](const ExponentialPlan& p) { return p.projection().count_sd(); });
  m.def("plan_exponential", &plan, "bound"_a, "budget"_a, "relation"_a, "group_size"_a,
        "variance_share"_a, "scaled"_a);
}

}  // namespace eigenveil::python
