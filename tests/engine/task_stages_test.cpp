// Every stage of a table, for every task and method: it does something, or it is refused by its
// name before a row is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/engine/table_release.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "engine/method_samples.hpp"

namespace eigenveil::test::task_stages_test {
namespace {

using namespace method_samples;  // NOLINT(google-build-using-namespace): requests by name
using Json = nlohmann::ordered_json;

/// Points near a line with a column of people and one of weights beside them. The second cell may
/// be missing, and a poisoned table ends the run where a row is read.
class People {
 public:
  explicit People(std::size_t rows) : cells_(kColumns + 2, std::vector<double>(rows)) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        cells_[j][i] = static_cast<double>((1 + j) * (1 + i % 3));
      }
      cells_[kColumns][i] = static_cast<double>(i / 2);
      cells_[kColumns + 1][i] = 1.0 + static_cast<double>(i % 2);
    }
    cells_[1][1] = std::numeric_limits<double>::quiet_NaN();
  }
  void poison() { cells_[0][0] = std::numeric_limits<double>::infinity(); }
  ColumnTable table() const {
    ColumnTable table;
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      const std::string name = j < kColumns    ? "c" + std::to_string(j + 1)
                               : j == kColumns ? "who"
                                               : "weight";
      table.columns.push_back({name, std::span<const double>(cells_[j])});
    }
    table.rows = cells_.front().size();
    return table;
  }

 private:
  std::vector<std::vector<double>> cells_;
};

Json plain_job(const std::string& task, const std::string& method, const Sample& sample) {
  Request request = request_for(task, method, sample);
  const bool subtracts = (*choose_method(request))->info().subtracts_mean;
  request.center =
      subtracts ? CenterChoice::None : CenterChoice::Unsaid;  // not what is the default
  request.components_given = request.takes_rank();
  Json job = {{"request", Json::parse(to_json(request))},
              {"table", {{"columns", {"c1", "c2", "c3", "c4"}}}},
              {"seed", 1}};
  if (has_bound(request.task)) {
    job["table"]["row_norm"] = sample.radius;
  }
  return job;
}

struct Stage {
  std::string name;  ///< in a refusal
  std::function<void(Json& job)> add;
};

const std::vector<Stage>& stages() {
  const auto table = [](const std::string& name, const Json& value) {
    return Stage{name, [=](Json& job) { job["table"][name] = value; }};
  };
  const auto instead_of_norm = [](Json& job) { job["table"].erase("row_norm"); };
  static const std::vector<Stage> all = {
      table("columns", {"c1", "c2", "c3"}),
      table("exclude", {"c4"}),
      table("missing", "refuse"),
      {"bad_cell", [](Json& job) { job["table"]["bad_cell"] = "midpoint"; }},
      {"missing", [](Json& job) { job["table"]["missing"] = "pairwise"; }},
      {"one_hot",
       [](Json& job) {
         job["table"]["one_hot"] = {{"c4", {"4", "8"}}};
       }},
      table("range", {-20, 20}),
      {"bounds",
       [](Json& job) {
         for (const char* column : {"c1", "c2", "c3", "c4"}) {
           job["table"]["bounds"][column] = {-20, 20};
         }
       }},
      table("row_norm", 1.5),
      table("grid", 1000),
      {"center",
       [](Json& job) {
         job["table"]["center"] = {{"c1", 1}, {"c2", 2}, {"c3", 3}, {"c4", 4}};
       }},
      {"center", [](Json& job) { job["request"]["center"] = "private"; }},
      {"center", [](Json& job) { job["request"]["center"] = "public"; }},
      {"allele_frequencies",
       [=](Json& job) {
         for (const char* column : {"c1", "c2", "c3", "c4"}) {
           job["table"]["allele_frequencies"].push_back({{"column", column}, {"frequency", 0.3}});
         }
       }},
      {"rank_transform",
       [=](Json& job) {
         instead_of_norm(job);
         job["table"]["rank_transform"] = true;
       }},
      {"rank_transform", [](Json& job) { job["request"]["rank_transform"] = true; }},
      {"project",
       [=](Json& job) {
         instead_of_norm(job);
         job["table"]["project"] = {{"columns", {"c1", "c2", "c3", "c4"}},
                                    {"directions", 2},
                                    {"values", {1, 0, 0, 0, 0, 1, 0, 0}}};
         job["table"]["projected_norm"] = 2;
       }},
      table("projected_norm", 2),
      {"normalise_rows",
       [=](Json& job) {
         instead_of_norm(job);
         job["table"]["normalise_rows"] = true;
       }},
      {"units",
       [](Json& job) {
         job["request"]["units"] = "scaled";
         if (job["table"].contains("row_norm")) {
           job["table"]["range"] = {-20, 20};
         }
       }},
      {"person",
       [](Json& job) {
         job["table"]["person"] = "who";
         job["table"]["rows_per_person"] = 2;
       }},
      table("rows_per_person", 2),
      {"weights",
       [](Json& job) {
         job["table"]["weights"] = "weight";
         job["table"]["weight_bound"] = 2;
       }},
      table("weight_bound", 2),
      {"components", [](Json& job) { job["request"]["components"] = 2; }}};
  return all;
}

