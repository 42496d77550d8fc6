#pragma once

#include "engine/documents/document_parts.hpp"
#include "mechanism/exponential/exponential.hpp"

namespace eigenveil {

/// The release of a drawn subspace: loadings rotated by the noisy covariance inside it. Fields in
/// `parameters` and `result` follow the common ones. There is no total variance, so no shares.
ReleaseDocument subspace_document(const Release<DrawnSubspace>& release,
                                  const PublicParameters& common, const Fields& parameters,
                                  const Fields& result);

}  // namespace eigenveil
