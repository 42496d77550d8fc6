#include "ledger/ledger.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "core/atomic_output.hpp"
#include "core/parameter_names.hpp"
#include "engine/ledger_batch.hpp"
#include "ledger/outlook.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"

namespace eigenveil::cli {
namespace {

struct LedgerCreate {
  std::string file;
  std::string name;
  std::string person;
  BudgetOptions promise;
  std::optional<double> basic_share;
  std::optional<double> cap_mu;
  std::optional<double> cap_epsilon;
  std::optional<double> cap_delta;
  std::optional<double> draws;
  bool allow_unproved = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<LedgerTerms> terms() const;
};

void LedgerCreate::declare(CLI::App& app) {
  app.add_option("FILE", file, "the ledger to make; its key goes to FILE.key")->required();
  app.add_option("--name", name, "of the data set, in your words; public")->required();
  promise.declare(app);
  app.add_option("--basic-share", basic_share,
                 "with --epsilon and --delta: the part kept for releases without Gaussian noise "
                 "(default 0.25)");
  app.add_option("--person", person,
                 "protect all rows with the same entry in this column; takes only releases that "
                 "limit them");
  app.add_flag(
      "--allow-unproved", allow_unproved,
      "take releases that are not proved for every data set (sharp, spiked, --seed); after "
      "one of them nothing is promised");
  constexpr const char* kGroup = "Caps one by one, instead of a promise";
  app.add_option("--cap-mu", cap_mu, "gaussian account: sum of mu^2 at most this squared")
      ->group(kGroup);
  app.add_option("--cap-epsilon", cap_epsilon, "basic account: sum of epsilon")->group(kGroup);
  app.add_option("--cap-delta", cap_delta, "basic account: sum of delta")->group(kGroup);
  app.add_option("--draws", draws,
                 "what draws in doubles (orbit, exponential) may add to delta in all, beside the "
                 "promise (default: as much as its delta; 1e-6 without one)");
}

Result<LedgerTerms> LedgerCreate::terms() const {
  const Result<Relation> relation = promise.relation();
  if (!relation) {
    return error_of(relation);
  }
  LedgerTerms terms;
  terms.name = name;
  terms.relation = *relation;
  terms.unit = {promise.group_size, person};
  terms.allow_unproved = allow_unproved;
  if (cap_mu || cap_epsilon || cap_delta) {
    if (promise.given() || basic_share) {
      return bad_request("give a promise (--epsilon ...) or caps (--cap-...), not both");
    }
    terms.caps = {cap_mu.value_or(0.0), cap_epsilon.value_or(0.0), cap_delta.value_or(0.0)};
    terms.promise = promise_of(terms.caps);
    terms.caps.draws = draws.value_or(default_draws(terms.promise));
    return check_caps(terms.caps).map([&](const LedgerCaps&) { return terms; });
  }
  return promise.budget().and_then([&](const Budget& budget) -> Result<LedgerTerms> {
    if (basic_share && !std::holds_alternative<ApproxDp>(budget)) {
      return bad_request(
          "--basic-share divides --epsilon and --delta; other promises have one "
          "account");
    }
    return caps_for(budget, basic_share.value_or(kBasicShare))
        .and_then([&](LedgerCaps caps) {
          caps.draws = draws.value_or(caps.draws);
          return check_caps(caps);
        })
        .map([&](const LedgerCaps& caps) {
          terms.caps = caps;
          terms.promise = std::visit([](const auto& loss) { return Loss(loss); }, budget);
          return terms;
        });
  });
}

Outcome LedgerCreate::run() const {
  const Result<LedgerTerms> wanted = terms();
  if (!wanted) {
    return error_of(wanted);
  }
  if (const auto* pair = std::get_if<ApproxDp>(&wanted->promise); pair != nullptr && !cap_mu) {
    if (const std::string table = shares_table(*pair, *wanted); !table.empty()) {
      fmt::print(
          "releases of one kind that would fit, for several shares (caps never change):\n{}\n",
          for_command_line(table));
    }
  }
  return Ledger::create(file, *wanted).map([&](const Ledger& ledger) {
    const LedgerTerms& made = ledger.terms();
    fmt::print("made {} and its key {}.key (both mode 0600; keep the key apart from copies)\n",
               file, file);
    fmt::print("  promise     {}\n", promise_in_words(made));
    fmt::print("  accounts    {}\n", left_in_words(made.caps, {}));
    fmt::print("  identifier  {}\n  public key  {}\n", made.id, made.public_key);
    fmt::print("  charge releases to it with --ledger {}\n", file);
  });
}

struct LedgerShow {
  std::string file;
  std::string html;
  bool json = false;

