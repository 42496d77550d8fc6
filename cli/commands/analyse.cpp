#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "engine/estimate_answer.hpp"

namespace eigenveil::cli {
namespace {

/// A question about what was released already; the engine answers, for machines and in words.
struct AnalyseCommand {
  std::vector<std::string> files;
  bool json = false;
  nlohmann::ordered_json question;
  std::string predictors;

  Outcome run() {
    if (question.at("estimate") == "regression") {
      const Result<std::vector<std::string>> names = parse_columns(predictors);
      if (!names) {
        return error_of(names);
      }
      question["predictors"] = *names;
    }
    return read_released_moments(files)
        .and_then([&](const ReleasedMoments& released) {
          return estimate_answer(released, question.dump(),
                                 json ? AnswerForm::Json : AnswerForm::Words);
        })
        .map([&](const std::string& answer) { fmt::print("{}{}", answer, json ? "\n" : ""); });
  }
};

using Declare = void (*)(CLI::App&, AnalyseCommand&);

Command part(std::string name, std::string summary, const char* estimate, Declare declare) {
  return {std::move(name), std::move(summary), [=](CLI::App& app) {
            auto command = std::make_shared<AnalyseCommand>();
            command->question["estimate"] = estimate;
            app.add_option("FILE", command->files,
                           "pseudo-data with its release document beside it, a release.json of "
                           "mask or covariance, or its directory; several: shards masked with one "
                           "--smallest-block")
                ->required();
            app.add_flag("--json", command->json, "for machines");
            declare(app, *command);
            return [command] { return command->run(); };
          }};
}

/// An option that is a field of the question.
template <class T>
CLI::Option* field(CLI::App& app, AnalyseCommand& command, const std::string& flags,
                   const char* name, const std::string& help) {
  return app.add_option_function<T>(
      flags, [&command, name](const T& value) { command.question[name] = value; }, help);
}

void declare_moments(CLI::App& app, AnalyseCommand& command) {
  app.add_flag_callback(
      "--second-moment", [&command] { command.question["second_moment"] = true; },
      "about the public midpoint even where means are known");
}

void declare_regress(CLI::App& app, AnalyseCommand& command) {
  field<std::string>(app, command, "--response", "response", "column to explain")->required();
  app.add_option("--predictors", command.predictors,
                 "columns that explain it, a,b,c or @FILE; 'intercept' is a column")
      ->required();
  field<double>(app, command, "--ridge", "ridge",
                "added to the diagonal of the predictors' second moment (default 0)");
  // Closer to 0 or 1 a level says nothing that rows could check, and its quantiles run off.
  field<double>(app, command, "--level", "level", "of the intervals (default 0.95)")
      ->check(number_in({.low = 0.01, .high = 0.999999}));
  field<std::string>(app, command, "--about", "about",
                     "population (default) or raw: what the intervals cover")
      ->check(one_of({"population", "raw"}));
}

void declare_pca(CLI::App& app, AnalyseCommand& command) {
  field<std::int64_t>(app, command, "-k,--components", "components",
                      "number of components (default 2)")
      ->check(whole_number(1));
}

}  // namespace

Command analyse_command() {
  return command_group(
      "analyse",
      "Estimates with standard errors from pseudo-data or a released covariance; costs no budget.\n"
      "  eigenveil analyse regress out/ --response income --predictors intercept,age",
      {part("moments", "covariance (or second moment) and correlations", "moments",
            declare_moments),
       part("regress", "least squares or ridge with confidence intervals", "regression",
            declare_regress),
       part("pca", "principal components with limits for their variances", "components",
            declare_pca)});
}

}  // namespace eigenveil::cli
