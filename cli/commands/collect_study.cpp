#include <fmt/format.h>

#include "cli/commands/collect.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "collection/aggregator.hpp"
#include "collection/data_dictionary.hpp"
#include "collection/form.hpp"
#include "collection/token_list.hpp"
#include "core/atomic_output.hpp"
#include "core/outside_json.hpp"

namespace eigenveil::cli {
namespace {

void print_study(const Study& study, const CollectionPlan& plan) {
  const Manifest& manifest = study.manifest;
  fmt::print("  title       {}\n  study       {}\n", manifest.title, hex(study.digest));
  fmt::print("  guarantee   {}\n", headline(plan.guarantee, manifest.budget));
  fmt::print("  in words    {}\n", detection_in_words(plan.guarantee));
  fmt::print("  columns     {}, rounded to {} steps on either side of the middle\n",
             manifest.columns.size(), manifest.max_abs);
  for (const StudyColumn& column : manifest.columns) {
    fmt::print("    {}  {} to {}{}{}\n", column.name, column.low, column.high,
               column.question.empty() ? "" : "  ", column.question);
  }
  fmt::print("  noise       added by {}; at least {} reports, until {}\n", name_of(manifest.noise),
             manifest.minimum_batch, manifest.deadline);
  for (const std::string& line : trust_in_words(manifest)) {
    fmt::print("  trust       {}\n", line);
  }
  fmt::print("  codes       issued by {}\n",
             manifest.collector_issues() ? "the collector" : manifest.issuer_key);
  for (const Role role : {Role::A, Role::B}) {
    const AggregatorCard& card = manifest.card(role);
    fmt::print("  aggregator {} {}\n  key of {}    {}\n", name_of(role), card.address,
               name_of(role), card.signing_key);
  }
}

struct StudyKeys {
  std::string role;
  std::string address;
  std::string folder;

  void declare(CLI::App& app) {
    app.add_option("--role", role, "a or b")->required()->check(one_of({"a", "b"}));
    app.add_option("--address", address, "where participants will find this aggregator")
        ->required();
    app.add_option("--folder", folder, "of the aggregator, one for each study")->required();
  }
  Outcome run() const {
    return parse_role(role)
        .and_then([&](Role parsed) { return AggregatorFolder{folder}.make(parsed, address); })
        .map([&](const AggregatorCard& card) {
          fmt::print("wrote {} for the collector; keys in {} (mode 0600)\n",
                     AggregatorFolder{folder}.card().lexically_normal().string(), folder);
          fmt::print("  publish this key yourself, participants compare it: {}\n",
                     card.signing_key);
        });
  }
};

/// A key for somebody other than the collector to issue codes with.
struct StudyIssuer {
  std::string out;

  void declare(CLI::App& app) {
    app.add_option("--out", out, "the issuer's key, a new file; mode 0600")->required();
  }
  Outcome run() const {
    const SigningKey key = SigningKey::make();
    return check_new_file(out).and_then([&] { return key.save(out, "issuer"); }).map([&] {
      fmt::print("wrote {}\n  for the collector, as study new --issuer: {}\n", out,
                 key.public_part());
    });
  }
};

struct StudyNew {
  std::string title;
  std::string columns;
  std::string card_a;
  std::string card_b;
  std::string noise = "servers";
  std::string deadline;
  std::int64_t minimum_batch = 0;
  std::int64_t colluders = 0;
  std::string issuer;
  BudgetOptions budget;
  std::string ledger;
  std::string out;

