#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "data/exact_rows.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "mechanism/subspace/exact_subspace.hpp"
#include "mechanism/subspace/subspace_learner.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
using ReleasedLearned = Release<LearnedSubspace>;
using ReleasedExact = Release<ExactSubspace>;

/// Rows in their order into the groups of a plan.
class LearnSink {
 public:
  LearnSink(const SubspacePlan& plan, std::size_t parts, double angle, int threads,
            const std::optional<std::uint64_t>& seed)
      : stream_(stream_for(seed)), learner_(plan, parts, angle, stream_, threads_of(threads)) {}
  LearnSink(const LearnSink&) = delete;
  LearnSink& operator=(const LearnSink&) = delete;
  Result<void> add(RowReader& reader) {
    RawRows block;
    while (true) {
      if (const Result<void> read = reader.read(block); !read || block.rows == 0) {
        return read;
      }
      for (std::size_t r = 0; r < block.rows; ++r) {
        learner_.add(block.values.data() + r * block.dimension);
      }
    }
  }
  std::size_t rows() const { return learner_.rows(); }
  ReleasedLearned finish() { return std::move(learner_).finish(); }

 private:
  RandomStream stream_;
  SubspaceLearner learner_;
};

/// Whole-number points, kept: the exact rules look at them again and again.
class PointSink {
 public:
  PointSink(bool refuse_bad, bool affine) : bad_cell_(bad_cell_of(refuse_bad)), affine_(affine) {}
  Result<void> add(RowReader& reader) {
    return read_exact_rows(reader, bad_cell_, affine_).map([&](ExactRows&& rows) {
      take(std::move(rows));
    });
  }
  Result<void> add_file(const std::string& path, const ReadOptions& options) {
    return read_exact_rows(path, options, affine_).map([&](ExactRows&& rows) {
      columns_ = rows.schema.columns;
      take(std::move(rows));
    });
  }
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return points_.size(); }
  ReleasedExact run(const ExactSubspacePlan& plan, const std::optional<std::uint64_t>& seed) const {
    ExactPoints points(plan.request().dimension, plan.request().max_abs);
    for (const std::vector<std::int64_t>& point : points_) {
      points.add(point);
    }
    RandomStream stream = stream_for(seed);
    return plan.run(points, stream);
  }

 private:
  void take(ExactRows&& rows) {
    points_.insert(points_.end(), std::make_move_iterator(rows.points.begin()),
                   std::make_move_iterator(rows.points.end()));
  }
  BadCell bad_cell_;
  bool affine_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::int64_t>> points_;
};

ApproxDp pair_of(double epsilon, double delta) {
  return std::get<ApproxDp>(unwrap(check_budget(ApproxDp{epsilon, delta})));
}

