#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/table_options.hpp"
#include "cli/progress.hpp"
#include "engine/table/person_key.hpp"
#include "engine/table/release_job.hpp"
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
  if (!index || !count || !check_identity(identity)) {
    return bad_request(kBadShard);
  }
  return identity;
}

struct GramPartial {
  InputOptions input;
  std::vector<std::string> more;
  BoundOptions bounds;
  std::string out;
  std::optional<std::string> shard;
  std::string person_key;
  bool replace = false;
  bool quiet = false;

  std::vector<std::string> files() const {
    std::vector<std::string> all = {input.input};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// The people of this shard: their key, which all shards share, and which of them they are.
  Result<void> settle_people(TableSpec& spec, ShardIdentity& identity) const {
    const bool shared = shard && !input.person.empty();
    if (shared == person_key.empty()) {
      return bad_request(
          shared
              ? "shards of people share a key, so that everybody is in one of them: --person-key "
                "FILE, which eigenveil gram key --out FILE makes, the same on every machine"
              : "--person-key goes with --person and --shard");
    }
    if (!shared) {
      draw_person_key(spec);
      return {};
    }
    return load_person_key(person_key).map([&](const HashKey& key) {
      spec.person_key = key;
      spec.shard = std::pair(identity.index, identity.count);
      identity.people_mark = mark_of_key(key);
    });
  }

  Result<void> check() const {
    for (const std::string& file : files()) {
      if (is_gram_file(file)) {
        return bad_request("gram partial reads rows; join .gram files with eigenveil gram merge");
      }
    }
    return check_each_once(files());
  }

  void declare(CLI::App& app) {
    input.declare(app);
    app.add_option("--more", more,
                   "further files of the same table, after INPUT in this order; where people are "
                   "limited, every shard reads all files")
        ->group("Input");
    input.declare_one_hot(app);
    input.declare_person(app);
    app.add_option("--person-key", person_key,
                   "with --person and --shard: the file of a key that all shards share; a shard "
                   "takes the people whose hash under it says so")
        ->group("People and surveys");
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
    Result<ShardIdentity> identity =
        shard ? shard_of(*shard) : Result<ShardIdentity>(ShardIdentity{});
    if (!identity) {
      return error_of(identity);
    }
    if (const Result<void> sound = check(); !sound) {
      return error_of(sound);
    }
    if (bounds.private_mean()) {
      return bad_request(
          "a .gram file always holds the sums a private mean needs; say --center private when the "
          "release is made");
    }
    if (const Result<void> sound = check_gram_output(out, files(), replace); !sound) {
      return error_of(sound);
    }
    Result<TableSpec> spec = table_spec(input, bounds).and_then([&](TableSpec asked) {
      return settle_people(asked, *identity).map([&] { return asked; });
    });
    Result<OpenedTable> table = spec.and_then(
        [&](const TableSpec& asked) { return OpenedTable::bounded(input.source(asked)); });
    if (!table) {
      return error_of(table);
    }
    std::vector<TableSource> others;
    for (const std::string& path : more) {
      others.push_back({path, nullptr, *spec, input.format()});
    }
    const auto watch = [&](std::unique_ptr<RowReader> reader) {
      return with_progress(std::move(reader), input.display_name(), quiet);
    };
    return table->sums(input.thread_count(), watch, others)
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

struct GramKey {
  std::string out;

  void declare(CLI::App& app) {
    app.add_option("--out", out, "the file to write, mode 0600")->required();
  }

  Outcome run() const {
    return save_person_key(fresh_person_key(), out).map([&] {
      fmt::print("wrote {} (secret, mode 0600: give it to the machines of one run alone)\n", out);
    });
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
       command_of<GramMerge>("merge", ".gram files to one"),
       command_of<GramKey>("key", "a key that says in which shard a person is")});
}

}  // namespace eigenveil::cli
