#include "cli/commands/collect.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/output_options.hpp"
#include "cli/summary.hpp"
#include "collection/collected_release.hpp"
#include "core/outside_json.hpp"
#include "core/parallel.hpp"
#include "core/plain_text.hpp"

namespace eigenveil::cli {

Result<void> confirm(std::string_view question, std::string_view otherwise) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return bad_request(std::string(otherwise));
  }
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "yes") {
    return bad_request("nothing was done");
  }
  return {};
}

bool is_refusal(const HttpAnswer& answer) {
  const auto json = json_from_outside(answer.body);
  return answer.status >= 400 && answer.status < 500 && answer.status != 429 && json.is_object() &&
         json.contains("refused") && json["refused"].is_string();
}

Error refusal(const AggregatorCard& card, const HttpAnswer& answer) {
  const auto json = json_from_outside(answer.body);
  const std::string told =
      json.is_object() && json.contains("refused") && json["refused"].is_string()
          ? json["refused"].get<std::string>()
          : "it did not say why";
  const std::string words = fmt::format("aggregator {} refused: {}", name_of(card.role),
                                        is_plain_text(told) ? told : "(not plain text)");
  return {is_refusal(answer) ? ErrorCode::BadRequest : ErrorCode::InputOutput, words};
}

namespace {

/// Something made of a released Gram: costs nothing, since all of it is published already.
struct FromCollected {
  std::string task;
  std::string input;
  Eigen::Index components = 2;
  OutputOptions output;

  void declare(CLI::App& app) {
    app.add_option("GRAM", input, "the release that collect study merge wrote")->required();
    if (task == "pca") {
      app.add_option("-k,--components", components, "number of components (default 2)")
          ->check(whole_number(1));
    }
    output.declare(app);
  }

  Outcome run() const {
    if (output.out.empty() && !output.json) {
      return bad_request("--out DIR says where the release goes; without it nothing would be kept");
    }
    const Result<ReadRelease> read = read_release(input);
    if (!read) {
      return error_of(read);
    }
    const ReleaseOutput asked = output.as_asked();
    RandomStream stream = asked.stream();
    return make(*read, stream).and_then([&](ReleaseDocument document) {
      return publish(std::move(document), output, input,
                     asked.target(task == "mask", default_threads()));
    });
  }

 private:
  Result<ReleaseDocument> make(const ReadRelease& read, RandomStream& stream) const {
    if (task == "pca") {
      return components_of_collected(read, components);
    }
    return task == "covariance" ? covariance_of_collected(read)
                                : pseudo_data_of_collected(read, stream);
  }
};

Command from_collected(const std::string& task, const std::string& summary) {
  FromCollected command;
  command.task = task;
  return command_of(task, summary, command);
}

}  // namespace

Command collect_command() {
  return command_group(
      "collect",
      "Collecting without a curator: two aggregators add up encrypted shares, and nobody sees a "
      "row.\n"
      "  eigenveil collect study new --columns questions.csv ... --out study.json\n"
      "  eigenveil collect serve --role a --folder a/ --tokens tokens.list --port 8441",
      {study_command(), collect_serve_command(),
       from_collected("pca", "principal components of a released Gram; costs nothing"),
       from_collected("covariance", "covariance of a released Gram; costs nothing"),
       from_collected("mask", "pseudo-data with the moments of a released Gram; costs nothing")});
}

}  // namespace eigenveil::cli
