#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <map>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/table_options.hpp"
#include "cli/progress.hpp"
#include "core/plain_text.hpp"
#include "engine/table/person_key.hpp"
#include "engine/table/release_job.hpp"
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

/// Counting the rows of one file twice is an answer to no question.
Result<void> check_each_once(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& path : paths) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
      continue;  // said when it is opened
    }
    const auto [first, fresh] = seen.emplace(std::pair(found.st_dev, found.st_ino), path);
    if (!fresh) {
      return bad_request(
          fmt::format("{} and {} are the same file; counting its rows twice would break the "
                      "privacy guarantee",
                      first->second, path));
    }
  }
  return {};
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

  Outcome run() const {
    if (const Result<void> sound = check_gram_output(out, parts, replace); !sound) {
      return error_of(sound);
    }
    if (const Result<void> once = check_each_once(parts); !once) {
      return error_of(once);
    }
    Result<ExactGram> total = loaded(parts.front());
    for (std::size_t i = 1; total && i < parts.size(); ++i) {
      const Result<ExactGram> part = loaded(parts[i]);
      if (!part) {
        return error_of(part);
      }
      const EqualTotals equal = equal_totals ? EqualTotals::DifferentRows : EqualTotals::Refuse;
      if (const Result<void> merged = total->merge(*part, equal); !merged) {
        return named(parts[i], merged.error());
      }
    }
    if (const Result<void> complete =
            total && !incomplete ? total->check_complete() : Result<void>();
        !complete) {
      return bad_request(complete.error().message + "; give the others too, or say --incomplete");
    }
    return total.and_then([&](const ExactGram& gram) { return gram.save(out); }).map([&] {
      fmt::print("wrote {} ({})\n", out, kPrivate);
    });
  }

 private:
  static tl::unexpected<Error> named(const std::string& path, const Error& error) {
    const bool has_name = error.message.starts_with(path);
    return tl::unexpected<Error>(
        Error{error.code, has_name ? error.message : fmt::format("{}: {}", path, error.message)});
  }

  static Result<ExactGram> loaded(const std::string& path) {
    Result<ExactGram> part = ExactGram::load(path);
    return part ? std::move(part) : Result<ExactGram>(named(path, part.error()));
  }
};

struct GramKey {
  std::string out;

  Outcome run() const {
    return save_person_key(fresh_person_key(), out).map([&] {
      fmt::print("wrote {} (secret, mode 0600: give it to the machines of one run alone)\n", out);
    });
  }
};

}  // namespace

Command gram_command() {
  return {
      "gram",
      "The exact pass alone, for data in shards: partial sums that merge to the same bits.\n"
      "  eigenveil gram partial a.csv --range 0:10 --out a.gram\n"
      "  eigenveil gram merge a.gram b.gram --out all.gram\n"
      "  eigenveil covariance all.gram --epsilon 1 --delta 1e-6 --out out/",
      [](CLI::App& app) {
        auto partial = std::make_shared<GramPartial>();
        auto merge = std::make_shared<GramMerge>();
        auto key = std::make_shared<GramKey>();
        app.require_subcommand(1);
        CLI::App* first = app.add_subcommand("partial", "rows to a .gram file");
        partial->input.declare(*first);
        first
            ->add_option("--more", partial->more,
                         "further files of the same table, after INPUT in this order; where people "
                         "are limited, every shard reads all files")
            ->group("Input");
        partial->input.declare_one_hot(*first);
        partial->input.declare_person(*first);
        first
            ->add_option("--person-key", partial->person_key,
                         "with --person and --shard: the file of a key that all shards share; a "
                         "shard takes the people whose hash under it says so")
            ->group("People and surveys");
        partial->bounds.declare(*first);
        partial->bounds.declare_basis(*first);
        first->add_option("--out", partial->out, "the .gram file to write")->required();
        first->add_option("--shard", partial->shard,
                          "RUN,INDEX,COUNT: this is shard INDEX (from 0) of COUNT of a run whose "
                          "name nobody else uses, such as a UUID; merge then misses none and "
                          "takes none twice");
        first->add_flag("--replace", partial->replace, kReplace);
        first->add_flag("--quiet", partial->quiet, "no progress bar");
        CLI::App* second = app.add_subcommand("merge", ".gram files to one");
        second->add_option("PARTS", merge->parts, ".gram files, each shard once")->required();
        second->add_option("--out", merge->out, "the .gram file to write")->required();
        second->add_flag("--equal-totals", merge->equal_totals,
                         "files without a shard name and with equal totals hold different "
                         "rows: yes, they do");
        second->add_flag("--incomplete", merge->incomplete,
                         "shards of the run may be missing: to merge in rounds");
        second->add_flag("--replace", merge->replace, kReplace);
        CLI::App* third = app.add_subcommand("key", "a key that says in which shard a person is");
        third->add_option("--out", key->out, "the file to write, mode 0600")->required();
        return [partial, merge, key, first, second] {
          return first->parsed() ? partial->run() : second->parsed() ? merge->run() : key->run();
        };
      }};
}

}  // namespace eigenveil::cli
