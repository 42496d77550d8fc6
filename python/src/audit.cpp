#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "audit/exponential_cases.hpp"
#include "audit/mask_cases.hpp"
#include "audit/moment_cases.hpp"
#include "audit/orbit_cases.hpp"
#include "audit/sharp_trade_off.hpp"
#include "audit/subspace_cases.hpp"
#include "audit/subspace_learning_cases.hpp"
#include "bind.hpp"
#include "core/parallel.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// An attack, and whether what it attacks is broken on purpose.
struct Attack {
  AuditCase attack;
  bool is_mutant = false;
  std::uint64_t needed = 0;  ///< runs that are sure to refute it; 0 where nobody knows
};
struct Finding {
  AuditResult result;
  bool is_mutant = false;
  std::uint64_t needed = 0;

  std::string verdict() const { return eigenveil::verdict(result, is_mutant, needed); }
};

using FindingState = std::tuple<std::string, double, double, double, double, double, std::string,
                                bool, std::uint64_t>;

void restore(Finding& finding, const FindingState& state) {
  AuditResult result;
  std::tie(result.name, result.power, result.false_alarm, result.allowed_power, result.lower_bound,
           result.claimed, result.unit, std::ignore, std::ignore) = state;
  new (&finding) Finding{std::move(result), std::get<7>(state), std::get<8>(state)};
}

/// Runs the attacks while Python stays responsive.
std::vector<Finding> run_attacks(const std::vector<Attack>& attacks, std::uint64_t runs,
                                 const std::optional<std::uint64_t>& seed) {
  return interruptibly([&] {
    const AuditSettings settings{runs, 1e-3, default_threads()};
    std::vector<Finding> results;
    RandomStream stream = stream_for(seed);
    for (const Attack& one : attacks) {
      results.push_back({audit(one.attack, settings, stream), one.is_mutant, one.needed});
    }
    return results;
  });
}

/// The shipped mechanism first, then (if asked) the broken ones.
template <class Mutant, class MakeCase>
void add_versions(std::vector<Attack>& attacks, const std::vector<Mutant>& broken,
                  const MakeCase& make_case) {
  attacks.push_back({unwrap(make_case(Mutant::None)), false});
  for (const Mutant mutant : broken) {
    attacks.push_back({unwrap(make_case(mutant)), true});
  }
}

template <class Mutant, class MakeCase>
std::vector<Attack> versions_of(const std::vector<Mutant>& broken, const MakeCase& make_case) {
  std::vector<Attack> attacks;
  add_versions(attacks, broken, make_case);
  return attacks;
}

std::vector<Finding> audit_moment(const std::string& method, std::size_t dimension,
                                  const Budget& budget, const std::string& relation,
                                  bool private_mean, std::uint64_t runs, bool mutants,
                                  const std::optional<std::uint64_t>& seed) {
  const MomentAudit request{method, dimension, unwrap(check_budget(budget)),
                            unwrap(parse_relation(relation)),
                            private_mean ? Extension::Full : Extension::Count};
  return run_attacks(versions_of(mutants ? moment_mutants(request) : std::vector<MomentMutant>{},
                                 [&](MomentMutant mutant) { return moment_case(request, mutant); }),
                     runs, seed);
}

std::vector<Finding> audit_exponential(const Budget& budget, const std::string& relation,
                                       double variance_share, std::uint64_t runs, bool mutants,
                                       const std::optional<std::uint64_t>& seed) {
  const ExponentialAudit request{unwrap(check_budget(budget)), unwrap(parse_relation(relation)),
                                 variance_share};
  return run_attacks(
      versions_of(mutants ? exponential_mutants(request) : std::vector<ExponentialMutant>{},
                  [&](ExponentialMutant mutant) { return exponential_case(request, mutant); }),
      runs, seed);
}

std::vector<Finding> audit_orbit(double epsilon, const std::string& relation, std::uint64_t runs,
                                 bool mutants, const std::optional<std::uint64_t>& seed) {
  constexpr double kMiss = 1e-3;  // chance that an attack shows less than its exact law says
  constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 24U;
  const AuditSettings settings{runs, 1e-3, 1};
  std::vector<Attack> attacks;
  for (const OrbitPair pair :
       {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty, OrbitPair::LowRank}) {
    const OrbitAudit request{epsilon, unwrap(parse_relation(relation)), pair};
    if (!applies(request)) {
      continue;
    }
    std::vector<OrbitMutant> versions = {OrbitMutant::None};
    if (mutants) {
      const std::vector<OrbitMutant> broken = orbit_mutants(request);
      versions.insert(versions.end(), broken.begin(), broken.end());
    }
    for (const OrbitMutant version : versions) {
      OrbitAttack sized = unwrap(orbit_attack(request, version, settings, kMiss));
      const bool is_mutant = version != OrbitMutant::None;
      const std::uint64_t needed =
          is_mutant && sized.guaranteed <= epsilon
              ? runs_to_show(epsilon, request, version, {kMostRuns, settings.error, 1}, kMiss)
              : 0;
      attacks.push_back({std::move(sized.attack), is_mutant, needed});
    }
  }
  return run_attacks(attacks, runs, seed);
}

std::vector<Finding> audit_mask(const ApproxDp& budget, std::int64_t rows, std::int64_t dimension,
                                std::uint64_t runs, bool mutants,
                                const std::optional<std::uint64_t>& seed) {
  const MaskAudit request{rows, dimension, budget};
  std::vector<Attack> attacks;
  for (const MaskPair pair : mask_pairs(request)) {
    attacks.push_back({unwrap(mask_case(request, pair, MaskMutant::None)), false});
  }
  for (const auto& [mutant, pair] :
       mutants ? mask_mutants() : std::vector<std::pair<MaskMutant, MaskPair>>{}) {
    attacks.push_back({unwrap(mask_case(request, pair, mutant)), true});
  }
  return run_attacks(attacks, runs, seed);
}

