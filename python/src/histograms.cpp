#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/private_bounds.hpp"
#include "engine/release_cost.hpp"
#include "engine/scores.hpp"
#include "ledger_cost.hpp"

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

/// A histogram with noise: its rows come in one reader, and it is drawn once.
template <class Plan>
class Histogram {
 public:
  Histogram(Plan plan, Budget budget, int threads, RandomStream& stream)
      : plan_(std::move(plan)),
        budget_(std::move(budget)),
        threads_(threads_of(threads)),
        stream_(stream) {}
  const Plan& plan() const { return plan_; }
  /// What a ledger is charged for it.
  LedgerCost cost(const std::string& task) const {
    return {cost_of(plan_.counts(), task, budget_, !stream_.is_secure()), plan_.request_text()};
  }
  Result<void> add(RowReader& rows) {
    if (document_) {
      return bad_request("a histogram is drawn once");
    }
    return drawn(plan_, rows, stream_, threads_).map([&](ReleaseDocument&& document) {
      document_ = std::make_unique<ReleaseDocument>(std::move(document));
    });
  }
  std::unique_ptr<ReleaseDocument> release() { return std::move(document_); }

 private:
  Plan plan_;
  Budget budget_;
  int threads_;
  RandomStream& stream_;
  std::unique_ptr<ReleaseDocument> document_;
};

PrivateBounds bounds_plan(const Schema& schema, const Budget& budget, const std::string& relation,
                          int group_size, double outside,
                          const std::optional<std::pair<double, double>>& outer,
                          const TableSpec* row_norm) {
  PrivateBoundsRequest request{unwrap(check_budget(budget)), unwrap(parse_relation(relation)),
                               group_size, outside};
  if (outer) {
    request.outer = ColumnRange{outer->first, outer->second};
  }
  if (row_norm != nullptr) {
    request.row_norm = *row_norm;
  }
  return unwrap(PrivateBounds::make(request, schema));
}

Scores scores_plan(const std::string& on, const Budget& budget, const std::string& relation,
                   int group_size, const std::array<std::size_t, 2>& axes, std::size_t cells,
                   const std::string& label, std::vector<std::string> levels) {
  ScoresRequest request;
  request.axes = axes;
  request.cells = cells;
  request.label = {label, std::move(levels)};
  request.budget = unwrap(check_budget(budget));
  request.relation = unwrap(parse_relation(relation));
  request.group_size = group_size;
  return unwrap(Scores::make(request, unwrap(read_release(on))));
}

}  // namespace

void bind_histograms(nb::module_& m) {
  using Bounds = Histogram<PrivateBounds>;
  nb::class_<Bounds> bounds(m, "PrivateBounds", "Ranges of columns from noisy histograms.");
  bind_sink(bounds)
      .def(
          "__init__",
          [](Bounds* self, const Schema& schema, const Budget& budget, const std::string& relation,
             int group_size, double outside, const std::optional<std::pair<double, double>>& outer,
             const TableSpec* row_norm, int threads, RandomStream& stream) {
            new (self)
                Bounds(bounds_plan(schema, budget, relation, group_size, outside, outer, row_norm),
                       budget, threads, stream);
          },
          "schema"_a, "budget"_a, "relation"_a, "group_size"_a, "outside"_a, "outer"_a.none(),
          "row_norm"_a.none(), "threads"_a, "stream"_a, nb::keep_alive<1, 10>())
      .def("cost", [](const Bounds& b) { return b.cost("bounds"); })
      .def("release", &Bounds::release);
  using Picture = Histogram<Scores>;
  nb::class_<Picture> picture(m, "PrivateScores", "People on released axes, counted with noise.");
  bind_sink(picture)
      .def(
          "__init__",
          [](Picture* self, const std::string& on, const Budget& budget,
             const std::string& relation, int group_size, const std::array<std::size_t, 2>& axes,
             std::size_t cells, const std::string& label, const std::vector<std::string>& levels,
             int threads, RandomStream& stream) {
            new (self)
                Picture(scores_plan(on, budget, relation, group_size, axes, cells, label, levels),
                        budget, threads, stream);
          },
          "on"_a, "budget"_a, "relation"_a, "group_size"_a, "axes"_a, "cells"_a, "label"_a,
          "levels"_a, "threads"_a, "stream"_a, nb::keep_alive<1, 11>())
      .def_prop_ro("columns", [](const Picture& p) { return p.plan().table().columns; })
      .def("cost", [](const Picture& p) { return p.cost("scores"); })
      .def("release", &Picture::release);
}

}  // namespace eigenveil::python
