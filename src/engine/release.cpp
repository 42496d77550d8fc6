#include "engine/release.hpp"

namespace eigenveil {

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
  return around ? around(finish) : finish();
}

}  // namespace eigenveil