/// What came of it: an error, or all that is published but for the words of the request.
struct Outcome {
  std::optional<Error> error;
  std::string released;
};

Outcome outcome_of(const Json& job, const ColumnTable& table) {
  const Result<TableOutcome> made = release_table(job.dump(), &table);
  if (!made) {
    return {made.error(), {}};
  }
  ReleaseDocument document = made->document;
  document.request.clear();
  std::string all;
  for (const ReleaseFile& file : release_files(document, TableFormat::Csv)) {
    all += file.bytes;
  }
  return {{}, all};
}

/// Methods that plan with the number of rows: they count before they can refuse.
bool counts_rows_first(const std::string& what) {
  return std::any_of(methods().begin(), methods().end(), [&](const Method* method) {
    return method->info().needs_row_count &&
           what.find("/" + method->info().name + " ") != std::string::npos;
  });
}

/// A bound of any kind may be what a refusal names in the end.
bool is_about(const Error& error, const std::string& stage) {
  const bool bounds = stage == "units" || stage == "project" || stage == "normalise_rows";
  return error.parameter == stage || error.message.find("{" + stage) != std::string::npos ||
         (bounds && error.parameter == "row_norm");
}

/// `before`: what came of the job without the stage.
void check(const std::string& what, const Json& plain, const Outcome& before, const Stage& stage,
           std::size_t rows) {
  People people(rows);
  Json job = plain;
  stage.add(job);
  if (stage.name == "bad_cell") {  // shows where there is one
    people.poison();
  }
  const Outcome after = outcome_of(job, people.table());
  if (stage.name == "bad_cell" && !after.error) {
    EXPECT_TRUE(outcome_of(plain, people.table()).error) << what << "passed over";
    return;
  }
  if (!after.error) {
    EXPECT_TRUE(after.released != before.released || job == plain) << what << "passed over";
    return;
  }
  if (stage.name == "missing" && job["table"]["missing"] == "refuse") {
    return;  // the missing cell was found
  }
  EXPECT_TRUE(is_about(*after.error, stage.name)) << what << after.error->message;
  if (counts_rows_first(what)) {
    return;
  }
  people.poison();
  const Outcome unread = outcome_of(job, people.table());
  ASSERT_TRUE(unread.error) << what;
  EXPECT_EQ(unread.error->message, after.error->message) << what << "rows were read before";
}

TEST(TaskStages, DoSomethingOrAreRefused) {
  std::size_t checked = 0;
  std::string last;
  for (const auto& [name, sample] : samples()) {
    if (name == last) {
      continue;
    }
    last = name;
    const std::size_t cut = name.find('/');
    const std::string task = name.substr(0, cut);
    const std::string method = name.substr(cut + 1);
    const Json plain = plain_job(task, method, sample);
    const auto rows = static_cast<std::size_t>(sample.rows);
    const Outcome before = outcome_of(plain, People(rows).table());
    ASSERT_FALSE(before.error) << name << before.error->message;
    for (const Stage& stage : stages()) {
      check(name + " with " + stage.name + ": ", plain, before, stage, rows);
      ++checked;
    }
  }
  std::size_t pairs = 0;
  for (const Method* method : methods()) {
    pairs += method->info().tasks.size();
  }
  EXPECT_EQ(checked, pairs * stages().size());
}

/// What the test above looks for can be seen: two jobs that say the same publish the same.
TEST(TaskStages, AStageThatIsPassedOverWouldShow) {
  const auto found = samples().find("pca/gauss");
  const Json job = plain_job("pca", "gauss", found->second);
  const People people(400);
  const Outcome one = outcome_of(job, people.table());
  ASSERT_FALSE(one.error) << one.error->message;
  EXPECT_EQ(one.released, outcome_of(job, people.table()).released);
}

}  // namespace
}  // namespace eigenveil::test::task_stages_test
