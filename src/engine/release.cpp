#include "eigenveil/engine/release.hpp"

#include <fmt/format.h>

#include "core/parallel.hpp"
#include "engine/request_json.hpp"

namespace eigenveil {
namespace {

ReleaseDocument with_request(ReleaseDocument document, const Plan& plan) {
  document.request = to_json(plan.request());
  return document;
}

/// What the types of a request let pass.
Result<void> check_request(const Request& request, const PublicFacts& facts) {
  if (!request.budget) {
    return bad_request("a budget is missing");
  }
  if (const Result<Budget> sound = check_budget(*request.budget); !sound) {
    return error_of(sound);
  }
  if (request.components < 1) {
    return bad_request("{components} must be at least 1", "components");
  }
  if (request.group_size < 1) {
    return bad_request("{group_size} must be at least 1", "group_size");
  }
  return ExactGram::check_shape(facts.schema, facts.bound);
}

}  // namespace

Result<std::unique_ptr<Plan>> plan(Request request, const PublicFacts& facts) {
  if (const Result<void> sound = check_request(request, facts); !sound) {
    return error_of(sound);
  }
  const Result<const Method*> method = choose_method(request);
  if (!method) {
    return error_of(method);
  }
  if ((*method)->info().needs_row_count && !facts.rows) {
    return bad_request(fmt::format("method {} plans with the number of rows: give {{rows}}",
                                   (*method)->info().name),
                       "rows");
  }
  settle_center(**method, request);
  return make_plan(**method, std::move(request), facts);
}

Result<std::unique_ptr<Plan>> make_plan(const Method& method, Request request,
                                        const PublicFacts& facts) {
  return method.plan(request, facts).map([&](std::unique_ptr<Plan>&& plan) {
    request.method = method.info().name;
    request.table = table_fingerprint(facts);
    plan->remember(std::move(request));
    return std::move(plan);
  });
}

Result<ReleaseDocument> release(const Plan& plan, const ExactGram& gram, RandomStream& stream) {
  return plan.release(gram, stream).map([&](ReleaseDocument&& document) {
    return with_request(std::move(document), plan);
  });
}

Result<ReleaseDocument> release(const Plan& plan, const OpenRows& open, RandomStream& stream,
                                int threads, const AroundDraw& around) {
  const std::unique_ptr<Run> run = plan.start(stream, threads);
  for (bool again = true; again;) {
    const Result<std::unique_ptr<RowReader>> rows = open();
    if (!rows) {
      return error_of(rows);
    }
    if (const Result<void> added = run->add(**rows); !added) {
      return error_of(added);
    }
    const Result<bool> more = run->wants_rows_again();
    if (!more) {
      return error_of(more);
    }
    again = *more;
  }
  const auto finish = [&run] { return run->finish(); };
  return (around ? around(finish) : finish()).map([&](ReleaseDocument&& document) {
    return with_request(std::move(document), plan);
  });
}

Result<ReleaseDocument> release(const Plan& plan, const MatrixView& rows, RandomStream& stream) {
  const auto open = [&] { return read_matrix(rows, plan.facts().schema); };
  return release(plan, open, stream, default_threads());
}

}  // namespace eigenveil
