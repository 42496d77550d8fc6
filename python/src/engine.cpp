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
#include "data/rank_transform.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/compare.hpp"
#include "engine/release_cost.hpp"
#include "engine/table/prepared_table.hpp"
#include "ledger_cost.hpp"

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
      .def(
          "serves",
          [](const OptionSpec& o, const std::string& t) { return o.serves(unwrap(parse_task(t))); },
          "task"_a);
  nb::class_<MethodInfo>(m, "MethodInfo", "What every face shows of a method.")
      .def_ro("name", &MethodInfo::name)
      .def_ro("sentence", &MethodInfo::sentence)
      .def_ro("budgets", &MethodInfo::budgets)
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

using GivenOptions = std::map<std::string, OptionValue>;

/// The spec of an option of this name that any method of the task has; null: there is none, and
/// choose_method says so.
const OptionSpec* spec_of(const std::string& name, Task task) {
  for (const Method* method : methods_for(task)) {
    const OptionSpec* spec = method->info().option(name);
    if (spec != nullptr && spec->serves(task)) {
      return spec;
    }
  }
  return nullptr;
}

Options options_of(const GivenOptions& given, Task task) {
  Options options;
  for (const auto& [name, value] : given) {
    const OptionSpec* spec = spec_of(name, task);
    if (spec != nullptr && spec->kind == OptionKind::Flag && value == OptionValue(false)) {
      continue;  // as if it had not been given
    }
    options.set(name, spec != nullptr ? unwrap(checked(*spec, value)) : value);
  }
  return options;
}

CenterChoice center_of(const std::string& word) {
  return word == "private"  ? CenterChoice::Private
         : word == "public" ? CenterChoice::Public
         : word == "none"   ? CenterChoice::None
                            : CenterChoice::Unsaid;
}

/// A request with the method that serves it: what a plan is made from. Public.
struct Asked {
  Request request;
  const Method* method = nullptr;
  std::string warning;                         ///< what a user should hear; may be empty
  CenterChoice center = CenterChoice::Unsaid;  ///< as it was given; the request has it settled
};

Asked ask(const std::string& task, const std::string& method, const std::optional<Budget>& budget,
          const std::string& relation, int group_size, std::optional<Eigen::Index> components,
          const std::string& center, bool arrives_centred, bool rank_transform, bool scaled,
          const GivenOptions& options) {
  Request request;
  request.task = unwrap(parse_task(task));
  request.method = method;
  if (budget) {
    request.budget = unwrap(check_budget(*budget));
  }
  request.relation = unwrap(parse_relation(relation));
  request.group_size = group_size;
  request.components = components.value_or(1);
  request.components_given = components.has_value();
  request.center = center_of(center);
  request.arrives_centred = arrives_centred;
  request.rank_transform = rank_transform;
  request.units = units_of(scaled);
  request.options = options_of(options, request.task);
  const Method* chosen = unwrap(choose_method(request));
  const CenterChoice said = request.center;
  std::string warning = settle_center(*chosen, request);
  return {std::move(request), chosen, std::move(warning), said};
}

/// A plan that knows whether its rows are ranks.
struct BoundPlan {
  std::shared_ptr<const Plan> plan;
  bool ranks = false;
};

BoundPlan plan_of(const Asked& asked, const Schema& schema, const RowBound& bound,
                  std::optional<std::int64_t> rows) {
  return interruptibly([&] {
    return BoundPlan{unwrap(make_plan(*asked.method, asked.request, {schema, bound, rows})),
                     asked.request.rank_transform};
  });
}

LedgerCost stated_cost_of(const Asked& asked, const Schema& schema, const RowBound& bound,
                          bool seeded) {
  Request request = asked.request;
  request.method = asked.method->info().name;
  request.table = table_fingerprint({schema, bound});
  return {unwrap(stated_cost(*asked.method, request, seeded)), to_json(request)};
}

