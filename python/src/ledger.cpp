#include "ledger/ledger.hpp"

#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "eigenveil/engine/ledgers.hpp"
#include "engine/ledger_batch.hpp"
#include "engine/release_cost.hpp"
#include "ledger/outlook.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
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
      [](const std::string& path, const std::string& terms) { unwrap(create_ledger(path, terms)); },
      "path"_a, "terms"_a);
  m.def(
      "ledger_shown",
      [](const std::string& path, const std::string& view) {
        return interruptibly([&] { return unwrap(show_ledger(path, view)); });
      },
      "path"_a, "view"_a, "The whole ledger, checked: as json, text, html or registry.");
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
        return interruptibly([&] { return unwrap(ledger_problems(path, releases)); });
      },
      "path"_a, "releases"_a);
  m.def(
      "ledger_backup",
      [](const std::string& path, const std::string& out) { unwrap(back_up_ledger(path, out)); },
      "path"_a, "out"_a);
}

}  // namespace eigenveil::python
