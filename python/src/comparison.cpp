#include "mechanism/comparison/comparison.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

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
      .def_ro("null_share", &ComparedMethod::null_share)
      .def_prop_ro("under_a_model", &under_a_model);
  nb::class_<MethodComparison>(m, "MethodComparison", "Every method at the same budget.")
      .def_ro("methods", &MethodComparison::methods)
      .def_ro("sampling_f2", &MethodComparison::sampling_f2)
      .def_ro("tables", &MethodComparison::tables)
      .def_prop_ro("recommended",
                   [](const MethodComparison& c) -> std::optional<std::string> {
                     const ComparedMethod* best = recommended(c, false);
                     return best != nullptr ? std::optional(best->name) : std::nullopt;
                   })
      .def_prop_ro("reason", &recommendation);
  m.def(
      "compared_methods",
      [](const RowBound& bound, const Budget& budget, const std::string& relation,
         Eigen::Index components, Eigen::Index rows, const Vector& spectrum, int group_size,
         bool private_mean) {
        const AssumedSetting setting{rows,
                                     components,
                                     bound,
                                     unwrap(check_budget(budget)),
                                     unwrap(parse_relation(relation)),
                                     spectrum,
                                     group_size,
                                     private_mean ? Extension::Full : Extension::Count};
        return interruptibly([&] { return compared_methods(setting); });
      },
      "bound"_a, "budget"_a, "relation"_a, "components"_a, "rows"_a, "spectrum"_a, "group_size"_a,
      "private_mean"_a);
  m.def("direction_error", &direction_error, "plan"_a, "eigenvalues"_a, "rows"_a);
}

}  // namespace eigenveil::python
