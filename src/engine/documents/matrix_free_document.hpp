#pragma once

#include "eigenveil/report/document.hpp"
#include "engine/documents/document_parts.hpp"
#include "mechanism/matrix_free/matrix_free.hpp"

namespace eigenveil {

/// Components that were found without the matrix, as components of a formed one are stated.
ReleaseDocument matrix_free_document(const MatrixFreePlan& plan, const MomentSettings& settings,
                                     const Schema& schema,
                                     const Release<MatrixFreeComponents>& release);

}  // namespace eigenveil
