#pragma once

#include <optional>
#include <vector>

#include "mechanism/subspace/approximate_subspace.hpp"

namespace eigenveil {

/// Rows in, subspace out. With several parts (boosting) the table is cut by row number into
/// disjoint blocks, each is learned on by `plan` (which is for rows / parts rows), and the answer
/// is what most of them agree on: a replaced row touches one block, so the guarantee is that of
/// one. Rows beyond the last whole block are not used.
class SubspaceLearner {
 public:
  /// `angle`: sine that counts as agreement; unused with one part. `stream` must outlive this.
  SubspaceLearner(const SubspacePlan& plan, std::size_t parts, double angle, RandomStream& stream,
                  int threads);
  /// The next row, in the order of the table.
  void add(const double* row);
  std::size_t rows() const { return seen_; }
  /// Total, whatever came; the caller has checked that the planned number of rows did.
  Release<LearnedSubspace> finish() &&;

 private:
  void end_part();

  SubspacePlan plan_;
  std::size_t parts_;
  double angle_;
  RandomStream* stream_;
  int threads_;
  std::optional<GroupBuilder> builder_;
  std::size_t in_part_ = 0;
  std::size_t seen_ = 0;
  std::vector<LearnedSubspace> learned_;
  std::optional<Release<LearnedSubspace>> last_;
};

}  // namespace eigenveil