  Outcome run() const {
    return Ledger::open(file)
        .and_then([](const Ledger& ledger) { return ledger.state(); })
        .and_then([&](const LedgerState& state) -> Outcome {
          const LedgerSummary summary = summary_of(state);
          if (!html.empty()) {
            if (const Result<void> written = write_file_atomically(html, ledger_html(summary));
                !written) {
              return error_of(written);
            }
          }
          fmt::print("{}", json ? ledger_json(summary) : ledger_text(summary));
          if (!html.empty() && !json) {
            fmt::print("  wrote       {}\n", html);
          }
          return {};
        });
  }
};

struct LedgerPlan {
  std::string file;
  std::string batch;

  Outcome run() const {
    std::ifstream input(batch, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(input), {});
    if (!input.is_open()) {
      return input_output_error(fmt::format("cannot read {}", batch));
    }
    return Ledger::open(file)
        .and_then([](const Ledger& ledger) { return ledger.state(); })
        .and_then([&](const LedgerState& state) {
          return wanted_releases(text, state.terms).and_then([&](const auto& wanted) -> Outcome {
            const LedgerOutlook outlook =
                plan_in_words(state.terms, charges_in(state.lines), wanted);
            fmt::print("{}", for_command_line(outlook.text));
            if (outlook.fitting < outlook.wanted) {  // exit code 1: scripts ask before they release
              return input_output_error(
                  fmt::format("{} of {} release{} would not fit", outlook.wanted - outlook.fitting,
                              outlook.wanted, outlook.wanted == 1 ? "" : "s"));
            }
            return {};
          });
        });
  }
};

struct LedgerVerify {
  std::string file;
  std::vector<std::string> releases;

  Outcome run() const {
    return verify_ledger(file, {releases.begin(), releases.end()})
        .and_then([&](const LedgerCheck& check) -> Outcome {
          if (!check.problems.empty()) {
            return bad_request(fmt::format("{}", fmt::join(check.problems, "; ")));
          }
          fmt::print(
              "{}: {} entries, each follows the one before it and is signed; within the caps\n",
              file, check.lines);
          if (const std::size_t same = check.releases - check.other_forms; same > 0) {
            fmt::print("{} release{} as the ledger has {}\n", same, same == 1 ? " is" : "s are",
                       same == 1 ? "it" : "them");
          }
          if (check.other_forms > 0) {
            fmt::print(
                "{} in another form than the ledger has: each names the one it says it was made "
                "from\n",
                check.other_forms);
          }
          return {};
        });
  }
};

struct LedgerExport {
  std::string file;
  std::string out;
  std::string curator;
  bool registry = false;

  Outcome run() const {
    if (!registry) {
      return bad_request(
          "say what to export: --registry, a record for the registry of deployments "
          "(eigenveil ledger show --json for all entries)");
    }
    return Ledger::open(file)
        .and_then([](const Ledger& ledger) { return ledger.state(); })
        .and_then([&](const LedgerState& state) -> Outcome {
          std::string kind;
          if (!curator.empty()) {
            const Result<std::string> known = curator_type(curator);
            if (!known) {
              return error_of(known);
            }
            kind = *known;
          }
          const std::string record = registry_record(summary_of(state), kind);
          if (out.empty()) {
            fmt::print("{}", record);
            return {};
          }
          return check_new_file(out)
              .and_then([&] { return write_file_atomically(out, record); })
              .map([&] { fmt::print("wrote {}; fill in what only you know\n", out); });
        });
  }
};

struct LedgerBackup {
  std::string file;
  std::string out;

