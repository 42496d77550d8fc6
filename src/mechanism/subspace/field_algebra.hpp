#pragma once

#include <optional>
#include <vector>

#include "mechanism/subspace/prime_field.hpp"

namespace eigenveil::detail {

template <class Field>
using FieldRow = std::vector<typename Field::Element>;

/// The reduced row-echelon form of a list of rows: one for each row space, so that equal spans have
/// equal forms.
template <class Field>
struct Echelon {
  std::vector<std::size_t> pivots;
  std::vector<FieldRow<Field>> rows;
  std::size_t rank() const { return pivots.size(); }
};

/// row -= factor * other, from `first` on (both vanish before it).
template <class Field>
void eliminate(FieldRow<Field>& row, const FieldRow<Field>& other, std::size_t pivot,
               std::size_t first) {
  const typename Field::Element factor = row[pivot];
  if (factor == 0) {
    return;
  }
  for (std::size_t c = first; c < row.size(); ++c) {
    row[c] = subtract_product<Field>(row[c], factor, other[c]);
  }
}

template <class Field>
Echelon<Field> reduced_echelon(std::vector<FieldRow<Field>> rows) {
  Echelon<Field> form;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t column = 0; column < columns && form.rank() < rows.size(); ++column) {
    std::size_t found = form.rank();
    while (found < rows.size() && rows[found][column] == 0) {
      ++found;
    }
    if (found == rows.size()) {
      continue;
    }
    std::swap(rows[found], rows[form.rank()]);
    FieldRow<Field>& pivot_row = rows[form.rank()];
    const typename Field::Element scale = inverse<Field>(pivot_row[column]);
    for (std::size_t c = column; c < columns; ++c) {
      pivot_row[c] = Field::multiply(pivot_row[c], scale);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r != form.rank()) {
        eliminate<Field>(rows[r], pivot_row, column, column);
      }
    }
    form.pivots.push_back(column);
  }
  rows.resize(form.rank());
  form.rows = std::move(rows);
  return form;
}

/// The linear form that vanishes on k independent rows of dimension k + 1, as a canonical row: with
/// the echelon form [I | b] (columns permuted) it is the free coordinate minus the combination of
/// the pivot coordinates. Nothing if the rows are dependent.
template <class Field>
std::optional<FieldRow<Field>> vanishing_form(std::vector<FieldRow<Field>> rows) {
  const std::size_t k = rows.size();
  const Echelon<Field> form = reduced_echelon<Field>(std::move(rows));
  if (form.rank() < k) {
    return std::nullopt;
  }
  std::size_t free = 0;
  while (free < k && form.pivots[free] == free) {
    ++free;
  }
  FieldRow<Field> functional(k + 1, typename Field::Element(0));
  functional[free] = 1;
  for (std::size_t r = 0; r < k; ++r) {
    functional[form.pivots[r]] = negate<Field>(form.rows[r][free]);
  }
  return functional;
}

template <class Field>
typename Field::Element dot(const FieldRow<Field>& a, const FieldRow<Field>& b) {
  typename Field::Element sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum = add<Field>(sum, Field::multiply(a[i], b[i]));
  }
  return sum;
}

template <class Field>
bool is_zero(const FieldRow<Field>& row) {
  for (const auto& value : row) {
    if (value != 0) {
      return false;
    }
  }
  return true;
}

/// All inverses with one inversion and three products each (Montgomery); no value is zero.
template <class Field>
void invert_all(FieldRow<Field>& values) {
  FieldRow<Field> prefix(values.size());
  typename Field::Element running = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    prefix[i] = running;
    running = Field::multiply(running, values[i]);
  }
  running = inverse<Field>(running);
  for (std::size_t i = values.size(); i-- > 0;) {
    const typename Field::Element own = Field::multiply(running, prefix[i]);
    running = Field::multiply(running, values[i]);
    values[i] = own;
  }
}

}  // namespace eigenveil::detail
