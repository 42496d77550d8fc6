// What was written comes back: documents of this format and of the one before.
#include "eigenveil/report/read_release.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "report/json_guarantee.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::read_release_test {
namespace {

namespace fs = std::filesystem;

class ReadReleases : public testing::Test {
 protected:
  fs::path folder_ =
      fs::temp_directory_path() / ("eigenveil-read-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
};

const fs::path kGolden = fs::path(source_directory()) / "tests/report/golden/format1";

ReleaseDocument full_document() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ReleaseDocument document;
  document.task = "pca";
  document.method = "gauss";
  document.guarantee = {
      Relation::ReplaceOne, GaussianDp{0.25}, Basis::Proved, {"a promise"}, true, 2};
  document.requested = ApproxDp{1.0, 1e-6};
  document.parameters = {{"neighbours", std::string("replace-one")},
                         {"group_size", std::int64_t{2}},
                         {"columns", std::vector<std::string>{"a", "b,\"c\""}},
                         {"row_norm", 0.1},
                         {"intercept", true}};
  document.result = {{"rows", 12.0},
                     {"share", std::vector<double>{0.5, kNone}},
                     {"below_noise", std::vector<std::string>{}}};
  Matrix values(2, 3);
  values << 1.0 / 3.0, -0.0, 1e300, kNone, 5e-324, 2.0;
  document.tables = {
      {"loadings", "text", "column", {"a", "b,\"c\""}, {"PC1", "PC2", "x\ny"}, values, {"A", "T"}}};
  document.request = R"({"request":1,"task":"pca"})";
  document.ledger = LedgerEntry{"institute", 7, "ab12"};
  document.builds_on = {"cd34"};
  document.data_set = "survey 2026";
  document.date = "2026-11-17";
  return document;
}

void expect_same(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a.data()[i] == b.data()[i] || (std::isnan(a.data()[i]) && std::isnan(b.data()[i])))
        << i;
  }
}

TEST_F(ReadReleases, WhatWasWrittenComesBack) {
  const ReleaseDocument written = full_document();
  for (const TableFormat format : {TableFormat::Csv, TableFormat::Npy}) {
    ASSERT_TRUE(write_release(written, format, folder_, Existing::Replace));
    const Result<ReadRelease> read = read_release(folder_);
    ASSERT_TRUE(read) << read.error().message;
    const ReleaseDocument& found = read->document;
    EXPECT_EQ(read->format, kReleaseFormat);
    EXPECT_EQ(read->folder, folder_);
    expect_same(found.tables.at(0).values, written.tables[0].values);
    EXPECT_EQ(found.tables[0].corner, "column");
    EXPECT_EQ(std::get<ApproxDp>(found.requested).delta, 1e-6);
    EXPECT_EQ(found.ledger->index, 7);
    // Fields that are no number are written as null: compare what would be written again.
    EXPECT_EQ(release_files(found, format).front().bytes,
              release_files(written, format).front().bytes);
  }
}

TEST_F(ReadReleases, FormatOneIsRead) {
  const Result<ReadRelease> covariance = read_release(kGolden / "covariance");
  ASSERT_TRUE(covariance) << covariance.error().message;
  EXPECT_EQ(covariance->format, 1);
  EXPECT_EQ(std::get<ApproxDp>(covariance->document.requested).epsilon, 1.0);
  EXPECT_EQ(covariance->document.guarantee.relation, Relation::ReplaceOne);
  EXPECT_EQ(*field<double>(covariance->document.result, "rows"), 400.0);
  EXPECT_EQ(covariance->document.tables.at(1).name, "covariance_raw");
  EXPECT_EQ(covariance->document.tables[1].corner, "column");
  EXPECT_EQ(covariance->document.tables[1].values.rows(), 2);
  EXPECT_TRUE(covariance->document.request.empty());

  const Result<ReadRelease> seeded = read_release(kGolden / "seeded/release.NOT-PRIVATE.json");
  ASSERT_TRUE(seeded) << seeded.error().message;
  EXPECT_FALSE(seeded->document.is_private());
  EXPECT_EQ(seeded->document.guarantee.would_be, Basis::Proved);
  EXPECT_TRUE(std::holds_alternative<PureDp>(seeded->document.requested));
  EXPECT_EQ(seeded->document.tables.at(0).name, "loadings");
  EXPECT_NEAR(seeded->document.tables[0].values.col(0).norm(), 1.0, 1e-9);
}

/// A document with another format and a checksum that fits.
void rewrite(const fs::path& path, const std::function<void(Json&)>& change) {
  std::ifstream file(path);
  Json json = Json::parse(file);
  change(json);
  json.erase("checksum");
  json["checksum"] = hex(sha256(json.dump()));
  std::ofstream(path) << json.dump(2);
}

