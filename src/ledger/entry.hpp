#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/charge.hpp"

namespace eigenveil {

enum class EntryKind : std::uint8_t {
  Reserve,  ///< budget taken, before a row is read; never given back
  Settle,   ///< the release that a reservation became, before it appears
};

/// One line of the ledger. Lines are only ever added. None says anything about rows: not how many,
/// not whether a run failed or why.
struct LedgerLine {
  std::int64_t index = 0;  ///< 1, 2, 3, ...
  EntryKind kind = EntryKind::Reserve;
  std::string time = {};       ///< UTC by the clock of the machine: for people, nothing rests on it
  std::string previous = {};   ///< hash of the line before; of the terms for the first
  std::string hash = {};       ///< SHA-256 of all other fields but the signature
  std::string signature = {};  ///< Ed25519 over the hash

  // A reservation.
  std::string key = {};       ///< of the retry, unique; empty: none
  std::string request = {};   ///< what was asked for, canonical text
  std::string data_set = {};  ///< a public name
  std::string task = {};
  std::string method = {};
  Charge charge = {};
  Basis basis = Basis::Proved;   ///< of the release; NotPrivate with a seed
  std::string assumptions = {};  ///< one a line
  std::string builds_on = {};    ///< checksums of releases this one was made with, one a line

  // A settlement.
  std::int64_t reservation = 0;  ///< index
  std::string release = {};      ///< SHA-256 of the release document
};

/// The hash of a line over its fields, each with its length, so that no two lines share a text.
std::string hash_of(const LedgerLine& line);

/// The hash the first line follows.
std::string hash_of(const LedgerTerms& terms);

/// Whether every line has its place and hash and follows the one before. The sentence names the
/// first that does not.
Result<void> check_chain(const LedgerTerms& terms, const std::vector<LedgerLine>& lines);

/// What the reservations took, in their order.
std::vector<Charge> charges_in(const std::vector<LedgerLine>& lines);

}  // namespace eigenveil
