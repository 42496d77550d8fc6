#include "mechanism/spiked/spiked.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <cmath>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "mechanism/spiked/spiked_diagnostic.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// The public numbers of the model, filled in field by field from Python.
void bind_request(nb::module_& m) {
  nb::class_<SpikedRequest>(m, "SpikedRequest", "Everything public about the spiked model.")
      .def(nb::init<>())
      .def_rw("rows", &SpikedRequest::rows)
      .def_rw("dimension", &SpikedRequest::dimension)
      .def_rw("rank", &SpikedRequest::rank)
      .def_rw("max_rank", &SpikedRequest::max_rank, nb::arg().none())
      .def_rw("noise_variance", &SpikedRequest::noise_variance, nb::arg().none())
      .def_rw("spike", &SpikedRequest::spike, nb::arg().none())
      .def_rw("spread", &SpikedRequest::spread)
      .def_rw("row_radius", &SpikedRequest::row_radius)
      .def_rw("variance_share", &SpikedRequest::variance_share)
      .def_rw("published", &SpikedRequest::published)
      .def_rw("gaussian_rows", &SpikedRequest::gaussian_rows)
      .def(
          "set_budget",
          [](SpikedRequest& r, const Budget& budget) { r.budget = unwrap(check_budget(budget)); },
          "budget"_a)
      .def(
          "set_constants",
          [](SpikedRequest& r, double c1, double c2, double c3, double c5) {
            r.constants = {c1, c2, c3, c5};
          },
          "c1"_a, "c2"_a, "c3"_a, "c5"_a)
      .def(
          "model_radius",
          [](const SpikedRequest& r) {
            return std::sqrt(model_radius_squared({r.rows, r.dimension, r.max_rank.value_or(r.rank),
                                                   *r.noise_variance, *r.spike, r.spread},
                                                  r.constants));
          },
          "The radius rows of a known model stay within.");
}

/// Its own type: a variant would be taken apart on its way to Python.
struct TableStatistic {
  TableOrGram value;
};

using ReleasedSpiked = Release<SpikedResult>;

