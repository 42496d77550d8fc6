#pragma once

#include <algorithm>
#include <span>

#include "eigenveil/core/cancellation.hpp"
#include "mechanism/subspace/field_algebra.hpp"

namespace eigenveil::detail {

/// How many of the points (non-zero, dimension 2) lie on the fullest line: equal ratios, sorted.
template <class Field>
std::size_t fullest_line(std::span<const FieldRow<Field>> points) {
  FieldRow<Field> ratios;
  std::size_t vertical = 0;
  for (const FieldRow<Field>& point : points) {
    if (point[0] == 0) {
      ++vertical;
    } else {
      ratios.push_back(point[0]);
    }
  }
  invert_all<Field>(ratios);
  std::size_t next = 0;
  for (const FieldRow<Field>& point : points) {
    if (point[0] != 0) {
      ratios[next] = Field::multiply(ratios[next], point[1]);
      ++next;
    }
  }
  std::sort(ratios.begin(), ratios.end());
  std::size_t best = vertical;
  for (std::size_t begin = 0; begin < ratios.size();) {
    std::size_t end = begin;
    while (end < ratios.size() && ratios[end] == ratios[begin]) {
      ++end;
    }
    best = std::max(best, end - begin);
    begin = end;
  }
  return best;
}

/// Points modulo the line through the first of them; how many vanish is returned too.
template <class Field>
std::size_t quotient_by_first(std::span<const FieldRow<Field>> points,
                              std::vector<FieldRow<Field>>& quotient) {
  const FieldRow<Field>& line = points.front();
  std::size_t pivot = 0;
  while (line[pivot] == 0) {
    ++pivot;
  }
  const typename Field::Element scale = inverse<Field>(line[pivot]);
  quotient.clear();
  std::size_t on_line = 0;
  for (const FieldRow<Field>& point : points) {
    const typename Field::Element factor = Field::multiply(point[pivot], scale);
    FieldRow<Field> image;
    image.reserve(line.size() - 1);
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c != pivot) {
        image.push_back(subtract_product<Field>(point[c], factor, line[c]));
      }
    }
    if (is_zero<Field>(image)) {
      ++on_line;
    } else {
      quotient.push_back(std::move(image));
    }
  }
  return on_line;
}

/// The largest number of points (non-zero, dimension k >= 1) in a strict subspace, or `at_least` if
/// that is larger. Exact: every subspace that holds a point is met at its first point, where the
/// points before it do not matter. Cost: about count^(k-1) / (k-1)! products.
template <class Field>
std::size_t heaviest_hyperplane(std::span<const FieldRow<Field>> points, std::size_t dimension,
                                std::size_t at_least) {
  if (dimension == 1 || points.empty()) {
    return at_least;  // the zero subspace holds no point
  }
  if (dimension == 2) {
    return std::max(at_least, fullest_line<Field>(points));
  }
  std::size_t best = at_least;
  std::vector<FieldRow<Field>> quotient;
  for (std::size_t first = 0; first < points.size() && points.size() - first > best; ++first) {
    stop_if_cancelled();
    const std::size_t on_line = quotient_by_first<Field>(points.subspan(first), quotient);
    const std::size_t needed = best > on_line ? best - on_line : 0;
    best = std::max(best,
                    on_line + heaviest_hyperplane<Field>(std::span<const FieldRow<Field>>(quotient),
                                                         dimension - 1, needed));
  }
  return best;
}

}  // namespace eigenveil::detail
