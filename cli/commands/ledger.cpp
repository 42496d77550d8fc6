#include "ledger/ledger.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "core/atomic_output.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/engine/ledgers.hpp"
#include "engine/ledger_batch.hpp"
#include "engine/ledger_terms.hpp"
#include "ledger/outlook.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kTheLedger = "the ledger";

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
  nlohmann::ordered_json asked = {{"name", name},
                                  {"neighbours", promise.neighbours},
                                  {"group_size", promise.group_size},
                                  {"person", person},
                                  {"allow_unproved", allow_unproved}};
  const auto say = [](nlohmann::ordered_json& in, const char* key, std::optional<double> value) {
    if (value) {
      in[key] = *value;
    }
  };
  say(asked, "epsilon", promise.epsilon);
  say(asked, "delta", promise.delta);
  say(asked, "rho", promise.rho);
  say(asked, "mu", promise.mu);
  say(asked, "basic_share", basic_share);
  say(asked, "draws", draws);
  if (cap_mu || cap_epsilon || cap_delta) {
    say(asked["caps"], "mu", cap_mu);
    say(asked["caps"], "epsilon", cap_epsilon);
    say(asked["caps"], "delta", cap_delta);
  }
  return ledger_terms(asked.dump());
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

  void declare(CLI::App& app) {
    app.add_option("FILE", file, kTheLedger)->required();
    app.add_option("--html", html, "also as a page")->check(not_empty());
    app.add_flag("--json", json, "for machines, all entries");
  }

  Outcome run() const {
    if (!html.empty()) {
      const Result<void> written = show_ledger(file, "html").and_then([&](const std::string& page) {
        return write_file_atomically(html, page);
      });
      if (!written) {
        return error_of(written);
      }
    }
    return show_ledger(file, json ? "json" : "text").map([&](const std::string& shown) {
      fmt::print("{}", shown);
      if (!html.empty() && !json) {
        fmt::print("  wrote       {}\n", html);
      }
    });
  }
};

struct LedgerPlan {
  std::string file;
  std::string batch;

  void declare(CLI::App& app) {
    app.add_option("FILE", file, kTheLedger)->required();
    app.add_option("BATCH", batch,
                   "JSON list of releases: task, method, epsilon, delta, rho, mu, neighbours, "
                   "group_size, count, name; what is not said is what the command takes. Exit code "
                   "1 where one would not fit")
        ->required();
  }

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

  void declare(CLI::App& app) {
    app.add_option("FILE", file, kTheLedger)->required();
    app.add_option("--release", releases, "release.json or directory; several");
  }

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

  void declare(CLI::App& app) {
    app.add_option("FILE", file, kTheLedger)->required();
    app.add_flag("--registry", registry, "as opendp/deployments-registry-data wants it (YAML)");
    app.add_option("--curator", curator,
                   "who publishes: government, industry or nonprofit (default: left out, though "
                   "the registry asks for it)");
    app.add_option("--out", out, "a new file (default: standard output)");
  }

  Outcome run() const {
    if (!registry) {
      return bad_request(
          "say what to export: --registry, a record for the registry of deployments "
          "(eigenveil ledger show --json for all entries)");
    }
    return show_ledger(file, curator.empty() ? "registry" : "registry " + curator)
        .and_then([&](const std::string& record) -> Outcome {
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

  void declare(CLI::App& app) {
    app.add_option("FILE", file, kTheLedger)->required();
    app.add_option("--out", out, "a new file")->required();
  }

  Outcome run() const {
    return back_up_ledger(file, out).map([&] {
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

}  // namespace

Command ledger_command() {
  return command_group(
      "ledger",
      "A budget that outlives the process: every release is charged before a row is read, and "
      "nothing can be spent twice.\n"
      "  eigenveil ledger create survey.ledger --name \"Survey 2026\" --epsilon 3 --delta 1e-6\n"
      "  eigenveil pca survey.csv --header present ... --ledger survey.ledger --out out/\n"
      "  eigenveil ledger show survey.ledger --html ledger.html",
      {command_of<LedgerCreate>("create", "a new ledger; its caps never change"),
       command_of<LedgerShow>("show", "promise, spent, left, and every release"),
       command_of<LedgerPlan>("plan", "would these releases fit, and with what left"),
       command_of<LedgerVerify>("verify", "every entry, and releases against it"),
       command_of<LedgerExport>("export", "a record for others"),
       command_of<LedgerBackup>("backup", "a copy as of one moment, without the key")});
}

}  // namespace eigenveil::cli