  void declare(CLI::App& app) {
    app.add_option("--title", title, "what participants read")->required()->check(plain_text());
    app.add_option("--columns", columns, "CSV column,low,high,question: public")->required();
    app.add_option("--a", card_a, "card.json of aggregator a")->required();
    app.add_option("--b", card_b, "card.json of aggregator b")->required();
    budget.neighbours = "zero-row";
    budget.declare(app);
    app.get_option("--neighbours")
        ->description("zero-row (default) or replace-one; the number of reports is public");
    app.add_option("--noise", noise, "servers (default) or participants: who adds it")
        ->check(one_of({"servers", "participants"}));
    app.add_option("--minimum-batch", minimum_batch, "fewer reports are never released")
        ->required()
        ->check(whole_number(2, 100'000'000));
    app.add_option("--colluders", colluders,
                   "with --noise participants: how many may tell their noise (default 0)")
        ->check(whole_number(0, 100'000'000));
    app.add_option("--issuer", issuer,
                   "key of whoever issues codes, from collect study issuer (default: the "
                   "collector; with --noise participants the issuer is trusted)");
    app.add_option("--deadline", deadline, "UTC, as 2026-12-01T12:00:00Z")->required();
    app.add_option("--ledger", ledger,
                   "the one that will be charged at closing: refused now where the study would not "
                   "fit; nothing is charged")
        ->envname("EIGENVEIL_LEDGER")
        ->check(not_empty());
    app.add_option("--out", out, "the study, a new file; the collector's key goes to OUT.key")
        ->required();
  }

  Result<Manifest> draft(const SigningKey& key) const {
    Manifest manifest;
    manifest.id = random_identifier();
    manifest.title = title;
    manifest.minimum_batch = minimum_batch;
    manifest.colluders = colluders;
    manifest.deadline = deadline;
    manifest.collector_key = key.public_part();
    manifest.issuer_key = issuer.empty() ? manifest.collector_key : issuer;
    manifest.noise = *parse_noise_mode(noise);
    const Result<Budget> spent = budget.budget();
    const Result<Relation> relation = budget.relation();
    if (!spent || !relation) {
      return spent ? error_of(relation) : error_of(spent);
    }
    if (budget.group_size != 1) {
      return bad_request("a report is one person: leave out --group-size");
    }
    manifest.budget = *spent;
    manifest.relation = *relation;
    for (auto [card, path] : {std::pair{&manifest.a, &card_a}, std::pair{&manifest.b, &card_b}}) {
      const Result<AggregatorCard> read = read_whole_file(*path).and_then(card_from_json);
      if (!read) {
        return error_of(read);
      }
      *card = *read;
    }
    return read_data_dictionary(columns).and_then([&](const std::vector<StudyColumn>& read) {
      manifest.columns = read;
      manifest.max_abs = RowBound::kDefaultMaxAbs;
      return check_manifest(manifest).and_then([&] { return with_grid(manifest); });
    });
  }

  /// A budget that does not fit is found before anybody signs, not when the answers are in.
  Result<void> check_ledger(const Manifest& manifest) const {
    if (ledger.empty()) {
      return {};
    }
    const Result<CollectionPlan> plan = plan_collection(manifest);
    const Result<LedgerState> state =
        Ledger::open(ledger).and_then([](const Ledger& opened) { return opened.state(); });
    if (!plan || !state) {
      return plan ? error_of(state) : error_of(plan);
    }
    return choose_charge(state->terms, charges_in(state->lines), collection_cost(manifest, *plan))
        .map([](const Charge& charge) {
          fmt::print("the ledger has room for it: {} will be charged at closing, nothing now\n",
                     in_words(charge));
        });
  }

