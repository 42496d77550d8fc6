#include "collection/study.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cmath>
#include <ctime>
#include <set>

#include "core/plain_text.hpp"
#include "core/whole_file.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil {

std::string_view name_of(Role role) {
  return role == Role::A ? "a" : "b";
}

Result<Role> parse_role(std::string_view name) {
  if (name == "a" || name == "b") {
    return name == "a" ? Role::A : Role::B;
  }
  return bad_request("an aggregator has {role a} or {role b}", "role");
}

Role other(Role role) {
  return role == Role::A ? Role::B : Role::A;
}

std::string_view name_of(NoiseMode mode) {
  return mode == NoiseMode::Servers ? "servers" : "participants";
}

Result<NoiseMode> parse_noise_mode(std::string_view name) {
  if (name == "servers" || name == "participants") {
    return name == "servers" ? NoiseMode::Servers : NoiseMode::Participants;
  }
  return bad_request("noise is added by servers or by participants", "noise");
}

std::size_t Manifest::entries() const {
  return triangle_size(dimension());
}

Schema Manifest::schema() const {
  Schema schema;
  for (const StudyColumn& column : columns) {
    schema.columns.push_back(column.name);
  }
  return schema;
}

Result<RowBound> Manifest::bound() const {
  std::vector<ColumnRange> ranges;
  for (const StudyColumn& column : columns) {
    ranges.push_back({column.low, column.high});
  }
  return RowBound::ranges(std::move(ranges), {}, max_abs, schema().columns);
}

namespace {

constexpr std::size_t kMostColumns = 1000;  // a report of 8 MB
constexpr std::size_t kLongestText = 2000;
constexpr const char* kNotPlain =
    "the texts of a study (title, names of columns, questions) must be plain UTF-8: no line "
    "breaks, "
    "tabs or characters that steer a terminal or turn the direction of writing";
constexpr std::int64_t kLargestBatch = 100'000'000;

/// One spelling, small letters: two keys are the same when their texts are.
bool is_key(const std::string& text) {
  const auto bytes = from_hex(text, hpke::kKeyBytes);
  return bytes && to_hex(*bytes) == text;
}

/// Nothing that ends a word of the form's content security policy.
constexpr const char* kAddressCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:/_-[]";

/// Plain HTTP gives the tokens to whoever listens, so it is for one machine alone.
bool is_address(const std::string& address) {
  return address.size() <= 200 &&
         (address.starts_with("https://") || address.starts_with("http://127.0.0.1:") ||
          address.starts_with("http://localhost:") || address.starts_with("http://[::1]:")) &&
         address.find_first_not_of(kAddressCharacters) == std::string::npos &&
         !address.ends_with('/');
}

Result<void> check_card(const AggregatorCard& card, Role role) {
  if (card.role != role) {
    return bad_request(
        fmt::format("the card given for aggregator {} is that of the other one", name_of(role)));
  }
  if (const Result<void> sound = check_address(card.address); !sound) {
    return sound;
  }
  if (!is_key(card.signing_key) || !is_key(card.sealing_key)) {
    return bad_request("the keys of an aggregator are 64 hexadecimal digits each, small letters");
  }
  return {};
}

Result<void> check_columns(const std::vector<StudyColumn>& columns) {
  if (columns.empty() || columns.size() > kMostColumns) {
    return bad_request(fmt::format("a study has 1 to {} columns", kMostColumns));
  }
  std::set<std::string> names;
  for (const StudyColumn& column : columns) {
    if (column.name.empty() || column.name.size() > 200 || column.name == "intercept" ||
        column.question.size() > kLongestText || !names.insert(column.name).second) {
      return bad_request(
          "every column needs a name of its own, of at most 200 bytes and other than 'intercept', "
          "and its question at most 2000");
    }
    if (!is_plain_text(column.name) || !is_plain_text(column.question)) {
      return bad_request(kNotPlain);
    }
  }
  return {};
}

}  // namespace

Result<void> check_address(const std::string& address) {
  if (!is_address(address)) {
    return bad_request(
        "the address of an aggregator is https://name:port without a final slash; plain http only "
        "for 127.0.0.1, ::1 and localhost",
        "address");
  }
  return {};
}

