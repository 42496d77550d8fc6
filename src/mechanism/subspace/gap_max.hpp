#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "eigenveil/core/cancellation.hpp"
#include "mechanism/subspace/exact_subspace.hpp"
#include "mechanism/subspace/heaviest_hyperplane.hpp"
#include "random/truncated_laplace.hpp"

namespace eigenveil::detail {

/// What the corrected GAP-MAX rule needs to know; public.
struct GapMaxRule {
  std::size_t subspace = 1;     ///< k
  std::int64_t exceptions = 0;  ///< strict subspaces count as holding at least this many
  std::int64_t floor = 0;       ///< scores below count as this
  std::uint64_t trials = 0;     ///< draws of k points in the search for heavy flats
};

/// The best flat, by points that span it, and f = max(0, best score - second - 1).
struct GapMaxScore {
  std::vector<std::size_t> spanning;  ///< empty: no flat scores above the floor
  std::int64_t gap = 0;
};

template <class Field>
FieldRow<Field> field_row(const ExactPoints& points, std::size_t index) {
  FieldRow<Field> row(points.dimension());
  for (std::size_t c = 0; c < row.size(); ++c) {
    row[c] = from_integer<Field>(points.row(index)[c]);
  }
  return row;
}

/// An element of the field, uniform.
template <class Field>
typename Field::Element random_element(RandomStream& stream) {
  using Element = typename Field::Element;
  while (true) {
    Element drawn = 0;
    for (unsigned bits = 0; bits < Field::kBits; bits += 64) {
      if constexpr (Field::kBits > 64) {
        drawn <<= 64U;
      }
      drawn += Element(stream.bits64());
    }
    if constexpr (Field::kBits <= 128) {
      drawn &= Field::kPrime;
    } else {
      drawn = drawn & Field::kPrime;
    }
    if (drawn != Field::kPrime) {
      return drawn;
    }
  }
}

/// Images of integer points under a random linear map to k + 1 dimensions, which keeps every rank
/// up to k + 1 except with the probability the plan accounts for; the points themselves if there
/// are no more than k + 1.
template <class Field>
std::vector<FieldRow<Field>> compress(const ExactPoints& points, std::size_t k,
                                      RandomStream& stream) {
  const std::size_t dimension = points.dimension();
  std::vector<FieldRow<Field>> map;
  if (dimension > k + 1) {
    map.assign(k + 1, FieldRow<Field>(dimension));
    for (FieldRow<Field>& row : map) {
      for (auto& value : row) {
        value = random_element<Field>(stream);
      }
    }
  }
  std::vector<FieldRow<Field>> images;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    FieldRow<Field> point = field_row<Field>(points, i);
    if (!map.empty()) {
      FieldRow<Field> image(k + 1);
      for (std::size_t j = 0; j <= k; ++j) {
        image[j] = dot<Field>(map[j], point);
      }
      point = std::move(image);
    }
    images.push_back(std::move(point));
  }
  return images;
}

/// |x in s| - max(|x in t|, exceptions) over strict subspaces t of s. `inside` are the points of s
/// that are not zero; the others lie in every subspace.
template <class Field>
std::int64_t flat_score(const std::vector<FieldRow<Field>>& inside, std::int64_t zeros,
                        const GapMaxRule& rule, const std::vector<std::size_t>& spanning,
                        const std::vector<FieldRow<Field>>& points) {
  // Coordinates inside of the flat: the pivot columns of its echelon form.
  std::vector<FieldRow<Field>> basis;
  for (const std::size_t index : spanning) {
    basis.push_back(points[index]);
  }
  const std::vector<std::size_t> pivots = reduced_echelon<Field>(std::move(basis)).pivots;
  std::vector<FieldRow<Field>> coordinates;
  for (const FieldRow<Field>& point : inside) {
    FieldRow<Field> own;
    for (const std::size_t pivot : pivots) {
      own.push_back(point[pivot]);
    }
    coordinates.push_back(std::move(own));
  }
  // max(held + zeros, exceptions) - zeros
  const std::size_t held = heaviest_hyperplane<Field>(
      std::span<const FieldRow<Field>>(coordinates), rule.subspace,
      static_cast<std::size_t>(std::max<std::int64_t>(0, rule.exceptions - zeros)));
  return static_cast<std::int64_t>(inside.size()) - static_cast<std::int64_t>(held);
}

/// Scores of all flats above the floor, found by drawing k points at a time: a flat with score
/// above L is hit by one draw with probability at least ((L+1)/n)^k, because each further point
/// must avoid a strict subspace. docs/proofs/exact_subspace.md, section 4.
template <class Field>
class FlatSearch {
 public:
  FlatSearch(const std::vector<FieldRow<Field>>& points, const GapMaxRule& rule)
      : points_(points), rule_(rule) {
    for (const FieldRow<Field>& point : points) {
      zeros_ += is_zero<Field>(point) ? 1 : 0;
    }
  }

  GapMaxScore run(RandomStream& stream) {
    for (std::uint64_t trial = 0; trial < rule_.trials; ++trial) {
      stop_if_cancelled();
      std::vector<std::size_t> drawn;
      for (std::size_t i = 0; i < rule_.subspace; ++i) {
        drawn.push_back(static_cast<std::size_t>(uniform_below(stream, points_.size())));
      }
      consider(drawn);
    }
    score_.gap = std::max<std::int64_t>(0, best_ - std::max(second_, rule_.floor) - 1);
    if (score_.gap == 0) {
      score_.spanning.clear();
    }
    return score_;
  }

 private:
  void consider(const std::vector<std::size_t>& drawn) {
    std::vector<FieldRow<Field>> rows;
    for (const std::size_t index : drawn) {
      rows.push_back(points_[index]);
    }
    const bool whole = rows.front().size() == rule_.subspace;  // k = d: one flat
    FieldRow<Field> form;
    if (whole) {
      if (reduced_echelon<Field>(std::move(rows)).rank() < rule_.subspace) {
        return;
      }
    } else {
      auto vanishing = vanishing_form<Field>(std::move(rows));
      if (!vanishing) {
        return;
      }
      form = std::move(*vanishing);
    }
    if (!seen_.insert(form).second) {
      return;
    }
    std::vector<FieldRow<Field>> inside;
    for (const FieldRow<Field>& point : points_) {
      if (!is_zero<Field>(point) && (whole || dot<Field>(form, point) == 0)) {
        inside.push_back(point);
      }
    }
    if (static_cast<std::int64_t>(inside.size()) + zeros_ - rule_.exceptions <= rule_.floor) {
      return;  // the score cannot exceed the floor
    }
    record(flat_score<Field>(inside, zeros_, rule_, drawn, points_), drawn);
  }

  void record(std::int64_t score, const std::vector<std::size_t>& drawn) {
    if (score > best_) {
      second_ = best_;
      best_ = score;
      score_.spanning = drawn;
    } else {
      second_ = std::max(second_, score);
    }
  }

  const std::vector<FieldRow<Field>>& points_;
  GapMaxRule rule_;
  std::int64_t zeros_ = 0;
  std::set<FieldRow<Field>> seen_;
  GapMaxScore score_;
  std::int64_t best_ = 0;
  std::int64_t second_ = 0;
};

}  // namespace eigenveil::detail
