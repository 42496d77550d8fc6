#include "eigenveil/mechanism/comparison.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"

namespace eigenveil::python {

void bind_comparison(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<ComparedMethod>(m, "ComparedMethod", "One method's predicted error.")
      .def_ro("name", &ComparedMethod::name)
      .def_ro("total_f2", &ComparedMethod::total_f2)
      .def_prop_ro("error_f2", [](const ComparedMethod& c) { return c.predicted.error_f2; })
      .def_prop_ro("available", [](const ComparedMethod& c) { return c.predicted.available; })
      .def_prop_ro("note", [](const ComparedMethod& c) { return c.predicted.note; })
      .def_prop_ro(
          "relation",
          [](const ComparedMethod& c) { return std::string(name_of(c.predicted.relation)); })
      .def_prop_ro("basis",
                   [](const ComparedMethod& c) { return std::string(name_of(c.predicted.basis)); })
      .def_prop_ro("under_a_model",
                   [](const ComparedMethod& c) { return holds_under_a_model_only(c.predicted); });
  m.def(
      "compared_methods",
      [](const RowBound& bound, const Budget& budget, const std::string& relation,
         Eigen::Index components, Eigen::Index rows, const Vector& spectrum) {
        return compared_methods({rows, components, bound, unwrap(check_budget(budget)),
                                 unwrap(parse_relation(relation)), spectrum});
      },
      "bound"_a, "budget"_a, "relation"_a, "components"_a, "rows"_a, "spectrum"_a);
  m.def("sampling_error", &sampling_error, "spectrum"_a, "components"_a, "rows"_a);
  m.def("direction_error", &direction_error, "plan"_a, "eigenvalues"_a, "rows"_a);
}

}  // namespace eigenveil::python