/// A table nobody has read; its bound, or the sentence that says how to give one.
AssumedTable assumed(Schema schema, std::int64_t rows, const std::optional<Vector>& spectrum,
                     const std::optional<double>& row_norm,
                     const std::variant<RowBound, std::string>& bound) {
  return {std::move(schema), rows, spectrum.value_or(Vector()), row_norm,
          [bound](const std::optional<double>& /*model_radius*/) -> Result<RowBound> {
            const auto* known = std::get_if<RowBound>(&bound);
            return known != nullptr ? Result<RowBound>(*known)
                                    : bad_request(std::get<std::string>(bound));
          }};
}

void bind_request(nb::module_& m) {
  nb::class_<Asked>(m, "Asked", "What is asked for, and the method that serves it; public.")
      .def_prop_ro("task", [](const Asked& a) { return std::string(name_of(a.request.task)); })
      .def_prop_ro("method", [](const Asked& a) { return a.method->info().name; })
      .def_prop_ro("budget", [](const Asked& a) { return a.request.budget; })
      .def_ro("warning", &Asked::warning)
      .def_prop_ro("needs_row_count",
                   [](const Asked& a) { return a.method->info().needs_row_count; })
      .def_prop_ro("reads_rows", [](const Asked& a) { return a.method->info().reads_rows; })
      .def_prop_ro("ranks", [](const Asked& a) { return a.request.rank_transform; })
      .def_prop_ro("complex_rows",
                   [](const Asked& a) { return a.request.options.flag("complex_rows"); })
      .def_prop_ro("scaled", [](const Asked& a) { return a.request.units == Units::Scaled; })
      .def(
          "model_radius",
          [](const Asked& a, Eigen::Index dimension,
             std::optional<std::int64_t> rows) -> std::optional<double> {
            auto radius = a.method->model_radius(a.request, dimension, rows);
            return radius ? std::optional(unwrap(*std::move(radius))) : std::nullopt;
          },
          "dimension"_a, "rows"_a.none())
      .def("plan", &plan_of, "schema"_a, "bound"_a, "rows"_a.none())
      .def("stated_cost", &stated_cost_of, "schema"_a, "bound"_a, "seeded"_a,
           "What a ledger is charged where the plan needs the number of rows.");
  m.def("ask", &ask, "task"_a, "method"_a, "budget"_a.none(), "relation"_a, "group_size"_a,
        "components"_a.none(), "center"_a, "arrives_centred"_a, "rank_transform"_a, "scaled"_a,
        "options"_a);
}

/// Rows come in, a document comes out. Owns the randomness of its one draw.
class BoundRun {
 public:
  BoundRun(const BoundPlan& plan, int threads, const std::optional<std::uint64_t>& seed)
      : plan_(plan), stream_(stream_for(seed)), run_(plan.plan->start(stream_, threads)) {}
  BoundRun(const BoundRun&) = delete;
  BoundRun& operator=(const BoundRun&) = delete;

  Result<void> add(RowReader& reader) {
    if (!plan_.ranks) {
      return run_->add(reader);
    }
    if (std::exchange(ranked_, true)) {  // a rank depends on every row
      return bad_request("ranks need the whole table in one fit; partial_fit has only a part");
    }
    return run_->add(*ranked(borrowed(reader)));
  }
  bool wants_rows_again() {
    return interruptibly([&] { return unwrap(run_->wants_rows_again()); });
  }
  ExactGram take_sums() {
    return interruptibly([&] { return unwrap(run_->take_sums()); });
  }
  std::unique_ptr<ReleaseDocument> release() {
    return interruptibly([&] {
      auto document = std::make_unique<ReleaseDocument>(unwrap(run_->finish()));
      document->request = to_json(plan_.plan->request());
      return document;
    });
  }

 private:
  BoundPlan plan_;
  RandomStream stream_;
  std::unique_ptr<Run> run_;
  bool ranked_ = false;
};