  Outcome run() const {
    return Ledger::open(file)
        .and_then([&](const Ledger& ledger) { return ledger.backup(out); })
        .map([&] {
          fmt::print(
              "wrote {} without the key: it can be shown and verified, not spent from\n"
              "it knows nothing of what is charged from now on: put it in the ledger's place only "
              "if "
              "that is lost, and then run eigenveil ledger verify {} --release with every release "
              "you have\n",
              out, file);
        });
  }
};

template <class Action>
CLI::App* add_action(CLI::App& app, const char* name, const char* summary,
                     const std::shared_ptr<Action>& action) {
  CLI::App* child = app.add_subcommand(name, summary);
  if constexpr (!std::is_same_v<Action, LedgerCreate>) {
    child->add_option("FILE", action->file, "the ledger")->required();
  } else {
    action->declare(*child);
  }
  return child;
}

}  // namespace

Command ledger_command() {
  return {
      "ledger",
      "A budget that outlives the process: every release is charged before a row is read, and "
      "nothing can be spent twice.\n"
      "  eigenveil ledger create survey.ledger --name \"Survey 2026\" --epsilon 3 --delta 1e-6\n"
      "  eigenveil pca survey.csv --header present ... --ledger survey.ledger --out out/\n"
      "  eigenveil ledger show survey.ledger --html ledger.html",
      [](CLI::App& app) {
        app.require_subcommand(1);
        auto create = std::make_shared<LedgerCreate>();
        auto show = std::make_shared<LedgerShow>();
        auto plan = std::make_shared<LedgerPlan>();
        auto verify = std::make_shared<LedgerVerify>();
        auto to_registry = std::make_shared<LedgerExport>();
        auto backup = std::make_shared<LedgerBackup>();
        std::vector<std::pair<CLI::App*, std::function<Outcome()>>> parts;
        CLI::App* part = add_action(app, "create", "a new ledger; its caps never change", create);
        parts.emplace_back(part, [create] { return create->run(); });
        part = add_action(app, "show", "promise, spent, left, and every release", show);
        part->add_option("--html", show->html, "also as a page")->check(not_empty());
        part->add_flag("--json", show->json, "for machines, all entries");
        parts.emplace_back(part, [show] { return show->run(); });
        part = add_action(app, "plan", "would these releases fit, and with what left", plan);
        part->add_option(
                "BATCH", plan->batch,
                "JSON list of releases: task, method, epsilon, delta, rho, mu, neighbours, "
                "group_size, count, name; what is not said is what the command takes. Exit "
                "code 1 where one would not fit")
            ->required();
        parts.emplace_back(part, [plan] { return plan->run(); });
        part = add_action(app, "verify", "every entry, and releases against it", verify);
        part->add_option("--release", verify->releases, "release.json or directory; several");
        parts.emplace_back(part, [verify] { return verify->run(); });
        part = add_action(app, "export", "a record for others", to_registry);
        part->add_flag("--registry", to_registry->registry,
                       "as opendp/deployments-registry-data wants it (YAML)");
        part->add_option("--curator", to_registry->curator,
                         "who publishes: government, industry or nonprofit (default: left out, "
                         "though the registry asks for it)");
        part->add_option("--out", to_registry->out, "a new file (default: standard output)");
        parts.emplace_back(part, [to_registry] { return to_registry->run(); });
        part = add_action(app, "backup", "a copy as of one moment, without the key", backup);
        part->add_option("--out", backup->out, "a new file")->required();
        parts.emplace_back(part, [backup] { return backup->run(); });
        return [parts]() -> Outcome {
          for (const auto& [child, run] : parts) {
            if (child->parsed()) {
              return run();
            }
          }
          return {};
        };
      }};
}

}  // namespace eigenveil::cli
