#include "ledger/ledger.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/report/read_release.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "engine/ledger_batch.hpp"
#include "engine/release_cost.hpp"
#include "ledger/outlook.hpp"
#include "ledger/spending.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"
#include "ledger_cost.hpp"

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

/// A release on its way past a ledger: charged before a row is read, settled before it is seen.
class LedgerPassage {
 public:
  LedgerPassage(const std::string& path, std::string key, std::string data_set,
                const std::vector<std::string>& builds_on,
                const std::vector<std::string>& checksums)
      : spending_(unwrap(Spending::open(path, std::move(key), std::move(data_set)))) {
    for (const std::string& release : builds_on) {
      builds_on_.push_back(unwrap(read_release(release)).checksum);
    }
    for (const std::string& checksum : checksums) {
      if (std::find(builds_on_.begin(), builds_on_.end(), checksum) == builds_on_.end()) {
        builds_on_.push_back(checksum);
      }
    }
    spending_.build_on(builds_on_);
  }

  /// The release that a key stands for, where a run before this one wrote it to `out`; else
  /// nothing, and the release is charged.
  std::unique_ptr<ReleaseDocument> reserve(const LedgerCost& asked, const std::string& out,
                                           bool replace) {
    return interruptibly([&]() -> std::unique_ptr<ReleaseDocument> {
      const Existing existing = replace ? Existing::Replace : Existing::Refuse;
      if (unwrap(spending_.resume(asked.cost, asked.request, out, existing))) {
        return std::make_unique<ReleaseDocument>(unwrap(read_release(out)).document);
      }
      if (!out.empty()) {  // a release that cannot be written would be lost
        unwrap(AtomicDirectory::create(out, existing).map([](const AtomicDirectory&) {}));
      }
      unwrap(spending_.reserve(asked.cost, asked.request));
      return nullptr;
    });
  }

  /// SHA-256 of the document as it was settled, of what lies in `out` or would in a directory, and
  /// the checksum that it bears.
  std::pair<std::string, std::string> settle(ReleaseDocument& document, const std::string& out,
                                             bool npy, bool replace, const std::string& data_set,
                                             const std::string& date) {
    document.ledger = spending_.entry();
    for (const std::string& checksum : builds_on_) {
      if (std::find(document.builds_on.begin(), document.builds_on.end(), checksum) ==
          document.builds_on.end()) {
        document.builds_on.push_back(checksum);
      }
    }
    document.data_set = data_set;
    document.date = date;
    return interruptibly([&] {
      const TableFormat format = npy ? TableFormat::Npy : TableFormat::Csv;
      std::string hash;
      std::string checksum;
      const auto settled = [&](std::string_view bytes) {
        hash = hex(sha256(bytes));
        checksum = nlohmann::json::parse(bytes).value("checksum", "");
        return spending_.settle(bytes);
      };
      if (out.empty()) {
        unwrap(settled(release_files(document, format).front().bytes));
      } else {
        ReleaseTarget target{out, format, replace ? Existing::Replace : Existing::Refuse};
        target.before = settled;
        unwrap(write_release(document, target));
      }
      return std::pair(hash, checksum);
    });
  }

  std::optional<std::int64_t> index() const {
    return spending_.reservation() ? std::optional(spending_.reservation()->index) : std::nullopt;
  }
  std::string charged() const {
    const auto& made = spending_.reservation();
    if (!made) {
      return "";
    }
    return in_words(made->charge) + " of the " + std::string(name_of(made->charge.account)) +
           " account" + (made->note.empty() ? "" : "; " + made->note);
  }

 private:
  Spending spending_;
  std::vector<std::string> builds_on_;
};

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

void bind_passage(nb::module_& m) {
  nb::class_<LedgerCost>(m, "LedgerCost", "What a release costs, from public numbers alone.")
      .def_prop_ro("guarantee", [](const LedgerCost& c) { return c.cost.guarantee; })
      .def_ro("request", &LedgerCost::request);
  nb::class_<LedgerPassage>(m, "LedgerPassage", "One release on its way past a ledger.")
      .def(nb::init<const std::string&, std::string, std::string, const std::vector<std::string>&,
                    const std::vector<std::string>&>(),
           "path"_a, "key"_a, "data_set"_a, "builds_on"_a, "checksums"_a)
      .def("reserve", &LedgerPassage::reserve, "cost"_a, "out"_a, "replace"_a)
      .def("settle", &LedgerPassage::settle, "document"_a, "out"_a, "npy"_a, "replace"_a,
           "data_set"_a, "date"_a)
      .def_prop_ro("index", &LedgerPassage::index)
      .def_prop_ro("charged", &LedgerPassage::charged);
}

}  // namespace

void bind_ledger(nb::module_& m) {
  bind_passage(m);
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
