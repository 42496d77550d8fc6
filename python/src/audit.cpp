#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "audit/audits.hpp"
#include "audit/sharp_trade_off.hpp"
#include "bind.hpp"
#include "core/parallel.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

using FindingState = std::tuple<std::string, std::string, double, double, double, double, double,
                                std::string, int, std::uint64_t, std::string>;

FindingState state_of(const Finding& f) {
  const AuditResult& r = f.result;
  return {f.setting,     r.name,          r.power,
          r.false_alarm, r.allowed_power, r.lower_bound,
          r.claimed,     r.unit,          static_cast<int>(f.kind),
          f.needed,      f.out_of_reach};
}

void restore(Finding& finding, const FindingState& state) {
  Finding made;
  AuditResult& r = made.result;
  int kind = 0;
  std::tie(made.setting, r.name, r.power, r.false_alarm, r.allowed_power, r.lower_bound, r.claimed,
           r.unit, kind, made.needed, made.out_of_reach) = state;
  made.kind = static_cast<AttackKind>(kind);
  new (&finding) Finding(std::move(made));
}

/// Runs the attacks of a method while Python stays responsive. What is left out (None) is the
/// default of the method.
std::vector<Finding> run(const std::string& mechanism, const std::optional<Budget>& budget,
                         const std::optional<std::string>& relation, const std::string& table,
                         int group_size, std::size_t dimension, std::int64_t rows,
                         bool private_mean, double variance_share,
                         std::optional<std::uint64_t> runs, bool mutants,
                         const std::optional<std::uint64_t>& seed) {
  const AuditedMethod method = unwrap(find_audit(mechanism));
  AuditRequest request = default_request(method);
  request.budget = budget.value_or(request.budget);
  if (relation) {
    request.setting.relation = unwrap(parse_relation(*relation));
  }
  request.setting.bound = unwrap(parse_attacked_bound(table));
  request.setting.group_size = group_size;
  request.dimension = dimension;
  request.rows = rows;
  request.private_mean = private_mean;
  request.variance_share = variance_share;
  request.mutants = mutants;
  request.settings = {runs.value_or(method.runs), kAttackError, default_threads()};
  return interruptibly([&] {
    RandomStream stream = stream_for(seed);
    return unwrap(run_audit(method, request, stream));
  });
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const AuditedMethod& method : audited_methods()) {
    names.push_back(method.name);
  }
  return names;
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
  m.def(
      "sharp_level",
      [](const Vector& eigenvalues, double rows, Eigen::Index components, double mu) {
        const SharpPrivacy sharp = unwrap(SharpPrivacy::make(eigenvalues, rows, components, 1.0));
        return std::pair(sharp.beta(mu), sharp.mu_min());
      },
      "eigenvalues"_a, "rows"_a, "components"_a, "mu"_a,
      "The noise level that reaches mu, or None, and the smallest mu there is.");
  nb::class_<Finding>(m, "AuditResult", "What one attack measured, beside the claim.")
      .def_prop_ro("name", [](const Finding& f) { return f.result.name; })
      .def_prop_ro("power", [](const Finding& f) { return f.result.power; })
      .def_prop_ro("false_alarm", [](const Finding& f) { return f.result.false_alarm; })
      .def_prop_ro("allowed_power", [](const Finding& f) { return f.result.allowed_power; })
      .def_prop_ro("lower_bound", [](const Finding& f) { return f.result.lower_bound; })
      .def_prop_ro("claimed", [](const Finding& f) { return f.result.claimed; })
      .def_prop_ro("unit", [](const Finding& f) { return f.result.unit; })
      .def_ro("setting", &Finding::setting)
      .def_prop_ro("is_mutant", &Finding::is_mutant)
      .def_prop_ro(
          "covered", [](const Finding& f) { return f.kind != AttackKind::Outside; },
          "False: a pair that the guarantee does not speak of.")
      .def_prop_ro("refuted", [](const Finding& f) { return f.result.refuted(); })
      .def_prop_ro("verdict", &Finding::verdict, "The result in words, as the program prints it.")
      .def("__getstate__", [](const Finding& f) { return state_of(f); })
      .def("__setstate__", &restore)
      .def("__repr__", [](const Finding& f) {
        const AuditResult& r = f.result;
        const auto text = [](double value) {
          return nb::cast<std::string>(nb::str("{:.4g}").format(nb::float_(value)));
        };
        return "<AuditResult " + r.name + ": " + r.unit + " >= " + text(r.lower_bound) +
               ", claimed " + text(r.claimed) + ", " + f.verdict() + ">";
      });
  m.def("audit", &run, "mechanism"_a, "budget"_a.none(), "relation"_a.none(), "table"_a,
        "group_size"_a, "dimension"_a, "rows"_a, "private_mean"_a, "variance_share"_a,
        "runs"_a.none(), "mutants"_a, "seed"_a.none() = nb::none());
  m.def("audited_methods", &method_names);
  m.def("audit_sharp", &audit_sharp, "eigenvalues"_a, "rows"_a, "components"_a, "beta"_a,
        "type_one"_a, "draws"_a, "error"_a, "seed"_a.none() = nb::none());
}

}  // namespace eigenveil::python
