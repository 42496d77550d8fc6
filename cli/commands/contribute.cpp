#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/collect.hpp"
#include "cli/commands/commands.hpp"
#include "collection/participant.hpp"
#include "core/atomic_output.hpp"
#include "core/outside_json.hpp"
#include "data/open.hpp"

namespace eigenveil::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

bool says(const Json& json, const char* name) {
  return json.is_object() && json.contains(name) && json[name] == true;
}

/// One row to both aggregators. What is sent is kept until both have it: a second try sends the
/// same bytes, because other bytes for one code would be another report.
struct Contribute {
  std::string study;
  std::string row;
  std::string token;
  std::string key_a;
  std::string key_b;
  bool trust_keys = false;
  std::string receipt;
  std::string authorities;

  void declare(CLI::App& app) {
    app.add_option("STUDY", study, "study.json, signed by both aggregators")->required();
    app.add_option("ROW", row, "CSV with names in its first line and one row")->required();
    app.add_option("--token", token, "the code from your invitation")->required();
    app.add_option("--key-a", key_a, "key of aggregator a as you have it from there");
    app.add_option("--key-b", key_b, "key of aggregator b as you have it from there");
    app.add_flag("--trust-keys", trust_keys,
                 "take the keys the study names for those of the aggregators, without comparing");
    app.add_option("--receipt", receipt,
                   "kept for retries and for looking up the report (default ROW.receipt)");
    app.add_option("--ca", authorities, "certificates to trust, PEM (default: the system's)");
  }

  Outcome run() const;

 private:
  std::string receipt_file() const { return receipt.empty() ? row + ".receipt" : receipt; }
  tl::unexpected<Error> own_words(const Error& error) const;
  Result<std::vector<double>> cells(const Manifest& manifest) const;
  Result<SealedReport> made(const Study& read) const;
  Result<SealedReport> kept(const Study& read) const;
  Result<InvitationCode> code() const;
  Result<std::string> deliver(const AggregatorCard& card, const std::string& bytes) const;
  Result<void> check_keys(const Study& read) const;
};

/// What a reader says of tables offers options that this command has not.
tl::unexpected<Error> Contribute::own_words(const Error& error) const {
  return error.code == ErrorCode::BadRequest
             ? bad_request(fmt::format("{} must hold the names of the study's columns and one row "
                                       "of numbers, separated by commas; no answer is an empty one",
                                       row))
             : tl::unexpected(error);
}

Result<std::vector<double>> Contribute::cells(const Manifest& manifest) const {
  ReadOptions options;
  options.columns = manifest.schema().columns;
  options.header = ReadOptions::Header::Present;  // with the names of the study
  Result<std::unique_ptr<RowReader>> reader = open_rows(row, options);
  if (!reader) {
    return own_words(reader.error());
  }
  std::vector<double> values;
  RawRows block;
  do {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return own_words(read.error());
    }
    values.insert(values.end(), block.values.begin(), block.values.end());
  } while (block.rows > 0);
  if (values.size() != manifest.columns.size()) {
    return bad_request(fmt::format("{} must hold one row", row));
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    const StudyColumn& column = manifest.columns[j];
    if (std::isnan(values[j])) {
      fmt::print("no answer to {}: it counts as {}, the middle of its range\n", column.name,
                 0.5 * column.low + 0.5 * column.high);
    } else if (values[j] < column.low || values[j] > column.high) {
      return bad_request(fmt::format("the answer to {} must be {} to {}, or empty", column.name,
                                     column.low, column.high));
    }
  }
  return values;
}

Result<InvitationCode> Contribute::code() const {
  const auto bytes = from_hex(token, sizeof(InvitationCode));
  if (!bytes) {
    return bad_request("a code has 32 hexadecimal digits");
  }
  InvitationCode own;
  std::copy_n(bytes->begin(), own.bytes.size(), own.bytes.begin());
  return own;
}

Result<SealedReport> Contribute::made(const Study& read) const {
  const Result<InvitationCode> own = code();
  const Result<CollectionPlan> plan = plan_collection(read.manifest);
  const Result<std::vector<double>> values = cells(read.manifest);
  if (!own || !plan || !values) {
    return !own ? error_of(own) : plan ? error_of(values) : error_of(plan);
  }
  RandomStream stream = RandomStream::secure();
  return seal_row(read, *plan, *own, *values, stream).and_then([&](const SealedReport& report) {
    const Json json = {{"eigenveil_receipt", 1},
                       {"study", hex(read.digest)},
                       {"report", to_hex(view_of(report.id))},
                       {"closing_list",
                        {read.manifest.a.address + "/v1/closing-list",
                         read.manifest.b.address + "/v1/closing-list"}},
                       {"to_a", to_hex(report.to_a)},
                       {"to_b", to_hex(report.to_b)}};
    return write_file_atomically(receipt_file(), json.dump(1) + "\n", FileAccess::OwnerOnly)
        .map([&] { return report; });
  });
}

