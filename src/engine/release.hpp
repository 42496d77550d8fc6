#pragma once

#include <functional>
#include <memory>

#include "engine/registry.hpp"

namespace eigenveil {

/// A fresh look at the first row of a table; called again by methods that read twice.
using OpenRows = std::function<Result<std::unique_ptr<RowReader>>()>;

/// Wraps the draw after the last row, for faces that show how long it takes.
using AroundDraw =
    std::function<Result<ReleaseDocument>(const std::function<Result<ReleaseDocument>()>& finish)>;

/// Reads the rows as often as the plan wants them and draws once.
Result<ReleaseDocument> release(const Plan& plan, const OpenRows& open, RandomStream& stream,
                                int threads, const AroundDraw& around = {});

}  // namespace eigenveil