  Outcome run() const {
    if (const Result<void> fresh = check_new_file(out); !fresh) {
      return error_of(fresh);
    }
    const SigningKey key = SigningKey::make();
    const Result<Manifest> manifest = draft(key);
    if (!manifest) {
      return error_of(manifest);
    }
    const Study study = Study::of(*manifest);
    if (study.is_past_deadline()) {
      return bad_request("--deadline has passed");
    }
    return check_ledger(*manifest)
        .and_then([&] { return key.save(out + ".key", "collector"); })
        .and_then([&] { return write_file_atomically(out, to_json(study)); })
        .and_then([&] { return plan_collection(*manifest); })
        .map([&](const CollectionPlan& plan) {
          fmt::print("wrote {0} and the collector's key {0}.key (mode 0600)\n", out);
          print_study(study, plan);
          fmt::print(
              "  next        aggregator a signs it and sends the file on to b, who signs it too: "
              "eigenveil "
              "collect study open {} --folder FOLDER\n",
              out);
        });
  }
};

struct StudyOpen {
  std::string study;
  std::string folder;
  bool sign = false;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json; the signature is added to it")->required();
    app.add_option("--folder", folder, "of the aggregator that signs")->required();
    app.add_flag("--sign", sign, "sign without asking, for those who have read the study before");
  }
  Outcome run() const {
    const Result<Study> read = load_study(study);
    if (!read) {
      return error_of(read);
    }
    const Result<CollectionPlan> plan = plan_collection(read->manifest);
    if (!plan) {
      return error_of(plan);
    }
    fmt::print("{} asks for this:\n", study);
    print_study(*read, *plan);
    const Result<void> agreed =
        sign ? Result<void>()
             : confirm("sign it? ranges, budget, noise and deadline are fixed then",
                       "nothing was signed: read the study above, then run this again with --sign");
    return agreed.and_then([&] { return AggregatorFolder{folder}.countersign(*read); })
        .and_then([&](const Study& mine) { return write_file_atomically(study, to_json(mine)); })
        .map([&] {
          fmt::print("signed {}: this aggregator takes reports of this study and no other\n",
                     study);
        });
  }
};

struct StudyTokens {
  std::string study;
  std::string key;
  std::int64_t count = 0;
  std::string out;
  std::string list;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json")->required();
    app.add_option("--key", key, "the issuer's key (default: the collector's, STUDY.key)");
    app.add_option("--count", count, "how many")->required()->check(whole_number(1, 1'000'000));
    app.add_option("--out", out, "codes, one a line, for participants; mode 0600")->required();
    app.add_option("--list", list, "hashes, signed, for both aggregators")->required();
  }
  Outcome run() const {
    for (const std::string& file : {out, list}) {
      if (const Result<void> fresh = check_new_file(file); !fresh) {
        return error_of(fresh);
      }
    }
    const Result<Study> read = load_study(study);
    if (!read) {
      return error_of(read);
    }
    const Result<SigningKey> issuer =
        SigningKey::load(key.empty() ? study + ".key" : key,
                         read->manifest.collector_issues() ? "collector" : "issuer");
    if (!issuer) {
      return error_of(issuer);
    }
    if (issuer->public_part() != read->manifest.issuer_key) {
      return bad_request("the key is not that of the study's issuer of codes");
    }
    const std::vector<InvitationCode> drawn = draw_codes(static_cast<std::size_t>(count));
    std::string codes;
    for (const InvitationCode& code : drawn) {
      codes += to_hex(view_of(code.bytes)) + "\n";
    }
    return write_file_atomically(out, codes, FileAccess::OwnerOnly)
        .and_then([&] { return write_file_atomically(list, token_list(*read, drawn, *issuer)); })
        .map(
            [&] { fmt::print("wrote {} codes to {} and their hashes to {}\n", count, out, list); });
  }
};

struct StudyForm {
  std::string study;
  std::string out;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json, signed by both aggregators")->required();
    app.add_option("--out", out, "an HTML file")->required();
  }
  Outcome run() const {
    if (const Result<void> fresh = check_new_file(out); !fresh) {
      return error_of(fresh);
    }
    const Result<std::string> page =
        load_study(study).and_then([](const Study& read) { return form_page(read); });
    if (!page) {
      return error_of(page);
    }
    return write_file_atomically(out, *page).map([&] {
      fmt::print("wrote {}\n  publish its SHA-256 with the study: {}\n", out, hex(sha256(*page)));
    });
  }
};

}  // namespace

Command study_command() {
  return command_group(
      "study", "From keys and a manifest to the released Gram.",
      {command_of<StudyKeys>("keys", "an aggregator's keys for a new study"),
       command_of<StudyIssuer>("issuer",
                               "a key for somebody other than the collector to issue codes"),
       command_of<StudyNew>("new",
                            "the manifest: columns, ranges, budget, noise, deadline; public"),
       command_of<StudyOpen>("open", "an aggregator signs the manifest and makes its store"),
       command_of<StudyTokens>("tokens", "one-time codes for participants"),
       command_of<StudyForm>("form", "the form for participants, one HTML file"),
       study_close_command(), study_merge_command()});
}

}  // namespace eigenveil::cli
