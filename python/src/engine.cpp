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
#include "data/exact_rows.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/compare.hpp"
#include "engine/release_cost.hpp"
#include "engine/verdict.hpp"
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
  const MethodInfo& info() const { return method->info(); }
  /// As it was asked for, for what settles the centre itself.
  Request unsettled() const {
    Request asked = request;
    asked.center = center;
    return asked;
  }
};

Asked ask(const std::string& task, const std::string& method, const std::optional<Budget>& budget,
          const std::string& relation, int group_size, std::optional<Eigen::Index> components,
          const std::string& center, bool scaled, const GivenOptions& options, TableSpec& spec) {
  Request request;
  request.task = unwrap(parse_task(task));
  request.method = method;
  if (budget) {
    request.budget = unwrap(check_budget(*budget));
  }
  request.relation =
      relation.empty() ? default_relation(request.task) : unwrap(parse_relation(relation));
  request.group_size = group_size;
  request.components = components.value_or(1);
  request.components_given = components.has_value();
  request.center = center_of(center);
  request.arrives_centred = spec.arrives_centred();
  request.rank_transform = spec.rank_transform;
  request.units = units_of(scaled);
  request.options = options_of(options, request.task);
  unwrap(settle_people(spec, request));
  const Method* chosen = unwrap(choose_method(request));
  const CenterChoice said = request.center;
  std::string warning = settle_center(*chosen, request);
  return {std::move(request), chosen, std::move(warning), said};
}

std::shared_ptr<PreparedTable> prepared(const Asked& asked, const TableSpec& spec,
                                        const Schema& read) {
  std::optional<double> radius;
  if (!spec.bounded()) {
    const auto dimension = static_cast<Eigen::Index>(read.dimension());
    if (auto model = asked.method->model_radius(asked.request, dimension, {})) {
      radius = unwrap(*std::move(model));
    }
  }
  return std::make_shared<PreparedTable>(unwrap(PreparedTable::make(spec, read, radius)));
}

/// A plan that knows the stages in front of its rows.
struct BoundPlan {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const PreparedTable> prepared;  ///< null: totals, or rows of any length
  std::vector<std::string> warnings = {};         ///< before anything is spent
};

/// The declared number of people, and whether to spend although the verdict is against it.
struct Public {
  std::optional<std::int64_t> people;
  bool anyway = false;
};

BoundPlan plan_of(const Asked& asked, const PublicFacts& facts,
                  std::shared_ptr<const PreparedTable> table, const Public& declared) {
  return interruptibly([&] {
    BoundPlan made{nullptr, std::move(table)};
    if (!asked.warning.empty()) {
      made.warnings.push_back(asked.warning);
    }
    if (has_center(asked.request.task)) {
      const std::optional<std::int64_t> known = declared.people ? declared.people : facts.rows;
      if (known && !declared.anyway) {
        unwrap(verdict(*asked.method, asked.request, facts, *known));
      }
      for (std::string& line : public_warnings(asked.request, facts.schema, known)) {
        made.warnings.push_back(std::move(line));
      }
    }
    made.plan = unwrap(make_plan(*asked.method, asked.request, facts));
    return made;
  });
}

/// What a ledger is charged where the plan needs the number of rows.
LedgerCost stated_before(const Asked& asked, const PublicFacts& facts, bool seeded) {
  Request request = asked.request;
  request.method = asked.method->info().name;
  request.table = table_fingerprint(facts);
  return {unwrap(stated_cost(*asked.method, request, seeded)), to_json(request)};
}
LedgerCost stated_cost_of(const Asked& asked, const PreparedTable& table, bool seeded) {
  return stated_before(asked, table.facts(), seeded);
}
LedgerCost stated_cost_unbounded(const Asked& asked, const Schema& schema, bool seeded) {
  return stated_before(asked, unwrap(unbounded(schema)), seeded);
}

BoundPlan plan_of_rows(const Asked& asked, const std::shared_ptr<PreparedTable>& table,
                       std::optional<std::int64_t> rows, std::optional<std::int64_t> people,
                       bool anyway, bool read_again) {
  PublicFacts facts = table->facts();
  facts.rows = rows;
  facts.read_again = read_again;
  return plan_of(asked, facts, table, {people, anyway});
}

