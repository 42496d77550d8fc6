#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "eigenveil/engine/registry.hpp"
#include "engine/choice.hpp"
#include "engine/compare.hpp"
#include "engine/table/release_job.hpp"
#include "outlooked.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

std::vector<std::string> names_of(const std::vector<Task>& tasks) {
  std::vector<std::string> names;
  for (const Task task : tasks) {
    names.emplace_back(name_of(task));
  }
  return names;
}

void bind_registry(nb::module_& m) {
  nb::class_<OptionSpec>(m, "OptionSpec", "An option of a method, as every face has it.")
      .def_ro("name", &OptionSpec::name)
      .def_ro("sentence", &OptionSpec::sentence)
      .def_ro("words", &OptionSpec::words)
      .def_prop_ro("is_private_file",
                   [](const OptionSpec& o) { return o.kind == OptionKind::PrivateFile; })
      .def(
          "serves",
          [](const OptionSpec& o, const std::string& t) { return o.serves(unwrap(parse_task(t))); },
          "task"_a);
  nb::class_<MethodInfo>(m, "MethodInfo", "What every face shows of a method.")
      .def_ro("name", &MethodInfo::name)
      .def_ro("sentence", &MethodInfo::sentence)
      .def_ro("budgets", &MethodInfo::budgets)
      .def_ro("shows_variances", &MethodInfo::shows_variances)
      .def_prop_ro("tasks", [](const MethodInfo& i) { return names_of(i.tasks); })
      .def_prop_ro("options", [](const MethodInfo& i) { return i.options; });
  m.def(
      "methods",
      [] {
        std::vector<MethodInfo> all;
        for (const Method* method : methods()) {
          all.push_back(method->info());
        }
        return all;
      },
      "Every method of the engine.");
}

/// A request about a table nobody has read.
struct AssumedJob {
  Request request;
  AssumedTable table;
};
AssumedJob assumed(const std::string& text, const TableSpec& spec, Schema schema, std::int64_t rows,
                   const std::optional<Vector>& spectrum) {
  ReleaseJob job = unwrap(release_job(text, true, &spec));
  AssumedTable table = unwrap(assumed_table(job.table, std::move(schema), rows));
  table.spectrum = spectrum.value_or(Vector());
  return {std::move(job.request), std::move(table)};
}

Outlooked assumed_outlook(const std::string& text, const TableSpec& spec, Schema schema,
                          std::int64_t rows, const std::optional<Vector>& spectrum) {
  std::string method;
  const PlanFacts facts = interruptibly([&] {
    const AssumedJob job = assumed(text, spec, std::move(schema), rows, spectrum);
    method = unwrap(choose_method(job.request))->info().name;
    return unwrap(outlook_with_choice(job.request, job.table));
  });
  return outlooked(method, facts);
}

void bind_outlook(nb::module_& m) {
  m.def("outlook", &assumed_outlook, "job"_a, "spec"_a, "schema"_a, "rows"_a, "spectrum"_a.none(),
        "What a release would cost and give.");
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
      .def_prop_ro("recommended",
                   [](const MethodComparison& c) -> std::optional<std::string> {
                     const ComparedMethod* best = recommended(c, false);
                     return best != nullptr ? std::optional(best->name) : std::nullopt;
                   })
      .def_prop_ro("reason", &recommendation);
  m.def(
      "compare_methods",
      [](const std::string& text, const TableSpec& spec, Schema schema, std::int64_t rows,
         const Vector& spectrum) {
        return interruptibly([&] {
          const AssumedJob job = assumed(text, spec, std::move(schema), rows, spectrum);
          return compare_methods(job.request, unwrap(assumed_setting(job.request, job.table)));
        });
      },
      "job"_a, "spec"_a, "schema"_a, "rows"_a, "spectrum"_a);
}

}  // namespace

void bind_engine(nb::module_& m) {
  bind_registry(m);
  bind_document(m);
  bind_session(m);
  bind_outlook(m);
}

}  // namespace eigenveil::python