Result<void> check_manifest(const Manifest& manifest) {
  if (!from_hex(manifest.id, 16) || !is_key(manifest.collector_key) ||
      !is_key(manifest.issuer_key) || manifest.title.empty() ||
      manifest.title.size() > kLongestText) {
    return bad_request(
        "the study lacks its identifier, its title, or the key of its collector or issuer");
  }
  if (!is_plain_text(manifest.title)) {
    return bad_request(kNotPlain);
  }
  if (const Result<void> columns = check_columns(manifest.columns); !columns) {
    return columns;
  }
  for (const Role role : {Role::A, Role::B}) {
    if (const Result<void> card = check_card(manifest.card(role), role); !card) {
      return card;
    }
  }
  if (manifest.a.signing_key == manifest.b.signing_key ||
      manifest.a.sealing_key == manifest.b.sealing_key) {
    return bad_request("both aggregators have the same key: one party alone would see every row");
  }
  if (manifest.relation != Relation::ZeroRow && manifest.relation != Relation::ReplaceOne) {
    return bad_request(
        "the number of reports is public, so a collection has {neighbours zero-row} or "
        "{neighbours replace-one}",
        "neighbours");
  }
  if (manifest.minimum_batch < 2 || manifest.minimum_batch > kLargestBatch) {
    return bad_request(fmt::format("{{minimum_batch}} must be 2 to {}", kLargestBatch),
                       "minimum_batch");
  }
  if (manifest.colluders < 0 || manifest.colluders >= manifest.minimum_batch) {
    return bad_request("{colluders} must be at least 0 and below {minimum_batch}", "colluders");
  }
  if (const Result<Budget> budget = check_budget(manifest.budget); !budget) {
    return error_of(budget);
  }
  if (const Result<RowBound> bound = manifest.bound(); !bound) {
    return error_of(bound);
  }
  return parse_utc(manifest.deadline).map([](std::int64_t) {});
}

Study Study::of(Manifest manifest) {
  Study study;
  study.text = to_json(manifest);
  study.digest = sha256(study.text);
  study.manifest = std::move(manifest);
  return study;
}

std::string Study::signed_text(Role role) const {
  return fmt::format("eigenveil study 1\n{}\n{}", name_of(role), text);
}

std::string Study::sealing_info(Role role) const {
  return "eigenveil collection 1 " + hex(digest) + " " + std::string(name_of(role));
}

bool Study::is_past_deadline() const {
  const Result<std::int64_t> deadline = parse_utc(manifest.deadline);
  return deadline && static_cast<std::int64_t>(std::time(nullptr)) >= *deadline;
}

Result<Study> load_study(const std::string& path) {
  return read_whole_file(path).and_then(study_from_json);
}

Result<void> check_signatures(const Study& study, const std::string& key_a,
                              const std::string& key_b) {
  for (const Role role : {Role::A, Role::B}) {
    const std::string& known = role == Role::A ? key_a : key_b;
    const std::string& named = study.manifest.card(role).signing_key;
    const auto known_bytes = from_hex(known, hpke::kKeyBytes);
    if (!known.empty() && (!known_bytes || to_hex(*known_bytes) != named)) {
      return bad_request(fmt::format(
          "the study names another key for aggregator {} than the one you have from it: do not "
          "take part, and tell the aggregator",
          name_of(role)));
    }
    if (!study.signature(role) ||
        !signature_holds(named, study.signed_text(role), *study.signature(role))) {
      return bad_request(fmt::format(
          "the study is not signed by aggregator {}, or was changed since", name_of(role)));
    }
  }
  return {};
}

Result<std::int64_t> parse_utc(std::string_view text) {
  std::tm time = {};
  const std::string copy(text);
  const char* end = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  const std::tm read = time;
  const auto seconds = static_cast<std::int64_t>(::timegm(&time));  // the 31st of February moves on
  if (end == nullptr || *end != '\0' || copy.size() != 20 || time.tm_mday != read.tm_mday ||
      time.tm_sec != read.tm_sec ||
      copy.find_first_not_of("0123456789-:TZ") != std::string::npos) {  // strptime skips spaces
    return bad_request("a time is written as 2026-12-01T12:00:00Z (UTC)", "deadline");
  }
  return seconds;
}

std::string to_hex(std::string_view bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  text.pop_back();
  return text;
}

std::optional<std::string> from_hex(std::string_view text, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t written = 0;
  if (text.size() != 2 * size ||
      sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), size, text.data(), text.size(),
                     nullptr, &written, nullptr) != 0 ||
      written != size) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace eigenveil
