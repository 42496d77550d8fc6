#pragma once

#include "mechanism/subspace/gap_max.hpp"

namespace eigenveil::detail {

/// Singhal and Steinke's Algorithm 1 as printed: candidates are the spans of all sets of k points
/// and NULL, every one with noise of its own. NOT PRIVATE (docs/proofs/exact_subspace.md, section
/// 7): kept to be refuted. Returns points that span the answer, or nothing for NULL.
template <class Field>
std::vector<std::size_t> published_gap_max(const std::vector<FieldRow<Field>>& points,
                                           std::size_t k, double null_score,
                                           const TruncatedLaplace& noise, RandomStream& stream) {
  const GapMaxRule plain{k, 0, 0, 0};
  struct Candidate {
    std::vector<std::size_t> spanning;
    double score;
  };
  std::vector<Candidate> candidates = {{{}, null_score}};
  std::set<std::vector<FieldRow<Field>>> seen;
  std::vector<std::size_t> chosen(k);
  const auto visit = [&](auto&& self, std::size_t depth, std::size_t from) -> void {
    if (depth < k) {
      for (std::size_t i = from; i < points.size(); ++i) {
        chosen[depth] = i;
        self(self, depth + 1, i + 1);
      }
      return;
    }
    std::vector<FieldRow<Field>> rows;
    for (const std::size_t index : chosen) {
      rows.push_back(points[index]);
    }
    Echelon<Field> form = reduced_echelon<Field>(std::move(rows));
    if (form.rank() < k || !seen.insert(form.rows).second) {
      return;
    }
    std::vector<FieldRow<Field>> inside;
    for (const FieldRow<Field>& point : points) {
      FieldRow<Field> rest = point;
      for (std::size_t r = 0; r < form.rank(); ++r) {
        eliminate<Field>(rest, form.rows[r], form.pivots[r], 0);
      }
      if (is_zero<Field>(rest) && !is_zero<Field>(point)) {
        inside.push_back(point);
      }
    }
    candidates.push_back(
        {chosen, static_cast<double>(flat_score<Field>(inside, 0, plain, chosen, points))});
  };
  visit(visit, 0, 0);
  std::vector<double> scores;
  for (const Candidate& candidate : candidates) {
    scores.push_back(candidate.score);
  }
  std::sort(scores.rbegin(), scores.rend());
  const double second = scores.size() > 1 ? scores[1] : scores[0];
  std::size_t winner = 0;
  double largest = -1e300;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double noisy =
        std::max(0.0, candidates[i].score - second - 1.0) + static_cast<double>(noise.draw(stream));
    if (noisy > largest) {
      largest = noisy;
      winner = i;
    }
  }
  return candidates[winner].spanning;
}

}  // namespace eigenveil::detail