/// The report of an earlier try; holds nothing but what was sent.
Result<SealedReport> Contribute::kept(const Study& read) const {
  const Result<std::string> text = read_whole_file(fs::path(receipt_file()));
  if (!text) {
    return error_of(text);
  }
  const Json json = json_from_outside(*text);
  const auto field = [&](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string()
               ? json[name].get<std::string>()
               : std::string();
  };
  const std::string a = field("to_a");
  const std::string b = field("to_b");
  const auto to_a = from_hex(a, a.size() / 2);
  const auto to_b = from_hex(b, b.size() / 2);
  const auto id = from_hex(field("report"), sizeof(ReportId));
  if (!to_a || !to_b || !id || field("study") != hex(read.digest)) {
    return bad_request(fmt::format(
        "{} is the receipt of another study, or none; give --receipt a new name", receipt_file()));
  }
  const Result<InvitationCode> own = code();
  const Result<ReportMessage> before = decode_report(*to_a);
  if (!own || !before || before->token != token_for(Role::A, read.digest, *own)) {
    return !own ? error_of(own)
                : bad_request(fmt::format(
                      "{} is the receipt of another code; for another report give --receipt a new "
                      "name",
                      receipt_file()));
  }
  SealedReport report;
  std::copy_n(id->begin(), report.id.size(), report.id.begin());
  report.to_a = *to_a;
  report.to_b = *to_b;
  return report;
}

Result<std::string> Contribute::deliver(const AggregatorCard& card,
                                        const std::string& bytes) const {
  HttpCall wanted;
  wanted.origin = card.address;
  wanted.path = "/v1/report";
  wanted.method = "POST";
  wanted.body = bytes;
  wanted.authorities = authorities;
  const Result<HttpAnswer> answer = call(wanted);
  const Json json = answer ? json_from_outside(answer->body) : Json();
  if (answer && answer->status == 200 && says(json, "stored")) {
    return std::string(says(json, "already") ? "had it already" : "stored it");
  }
  if (answer && is_refusal(*answer)) {
    if (card.role ==
        Role::A) {  // the first to get it: nobody has it, and another code may be right
      std::error_code ignored;
      fs::remove(receipt_file(), ignored);
    }
    return tl::unexpected(refusal(card, *answer));
  }
  const std::string why =
      answer ? fmt::format("aggregator {} gave no answer that says it has the report (HTTP {})",
                           name_of(card.role), answer->status)
             : answer.error().message;
  return input_output_error(
      fmt::format("{}; run the same command again, later if need be: {} keeps what is sent, and "
                  "the same bytes count once",
                  why, receipt_file()));
}

/// Before anything is sent: whoever made the study could have named itself as both aggregators.
Result<void> Contribute::check_keys(const Study& read) const {
  if (const Result<void> sound = check_signatures(read, key_a, key_b); !sound) {
    return sound;
  }
  if (!key_a.empty() && !key_b.empty()) {
    return {};
  }
  fmt::print(
      "the keys of the aggregators are taken from the study; compare them with what the "
      "aggregators "
      "publish (--key-a, --key-b):\n  a {}\n  b {}\n",
      read.manifest.a.signing_key, read.manifest.b.signing_key);
  return trust_keys ? Result<void>()
                    : confirm("are these the keys the aggregators publish? send the row?",
                              "nothing was sent: give --key-a and --key-b as the aggregators "
                              "publish them, or --trust-keys to rely on the study");
}

Outcome Contribute::run() const {
  const Result<Study> read = load_study(study);
  if (!read) {
    return error_of(read);
  }
  if (const Result<void> sound = check_keys(*read); !sound) {
    return sound;
  }
  std::error_code ignored;
  const bool again = fs::exists(receipt_file(), ignored);
  const Result<SealedReport> report = again ? kept(*read) : made(*read);
  if (!report) {
    return error_of(report);
  }
  if (again) {
    fmt::print("sending the report made earlier ({}): changes of {} since are not in it\n",
               receipt_file(), row);
  }
  for (const Role role : {Role::A, Role::B}) {
    const Result<std::string> delivered =
        deliver(read->manifest.card(role), role == Role::A ? report->to_a : report->to_b);
    if (!delivered) {
      return error_of(delivered);
    }
    fmt::print("aggregator {} {}\n", name_of(role), *delivered);
  }
  fmt::print("report {}: look for it in the closing list; receipt in {}\n",
             to_hex(view_of(report->id)), receipt_file());
  return {};
}

}  // namespace

Command contribute_command() {
  return command_of<Contribute>(
      "contribute",
      "Sends one row to a study: divided into two shares, each encrypted for one aggregator.\n"
      "  eigenveil contribute study.json row.csv --token 0123... --key-a 45ab... --key-b 67cd...");
}

}  // namespace eigenveil::cli
