#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collection/hpke.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// The two aggregators. A holds a seed of every report, B the rest.
enum class Role : std::uint8_t { A, B };
std::string_view name_of(Role role);  ///< "a"
Result<Role> parse_role(std::string_view name);
Role other(Role role);

/// Who adds noise.
enum class NoiseMode : std::uint8_t {
  Servers,       ///< each aggregator all of it, on the sum
  Participants,  ///< everybody on the own row, before it is squared
};
std::string_view name_of(NoiseMode mode);
Result<NoiseMode> parse_noise_mode(std::string_view name);

/// A question: its column, its public range and how it is put to people.
struct StudyColumn {
  std::string name;
  double low = 0.0;
  double high = 1.0;
  std::string question = {};
  friend bool operator==(const StudyColumn&, const StudyColumn&) = default;
};

/// Where an aggregator is and which keys are its own; it hands this card to the collector.
struct AggregatorCard {
  Role role = Role::A;
  std::string address;      ///< "https://a.example.org:8443"
  std::string signing_key;  ///< Ed25519, hexadecimal
  std::string sealing_key;  ///< X25519, for this study alone, hexadecimal
};
Result<void> check_address(const std::string& address);
std::string to_json(const AggregatorCard& card);
Result<AggregatorCard> card_from_json(std::string_view text);

/// What a study is: all of it public, all of it signed by both aggregators before anybody sends
/// anything.
struct Manifest {
  std::string id;  ///< 32 hexadecimal digits
  std::string title;
  std::vector<StudyColumn> columns;
  std::int64_t max_abs = 0;     ///< of the grid rows are rounded to
  std::int64_t constant = 0;    ///< t of the row (t, x), in grid steps
  std::int64_t cell_sigma = 0;  ///< mode participants: noise on every cell, in grid steps
  Relation relation = Relation::ZeroRow;
  Budget budget = ApproxDp{1.0, 1e-6};
  NoiseMode noise = NoiseMode::Servers;
  std::int64_t minimum_batch = 0;
  std::int64_t colluders = 0;  ///< mode participants: how many may tell what they sent
  std::string deadline;        ///< "2026-12-01T12:00:00Z"
  std::string collector_key;   ///< Ed25519, signs orders to close
  std::string issuer_key;      ///< Ed25519, signs lists of tokens; often the collector's
  AggregatorCard a;
  AggregatorCard b;

  const AggregatorCard& card(Role role) const { return role == Role::A ? a : b; }
  bool collector_issues() const { return issuer_key == collector_key; }
  std::size_t dimension() const { return columns.size() + 1; }  ///< of (t, x)
  std::size_t entries() const;                                  ///< of a share
  Schema schema() const;
  Result<RowBound> bound() const;
};

/// Canonical JSON: one text for one manifest.
std::string to_json(const Manifest& manifest);
/// Refuses a text that is not the canonical one, and whatever `check_manifest` refuses.
Result<Manifest> manifest_from_json(std::string_view text);
/// What can be wrong with the fields one by one; the noise is `plan_collection`'s.
Result<void> check_manifest(const Manifest& manifest);

/// A manifest as it passes from hand to hand: its text and what the aggregators signed.
struct Study {
  Manifest manifest;
  std::string text;                        ///< canonical
  Digest digest = {};                      ///< SHA-256 of the text: the study's name in messages
  std::optional<std::string> signature_a;  ///< hexadecimal
  std::optional<std::string> signature_b;

  static Study of(Manifest manifest);
  const std::optional<std::string>& signature(Role role) const {
    return role == Role::A ? signature_a : signature_b;
  }
  /// What an aggregator signs.
  std::string signed_text(Role role) const;
  /// HPKE's info for messages to an aggregator: the study and the role.
  std::string sealing_info(Role role) const;
  bool is_past_deadline() const;
};
std::string to_json(const Study& study);
Result<Study> study_from_json(std::string_view text);
Result<Study> load_study(const std::string& path);

/// Both signatures, against the keys that whoever asks got from the aggregators themselves (empty:
/// those the manifest names, which prove only that the two sides agree on it).
Result<void> check_signatures(const Study& study, const std::string& key_a,
                              const std::string& key_b);

/// Seconds since 1970 of "2026-12-01T12:00:00Z".
Result<std::int64_t> parse_utc(std::string_view text);

std::string to_hex(std::string_view bytes);
/// `size` bytes, or nothing.
std::optional<std::string> from_hex(std::string_view text, std::size_t size);

}  // namespace eigenveil
