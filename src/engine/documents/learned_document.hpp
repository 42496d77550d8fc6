#pragma once

#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/subspace/approximate_subspace.hpp"
#include "mechanism/subspace/exact_subspace.hpp"

namespace eigenveil {

ReleaseDocument exact_document(const ExactSubspacePlan& plan, const Schema& schema, bool affine,
                               const Release<ExactSubspace>& release);

struct BoostSettings {
  std::size_t parts = 1;
  double angle = 0.1;
  std::size_t rows = 0;
};
ReleaseDocument learned_document(const SubspacePlan& plan, const BoostSettings& boost,
                                 const Schema& schema, const Release<LearnedSubspace>& release);

/// The table of an orthonormal frame, one row per column of the data.
ReleasedTable frame_table(const Matrix& frame, const std::vector<std::string>& columns);

}  // namespace eigenveil
