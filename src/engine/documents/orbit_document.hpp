#pragma once

#include "engine/documents/document_parts.hpp"
#include "mechanism/orbit/low_rank.hpp"
#include "mechanism/orbit/orbit_components.hpp"

namespace eigenveil {

/// What the releases on an orbit share.
struct OrbitDocumentHead {
  PublicParameters common;
  Schema schema;
  Fields parameters;       ///< of the method: split, exponent
  std::string task;        ///< "pca", "lowrank", "covariance"
  bool hermitian = false;  ///< also the Hermitian matrix, as real and imaginary part
};

ReleaseDocument orbit_components_document(const OrbitDocumentHead& head,
                                          const Release<OrbitComponents>& release, RowField field);

/// Rank-k approximation (k = d: covariance) per row, in the units asked for; `norm2` is R².
ReleaseDocument low_rank_document(const OrbitDocumentHead& head,
                                  const Release<LowRankDraw>& release, double norm2,
                                  RowField field);

/// The matrix with a prescribed spectrum.
ReleaseDocument target_document(const OrbitDocumentHead& head, const Release<OrbitDraw>& release,
                                RowField field);

}  // namespace eigenveil