BoundPlan plan_of_totals(const Asked& asked, const Schema& schema, const RowBound& bound,
                         std::optional<std::int64_t> people, bool anyway) {
  return plan_of(asked, {schema, bound}, nullptr, {people, anyway});
}

BoundPlan plan_unbounded(const Asked& asked, const Schema& schema, std::int64_t rows) {
  PublicFacts facts = unwrap(unbounded(schema));
  facts.rows = rows;
  return plan_of(asked, facts, nullptr, {});
}

void bind_request(nb::module_& m) {
  nb::class_<Asked>(m, "Asked", "What is asked for, and the method that serves it; public.")
      .def_prop_ro("task", [](const Asked& a) { return std::string(name_of(a.request.task)); })
      .def_prop_ro("method", [](const Asked& a) { return a.info().name; })
      .def_prop_ro("budget", [](const Asked& a) { return a.request.budget; })
      .def_prop_ro("needs_row_count", [](const Asked& a) { return a.info().needs_row_count; })
      .def_prop_ro("reads_rows", [](const Asked& a) { return a.info().reads_rows; })
      .def_prop_ro("reads_exact_rows", [](const Asked& a) { return a.info().reads_exact_rows; })
      .def_prop_ro("complex_rows",
                   [](const Asked& a) { return a.request.options.flag("complex_rows"); })
      .def_prop_ro("scaled", [](const Asked& a) { return a.request.units == Units::Scaled; })
      .def("prepare", &prepared, "spec"_a, "schema"_a)
      .def("plan", &plan_of_rows, "table"_a, "rows"_a.none(), "people"_a.none(), "anyway"_a,
           "read_again"_a = false)
      .def("plan_totals", &plan_of_totals, "schema"_a, "bound"_a, "people"_a.none(), "anyway"_a)
      .def("plan_unbounded", &plan_unbounded, "schema"_a, "rows"_a)
      .def("stated_cost", &stated_cost_of, "table"_a, "seeded"_a)
      .def("stated_cost_unbounded", &stated_cost_unbounded, "schema"_a, "seeded"_a);
  m.def("ask", &ask, "task"_a, "method"_a, "budget"_a.none(), "relation"_a, "group_size"_a,
        "components"_a.none(), "center"_a, "scaled"_a, "options"_a, "spec"_a);
}

/// Points kept as they stand: the exact rules look at them again and again.
class ExactPoints {
 public:
  ExactPoints(bool refuse_bad, bool affine) : bad_cell_(bad_cell_of(refuse_bad)), affine_(affine) {}
  Result<void> add(RowReader& reader) {
    return read_exact_rows(reader, bad_cell_, affine_).map([&](ExactRows&& rows) { take(rows); });
  }
  void add_file(const std::string& path, const TableSpec& spec, const ReadOptions& format) {
    run_interruptibly(
        [&] { take(unwrap(read_exact_rows(path, file_options(path, spec, format), affine_))); });
  }
  const ExactRows& rows() const { return rows_; }

 private:
  void take(ExactRows rows) {
    rows_.schema = std::move(rows.schema);
    rows_.points.insert(rows_.points.end(), std::make_move_iterator(rows.points.begin()),
                        std::make_move_iterator(rows.points.end()));
  }
  BadCell bad_cell_;
  bool affine_;
  ExactRows rows_;
};

/// Rows come in, a document comes out.
class BoundRun {
 public:
  BoundRun(const BoundPlan& plan, int threads, RandomStream& stream)
      : plan_(plan), run_(plan.plan->start(stream, threads)) {}

  Result<void> add(RowReader& reader) {
    return plan_.prepared ? staged_.add(*plan_.prepared, reader, *run_) : run_->add(reader);
  }
  void add_points(const ExactPoints& points) {
    interruptibly([&] { return unwrap(run_->add(points.rows())), true; });
  }
  bool wants_rows_again() {
    return interruptibly([&] { return unwrap(run_->wants_rows_again()); });
  }
  ExactGram take_sums() {
    return interruptibly([&] { return unwrap(run_->take_sums()); });
  }
  std::unique_ptr<ReleaseDocument> release() {
    return interruptibly([&] { return published(plan_, unwrap(run_->finish())); });
  }
  static std::unique_ptr<ReleaseDocument> published(const BoundPlan& plan,
                                                    ReleaseDocument document) {
    document.request = to_json(plan.plan->request());
    return std::make_unique<ReleaseDocument>(
        plan.prepared ? plan.prepared->finish(std::move(document)) : std::move(document));
  }

