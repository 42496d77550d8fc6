#include "eigenveil/engine/table_release.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "eigenveil/engine/estimates.hpp"
#include "eigenveil/engine/ledgers.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil::test::table_release_test {
namespace {

using Json = nlohmann::ordered_json;

/// 300 made-up people by two columns.
struct People {
  std::vector<double> a = std::vector<double>(300);
  std::vector<double> b = std::vector<double>(300);
  People() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(i % 11);
      b[i] = static_cast<double>((3 * i) % 7);
    }
  }
  ColumnTable table() const { return {{{"a", a}, {"b", b}}, a.size()}; }
};

Json covariance_job() {
  return {{"request", {{"task", "covariance"}, {"budget", {{"mu", 1.0}}}, {"center", "none"}}},
          {"table", {{"range", {0, 10}}}},
          {"seed", 5}};
}

TEST(TableRelease, AJobIsAReleaseOfTheEngine) {
  const People people;
  const ColumnTable table = people.table();
  const auto outcome = release_table(covariance_job().dump(), &table);
  ASSERT_TRUE(outcome) << outcome.error().message;

  Request request;
  request.task = Task::Covariance;
  request.budget = GaussianDp{1.0};
  request.center = CenterChoice::None;
  Matrix rows(300, 2);
  rows << Eigen::Map<const Vector>(people.a.data(), 300),
      Eigen::Map<const Vector>(people.b.data(), 300);
  const PublicFacts facts{Schema{{"a", "b"}}, RowBound::ranges({{0, 10}, {0, 10}}).value()};
  RandomStream stream = RandomStream::seeded(5);
  const auto direct =
      plan(request, facts).and_then([&](const auto& made) { return release(*made, rows, stream); });
  ASSERT_TRUE(direct) << direct.error().message;
  EXPECT_EQ(outcome->document.array("covariance_raw")->value(),
            direct->array("covariance_raw")->value());
  EXPECT_EQ(outcome->document.request, direct->request);
}

TEST(TableRelease, NothingInAJobIsPassedOver) {
  const People people;
  const ColumnTable table = people.table();
  const auto refusal = [&](const Json& job) {
    const auto outcome = release_table(job.dump(), &table);
    return outcome ? std::string() : outcome.error().message;
  };
  Json job = covariance_job();
  job["colour"] = "red";
  EXPECT_EQ(refusal(job), "a job has no field 'colour'");
  job = covariance_job();
  job["table"]["rnage"] = 1;
  EXPECT_NE(refusal(job), "");
  job = covariance_job();
  job["request"]["options"] = {{"no_such", 1}};
  EXPECT_NE(refusal(job).find("has no option 'no_such'"), std::string::npos);
  job = covariance_job();
  job["request"]["budget"] = nullptr;
  EXPECT_NE(refusal(job).find("budget is missing"), std::string::npos);
  job = covariance_job();
  job["threads"] = 0;
  EXPECT_NE(refusal(job).find("{threads}"), std::string::npos);
  EXPECT_FALSE(release_table("[]", &table));
  EXPECT_FALSE(release_table(covariance_job().dump()));  // no rows, and no file
}

TEST(TableRelease, TheCatalogueHoldsEveryMethodAndOption) {
  const Json catalogue = Json::parse(engine_catalogue());
  std::size_t options = 0;
  for (const Json& task : catalogue.at("tasks")) {
    const Task kind = parse_task(task.at("task").get<std::string>()).value();
    ASSERT_EQ(task.at("methods").size(), methods_for(kind).size());
    for (std::size_t i = 0; i < task.at("methods").size(); ++i) {
      const MethodInfo& info = methods_for(kind)[i]->info();
      EXPECT_EQ(task.at("methods")[i].at("name"), info.name);
      for (const Json& option : task.at("methods")[i].at("options")) {
        EXPECT_NE(info.option(option.at("name").get<std::string>()), nullptr);
        ++options;
      }
    }
  }
  EXPECT_GT(options, 40U);
}

TEST(TableRelease, ALedgerIsChargedBeforeARowIsRead) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "eigenveil-table-release";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "survey.ledger";
  ASSERT_TRUE(create_ledger(file, R"({"name": "Survey", "mu": 1.5})"));
  EXPECT_FALSE(create_ledger(folder / "other.ledger", R"({"name": "Survey"})"));

  People people;
  people.a[7] = std::numeric_limits<double>::infinity();  // stops the pass
  const ColumnTable table = people.table();
  Json job = covariance_job();
  job.erase("seed");
  job["ledger"] = file.string();
  EXPECT_NE(release_table(job.dump(), &table).error().message.find("{out}"), std::string::npos);
  job["out"] = {{"folder", (folder / "one").string()}};
  EXPECT_FALSE(release_table(job.dump(), &table));
  // The budget was reserved before the bad row was met, and nothing comes back.
  EXPECT_EQ(Json::parse(show_ledger(file, "json").value()).at("entries").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder / "one"));

  people.a[7] = 0.0;
  const ColumnTable sound = people.table();
  const auto outcome = release_table(job.dump(), &sound);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->charged.empty());
  EXPECT_TRUE(outcome->document.ledger.has_value());
  EXPECT_TRUE(ledger_problems(file, {(folder / "one").string()}).value().empty());
  job["out"] = {{"folder", (folder / "two").string()}};
  EXPECT_FALSE(release_table(job.dump(), &sound));  // 1 + 1 + 1 > 1.5^2
  std::filesystem::remove_all(folder);
}