/// spiked, spiked-robust and oja: their noisy parts, each at its share of the budget.
std::vector<Finding> audit_spectral(const std::string& method, const ApproxDp& budget,
                                    const std::string& relation, std::uint64_t runs, bool mutants,
                                    const std::optional<std::uint64_t>& seed) {
  const std::vector<SubspacePart> parts =
      method == "spiked-robust"
          ? std::vector{SubspacePart::RobustGap, SubspacePart::RobustProjector}
          : std::vector{method == "oja" ? SubspacePart::OjaBatch : SubspacePart::SpikedProjector};
  std::vector<Attack> attacks;
  for (const SubspacePart part : parts) {
    const SubspaceAudit request{part, budget, unwrap(parse_relation(relation))};
    add_versions(attacks, mutants ? subspace_mutants(request) : std::vector<SubspaceMutant>{},
                 [&](SubspaceMutant mutant) { return subspace_case(request, mutant); });
  }
  return run_attacks(attacks, runs, seed);
}

std::vector<Finding> audit_subspace(const ApproxDp& budget, std::optional<std::uint64_t> runs,
                                    bool mutants, const std::optional<std::uint64_t>& seed) {
  std::vector<Attack> attacks;
  for (SubspaceAttacks& family : unwrap(subspace_attacks(budget, mutants))) {
    for (std::size_t i = 0; i < family.cases.size(); ++i) {
      attacks.push_back({std::move(family.cases[i]), i > 0});
    }
  }
  return run_attacks(attacks, runs.value_or(kSubspaceAuditRuns), seed);
}

/// The asymptotic curve of sharp against exact draws at a finite size.
nb::list audit_sharp(const Vector& eigenvalues, double rows, Eigen::Index components, double beta,
                     const std::vector<double>& type_one, std::uint64_t draws, double error,
                     const std::optional<std::uint64_t>& seed) {
  const SharpTradeOff measured = interruptibly([&] {
    RandomStream stream = stream_for(seed);
    return unwrap(
        sharp_trade_off(eigenvalues, rows, components, beta, type_one, draws, error, stream));
  });
  nb::list points;
  for (const TradeOffPoint& p : measured.points) {
    points.append(nb::make_tuple(p.type_one, p.type_two, p.low, p.high, p.predicted));
  }
  return points;
}

}  // namespace

void bind_audit(nb::module_& m) {
  nb::class_<Finding>(m, "AuditResult", "What one attack measured, beside the claim.")
      .def_prop_ro("name", [](const Finding& f) { return f.result.name; })
      .def_prop_ro("power", [](const Finding& f) { return f.result.power; })
      .def_prop_ro("false_alarm", [](const Finding& f) { return f.result.false_alarm; })
      .def_prop_ro("allowed_power", [](const Finding& f) { return f.result.allowed_power; })
      .def_prop_ro("lower_bound", [](const Finding& f) { return f.result.lower_bound; })
      .def_prop_ro("claimed", [](const Finding& f) { return f.result.claimed; })
      .def_prop_ro("unit", [](const Finding& f) { return f.result.unit; })
      .def_ro("is_mutant", &Finding::is_mutant)
      .def_prop_ro("refuted", [](const Finding& f) { return f.result.refuted(); })
      .def_prop_ro("verdict", &Finding::verdict, "The result in words, as the program prints it.")
      .def("__getstate__",
           [](const Finding& f) {
             const AuditResult& r = f.result;
             return nb::make_tuple(r.name, r.power, r.false_alarm, r.allowed_power, r.lower_bound,
                                   r.claimed, r.unit, f.is_mutant, f.needed);
           })
      .def("__setstate__", &restore)
      .def("__repr__", [](const Finding& f) {
        const AuditResult& r = f.result;
        const auto text = [](double value) {
          return nb::cast<std::string>(nb::str("{:.4g}").format(nb::float_(value)));
        };
        return "<AuditResult " + r.name + ": " + r.unit + " >= " + text(r.lower_bound) +
               ", claimed " + text(r.claimed) + ", " + f.verdict() + ">";
      });
  m.def("audit_moment", &audit_moment, "method"_a, "dimension"_a, "budget"_a, "relation"_a,
        "private_mean"_a, "runs"_a, "mutants"_a, "seed"_a.none() = nb::none());
  m.def("audit_orbit", &audit_orbit, "epsilon"_a, "relation"_a, "runs"_a, "mutants"_a,
        "seed"_a.none() = nb::none());
  m.def("audit_mask", &audit_mask, "budget"_a, "rows"_a, "dimension"_a, "runs"_a, "mutants"_a,
        "seed"_a.none() = nb::none());
  m.def("audit_spectral", &audit_spectral, "method"_a, "budget"_a, "relation"_a, "runs"_a,
        "mutants"_a, "seed"_a.none() = nb::none());
  m.def("audit_subspace", &audit_subspace, "budget"_a, "runs"_a.none(), "mutants"_a,
        "seed"_a.none() = nb::none(), "Without runs: as many as take about a minute.");
  m.def("audit_sharp", &audit_sharp, "eigenvalues"_a, "rows"_a, "components"_a, "beta"_a,
        "type_one"_a, "draws"_a, "error"_a, "seed"_a.none() = nb::none());
  m.def("audit_exponential", &audit_exponential, "budget"_a, "relation"_a, "variance_share"_a,
        "runs"_a, "mutants"_a, "seed"_a.none() = nb::none());
}

}  // namespace eigenveil::python
