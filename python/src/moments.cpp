#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/centring.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/assumed_spectrum.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/moment/principal_components.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

MomentPlan plan_moment(const std::string& method, const RowBound& bound, const Budget& budget,
                       const std::string& relation, bool private_mean, int group_size) {
  const MomentRequest request{bound, unwrap(check_budget(budget)), unwrap(parse_relation(relation)),
                              private_mean ? Extension::Full : Extension::Count, group_size};
  return unwrap(method == "laplace" ? plan_laplace(request) : plan_gauss(request));
}

/// A released moment with its guarantee: safe to publish.
using ReleasedMoment = Release<NoisyMoment>;

NoisyCovariance covariance(const ReleasedMoment& release, bool private_mean, bool scaled) {
  return interruptibly([&] {
    return covariance_of(release.value(),
                         private_mean ? Center::PrivateMean : Center::PublicMidpoint,
                         units_of(scaled));
  });
}

/// For components alone: the moment's products are handed over, not copied.
NoisyCovariance take_covariance(ReleasedMoment& release, bool private_mean, bool scaled) {
  return raw_covariance(release.take(), private_mean ? Center::PrivateMean : Center::PublicMidpoint,
                        units_of(scaled));
}

void bind_covariance(nb::module_& m) {
  nb::class_<NoisyCovariance>(m, "NoisyCovariance", "Post-processed release.")
      .def_prop_ro(
          "raw", [](NoisyCovariance& c) { return std::move(c.raw); },
          "Handed over: a second look finds it empty.")
      .def_prop_ro(
          "psd", [](NoisyCovariance& c) { return std::move(c.psd); },
          "Handed over: a second look finds it empty.")
      .def_prop_ro("mean", [](const NoisyCovariance& c) { return c.mean; })
      .def_prop_ro("eigenvalues", [](const NoisyCovariance& c) { return c.eigenvalues; })
      .def_ro("count", &NoisyCovariance::count)
      .def_ro("noise_floor", &NoisyCovariance::noise_floor)
      .def_ro("diagonal_sd", &NoisyCovariance::diagonal_sd)
      .def_ro("off_diagonal_sd", &NoisyCovariance::off_diagonal_sd);
  nb::class_<PrincipalComponents>(m, "PrincipalComponents", "Post-processed release.")
      .def_prop_ro("loadings", [](const PrincipalComponents& c) { return c.loadings; })
      .def_prop_ro("explained_variance",
                   [](const PrincipalComponents& c) { return c.explained_variance; })
      .def_prop_ro("explained_share",
                   [](const PrincipalComponents& c) { return c.explained_share; })
      .def_prop_ro("noise_edge", [](const PrincipalComponents& c) { return c.noise_edge; })
      .def_ro("noise_floor", &PrincipalComponents::noise_floor);
  m.def(
      "principal_components",
      [](NoisyCovariance& covariance, Eigen::Index count) {
        return interruptibly([&] { return principal_components(std::move(covariance), count); });
      },
      "covariance"_a, "count"_a, "Works inside the covariance, which is empty afterwards.");
}

/// Variance, share, below noise, clipped.
std::tuple<Vector, Vector, std::vector<bool>, std::vector<bool>> judged(const Vector& variance,
                                                                        const Vector& edge,
                                                                        const Vector& share,
                                                                        const RowBound& bound,
                                                                        bool scaled) {
  const ComponentVerdicts verdicts =
      judge_components(variance, edge, share, largest_variance(bound, units_of(scaled)));
  return {verdicts.variance, verdicts.share, verdicts.below_noise, verdicts.clipped};
}

}  // namespace

void bind_moments(nb::module_& m) {
  bind_covariance(m);
  m.def("judge_components", &judged, "variance"_a, "noise_edge"_a, "share"_a, "bound"_a,
        "scaled"_a);
  nb::class_<ReleasedMoment>(m, "ReleasedMoment", "A second moment after noise.")
      .def_prop_ro("guarantee", &ReleasedMoment::guarantee, nb::rv_policy::copy)
      .def_prop_ro("mechanism", &ReleasedMoment::mechanism)
      .def_prop_ro("count", [](const ReleasedMoment& r) { return r.value().count; })
      .def_prop_ro("count_sd", [](const ReleasedMoment& r) { return r.value().count_sd; })
      .def_prop_ro("sum_sd", [](const ReleasedMoment& r) { return r.value().sum_sd; })
      .def_prop_ro("count_is_public",
                   [](const ReleasedMoment& r) { return r.value().count_is_public; })
      .def("covariance", &covariance, "private_mean"_a, "scaled"_a)
      .def(
          "take_covariance", &take_covariance, "private_mean"_a, "scaled"_a,
          nb::call_guard<nb::gil_scoped_release>(),
          "Without its nearest positive semidefinite matrix, in the memory of the moment, which is "
          "empty afterwards.");
  nb::class_<MomentPlan> plan(m, "MomentPlan",
                              "Noise and guarantee, from public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("method", &MomentPlan::method)
      .def_prop_ro("guarantee", &MomentPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("product_sd", &MomentPlan::product_sd)
      .def_prop_ro("off_diagonal_sd", &MomentPlan::off_diagonal_sd)
      .def_prop_ro("count_sd", &MomentPlan::count_sd)
      .def(
          "noise_floor",
          [](const MomentPlan& plan, bool scaled, double rows, bool mean_at_bound) {
            return planned_noise_floor(
                plan, units_of(scaled), rows,
                mean_at_bound ? AssumedMean::AtBound : AssumedMean::AtCentre);
          },
          "scaled"_a, "rows"_a, "mean_at_bound"_a = false);
  m.def(
      "subtracts_mean", [](const std::string& method) { return subtracts_mean(method); },
      "method"_a);
  m.def(
      "uncentred_warning", [](const std::string& method) { return uncentred_warning(method); },
      "method"_a);
  m.def("plan_moment", &plan_moment, "method"_a, "bound"_a, "budget"_a, "relation"_a,
        "private_mean"_a, "group_size"_a);
  m.def(
      "check_assumed_spectrum",
      [](const Vector& eigenvalues, const RowBound& bound) {
        unwrap(check_assumed_spectrum(eigenvalues, bound));
      },
      "eigenvalues"_a, "bound"_a, "Refuses eigenvalues that no table within the bound has.");
  m.def("predicted_subspace_error", &predicted_subspace_error, "eigenvalues"_a, "components"_a,
        "noise_sd"_a);
}

}  // namespace eigenveil::python
