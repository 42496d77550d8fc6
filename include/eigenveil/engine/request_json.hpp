#pragma once

#include <string>
#include <string_view>

#include "eigenveil/engine/request.hpp"

namespace eigenveil {

/// A request as canonical JSON, version 1: every key in its place, options by name and without
/// those that say their default, numbers in the shortest form that reads back. Two requests for the
/// same thing are the same text. Options for the curator's eyes are left out.
std::string to_json(const Request& request);

/// Reads it back. A key, option or value that this version does not know is refused, so that
/// nothing that was asked for is passed over.
[[nodiscard]] Result<Request> request_from_json(std::string_view text);

/// SHA-256 of the canonical text, hexadecimal: the same request twice is known by it.
std::string request_hash(const Request& request);

/// Fingerprint of what is public about a table before a row is read: columns, bound, what is done
/// about missing cells. Part of a request that was made for it (`Request::table`).
std::string table_fingerprint(const PublicFacts& facts);

}  // namespace eigenveil
