#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/exact_pass.hpp"
#include "cli/options/checks.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kPrivate =
    "private data, mode 0600: it holds exact sums over the rows and must not be published";

constexpr const char* kReplace = "--out may be an earlier .gram file, which is then lost";

struct GramPartial {
  InputOptions input;
  BoundOptions bounds;
  std::string out;
  bool replace = false;
  bool quiet = false;

  Outcome run() const {
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
    return ExactPass::open(input, bounds)
        .and_then([&](ExactPass pass) { return pass.run(quiet); })
        .and_then([&](const ExactGram& gram) { return gram.save(out); })
        .map([&] { fmt::print("wrote {} ({})\n", out, kPrivate); });
  }
};

struct GramMerge {
  std::vector<std::string> parts;
  std::string out;
  bool replace = false;

  Outcome run() const {
    if (const Result<void> sound = check_gram_output(out, parts, replace); !sound) {
      return error_of(sound);
    }
    Result<ExactGram> total = ExactGram::load(parts.front());
    for (std::size_t i = 1; total && i < parts.size(); ++i) {
      const Result<ExactGram> part = ExactGram::load(parts[i]);
      if (!part) {
        return error_of(part);
      }
      if (const Result<void> merged = total->merge(*part); !merged) {
        return tl::unexpected<Error>(
            Error{merged.error().code, fmt::format("{}: {}", parts[i], merged.error().message)});
      }
    }
    return total.and_then([&](const ExactGram& gram) { return gram.save(out); }).map([&] {
      fmt::print("wrote {} ({})\n", out, kPrivate);
    });
  }
};

}  // namespace

Command gram_command() {
  return {"gram",
          "The exact pass alone, for data in shards: partial sums that merge to the same bits.\n"
          "  eigenveil gram partial a.csv --range 0:10 --out a.gram\n"
          "  eigenveil gram merge a.gram b.gram --out all.gram\n"
          "  eigenveil covariance all.gram --epsilon 1 --delta 1e-6 --out out/",
          [](CLI::App& app) {
            auto partial = std::make_shared<GramPartial>();
            auto merge = std::make_shared<GramMerge>();
            app.require_subcommand(1);
            CLI::App* first = app.add_subcommand("partial", "rows to a .gram file");
            partial->input.declare(*first);
            partial->input.declare_one_hot(*first);
            partial->bounds.declare(*first);
            partial->bounds.declare_basis(*first);
            first->add_option("--out", partial->out, "the .gram file to write")->required();
            first->add_flag("--replace", partial->replace, kReplace);
            first->add_flag("--quiet", partial->quiet, "no progress bar");
            CLI::App* second = app.add_subcommand("merge", ".gram files to one");
            second->add_option("PARTS", merge->parts, ".gram files, each shard once")->required();
            second->add_option("--out", merge->out, "the .gram file to write")->required();
            second->add_flag("--replace", merge->replace, kReplace);
            return
                [partial, merge, first] { return first->parsed() ? partial->run() : merge->run(); };
          }};
}

}  // namespace eigenveil::cli