void bind_plan(nb::module_& m) {
  nb::class_<TableStatistic>(m, "TableStatistic",
                             "Rows, or their exact sums. Private: not a release.");
  nb::class_<TableOrGramAccumulator> sink(m, "TableOrGramAccumulator",
                                          "Keeps few rows, sums many exactly; nothing is spent.");
  bind_bounded_sink(sink).def(
      "finish", [](TableOrGramAccumulator& a) { return TableStatistic{unwrap(a.finish())}; },
      nb::call_guard<nb::gil_scoped_release>());
  nb::class_<SampleCovariance>(m, "SampleCovariance", "Private: not a release.")
      .def_prop_ro("rows", &SampleCovariance::rows);
  m.def(
      "sample_covariance",
      [](const TableStatistic& statistic, bool scaled) {
        return SampleCovariance::of(statistic.value, units_of(scaled));
      },
      "statistic"_a, "scaled"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "sample_covariance",
      [](const ExactGram& gram, bool scaled) {
        return SampleCovariance::of(gram, units_of(scaled));
      },
      "gram"_a, "scaled"_a, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<SpikedPlan> plan(m, "SpikedPlan", "From public parameters alone.");
  bind_run<SampleCovariance>(plan, "sample")
      .def_prop_ro("guarantee", &SpikedPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("conditions",
                   [](const SpikedPlan& p) {
                     nb::list list;
                     for (const SpikedCondition& c : p.conditions()) {
                       list.append(nb::make_tuple(c.text, c.left, c.right, c.known));
                     }
                     return list;
                   })
      .def_prop_ro("shares",
                   [](const SpikedPlan& p) {
                     nb::dict shares;
                     for (const SpikedPart& part : p.parts()) {
                       shares[part.name.c_str()] = part.share;
                     }
                     return shares;
                   })
      .def_prop_ro("projector_noise",
                   [](const SpikedPlan& p) -> std::optional<std::pair<double, double>> {
                     if (p.estimates()) {
                       return std::nullopt;
                     }
                     const double change = projector_sensitivity(p.model(), p.request().constants);
                     return std::pair{change, change / p.mu_of("projector")};
                   });
  m.def(
      "plan_spiked", [](const SpikedRequest& r) { return unwrap(SpikedPlan::make(r)); },
      "request"_a);
  m.def("projector_noise_error", &projector_noise_error, "dimension"_a, "rank"_a,
        "off_diagonal_sd"_a);
}

void bind_result(nb::module_& m) {
  nb::class_<ReleasedSpiked>(m, "ReleasedSpiked", "A subspace and what is inside it.")
      .def_prop_ro("guarantee", &ReleasedSpiked::guarantee, nb::rv_policy::copy)
      .def_prop_ro("components",
                   [](const ReleasedSpiked& r) {
                     const SpikedComponents c = spiked_components(r.value());
                     return nb::make_tuple(c.loadings, c.explained_variance);
                   })
      .def_prop_ro("covariance",
                   [](const ReleasedSpiked& r) {
                     const SpikedCovariance c = spiked_covariance(r.value());
                     return nb::make_tuple(c.raw, c.psd);
                   })
      .def_prop_ro("rank", [](const ReleasedSpiked& r) { return r.value().frame.cols(); })
      .def_prop_ro("noise_variance",
                   [](const ReleasedSpiked& r) { return r.value().noise_variance; })
      .def_prop_ro("noise_variance_upper",
                   [](const ReleasedSpiked& r) { return r.value().noise_variance_upper; })
      .def_prop_ro("spike_lower", [](const ReleasedSpiked& r) { return r.value().spike_lower; })
      .def_prop_ro("noisy_eigenvalues",
                   [](const ReleasedSpiked& r) { return r.value().noisy_eigenvalues; })
      .def_prop_ro("projector_sensitivity",
                   [](const ReleasedSpiked& r) { return r.value().projector_sensitivity; })
      .def_prop_ro("projector_sd", [](const ReleasedSpiked& r) { return r.value().projector_sd; })
      .def_prop_ro("inside_sd", [](const ReleasedSpiked& r) { return r.value().inside_sd; });
}

void bind_diagnostic(nb::module_& m) {
  nb::class_<SpikedDiagnostic>(m, "SpikedDiagnostic",
                               "CURATOR ONLY: exact facts about private rows, not a release.")
      .def_prop_ro("checks",
                   [](const SpikedDiagnostic& d) {
                     nb::list checks;
                     for (const SpikedDiagnostic::Check& c : d.checks) {
                       checks.append(nb::make_tuple(c.name, c.holds, c.words));
                     }
                     return checks;
                   })
      .def_prop_ro("eigenvalues", [](const SpikedDiagnostic& d) { return d.eigenvalues; })
      .def_prop_ro("all_hold", &SpikedDiagnostic::all_hold)
      .def("__str__", &SpikedDiagnostic::text)
      .def("__repr__", [](const SpikedDiagnostic& d) {
        return std::string("<SpikedDiagnostic CURATOR ONLY, not a release: the model ") +
               (d.all_hold() ? "holds>" : "DOES NOT HOLD>");
      });
  m.def(
      "diagnose_spiked",
      [](const SampleCovariance& sample, Eigen::Index rank, double sigma2_upper,
         double lambda_lower, double spread) {
        return diagnose_spiked(sample, {rank, sigma2_upper, lambda_lower, spread});
      },
      "sample"_a, "rank"_a, "sigma2_upper"_a, "lambda_lower"_a, "spread"_a,
      nb::call_guard<nb::gil_scoped_release>());
}

using ReleasedGap = Release<GapResult>;

void bind_robust(nb::module_& m) {
  nb::class_<ReleasedGap>(m, "ReleasedGap", "Components fitted to a noisy eigengap, or NULL.")
      .def_prop_ro("guarantee", &ReleasedGap::guarantee, nb::rv_policy::copy)
      .def_prop_ro("is_null", [](const ReleasedGap& r) { return !r.value().frame.has_value(); })
      .def_prop_ro("gap_lower", [](const ReleasedGap& r) { return r.value().gap_lower; })
      .def_prop_ro("projector_sd", [](const ReleasedGap& r) { return r.value().projector_sd; })
      .def_prop_ro("count", [](const ReleasedGap& r) { return r.value().count; })
      .def_prop_ro("count_sd", [](const ReleasedGap& r) { return r.value().count_sd; })
      .def_prop_ro("components", [](const ReleasedGap& r) {
        const GapComponents c = gap_components(r.value());
        return nb::make_tuple(c.loadings, c.explained_variance);
      });
  nb::class_<GapPlan> plan(m, "GapPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &GapPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("gap_sd", &GapPlan::gap_sd)
      .def_prop_ro("inside_sd", &GapPlan::inside_sd)
      .def_prop_ro("smallest_useful_gap", &GapPlan::smallest_useful_gap)
      .def_prop_ro("count_is_public",
                   [](const GapPlan& p) { return row_count_is_public(p.request().relation); })
      .def(
          "expected_projector_sd",
          [](const GapPlan& p, double gap) { return p.projector_sd(p.expected_lower(gap)); },
          "gap"_a, "None: NULL is expected.");
  m.def(
      "plan_gap",
      [](const RowBound& bound, const Budget& budget, const std::string& relation,
         Eigen::Index components, double variance_share, bool scaled) {
        return unwrap(
            GapPlan::make({bound, units_of(scaled), unwrap(check_budget(budget)),
                           unwrap(parse_relation(relation)), components, variance_share}));
      },
      "bound"_a, "budget"_a, "relation"_a, "components"_a, "variance_share"_a, "scaled"_a);
  m.def(
      "row_radius",
      [](const RowBound& bound, bool scaled) { return row_radius(bound, units_of(scaled)); },
      "bound"_a, "scaled"_a);
}

}  // namespace

void bind_spiked(nb::module_& m) {
  m.attr("UNREAD_ROWS") = std::int64_t{kUnreadRows};
  bind_request(m);
  bind_result(m);
  bind_plan(m);
  bind_diagnostic(m);
  bind_robust(m);
}

}  // namespace eigenveil::python