 private:
  BoundPlan plan_;
  std::unique_ptr<Run> run_;
  StagedRows staged_;
};

/// From totals that were made before, one a block.
std::unique_ptr<ReleaseDocument> release_totals(const BoundPlan& plan,
                                                const std::vector<const ExactGram*>& totals,
                                                RandomStream& stream) {
  return interruptibly([&] {
    std::vector<TablePart> parts;
    for (const ExactGram* part : totals) {
      parts.push_back({{}, part});
    }
    return BoundRun::published(plan, unwrap(eigenveil::release(*plan.plan, parts, stream, 1)));
  });
}

void bind_run(nb::module_& m) {
  nb::class_<RandomStream>(m, "RandomStream", "Secure randomness, or seeded: then not private.")
      .def(
          "__init__",
          [](RandomStream* self, const std::optional<std::uint64_t>& seed) {
            new (self) RandomStream(stream_for(seed));
          },
          "seed"_a.none());
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
      .def_ro("warnings", &BoundPlan::warnings)
      .def("release", &release_totals, "totals"_a, "stream"_a);
  nb::class_<ExactPoints> points(m, "ExactPoints", "Points of fractions. Private: not a release.");
  bind_sink(points)
      .def(nb::init<bool, bool>(), "refuse_bad"_a, "affine"_a)
      .def("add_file", &ExactPoints::add_file, "path"_a, "spec"_a, "format"_a)
      .def_prop_ro("columns", [](const ExactPoints& p) { return p.rows().schema.columns; })
      .def_prop_ro("schema", [](const ExactPoints& p) { return p.rows().schema; })
      .def_prop_ro("rows", [](const ExactPoints& p) { return p.rows().points.size(); });
  nb::class_<BoundRun> run(m, "Run", "One release under way. Private until it is drawn.");
  bind_sink(run)
      .def(
          "__init__",
          [](BoundRun* self, const BoundPlan& plan, int threads, RandomStream& stream) {
            new (self) BoundRun(plan, threads_of(threads), stream);
          },
          "plan"_a, "threads"_a, "stream"_a, nb::keep_alive<1, 4>())
      .def("add_points", &BoundRun::add_points, "points"_a)
      .def("wants_rows_again", &BoundRun::wants_rows_again)
      .def("finish", &BoundRun::take_sums, "The exact sums instead of a release.")
      .def("release", &BoundRun::release, "One draw.");
}

/// The plan of a table nobody has read: title, lines (label, words), JSON, warning, guarantee.
using Outlooked = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>,
                             std::string, std::string, std::optional<Guarantee>>;

Outlooked assumed_outlook(const Asked& asked, const TableSpec& spec, Schema schema,
                          std::int64_t rows, const std::optional<Vector>& spectrum) {
  const PlanFacts facts = interruptibly([&] {
    AssumedTable table = unwrap(assumed_table(spec, std::move(schema), rows));
    table.spectrum = spectrum.value_or(Vector());
    return unwrap(outlook(asked.unsettled(), table));
  });
  std::vector<std::pair<std::string, std::string>> lines;
  for (const FactLine& line : facts.lines) {
    lines.emplace_back(line.label, line.text);
  }
  return {facts.title, lines, facts.json, facts.warning, facts.guarantee};
}

void bind_outlook(nb::module_& m) {
  m.def("outlook", &assumed_outlook, "asked"_a, "spec"_a, "schema"_a, "rows"_a, "spectrum"_a.none(),
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
      [](const Asked& asked, const TableSpec& spec, Schema schema, std::int64_t rows,
         const Vector& spectrum) {
        return interruptibly([&] {
          AssumedTable table = unwrap(assumed_table(spec, std::move(schema), rows));
          table.spectrum = spectrum;
          const Request request = asked.unsettled();
          return compare_methods(request, unwrap(assumed_setting(request, table)));
        });
      },
      "asked"_a, "spec"_a, "schema"_a, "rows"_a, "spectrum"_a);
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
