#pragma once

#include "mechanism/mask/masked_row_law.hpp"

namespace eigenveil::detail {

/// sup over S of P_from(S) - e^epsilon P_to(S), epsilon >= 0, for the masked releases of two rows
/// of at most the norms of the two laws, at whatever angle: orthogonal ones are the worst
/// (docs/proofs/masking.md, step 7). An upper bound, the smaller of the two below.
double delta_between_rows(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon);

/// Two steps, row -> zero row -> other row: inf over e1 + e2 = epsilon of
/// from.row_against_zero(e1) + e^{e1} to.zero_against_row(e2).
double delta_through_zero(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon);

/// Orthogonal rows, at once: E h(e^epsilon L) over the law of a zero row, L the likelihood ratio of
/// `to` against it and h(z) the divergence of `from` at level z, a convex function that is bounded
/// by chords. `coarse`: another bound, which says where the chords must be short.
double delta_of_orthogonal_rows(const MaskedRowLaw& from, const MaskedRowLaw& to, double epsilon,
                                double coarse);

}  // namespace eigenveil::detail