/// Cells that are counted with noise are jobs like others.
TEST(TableRelease, BoundsAndScoresAreJobs) {
  const People people;
  const ColumnTable table = people.table();
  const Json request = {{"budget", {{"mu", 1.0}}}};
  const auto bounds =
      release_table(Json{{"request", request}, {"bounds", {{"outer", {0, 20}}}}}.dump(), &table);
  ASSERT_TRUE(bounds) << bounds.error().message;
  EXPECT_EQ(bounds->document.task, "bounds");
  EXPECT_TRUE(bounds->document.is_private());
  EXPECT_EQ(bounds->document.tables.front().row_names, (std::vector<std::string>{"a", "b"}));

  const std::string folder = testing::TempDir() + "eigenveil-axes";
  Json axes = {{"request", {{"budget", {{"mu", 1.0}}}, {"components", 2}}},
               {"table", {{"range", {0, 10}}}},
               {"anyway", true},
               {"out", {{"folder", folder}, {"replace", true}}}};
  ASSERT_TRUE(release_table(axes.dump(), &table));
  Json picture = {{"request", request}, {"scores", {{"on", folder}, {"cells", 4}}}};
  const auto scores = release_table(picture.dump(), &table);
  ASSERT_TRUE(scores) << scores.error().message;
  EXPECT_EQ(scores->document.task, "scores");
  EXPECT_EQ(scores->document.tables.front().values.rows(), 4);
  EXPECT_EQ(scores->document.builds_on.size(), 1U);

  picture["scores"].erase("on");
  picture["rows"] = 300;
  const auto planned = plan_table(picture.dump());
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_EQ(Json::parse(*planned).at("facts").at("task"), "scores");

  const std::pair<const char*, const char*> wrong[] = {
      {R"({"request": {"components": 2}})", "{components}"},
      {R"({"request": {"method": "gauss"}})", "{method}"},
      {R"({"anyway": true})", "{anyway}"},
      {R"({"same_data": "yes"})", "{same_data}"},
      {R"({"bounds": {"outside": 0.1}})", "{bounds}"},
      {R"({"scores": {"axes": [1]}})", "{axes}"},
      {R"({"scores": {"axes": [1.5, 2]}})", "{axes}"},
      {R"({"scores": {"cells": 1}})", "{cells}"},
      {R"({"scores": {"label": {"a": "x"}}})", "{label}"},
      {R"({"scores": {"labels": "file.csv"}})", "{label COLUMN=A|B|C}"},
      {R"({"scores": {"celss": 3}})", "cells"},
      {R"({"table": {"columns": ["a"]}})", "columns"},
      {R"({"table": {"range": [0, 10]}})", "columns"}};
  for (const auto& [patch, named] : wrong) {
    Json job = {{"request", request}, {"scores", {{"on", folder}}}};
    job.merge_patch(Json::parse(patch));
    const auto refused = release_table(job.dump(), &table);
    ASSERT_FALSE(refused) << patch;
    EXPECT_NE(refused.error().message.find(named), std::string::npos)
        << patch << ": " << refused.error().message;
  }
}

TEST(TableRelease, EstimatesComeFromADocument) {
  const People people;
  const ColumnTable table = people.table();
  Json job = covariance_job();
  job["request"]["center"] = "private";
  job["request"]["budget"] = {{"mu", 1000.0}};
  const auto outcome = release_table(job.dump(), &table);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto answer = estimate_from(
      outcome->document, "",
      R"({"estimate": "regression", "response": "b", "predictors": ["intercept", "a"]})");
  ASSERT_TRUE(answer) << answer.error().message;
  const Json fit = Json::parse(*answer);
  for (std::size_t i = 0; i < 2; ++i) {
    const double se = fit.at("standard_errors")[i].get<double>();
    EXPECT_NEAR(fit.at("covariance")[i][i].get<double>(), se * se, 1e-9 * se * se);
  }
  EXPECT_FALSE(estimate_from(outcome->document, "", "{}"));
  EXPECT_FALSE(
      estimate_from(outcome->document, "",
                    R"({"estimate": "regression", "response": "z", "predictors": ["a"]})"));
}

}  // namespace
}  // namespace eigenveil::test::table_release_test
