#pragma once

#include <string>
#include <vector>

#include "cli/methods/request.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/report/document.hpp"
#include "publication/document_parts.hpp"

namespace eigenveil::cli {

/// What documents of subspace methods have in common: head, public bound, loadings.
ReleaseDocument spectral_document(const Request& request, const std::string& method,
                                  const Guarantee& guarantee, const RowBound& bound,
                                  const Schema& schema);
void add_loadings(ReleaseDocument& document, const Schema& schema, const Matrix& loadings);

/// The first element that differs from what every subspace method supports: one row at a time, no
/// private mean.
Result<void> check_subspace_request(const Request& request, const std::string& method);

}  // namespace eigenveil::cli
