#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "eigenveil/engine/registry.hpp"
#include "engine/table/table_plan.hpp"

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

}  // namespace

void bind_engine(nb::module_& m) {
  bind_registry(m);
  bind_document(m);
  bind_session(m);
  m.def(
      "check_job", [](const std::string& job) { (void)unwrap(release_job(job, false)); }, "job"_a,
      "Whether its numbers and words are sound.");
  m.def(
      "plan",
      [](const std::string& job, const TableSpec& spec) {
        return interruptibly(
            [&] { return unwrap(release_job(job, true, &spec).and_then(plan_of_job)); });
      },
      "job"_a, "spec"_a, "What a release would cost and give, or every method; as JSON.");
}

}  // namespace eigenveil::python