TEST_F(ReadReleases, WhatCannotBeReadIsRefused) {
  const auto refusal = [&](const std::function<void(Json&)>& change) {
    EXPECT_TRUE(write_release(full_document(), TableFormat::Csv, folder_, Existing::Replace));
    rewrite(folder_ / "release.json", change);
    const Result<ReadRelease> read = read_release(folder_);
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(refusal([](Json&) {}), "");
  EXPECT_NE(refusal([](Json& json) { json["format"] = 3; }).find("later version"),
            std::string::npos);
  EXPECT_NE(refusal([](Json& json) {
              json["result"]["arrays"][0]["shape"][0] = 3;
            }).find("another shape"),
            std::string::npos);
  EXPECT_NE(refusal([](Json& json) { json["parameters"]["group_size"] = 1; }).find("contradicts"),
            std::string::npos);
  EXPECT_NE(refusal([](Json& json) { json["requested"]["epsilon"] = -1; }).find("contradicts"),
            std::string::npos);
  const std::pair<const char*, std::function<void(Json&)>> contradictions[] = {
      {"a smaller loss than the power says",
       [](Json& json) { json["guarantee"]["loss"]["mu"] = 0.001; }},
      {"a smaller power", [](Json& json) { json["guarantee"]["max_power_at_5pct"] = 0.05; }},
      {"true for one", [](Json& json) { json["guarantee"]["loss"]["epsilon"] = true; }},
      {"another pair beside the loss",
       [](Json& json) { json["guarantee"]["loss"]["epsilon"] = 0.5; }},
      {"a budget that is not the one asked for",
       [](Json& json) { json["requested"]["epsilon"] = 0.5; }},
      {"a parameter", [](Json& json) { json["parameters"]["epsilon"] = 0.5; }},
      {"other neighbours", [](Json& json) { json["parameters"]["neighbours"] = "zero-row"; }},
      {"a person", [](Json& json) { json["parameters"]["person"] = "a"; }},
      {"nobody's person", [](Json& json) { json["guarantee"]["person"] = "a"; }},
      {"randomness", [](Json& json) { json["guarantee"]["secure_random"] = false; }},
      {"secure randomness that is not private",
       [](Json& json) {
         json["guarantee"]["would_be"] = json["guarantee"];
         json["guarantee"]["basis"] = "not-private";
         json["guarantee"]["loss"] = nullptr;
       }},
      {"a private release with a condition",
       [](Json& json) { json["guarantee"]["would_be"] = json["guarantee"]; }},
      {"a seed", [](Json& json) { json["parameters"]["seed"] = 5; }},
      {"half a person", [](Json& json) { json["guarantee"]["group_size"] = 2.5; }},
      {"another request", [](Json& json) { json["request"]["task"] = "covariance"; }},
      {"another group in it", [](Json& json) { json["request"]["group_size"] = 1; }},
      {"more components", [](Json& json) { json["parameters"]["components"] = 2; }},
      {"fewer columns", [](Json& json) { json["parameters"]["columns"] = {"a"}; }},
      {"half a row", [](Json& json) { json["result"]["arrays"][0]["shape"][0] = 2.5; }},
      {"fewer names", [](Json& json) { json["result"]["arrays"][0]["columns"].erase(0); }},
      {"an array twice",
       [](Json& json) { json["result"]["arrays"].push_back(json["result"]["arrays"][0]); }},
      {"another method", [](Json& json) { json["request"]["method"] = "wishart"; }},
      {"a stronger sentence",
       [](Json& json) { json["guarantee"]["statement"] = "(0.001, 0)-DP; proved"; }},
      {"other words", [](Json& json) { json["guarantee"]["in_words"] = "nobody can be detected"; }},
      {"a smaller power in words",
       [](Json& json) {
         auto& words = json["guarantee"]["in_words"].get_ref<std::string&>();
         words.replace(words.find("most ") + 5, 1, "0");
       }},
      {"no sentence", [](Json& json) { json["guarantee"].erase("statement"); }},
      {"nothing it rests on", [](Json& json) { json["guarantee"]["assumptions"] = Json::array(); }},
      {"a field of its own", [](Json& json) { json["certified"] = "yes"; }},
      {"a field of its own in the request", [](Json& json) { json["request"]["foo"] = 1; }},
      {"a column twice",
       [](Json& json) {
         json["parameters"]["columns"] = {"a", "a"};
       }},
      {"one variance for three components",
       [](Json& json) { json["result"]["noisy_explained_variance"] = {1.0}; }},
      {"variances that are none",
       [](Json& json) { json["result"]["noisy_explained_variance"] = "many"; }},
      {"the first format", [](Json& json) { json["format"] = 1; }}};
  for (const auto& [what, change] : contradictions) {
    const std::string said = refusal(change);
    EXPECT_NE(said.find("contradicts itself"), std::string::npos) << what << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << what;
  }
  const auto of_another_version = [](const std::function<void(Json&)>& change) {
    return [change](Json& json) {
      json["eigenveil"] = "0.3.0";
      change(json);
    };
  };
  EXPECT_EQ(refusal(of_another_version([](Json& json) {
              json["later"] = 1;
              json["guarantee"]["in_words"] = "said otherwise";
            })),
            "");
  EXPECT_NE(refusal([](Json& json) { json.erase("method"); }).find("not a release document"),
            std::string::npos);
  EXPECT_NE(refusal([](Json& json) {
              json["parameters"]["deep"] = Json::object({{"a", 1}});
            }).find("not a release document"),
            std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::read_release_test
