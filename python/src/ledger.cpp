#include "ledger/ledger.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "engine/ledger_batch.hpp"
#include "engine/release_cost.hpp"
#include "ledger/outlook.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
using Caps = std::tuple<double, double, double>;

LedgerTerms terms_of(const std::string& name, const std::optional<Budget>& promise,
                     const std::optional<Caps>& caps, double basic_share,
                     const std::string& relation, int group_size, const std::string& person,
                     bool allow_unproved, const std::optional<double>& draws) {
  LedgerTerms terms;
  terms.name = name;
  terms.relation = unwrap(parse_relation(relation));
  terms.unit = {group_size, person};
  terms.allow_unproved = allow_unproved;
  if (caps) {
    const auto [mu, epsilon, delta] = *caps;
    terms.caps = unwrap(check_caps({mu, epsilon, delta}));
    terms.promise = promise_of(terms.caps);
    terms.caps.draws = draws.value_or(default_draws(terms.promise));
    unwrap(check_caps(terms.caps));
    return terms;
  }
  terms.caps = unwrap(caps_for(*promise, basic_share));
  terms.caps.draws = draws.value_or(terms.caps.draws);
  unwrap(check_caps(terms.caps));
  terms.promise = std::visit([](const auto& loss) { return Loss(loss); }, *promise);
  return terms;
}

/// One view of the whole ledger, checked.
template <class View>
std::string shown(const std::string& path, const View& view) {
  return interruptibly([&] {
    const LedgerState state = unwrap(unwrap(Ledger::open(path)).state());
    return std::string(view(summary_of(state)));
  });
}

/// What one release would take, and what would be left; or the refusal. Nothing is charged.
std::string outlook_of(const std::string& path, const std::string& task, const std::string& method,
                       const Guarantee& guarantee, const Budget& requested, bool seeded) {
  return interruptibly([&] {
    const LedgerState state = unwrap(unwrap(Ledger::open(path)).state());
    std::vector<Charge> charges = charges_in(state.lines);
    ReleaseCost cost;
    cost.task = task;
    cost.method = method;
    cost.guarantee = guarantee;
    cost.requested = requested;
    cost.seeded = seeded;
    cost.has_margin = has_pure_margin(cost);
    const Result<Charge> charge = choose_charge(state.terms, charges, cost);
    if (!charge) {
      return charge.error().message;
    }
    charges.push_back(*charge);
    const std::string note = steps_in_words(state.terms, cost, charge->steps);
    return "takes " + in_words(*charge) + " of the " + std::string(name_of(charge->account)) +
           " account" + (note.empty() ? "" : ", " + note) +
           "; then left: " + left_in_words(state.terms.caps, charges);
  });
}

}  // namespace

void bind_ledger(nb::module_& m) {
  m.def(
      "ledger_create",
      [](const std::string& path, const std::string& name, const std::optional<Budget>& promise,
         const std::optional<Caps>& caps, double basic_share, const std::string& relation,
         int group_size, const std::string& person, bool allow_unproved,
         const std::optional<double>& draws) {
        unwrap(Ledger::create(path, terms_of(name, promise, caps, basic_share, relation, group_size,
                                             person, allow_unproved, draws)));
      },
      "path"_a, "name"_a, "promise"_a.none(), "caps"_a.none(), "basic_share"_a, "relation"_a,
      "group_size"_a, "person"_a, "allow_unproved"_a, "draws"_a.none());
  m.def(
      "ledger_json", [](const std::string& path) { return shown(path, ledger_json); }, "path"_a);
  m.def(
      "ledger_text", [](const std::string& path) { return shown(path, ledger_text); }, "path"_a);
  m.def(
      "ledger_html", [](const std::string& path) { return shown(path, ledger_html); }, "path"_a);
  m.def(
      "ledger_registry",
      [](const std::string& path, const std::string& curator) {
        const std::string kind = curator.empty() ? std::string() : unwrap(curator_type(curator));
        return shown(path, [&](const LedgerSummary& all) { return registry_record(all, kind); });
      },
      "path"_a, "curator"_a);
  m.def("ledger_outlook", &outlook_of, "path"_a, "task"_a, "method"_a, "guarantee"_a, "requested"_a,
        "seeded"_a);
  m.def(
      "ledger_plan",
      [](const std::string& path, const std::string& batch) {
        return interruptibly([&] {
          const LedgerState state = unwrap(unwrap(Ledger::open(path)).state());
          const auto wanted = unwrap(wanted_releases(batch, state.terms));
          return plan_in_words(state.terms, charges_in(state.lines), wanted).text;
        });
      },
      "path"_a, "batch"_a);
  m.def(
      "ledger_verify",
      [](const std::string& path, const std::vector<std::string>& releases) {
        return interruptibly([&] {
          return unwrap(verify_ledger(path, {releases.begin(), releases.end()})).problems;
        });
      },
      "path"_a, "releases"_a);
  m.def(
      "ledger_backup",
      [](const std::string& path, const std::string& out) {
        unwrap(unwrap(Ledger::open(path)).backup(out));
      },
      "path"_a, "out"_a);
}

}  // namespace eigenveil::python
