#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "eigenveil/data/matrix_view.hpp"
#include "eigenveil/engine/registry.hpp"

namespace eigenveil {

/// A fresh look at the first row of a table; called again by methods that read twice.
using OpenRows = std::function<Result<std::unique_ptr<RowReader>>()>;

/// Wraps the draw after the last row, for faces that show how long it takes.
using AroundDraw =
    std::function<Result<ReleaseDocument>(const std::function<Result<ReleaseDocument>()>& finish)>;

/// The plan of the method that serves the request. Whatever can be wrong with a request is refused
/// here, in one sentence.
[[nodiscard]] Result<std::unique_ptr<Plan>> plan(Request request, const PublicFacts& facts);

/// The plan of a method that `choose_method` found, for a request whose centre is settled. It
/// remembers the request with the method's name and the table's fingerprint: that is what the
/// document states and `request_hash` names.
[[nodiscard]] Result<std::unique_ptr<Plan>> make_plan(const Method& method, Request request,
                                                      const PublicFacts& facts);

/// The number of rows, by reading them; for relations under which it is public.
[[nodiscard]] Result<std::int64_t> count_rows(const OpenRows& open, int threads);

/// A table, or a block of one: its rows, or totals that were made before.
struct TablePart {
  OpenRows open;
  const ExactGram* stored = nullptr;
};

/// Called once, when the plan stands and before the first row is read: charges a ledger. What it
/// returns stands in the document; a refusal ends the release.
using SpendHook = std::function<Result<std::optional<LedgerEntry>>()>;

/// Reads the parts as often as the plan wants them and draws once.
[[nodiscard]] Result<ReleaseDocument> release(const Plan& plan, const std::vector<TablePart>& parts,
                                              RandomStream& stream, int threads,
                                              const AroundDraw& around = {},
                                              const SpendHook& spend = {});

/// The same for a table in one piece.
[[nodiscard]] Result<ReleaseDocument> release(const Plan& plan, const OpenRows& open,
                                              RandomStream& stream, int threads,
                                              const AroundDraw& around = {});

/// From totals that were made before, or from rows that are read exactly.
[[nodiscard]] Result<ReleaseDocument> release(const Plan& plan, const ExactGram& gram,
                                              RandomStream& stream);
[[nodiscard]] Result<ReleaseDocument> release(const Plan& plan, const ExactRows& rows,
                                              RandomStream& stream, int threads,
                                              const SpendHook& spend = {});

/// The same for rows in memory, on all cores.
[[nodiscard]] Result<ReleaseDocument> release(const Plan& plan, const MatrixView& rows,
                                              RandomStream& stream);

}  // namespace eigenveil
