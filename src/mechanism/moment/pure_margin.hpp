#pragma once

namespace eigenveil {

/// Scales of purely private noise are rounded up by so many units in the last place: the loss is
/// then at most (1 - 2^-51) of the epsilon that was asked for, so that decimals add up in a ledger
/// (docs/proofs/ledger.md, "Decimals").
constexpr int kPureMarginUlps = 8;

}  // namespace eigenveil
