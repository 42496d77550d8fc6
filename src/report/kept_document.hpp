#pragma once

#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// A document as bytes, and back, for faces that keep one between processes (a pickle): what is
/// written or shown of the copy is what is written or shown of the document, to the last bit.
/// Arrays that are made while they are written are not kept.
std::string kept_document(const ReleaseDocument& document);
Result<ReleaseDocument> document_of_kept(std::string_view bytes);

}  // namespace eigenveil
