#include "engine/release.hpp"

#include "engine/request_json.hpp"

namespace eigenveil {
namespace {

ReleaseDocument with_request(ReleaseDocument document, const Plan& plan) {
  document.request = to_json(plan.request());
  return document;
}

}  // namespace

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

}  // namespace eigenveil
