#pragma once

#include <memory>

#include "data/byte_source.hpp"
#include "data/open.hpp"

namespace eigenveil::detail {

/// The text of a source in another encoding, as UTF-8. Total: half of a pair, or half of a unit at
/// the end, becomes the replacement character, which no number holds. UTF-16 is little endian
/// unless its byte order mark says otherwise.
std::unique_ptr<ByteSource> as_utf8(std::unique_ptr<ByteSource> source, TextEncoding encoding);

}  // namespace eigenveil::detail
