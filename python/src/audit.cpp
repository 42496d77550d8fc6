#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "eigenveil/audit/exponential_cases.hpp"
#include "eigenveil/audit/moment_cases.hpp"
#include "eigenveil/core/parallel.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// After Ctrl-C the runs that remain cost nothing.
AuditCase stopping_at(AuditCase attack, const std::atomic<bool>& cancelled) {
  for (auto* statistic : {&attack.statistic_on_first, &attack.statistic_on_second}) {
    *statistic = [inner = *statistic, &cancelled](RandomStream& stream) {
      return cancelled.load(std::memory_order_relaxed) ? 0.0 : inner(stream);
    };
  }
  return attack;
}

/// Runs the attacks while Python stays responsive.
std::vector<AuditResult> run_attacks(std::vector<AuditCase> attacks, std::uint64_t runs,
                                     const std::optional<std::uint64_t>& seed) {
  std::atomic<bool> cancelled = false;
  const AuditSettings settings{runs, 1e-3, default_threads()};
  std::vector<AuditResult> results;
  RandomStream stream = stream_for(seed);
  run_interruptibly(
      [&] {
        for (AuditCase& attack : attacks) {
          if (!cancelled) {
            results.push_back(audit(stopping_at(std::move(attack), cancelled), settings, stream));
          }
        }
      },
      cancelled);
  return results;
}

/// The shipped mechanism first, then (if asked) the broken ones.
template <class Mutant, class MakeCase>
std::vector<AuditCase> versions_of(const std::vector<Mutant>& broken, const MakeCase& make_case) {
  std::vector<AuditCase> attacks = {unwrap(make_case(Mutant::None))};
  for (const Mutant mutant : broken) {
    attacks.push_back(unwrap(make_case(mutant)));
  }
  return attacks;
}

std::vector<AuditResult> audit_moment(const std::string& method, std::size_t dimension,
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

std::vector<AuditResult> audit_exponential(const Budget& budget, const std::string& relation,
                                           double variance_share, std::uint64_t runs, bool mutants,
                                           const std::optional<std::uint64_t>& seed) {
  const ExponentialAudit request{unwrap(check_budget(budget)), unwrap(parse_relation(relation)),
                                 variance_share};
  return run_attacks(
      versions_of(mutants ? exponential_mutants(request) : std::vector<ExponentialMutant>{},
                  [&](ExponentialMutant mutant) { return exponential_case(request, mutant); }),
      runs, seed);
}

}  // namespace

void bind_audit(nb::module_& m) {
  nb::class_<AuditResult>(m, "AuditResult", "What one attack measured, beside the claim.")
      .def_ro("name", &AuditResult::name)
      .def_ro("power", &AuditResult::power)
      .def_ro("false_alarm", &AuditResult::false_alarm)
      .def_ro("allowed_power", &AuditResult::allowed_power)
      .def_ro("lower_bound", &AuditResult::lower_bound)
      .def_ro("claimed", &AuditResult::claimed)
      .def_ro("unit", &AuditResult::unit)
      .def_prop_ro("refuted", &AuditResult::refuted)
      .def("__repr__", [](const AuditResult& r) {
        const auto text = [](double value) {
          return nb::cast<std::string>(nb::str("{:.4g}").format(nb::float_(value)));
        };
        return "<AuditResult " + r.name + ": " + r.unit + " >= " + text(r.lower_bound) +
               ", claimed " + text(r.claimed) + (r.refuted() ? ", REFUTED>" : ", claim stands>");
      });
  m.def("audit_moment", &audit_moment, "method"_a, "dimension"_a, "budget"_a, "relation"_a,
        "private_mean"_a, "runs"_a, "mutants"_a, "seed"_a.none() = nb::none());
  m.def("audit_exponential", &audit_exponential, "budget"_a, "relation"_a, "variance_share"_a,
        "runs"_a, "mutants"_a, "seed"_a.none() = nb::none());
}

}  // namespace eigenveil::python
