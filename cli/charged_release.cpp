#include "cli/charged_release.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/engine/request_json.hpp"

namespace eigenveil::cli {
namespace {

void print_published_again(std::int64_t index, const OutputOptions& output) {
  if (!output.json) {
    fmt::print("the release of entry {} is in {}: the same bits, nothing was charged\n", index,
               output.out);
  }
}

/// "entry 3: mu 0.24 of the gaussian account"; empty without a ledger.
std::string charged_in_words(const Spending& spending) {
  const std::optional<Reservation>& made = spending.reservation();
  return made ? fmt::format("entry {}: {} of the {} account", made->index, in_words(made->charge),
                            name_of(made->charge.account))
              : std::string();
}

}  // namespace

Result<ChargedRelease> ChargedRelease::open(const LedgerOptions& ledger, const InputOptions& input,
                                            const OutputOptions& output) {
  return ledger.open(input, output).map([](Spending&& spending) {
    ChargedRelease release;
    release.spending_ = std::move(spending);
    return release;
  });
}

void ChargedRelease::build_on(std::vector<std::string> releases) {
  spending_.build_on(releases);
  builds_on_ = std::move(releases);
}

Result<bool> ChargedRelease::charge(const ReleaseCost& cost, const std::string& request,
                                    const OutputOptions& output) {
  const Result<std::optional<std::int64_t>> again =
      spending_.resume(cost, request, output.out, output.existing());
  if (!again) {
    return error_of(again);
  }
  if (*again) {
    print_published_again(**again, output);
    return true;
  }
  return output.check_writable().and_then([&] { return spending_.reserve(cost, request); }).map([] {
    return false;
  });
}

Result<void> ChargedRelease::ask_about(const ExactGram& sums) const {
  const std::string table = table_fingerprint({sums.schema(), sums.bound()});
  return spending_.compare_data(table, hex(sums.statistic_digest()))
      .map([](DataTags::Answer answer) {
        if (answer == DataTags::Answer::Other) {
          fmt::print(stderr,
                     "question: the rows are not those of the last release under this name; is it "
                     "the same data set? If it is another, give it a --data-set or a ledger of its "
                     "own; if it was changed on purpose, nothing need be done\n");
        }
      });
}

Outcome ChargedRelease::publish(ReleaseDocument document, OutputOptions output,
                                TerminalNotes notes) const {
  document.ledger = spending_.entry();
  for (const std::string& checksum : builds_on_) {
    if (std::find(document.builds_on.begin(), document.builds_on.end(), checksum) ==
        document.builds_on.end()) {
      document.builds_on.push_back(checksum);
    }
  }
  if (active()) {
    notes.target.before = [this](std::string_view bytes) { return spending_.settle(bytes); };
    output.charged = charged_in_words(spending_);
  }
  return cli::publish(document, output, notes);
}

}  // namespace eigenveil::cli
