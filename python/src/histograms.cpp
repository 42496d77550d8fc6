#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/private_bounds.hpp"
#include "engine/release_cost.hpp"
#include "engine/scores.hpp"
#include "engine/table/publication.hpp"
#include "engine/table/release_job.hpp"
#include "outlooked.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

Result<ReleaseDocument> drawn(const PrivateBounds& plan, RowReader& rows, RandomStream& stream,
                              int threads) {
  return plan.release(rows, stream, threads);
}
Result<ReleaseDocument> drawn(const Scores& plan, RowReader& rows, RandomStream& stream,
                              int threads) {
  return plan.release(borrowed(rows), stream, threads);
}

/// A histogram with noise on its way past a ledger or past none: its rows come in one reader, and
/// it is drawn once.
template <class Plan>
class Histogram {
 public:
  Histogram(Plan plan, const ReleaseJob& job, std::string task, const std::string& on = {})
      : plan_(std::move(plan)),
        job_(job),
        task_(std::move(task)),
        publication_(unwrap(Publication::open(job_.output, {}, {}))) {
    if (!on.empty()) {
      publication_.build_on(on);
    }
  }
  const Plan& plan() const { return plan_; }
  /// Whether a retry found its release.
  bool charge() {
    return interruptibly([&] {
      const bool seeded = job_.output.seed.has_value();
      const ReleaseCost cost = cost_of(plan_.counts(), task_, *job_.request.budget, seeded);
      const bool found = unwrap(publication_.charge(cost, plan_.request_text()));
      if (found) {
        outcome_ = publication_.found_again();
      }
      return found;
    });
  }
  Result<void> add(RowReader& rows) {
    if (outcome_) {
      return bad_request("a histogram is drawn once");
    }
    RandomStream stream = job_.output.stream();
    return drawn(plan_, rows, stream, job_.threads)
        .and_then(
            [&](ReleaseDocument&& document) { return publication_.publish(std::move(document)); })
        .map([&](TableOutcome&& outcome) { outcome_ = std::move(outcome); })
        .map_error([&](Error error) { return publication_.at_its_cost(std::move(error)); });
  }
  /// The release, the checksum that it bears, and the hash that a ledger settled it by.
  std::tuple<ReleaseDocument, std::string, std::string> release() {
    return {std::move(outcome_->document), outcome_->checksum, outcome_->settled};
  }

 private:
  Plan plan_;
  ReleaseJob job_;
  std::string task_;
  Publication publication_;
  std::optional<TableOutcome> outcome_;
};

template <class Plan>
void bind_histogram(nb::class_<Histogram<Plan>>& type) {
  bind_sink(type).def("charge", &Histogram<Plan>::charge).def("release", &Histogram<Plan>::release);
}

PrivateBounds bounds_plan(const ReleaseJob& job, const Schema& schema, double outside,
                          const std::optional<std::pair<double, double>>& outer,
                          const TableSpec* row_norm, const TableSpec& table) {
  PrivateBoundsRequest request{*job.request.budget, job.request.relation, job.request.group_size,
                               outside};
  if (outer) {
    request.outer = ColumnRange{outer->first, outer->second};
  }
  request.people = counted_people(table);
  if (row_norm != nullptr) {
    request.row_norm = *row_norm;
  }
  return unwrap(PrivateBounds::make(request, schema));
}

ScoresRequest scores_request(const ReleaseJob& job, std::size_t cells, const std::string& label,
                             std::vector<std::string> levels, const TableSpec* table) {
  ScoresRequest request;
  request.cells = cells;
  request.label = {label, std::move(levels)};
  request.budget = *job.request.budget;
  request.relation = job.request.relation;
  request.group_size = job.request.group_size;
  if (table != nullptr) {
    request.people = counted_people(*table);
  }
  return request;
}

Scores scores_plan(ScoresRequest request, const std::string& on,
                   const std::array<std::size_t, 2>& axes) {
  request.axes = axes;
  return unwrap(Scores::make(request, unwrap(read_release(on))));
}

}  // namespace

void bind_histograms(nb::module_& m) {
  using Bounds = Histogram<PrivateBounds>;
  nb::class_<Bounds> bounds(m, "PrivateBounds", "Ranges of columns from noisy histograms.");
  bind_histogram(bounds);
  bounds.def(
      "__init__",
      [](Bounds* self, const std::string& text, const Schema& schema, double outside,
         const std::optional<std::pair<double, double>>& outer, const TableSpec* row_norm,
         const TableSpec& table) {
        const ReleaseJob job = unwrap(release_job(text, false));
        new (self) Bounds(bounds_plan(job, schema, outside, outer, row_norm, table), job, "bounds");
      },
      "job"_a, "schema"_a, "outside"_a, "outer"_a.none(), "row_norm"_a.none(), "table"_a);
  using Picture = Histogram<Scores>;
  nb::class_<Picture> picture(m, "PrivateScores", "People on released axes, counted with noise.");
  bind_histogram(picture);
  picture
      .def(
          "__init__",
          [](Picture* self, const std::string& text, const std::string& on,
             const std::array<std::size_t, 2>& axes, std::size_t cells, const std::string& label,
             const std::vector<std::string>& levels, const TableSpec* table) {
            const ReleaseJob job = unwrap(release_job(text, false));
            Scores plan = scores_plan(scores_request(job, cells, label, levels, table), on, axes);
            const std::string checksum = plan.on();
            new (self) Picture(std::move(plan), job, "scores", checksum);
          },
          "job"_a, "on"_a, "axes"_a, "cells"_a, "label"_a, "levels"_a, "table"_a.none())
      .def_prop_ro("columns", [](const Picture& p) { return p.plan().table().columns; })
      .def_prop_ro("one_hot", [](const Picture& p) {
        nb::dict levels;
        for (const WordList& list : p.plan().table().one_hot) {
          levels[nb::str(list.column.c_str())] = nb::cast(list.words);
        }
        return levels;
      });
  m.def(
      "bounds_outlook",
      [](const std::string& text, const Schema& schema, double outside, const TableSpec* row_norm,
         const TableSpec& table, std::int64_t rows) {
        const PrivateBounds plan = bounds_plan(unwrap(release_job(text, false)), schema, outside,
                                               std::nullopt, row_norm, table);
        return outlooked({}, plan.outlook(rows));
      },
      "job"_a, "schema"_a, "outside"_a, "row_norm"_a.none(), "table"_a, "rows"_a);
  m.def(
      "scores_outlook",
      [](const std::string& text, std::size_t cells, const std::string& label,
         const std::vector<std::string>& levels, const TableSpec& table, std::int64_t rows) {
        const ReleaseJob job = unwrap(release_job(text, false));
        const PlanFacts facts =
            unwrap(Scores::outlook(scores_request(job, cells, label, levels, &table), rows));
        return outlooked({}, facts);
      },
      "job"_a, "cells"_a, "label"_a, "levels"_a, "table"_a, "rows"_a);
}

}  // namespace eigenveil::python
