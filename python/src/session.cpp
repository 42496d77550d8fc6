#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind.hpp"
#include "engine/table/release_session.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// A session of the engine whose rows Python brings, block by block.
class Session {
 public:
  Session(const std::string& job, const TableSpec& table)
      : session_(interruptibly([&] {
          return unwrap(release_job(job, false, &table).and_then([](ReleaseJob asked) {
            return ReleaseSession::open(std::move(asked));
          }));
        })) {}

  void begin(const Schema& read, bool read_again, std::optional<std::int64_t> stated_rows) {
    begin(unwrap(session_.awaited_table(read, read_again, stated_rows)));
  }
  void begin_totals(const Schema& schema, const RowBound& bound) {
    begin(unwrap(session_.awaited_totals({schema, bound})));
  }
  void plan(std::optional<std::int64_t> counted) {
    interruptibly([&] { return done(session_.plan(counted)); });
  }
  void charge() {
    interruptibly([&] { return done(session_.charge()); });
  }
  /// What bind_sink calls, which is interrupted by itself.
  Result<void> add(RowReader& reader) {
    return table_->staged(reader)
        .and_then([&](const std::unique_ptr<RowReader>& rows) { return session_.add(*rows); })
        .map_error([&](Error error) { return session_.at_its_cost(std::move(error)); });
  }
  void add_totals(const ExactGram& totals) {
    interruptibly([&] { return done(session_.add(totals)); });
  }
  void add_points(const ExactRows& points) { session_.add(points); }
  void end_block() {
    interruptibly([&] { return done(session_.end_block()); });
  }
  bool wants_rows_again() {
    return interruptibly([&] { return checked(session_.wants_rows_again()); });
  }
  ExactGram take_sums() {
    return interruptibly([&] { return checked(session_.take_sums()); });
  }
  /// The release, and the hash that a ledger settled it by.
  std::pair<ReleaseDocument, std::string> finish() {
    TableOutcome outcome = interruptibly([&] { return checked(session_.finish()); });
    return {std::move(outcome.document), outcome.settled};
  }
  std::unique_ptr<RandomStream> take_stream() {
    return std::make_unique<RandomStream>(session_.take_stream());
  }

  const ReleaseSession& session() const { return session_; }
  PublicFacts facts() const { return table_->facts(); }
  const PreparedTable* prepared() const { return table_->prepared(); }
  RowBound bound() const {
    const PublicFacts known = facts();
    return known.counted ? known.counted->bound : known.bound;
  }

 private:
  void begin(OpenedTable table) {
    table_ = std::make_shared<OpenedTable>(std::move(table));
    interruptibly([&] { return done(session_.begin(table_)); });
  }
  template <class T>
  T checked(Result<T> result) const {
    return unwrap(std::move(result).map_error(
        [&](Error error) { return session_.at_its_cost(std::move(error)); }));
  }
  bool done(Result<void> result) const {
    return checked(std::move(result).map([] { return true; }));
  }

  ReleaseSession session_;
  std::shared_ptr<OpenedTable> table_;
};

}  // namespace

void bind_session(nb::module_& m) {
  nb::class_<RandomStream>(m, "RandomStream", "Secure randomness, or seeded: then not private.")
      .def(
          "__init__",
          [](RandomStream* self, const std::optional<std::uint64_t>& seed) {
            new (self) RandomStream(stream_for(seed));
          },
          "seed"_a.none());
  nb::class_<ExactRows>(m, "ExactPoints", "Points of fractions. Private: not a release.")
      .def_ro("schema", &ExactRows::schema);
  m.def(
      "exact_points",
      [](const std::string& path, const TableSpec& spec, const ReadOptions& format, bool affine) {
        return interruptibly([&] {
          return unwrap(read_exact_rows(path, file_options(path, spec, format), affine));
        });
      },
      "path"_a, "spec"_a, "format"_a, "affine"_a);
  nb::class_<Session> session(m, "Session", "One release under way. Private until it is drawn.");
  bind_sink(session)
      .def(nb::init<const std::string&, const TableSpec&>(), "job"_a, "table"_a)
      .def("begin",
           nb::overload_cast<const Schema&, bool, std::optional<std::int64_t>>(&Session::begin),
           "schema"_a, "read_again"_a, "stated_rows"_a.none() = nb::none())
      .def("begin_totals", &Session::begin_totals, "schema"_a, "bound"_a)
      .def("plan", &Session::plan, "rows"_a.none())
      .def("charge", &Session::charge)
      .def("add_totals", &Session::add_totals, "totals"_a)
      .def("add_points", &Session::add_points, "points"_a)
      .def("end_block", &Session::end_block)
      .def("wants_rows_again", &Session::wants_rows_again)
      .def("take_sums", &Session::take_sums, "The exact sums instead of a release.")
      .def("finish", &Session::finish, "One draw.")
      .def("take_stream", &Session::take_stream)
      .def_prop_ro("method", [](const Session& s) { return s.session().info().name; })
      .def_prop_ro("found_again", [](const Session& s) { return s.session().found_again(); })
      .def_prop_ro("wants_row_count",
                   [](const Session& s) { return s.session().wants_row_count(); })
      .def_prop_ro("warnings", [](const Session& s) { return s.session().warnings(); })
      .def_prop_ro("draw_seconds", [](const Session& s) { return s.session().draw_seconds(); })
      .def_prop_ro("columns",
                   [](const Session& s) {
                     return s.prepared() ? s.prepared()->columns().columns
                                         : s.facts().schema.columns;
                   })
      .def_prop_ro("bound", &Session::bound)
      .def_prop_ro(
          "cells",
          [](const Session& s) { return s.prepared() ? s.prepared()->cells() : s.bound(); })
      .def_prop_ro("basis",
                   [](const Session& s) -> std::optional<Matrix> {
                     return s.prepared() && s.prepared()->spec().project
                                ? std::optional(s.prepared()->spec().project->directions)
                                : std::nullopt;
                   })
      .def_prop_ro("normalised", [](const Session& s) {
        return s.prepared() && s.prepared()->spec().normalise_rows;
      });
}

}  // namespace eigenveil::python
