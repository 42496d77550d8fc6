#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/table_options.hpp"
#include "cli/progress.hpp"
#include "core/plain_text.hpp"
#include "statistics/merged_grams.hpp"
#include "statistics/shards.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kPrivate =
    "private data, mode 0600: it holds exact sums over the rows and must not be published";

constexpr const char* kReplace = "--out may be an earlier .gram file, which is then lost";

constexpr const char* kBadShard =
    "--shard takes RUN,INDEX,COUNT: a name that only the shards of this run have, which of them "
    "this is, from 0, and how many there are, at most 16777216";

/// RUN,INDEX,COUNT as it was given.
Result<ShardIdentity> shard_of(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value)
                                                                        : std::nullopt;
  };
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string::npos ? first : text.find(',', first + 1);
  if (second == std::string::npos) {
    return bad_request(kBadShard);
  }
  const auto index = number(std::string_view(text).substr(first + 1, second - first - 1));
  const auto count = number(std::string_view(text).substr(second + 1));
  const ShardIdentity identity{text.substr(0, first), index.value_or(0), count.value_or(0)};
  if (!is_plain_text(identity.run) || !index || !count || !check_identity(identity)) {
    return bad_request(kBadShard);
  }
  return identity;
}

struct GramPartial {
  InputOptions input;
  BoundOptions bounds;
  std::string out;
  std::optional<std::string> shard;
  bool replace = false;
  bool quiet = false;

  void declare(CLI::App& app) {
    input.declare(app);
    input.declare_one_hot(app);
    bounds.declare(app);
    bounds.declare_basis(app);
    app.add_option("--out", out, "the .gram file to write")->required();
    app.add_option("--shard", shard,
                   "RUN,INDEX,COUNT: this is shard INDEX (from 0) of COUNT of a run whose name "
                   "nobody else uses, such as a UUID; merge then misses none and takes none twice");
    app.add_flag("--replace", replace, kReplace);
    app.add_flag("--quiet", quiet, "no progress bar");
  }

  Outcome run() const {
    const Result<ShardIdentity> identity =
        shard ? shard_of(*shard) : Result<ShardIdentity>(ShardIdentity{});
    if (!identity) {
      return error_of(identity);
    }
    if (input.is_gram()) {
      return bad_request("gram partial reads rows; join .gram files with eigenveil gram merge");
    }
    if (bounds.private_mean()) {
      return bad_request(
          "a .gram file always holds the sums a private mean needs; say --center private when the "
          "release is made");
    }
    if (const Result<void> sound = check_gram_output(out, {input.input}, replace); !sound) {
      return error_of(sound);
    }
    Result<OpenedTable> table = table_spec(input, bounds).and_then([&](TableSpec spec) {
      return OpenedTable::bounded(input.source(std::move(spec)));
    });
    if (!table) {
      return error_of(table);
    }
    const auto watch = [&](std::unique_ptr<RowReader> reader) {
      return with_progress(std::move(reader), input.display_name(), quiet);
    };
    return table->sums(input.thread_count(), watch)
        .and_then([&](const ExactGram* sums) {
          ExactGram gram = *sums;
          if (shard) {
            gram.set_identity(*identity);
          }
          return gram.save(out);
        })
        .map([&] { fmt::print("wrote {} ({})\n", out, kPrivate); });
  }
};

struct GramMerge {
  std::vector<std::string> parts;
  std::string out;
  bool equal_totals = false;
  bool incomplete = false;
  bool replace = false;

  void declare(CLI::App& app) {
    app.add_option("PARTS", parts, ".gram files, each shard once")->required();
    app.add_option("--out", out, "the .gram file to write")->required();
    app.add_flag("--equal-totals", equal_totals,
                 "files without a shard name and with equal totals hold different rows: yes, they "
                 "do");
    app.add_flag("--incomplete", incomplete,
                 "shards of the run may be missing: to merge in rounds");
    app.add_flag("--replace", replace, kReplace);
  }

  Outcome run() const {
    if (const Result<void> sound = check_gram_output(out, parts, replace); !sound) {
      return error_of(sound);
    }
    return merged_grams(parts, equal_totals ? EqualTotals::DifferentRows : EqualTotals::Refuse,
                        incomplete)
        .and_then([&](const ExactGram& gram) { return gram.save(out); })
        .map([&] { fmt::print("wrote {} ({})\n", out, kPrivate); });
  }
};

}  // namespace

Command gram_command() {
  return command_group(
      "gram",
      "The exact pass alone, for data in shards: partial sums that merge to the same bits.\n"
      "  eigenveil gram partial a.csv --range 0:10 --out a.gram\n"
      "  eigenveil gram merge a.gram b.gram --out all.gram\n"
      "  eigenveil covariance all.gram --epsilon 1 --delta 1e-6 --out out/",
      {command_of<GramPartial>("partial", "rows to a .gram file"),
       command_of<GramMerge>("merge", ".gram files to one")});
}

}  // namespace eigenveil::cli
