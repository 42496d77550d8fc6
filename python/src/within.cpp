#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>

#include "bind.hpp"
#include "mechanism/subspace/within_subspace.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// What a release inside a learned subspace holds; no covariance where the subspace is NULL.
struct Within {
  Guarantee guarantee;
  LearnedSubspace learned;
  std::optional<NoisyCovariance> inside;
};

/// Two passes over the same rows: the first learns a subspace, the second sums the rows inside it.
class WithinSink {
 public:
  WithinSink(const WithinPlan& plan, int threads, const std::optional<std::uint64_t>& seed)
      : plan_(plan),
        threads_(threads_of(threads)),
        stream_(stream_for(seed)),
        builder_(plan_.subspace().builder(stream_, threads_)) {}
  WithinSink(const WithinSink&) = delete;
  WithinSink& operator=(const WithinSink&) = delete;

  Result<void> add(RowReader& reader) {
    return learned_ ? add_inside(reader) : add_to_groups(reader);
  }

  /// Between the passes.
  Result<void> learn() {
    if (rows_ != plan_.request().rows) {
      return bad_request("the number of rows that came is not the one that was planned for");
    }
    learned_ = plan_.subspace().run(std::move(builder_).finish(), stream_, threads_).value();
    return {};
  }

  Result<Within> finish() {
    Within all{as_run(plan_.guarantee(), stream_), *learned_, {}};
    if (!gram_) {
      return all;
    }
    return gram_->finish()
        .and_then([&](const ExactGram& gram) { return plan_.moment().run(gram, stream_); })
        .map([&](const Release<NoisyMoment>& moment) {
          all.inside = covariance_of(moment.value(), Center::PublicMidpoint, Units::Scaled);
          return all;
        });
  }

 private:
  Result<void> add_to_groups(RowReader& reader) {
    RawRows block;
    Vector scaled(static_cast<Eigen::Index>(plan_.request().bound.dimension()));
    while (true) {
      if (const Result<void> read = reader.read(block); !read || block.rows == 0) {
        return read;
      }
      for (std::size_t r = 0; r < block.rows; ++r, ++rows_) {
        if (rows_ < plan_.request().rows) {  // more of them are refused by `learn`
          scale_row(plan_.request().bound, block.values.data() + r * block.dimension, scaled);
          builder_.add(scaled.data());
        }
      }
    }
  }
  Result<void> add_inside(RowReader& reader) {
    if (!learned_->found) {
      return {};
    }
    const auto projected = project_rows(reader, plan_.request().bound, learned_->frame);
    if (!gram_) {
      gram_.emplace(projected->schema(), plan_.moment().bound(), threads_);
    }
    return gram_->add(*projected);
  }

  WithinPlan plan_;
  int threads_;
  RandomStream stream_;
  GroupBuilder builder_;
  std::size_t rows_ = 0;
  std::optional<LearnedSubspace> learned_;
  std::optional<GramAccumulator> gram_;
};

}  // namespace

void bind_within(nb::module_& m) {
  nb::class_<Within>(m, "ReleasedWithin", "A second moment inside a learned subspace, or NULL.")
      .def_prop_ro("guarantee", [](const Within& w) { return w.guarantee; })
      .def_prop_ro("is_null", [](const Within& w) { return !w.learned.found; })
      .def_prop_ro("frame", [](const Within& w) { return w.learned.frame; })
      .def_prop_ro("noise_angle", [](const Within& w) { return w.learned.noise_angle; })
      .def_prop_ro("covariance", [](const Within& w) { return *w.inside; })
      .def(
          "components",
          [](const Within& w, Eigen::Index count) {
            return components_within(w.learned.frame, *w.inside, count);
          },
          "count"_a);
  nb::class_<WithinPlan>(m, "WithinPlan", "From public parameters alone.")
      .def_prop_ro("guarantee", &WithinPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("rows", [](const WithinPlan& p) { return p.request().rows; })
      .def_prop_ro("groups", [](const WithinPlan& p) { return p.subspace().shape().groups; })
      .def_prop_ro("rows_per_group",
                   [](const WithinPlan& p) { return p.subspace().shape().per_group; })
      .def_prop_ro("product_sd", [](const WithinPlan& p) { return p.moment().product_sd(); })
      .def(
          "largest_gamma",
          [](const WithinPlan& p, double angle) { return p.subspace().largest_gamma(angle); },
          "angle"_a);
  nb::class_<WithinSink> sink(m, "WithinPass", "Rows, read twice. Nothing is published before.");
  bind_sink(sink)
      .def(
          "__init__",
          [](WithinSink* self, const WithinPlan& plan, int threads,
             const std::optional<std::uint64_t>& seed) {
            new (self) WithinSink(plan, threads, seed);
          },
          "plan"_a, "threads"_a, "seed"_a.none() = nb::none())
      .def("learn", [](WithinSink& s) { run_interruptibly([&] { unwrap(s.learn()); }); })
      .def("finish",
           [](WithinSink& s) { return interruptibly([&] { return unwrap(s.finish()); }); });
  m.def(
      "plan_within",
      [](const RowBound& bound, std::size_t rows, std::size_t subspace, double epsilon,
         double delta, double share, const std::optional<double>& gamma) {
        const Budget budget = unwrap(check_budget(ApproxDp{epsilon, delta}));
        return unwrap(
            WithinPlan::make({bound, rows, subspace, std::get<ApproxDp>(budget), share, gamma}));
      },
      "bound"_a, "rows"_a, "subspace"_a, "epsilon"_a, "delta"_a, "share"_a, "gamma"_a.none());
}

}  // namespace eigenveil::python