void bind_learned(nb::module_& m) {
  nb::class_<ReleasedLearned>(m, "ReleasedLearned", "A subspace near the rows, or NULL.")
      .def_prop_ro("guarantee", &ReleasedLearned::guarantee, nb::rv_policy::copy)
      .def_prop_ro("is_null", [](const ReleasedLearned& r) { return !r.value().found; })
      .def_prop_ro("frame", [](const ReleasedLearned& r) { return r.value().frame; })
      .def_prop_ro("noise_sd", [](const ReleasedLearned& r) { return r.value().noise_sd; })
      .def_prop_ro("noise_angle", [](const ReleasedLearned& r) { return r.value().noise_angle; })
      .def_prop_ro("radius", [](const ReleasedLearned& r) { return r.value().radius; });
  nb::class_<SubspacePlan>(m, "SubspacePlan", "From public parameters alone.")
      .def_prop_ro("guarantee", &SubspacePlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("aggregate", &SubspacePlan::aggregate_name)
      .def_prop_ro("groups", [](const SubspacePlan& p) { return p.shape().groups; })
      .def_prop_ro("rows_per_group", [](const SubspacePlan& p) { return p.shape().per_group; })
      .def_prop_ro("reference_points", [](const SubspacePlan& p) { return p.shape().references; })
      .def_prop_ro("radii", &SubspacePlan::radii)
      .def_prop_ro("gammas", &SubspacePlan::gammas)
      .def_prop_ro("cell_side", &SubspacePlan::cell_side)
      .def_prop_ro("agreement", &SubspacePlan::agreement)
      .def("predicted_angle", &SubspacePlan::predicted_angle, "gamma"_a)
      .def("largest_gamma", &SubspacePlan::largest_gamma, "angle"_a);
  nb::class_<LearnSink> sink(m, "SubspaceLearner", "Learns from rows in their order.");
  bind_sink(sink)
      .def(
          "__init__",
          [](LearnSink* self, const SubspacePlan& plan, std::size_t parts, double angle,
             int threads, const std::optional<std::uint64_t>& seed) {
            new (self) LearnSink(plan, parts, angle, threads, seed);
          },
          "plan"_a, "parts"_a, "angle"_a, "threads"_a, "seed"_a.none() = nb::none())
      .def_prop_ro("rows", &LearnSink::rows)
      .def("finish", [](LearnSink& s) { return interruptibly([&] { return s.finish(); }); });
  m.def("boosting_parts", &boosting_parts, "failure_probability"_a);
  m.def(
      "plan_subspace",
      [](std::size_t rows, std::size_t dimension, std::size_t subspace, double epsilon,
         double delta, const std::string& aggregate, const std::optional<double>& gamma,
         const std::optional<std::size_t>& groups, std::size_t references, double cell_factor,
         double radius_factor, double largest_noise_angle) {
        return unwrap(SubspacePlan::make(
            {rows, dimension, subspace, pair_of(epsilon, delta),
             aggregate == "grid" ? SubspaceAggregate::Grid : SubspaceAggregate::Core, gamma, groups,
             references, cell_factor, radius_factor, largest_noise_angle}));
      },
      "rows"_a, "dimension"_a, "subspace"_a, "epsilon"_a, "delta"_a, "aggregate"_a,
      "gamma"_a.none(), "groups"_a.none(), "references"_a, "cell_factor"_a, "radius_factor"_a,
      "largest_noise_angle"_a = SubspaceRequest::kNoiseAsLargeAsSignal);
}

void bind_exact(nb::module_& m) {
  nb::class_<ReleasedExact>(m, "ReleasedExact", "The subspace that holds the points, or NULL.")
      .def_prop_ro("guarantee", &ReleasedExact::guarantee, nb::rv_policy::copy)
      .def_prop_ro("is_null", [](const ReleasedExact& r) { return !r.value().found; })
      .def_prop_ro("frame", [](const ReleasedExact& r) { return r.value().frame; })
      .def_prop_ro("echelon", [](const ReleasedExact& r) { return r.value().echelon; });
  nb::class_<ExactSubspacePlan>(m, "ExactSubspacePlan", "From public parameters alone.")
      .def_prop_ro("guarantee", &ExactSubspacePlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("aggregate", &ExactSubspacePlan::aggregate_name)
      .def_prop_ro("noise_bound", &ExactSubspacePlan::noise_bound)
      .def_prop_ro("exceptions", &ExactSubspacePlan::exceptions)
      .def_prop_ro("sufficient_rows", &ExactSubspacePlan::sufficient_rows)
      .def_prop_ro("lower_bound_rows", &ExactSubspacePlan::lower_bound)
      .def_prop_ro("field_bits", &ExactSubspacePlan::field_bits);
  nb::class_<PointSink> sink(m, "ExactPoints", "Whole-number points. Private: not a release.");
  bind_sink(sink)
      .def(nb::init<bool, bool>(), "refuse_bad"_a, "affine"_a)
      .def(
          "add_file",
          [](PointSink& points, const std::string& path, std::vector<std::string> columns,
             bool refuse_missing, bool refuse_bad, const std::string& header,
             const std::string& separator) {
            ReadOptions options;
            options.header = header_of(header);
            options.separator = separator.empty() ? '\0' : separator.front();
            options.columns = std::move(columns);
            options.missing = missing_of(refuse_missing);
            options.bad_cell = bad_cell_of(refuse_bad);
            run_interruptibly([&] { unwrap(points.add_file(path, options)); });
          },
          "path"_a, "columns"_a, "refuse_missing"_a, "refuse_bad"_a, "header"_a, "separator"_a)
      .def_prop_ro("columns", &PointSink::columns)
      .def_prop_ro("rows", &PointSink::rows)
      .def(
          "run",
          [](const PointSink& points, const ExactSubspacePlan& plan,
             const std::optional<std::uint64_t>& seed) {
            return interruptibly([&] { return points.run(plan, seed); });
          },
          "plan"_a, "seed"_a.none() = nb::none());
  m.def(
      "plan_exact_subspace",
      [](std::size_t rows, std::size_t dimension, std::size_t subspace, double epsilon,
         double delta, const std::string& aggregate, const std::optional<std::int64_t>& exceptions,
         std::int64_t max_abs, bool published) {
        const ExactAggregate chosen = aggregate == "votes"                 ? ExactAggregate::Votes
                                      : aggregate == "gapmax" || published ? ExactAggregate::GapMax
                                                                           : ExactAggregate::Auto;
        return unwrap(ExactSubspacePlan::make({rows, dimension, subspace, pair_of(epsilon, delta),
                                               chosen, exceptions, max_abs, published}));
      },
      "rows"_a, "dimension"_a, "subspace"_a, "epsilon"_a, "delta"_a, "aggregate"_a,
      "exceptions"_a.none(), "max_abs"_a, "published"_a);
}

}  // namespace

void bind_subspace(nb::module_& m) {
  bind_learned(m);
  bind_exact(m);
}

}  // namespace eigenveil::python
