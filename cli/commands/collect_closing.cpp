#include <fmt/format.h>

#include <filesystem>

#include "cli/commands/collect.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/output_options.hpp"
#include "cli/summary.hpp"
#include "collection/aggregator.hpp"
#include "collection/collected_release.hpp"
#include "core/atomic_output.hpp"
#include "core/unfinished_output.hpp"
#include "ledger/ledger.hpp"

namespace eigenveil::cli {
namespace {

/// Sums for the collector, charged before they are asked for.
struct StudyClose {
  std::string study;
  std::string key;
  std::string ledger;
  std::string authorities;
  std::string out;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json")->required();
    app.add_option("--key", key, "the collector's key (default STUDY.key)");
    app.add_option("--ledger", ledger, "charged before the sums are asked for, once a study")
        ->envname("EIGENVEIL_LEDGER")
        ->check(not_empty());
    app.add_option("--ca", authorities, "certificates to trust, PEM (default: the system's)");
    app.add_option("--out", out, "directory for a.sum and b.sum")->required();
  }

  Result<void> charge(const Study& read) const {
    if (ledger.empty()) {
      fmt::print("no --ledger: this release is charged nowhere\n");
      return {};
    }
    return plan_collection(read.manifest).and_then([&](const CollectionPlan& plan) {
      ReservationRequest request;
      request.cost = collection_cost(read.manifest, plan);
      request.request = read.text;
      request.key = "collect " + read.manifest.id;
      return Ledger::open(ledger)
          .and_then([&](const Ledger& opened) { return opened.reserve(request); })
          .map([](const Reservation& made) {
            fmt::print("{}  {} (entry {})\n", made.earlier ? "charged before" : "charged",
                       in_words(made.charge), made.index);
          });
    });
  }

  /// What will never be released is not charged.
  Result<void> check_not_failed(const Study& read) const {
    HttpCall wanted;
    wanted.origin = read.manifest.a.address;
    wanted.path = "/v1/health";
    wanted.authorities = authorities;
    return call(wanted).and_then([](const HttpAnswer& answer) -> Result<void> {
      const auto json = json_from_outside(answer.body);
      if (json.is_object() && json.contains("state") &&
          json["state"] == std::string(name_of(CollectionState::Failed))) {
        return bad_request(kStudyFailed);
      }
      return {};
    });
  }

  Result<std::string> ask(const AggregatorCard& card, const std::string& path,
                          const std::string& order) const {
    HttpCall wanted;
    wanted.origin = card.address;
    wanted.path = path;
    wanted.method = "POST";
    wanted.body = order;
    wanted.type = "application/json";
    wanted.authorities = authorities;
    wanted.timeout = std::chrono::minutes(10);
    return call(wanted).and_then([&](HttpAnswer&& answer) -> Result<std::string> {
      if (answer.status != 200) {
        return tl::unexpected(refusal(card, answer));
      }
      return std::move(answer.body);
    });
  }

  Outcome run() const {
    const EndsCleanly ends;
    const Result<Study> read = load_study(study);
    const Result<SigningKey> collector =
        SigningKey::load(key.empty() ? study + ".key" : key, "collector");
    if (!read || !collector) {
      return read ? error_of(collector) : error_of(read);
    }
    const std::string order = closing_order(*read, *collector);
    const Result<void> closed =
        check_not_failed(*read).and_then([&] { return charge(*read); }).and_then([&] {
          return ask(read->manifest.a, "/v1/close", order).map([](auto&&) {});
        });
    if (!closed) {
      return error_of(closed);
    }
    std::error_code ignored;
    std::filesystem::create_directories(out, ignored);
    for (const Role role : {Role::A, Role::B}) {
      const std::string file = fmt::format("{}/{}.sum", out, name_of(role));
      const Result<void> written =
          ask(read->manifest.card(role), "/v1/sum", order).and_then([&](const std::string& text) {
            return sum_from_json(text, *read).and_then([&](const NoisySum&) {
              return write_file_atomically(file, text);
            });
          });
      if (!written) {
        return error_of(written);
      }
      fmt::print("wrote {}\n", file);
    }
    return {};
  }
};

struct StudyMerge {
  std::string study;
  std::string sum_a;
  std::string sum_b;
  std::string ledger;
  OutputOptions output;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json")->required();
    app.add_option("A", sum_a, "a.sum")->required();
    app.add_option("B", sum_b, "b.sum")->required();
    app.add_option("--ledger", ledger, "the one that was charged at closing")
        ->envname("EIGENVEIL_LEDGER")
        ->check(not_empty());
    output.declare(app);
  }

  Result<NoisySum> half(const Study& read, const std::string& file) const {
    return read_whole_file(file).and_then(
        [&](const std::string& text) { return sum_from_json(text, read); });
  }

  /// The reservation made at closing; there must be one.
  Result<std::optional<Reservation>> reserved(const Study& read, Ledger& opened) const {
    return plan_collection(read.manifest).and_then([&](const CollectionPlan& plan) {
      ReservationRequest request;
      request.cost = collection_cost(read.manifest, plan);
      request.request = read.text;
      request.key = "collect " + read.manifest.id;
      return opened.known(request).and_then(
          [](const std::optional<Reservation>& known) -> Result<std::optional<Reservation>> {
            if (!known) {
              return bad_request(
                  "the ledger was not charged for this study: run collect study close with it");
            }
            return known;
          });
    });
  }

  Outcome run() const {
    const EndsCleanly ends;
    if (output.out.empty()) {
      return bad_request("--out DIR says where the released Gram goes");
    }
    const Result<Study> read = load_study(study);
    if (!read) {
      return error_of(read);
    }
    const Result<NoisySum> a = half(*read, sum_a);
    const Result<NoisySum> b = half(*read, sum_b);
    if (!a || !b) {
      return a ? error_of(b) : error_of(a);
    }
    Result<ReleaseDocument> document =
        merge_sums(*read, *a, *b).and_then([&](const CollectedGram& gram) {
          return collected_document(*read, gram);
        });
    if (!document) {
      return error_of(document);
    }
    ReleaseTarget target = output.as_asked().target(false, 1);
    if (ledger.empty()) {
      return publish(*std::move(document), output, study, target);
    }
    Result<Ledger> opened = Ledger::open(ledger);
    if (!opened) {
      return error_of(opened);
    }
    const Result<std::optional<Reservation>> known = reserved(*read, *opened);
    if (!known) {
      return error_of(known);
    }
    document->ledger = LedgerEntry{opened->terms().id, (*known)->index, (*known)->hash};
    target.before = [&](std::string_view bytes) -> Result<void> {
      const std::string hash = hex(sha256(bytes));
      if (!(*known)->release.empty()) {  // the same sums make the same document
        return (*known)->release == hash
                   ? Result<void>()
                   : bad_request("the ledger has another release of this study");
      }
      return opened->settle((*known)->index, hash);
    };
    return publish(*std::move(document), output, study, target);
  }
};

}  // namespace

Command study_close_command() {
  return command_of<StudyClose>("close", "closes the study and fetches both noisy sums; charged");
}

Command study_merge_command() {
  return command_of<StudyMerge>("merge",
                                "adds the two sums: the released Gram, with its guarantee");
}

}  // namespace eigenveil::cli