void bind_run(nb::module_& m) {
  nb::class_<BoundPlan>(m, "Plan", "Noise and guarantee, from public parameters alone.")
      .def_prop_ro("guarantee", [](const BoundPlan& p) { return p.plan->guarantee(); })
      .def_prop_ro("draw_seconds", [](const BoundPlan& p) { return p.plan->draw_seconds(); })
      .def(
          "cost",
          [](const BoundPlan& p, bool seeded, const std::string& person) {
            LedgerCost asked{cost_of(*p.plan, seeded), to_json(p.plan->request())};
            asked.cost.guarantee.person = person;
            return asked;
          },
          "seeded"_a, "person"_a, "What a ledger is charged for it.")
      .def(
          "check_charged",
          [](const BoundPlan& p, const LedgerCost& charged) {
            unwrap(check_charged(charged.cost, *p.plan));
          },
          "charged"_a)
      .def(
          "release",
          [](const BoundPlan& p, const ExactGram& gram, const std::optional<std::uint64_t>& seed) {
            return interruptibly([&] {
              RandomStream stream = stream_for(seed);
              return std::make_unique<ReleaseDocument>(
                  unwrap(eigenveil::release(*p.plan, gram, stream)));
            });
          },
          "gram"_a, "seed"_a.none());
  nb::class_<BoundRun> run(m, "Run", "One release under way. Private until it is drawn.");
  bind_sink(run)
      .def(
          "__init__",
          [](BoundRun* self, const BoundPlan& plan, int threads,
             const std::optional<std::uint64_t>& seed) {
            new (self) BoundRun(plan, threads_of(threads), seed);
          },
          "plan"_a, "threads"_a, "seed"_a.none())
      .def("wants_rows_again", &BoundRun::wants_rows_again)
      .def("finish", &BoundRun::take_sums, "The exact sums instead of a release.")
      .def("release", &BoundRun::release, "One draw.");
}

/// The plan of a table nobody has read: title, lines (label, words), JSON, warning, guarantee.
using Outlooked = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>,
                             std::string, std::string, std::optional<Guarantee>>;

Outlooked outlook_of(const Asked& asked, Schema schema, std::int64_t rows,
                     const std::optional<Vector>& spectrum, const std::optional<double>& row_norm,
                     const std::variant<RowBound, std::string>& bound) {
  const AssumedTable table = assumed(std::move(schema), rows, spectrum, row_norm, bound);
  const PlanFacts facts = interruptibly([&] {
    unwrap(check_spectrum(asked.request, table));
    return unwrap(asked.method->outlook(asked.request, table));
  });
  std::vector<std::pair<std::string, std::string>> lines;
  for (const FactLine& line : facts.lines) {
    lines.emplace_back(line.label, line.text);
  }
  if (!asked.warning.empty()) {
    lines.emplace_back("warning", asked.warning);
  }
  return {facts.title, lines, facts.json, asked.warning, facts.guarantee};
}

void bind_outlook(nb::module_& m) {
  m.def("outlook", &outlook_of, "asked"_a, "schema"_a, "rows"_a, "spectrum"_a.none(),
        "row_norm"_a.none(), "bound"_a, "What a release would cost and give.");
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
      [](const Asked& asked, Schema schema, std::int64_t rows, const Vector& spectrum,
         const std::variant<RowBound, std::string>& bound) {
        const AssumedTable table = assumed(std::move(schema), rows, spectrum, {}, bound);
        Request request = asked.request;
        request.center = asked.center;
        return interruptibly(
            [&] { return compare_methods(request, unwrap(assumed_setting(request, table))); });
      },
      "asked"_a, "schema"_a, "rows"_a, "spectrum"_a, "bound"_a);
}

}  // namespace

void bind_engine(nb::module_& m) {
  bind_registry(m);
  bind_request(m);
  bind_document(m);
  bind_run(m);
  bind_outlook(m);
}

}  // namespace eigenveil::python
