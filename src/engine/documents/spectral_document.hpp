#pragma once

#include <string>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/documents/document_parts.hpp"
#include "engine/parameters.hpp"

namespace eigenveil {

/// What documents of subspace methods have in common: head, public bound, loadings.
ReleaseDocument spectral_document(const Request& request, const std::string& method,
                                  const Guarantee& guarantee, const RowBound& bound,
                                  const Schema& schema);
void add_loadings(ReleaseDocument& document, const Schema& schema, const Matrix& loadings);

/// Methods that release a projector work about a public centre.
Result<void> check_public_center(const Request& request, const std::string& method);

}  // namespace eigenveil
