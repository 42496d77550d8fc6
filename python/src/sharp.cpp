#include "mechanism/sharp/sharp.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "data/rank_transform.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// The exact Gram of ranks. A rank depends on every row, so all of them come at once.
class RankedGram {
 public:
  RankedGram(const Schema& columns, const RowBound& bound, int threads)
      : gram_(columns, bound, threads) {}
  Result<void> add(RowReader& reader) {
    if (std::exchange(used_, true)) {
      return bad_request("ranks need the whole table in one fit; partial_fit has only a part");
    }
    return rank_transform(reader).and_then([&](const RawRows& ranks) {
      return gram_.add(MatrixView::row_major(ranks.values.data(), ranks.rows, ranks.dimension));
    });
  }
  Result<ExactGram> finish() { return gram_.finish(); }

 private:
  GramAccumulator gram_;
  bool used_ = false;
};

SharpPlan plan(const RowBound& bound, const Budget& budget, const std::string& relation,
               int group_size, Eigen::Index components, double variance_share,
               double calibration_share, bool published,
               const std::optional<Vector>& public_spectrum, bool ranks, bool scaled) {
  return unwrap(
      SharpPlan::make({bound, column_scales(bound, units_of(scaled)), unwrap(check_budget(budget)),
                       unwrap(parse_relation(relation)), group_size, components, variance_share,
                       calibration_share, published, public_spectrum, ranks}));
}

void bind_privacy(nb::module_& m) {
  nb::class_<SharpPrivacy>(m, "SharpPrivacy", "Asymptotic privacy and utility for a spectrum.")
      .def_prop_ro("mu_min", &SharpPrivacy::mu_min)
      .def_prop_ro("theta", &SharpPrivacy::theta)
      .def_prop_ro("gap", &SharpPrivacy::gap)
      .def_prop_ro("threshold", &SharpPrivacy::threshold)
      .def_prop_ro("plateau_end", &SharpPrivacy::plateau_end)
      .def("mu", &SharpPrivacy::mu, "beta"_a)
      .def("beta", &SharpPrivacy::beta, "target_mu"_a)
      .def("worst_case_epsilon", &SharpPrivacy::worst_case_epsilon, "beta"_a)
      .def("published_epsilon", &SharpPrivacy::published_epsilon, "beta"_a)
      .def("error_operator2", &SharpPrivacy::error_operator2, "beta"_a)
      .def("error_frobenius2", &SharpPrivacy::error_frobenius2, "beta"_a);
  m.def(
      "sharp_privacy",
      [](const Vector& eigenvalues, double rows, Eigen::Index components, double norm_share) {
        return unwrap(SharpPrivacy::make(eigenvalues, rows, components, norm_share));
      },
      "eigenvalues"_a, "rows"_a, "components"_a, "norm_share"_a);
  m.def(
      "gaussian_mu",
      [](const Budget& budget, int group_size) {
        return unwrap(budget_per_row(unwrap(check_budget(budget)), group_size)
                          .and_then(gaussian_budget))
            .mu;
      },
      "budget"_a, "group_size"_a, "mu per row that a budget allows.");
}

}  // namespace

void bind_sharp(nb::module_& m) {
  bind_privacy(m);
  nb::class_<RankedGram> ranked(m, "RankedGram", "Sums the ranks of a whole table exactly.");
  bind_bounded_sink(ranked).def(
      "finish", [](RankedGram& g) { return unwrap(g.finish()); },
      nb::call_guard<nb::gil_scoped_release>());
  nb::class_<SharpPlan::Outcome>(m, "SharpOutcome", "A drawn subspace and how it was calibrated.")
      .def_prop_ro("release", [](const SharpPlan::Outcome& o) { return o.release; })
      .def_prop_ro("rows", [](const SharpPlan::Outcome& o) { return o.settlement.rows; })
      .def_prop_ro("beta", [](const SharpPlan::Outcome& o) { return o.settlement.beta; })
      .def_prop_ro("worst_case_epsilon",
                   [](const SharpPlan::Outcome& o) { return o.settlement.worst_case_epsilon; });
  nb::class_<SharpPlan> sharp(m, "SharpPlan", "From public parameters alone.");
  bind_run<ExactGram>(sharp)
      .def_prop_ro("guarantee", &SharpPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("mu_row_count", &SharpPlan::row_count_mu)
      .def_prop_ro("mu_calibration", &SharpPlan::calibration_mu)
      .def_prop_ro("mu_draw", &SharpPlan::draw_mu);
  m.def("plan_sharp", &plan, "bound"_a, "budget"_a, "relation"_a, "group_size"_a, "components"_a,
        "variance_share"_a, "calibration_share"_a, "published"_a, "public_spectrum"_a.none(),
        "ranks"_a, "scaled"_a);
}

}  // namespace eigenveil::python
