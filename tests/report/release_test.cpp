#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "eigenveil/report/release_writer.hpp"
#include "report/explain.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil::test::release_test {
namespace {

namespace fs = std::filesystem;

class ReleaseFiles : public testing::Test {
 protected:
  fs::path folder_ =
      fs::temp_directory_path() / ("eigenveil-report-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
};

Guarantee guarantee_with(Loss loss, Basis basis = Basis::Proved) {
  return {
      Relation::ReplaceOne, std::move(loss), basis, {"random bits"}, basis != Basis::NotPrivate, 3};
}

/// Every kind of loss the contract of release.json names.
std::vector<Guarantee> every_kind() {
  std::vector<Guarantee> all = {
      guarantee_with(PureDp{0.7}),
      guarantee_with(ApproxDp{1.0, 1e-6}),
      guarantee_with(Zcdp{0.3}),
      guarantee_with(GaussianDp{1.5}),
      guarantee_with(GaussianDp{1.5}, Basis::Asymptotic),
      guarantee_with(RenyiCurve{{2.0, 4.0}, {0.5, 1.25}}, Basis::ProvedRealArithmetic),
      guarantee_with(TradeOffCurve{{0.0, 0.25, 1.0}, {0.9, 0.5, 0.0}}, Basis::ModelProbability)};
  all[5].assumptions = {"doubles behave like real numbers"};
  const std::size_t kinds = all.size();
  for (std::size_t i = 0; i < kinds; ++i) {
    Guarantee seeded = all[i];
    seeded.basis = Basis::NotPrivate;
    seeded.secure_random = false;
    all.push_back(seeded);
  }
  return all;
}

ReleaseDocument document_with(const Guarantee& guarantee, Budget requested = GaussianDp{1.0}) {
  const ReleasedTable table{"loadings", "text",         "column",
                            {"a", "b"}, {"PC1", "PC2"}, Matrix::Identity(2, 2)};
  return {"pca", "gauss", guarantee, requested, {{"k", std::int64_t{2}}}, {{"x", 0.5}}, {table}};
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(GuaranteeJson, EveryKindOfLossSurvivesTheRoundTrip) {
  for (const Guarantee& guarantee : every_kind()) {
    const Json json = guarantee_to_json(guarantee, GaussianDp{1.0});
    const Result<Guarantee> back = guarantee_from_json(Json::parse(json.dump()));
    ASSERT_TRUE(back) << json.dump();
    EXPECT_EQ(back->loss.index(), guarantee.loss.index());
    EXPECT_EQ(in_words(*back), in_words(guarantee));
    if (guarantee.basis != Basis::Asymptotic) {  // a seeded AGDP states its would-be as GDP
      EXPECT_EQ(guarantee_to_json(*back, GaussianDp{1.0}), json);
    }
  }
}

TEST(GuaranteeJson, KindsCarryTheNamesOfTheContract) {
  std::vector<std::string> kinds;
  for (const Guarantee& guarantee : every_kind()) {
    const Json json = guarantee_to_json(guarantee, GaussianDp{1.0});
    const bool is_private = guarantee.basis != Basis::NotPrivate;
    EXPECT_EQ(json.at("loss").is_null(), !is_private);
    EXPECT_EQ(json.contains("would_be"), !is_private);
    const bool unconditional = condition_of(guarantee.basis).empty();
    EXPECT_EQ(json.contains("max_power_at_5pct"), unconditional) << json.dump();
    EXPECT_EQ(json.at(stated_power(guarantee).field) == 1.0, !is_private);
    if (is_private) {
      kinds.push_back(json.at("loss").at("kind"));
    }
  }
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"pure", "approx", "zcdp", "gdp", "agdp", "curve", "curve"}));
}

TEST(GuaranteeJson, TheRequestNeverReplacesTheLossThatWasProved) {
  const Json pure = guarantee_to_json(guarantee_with(PureDp{1.46}), ApproxDp{1.0, 0.3});
  EXPECT_EQ(pure.at("loss"), (Json{{"kind", "pure"}, {"epsilon", 1.46}}));
  const Json gdp = guarantee_to_json(guarantee_with(GaussianDp{0.2}), ApproxDp{1.0, 1e-6});
  EXPECT_EQ(gdp.at("loss"),
            (Json{{"kind", "gdp"}, {"mu", 0.2}, {"epsilon", 1.0}, {"delta", 1e-6}}));
  const Json zcdp = guarantee_to_json(guarantee_with(Zcdp{0.4}), Zcdp{0.5});
  EXPECT_EQ(zcdp.at("loss"), (Json{{"kind", "zcdp"}, {"rho", 0.4}}));
}

TEST(GuaranteeJson, UnknownKindsAreRefused) {
  Json json = guarantee_to_json(guarantee_with(PureDp{0.7}), PureDp{0.7});
  json["loss"]["kind"] = "magic";
  EXPECT_FALSE(guarantee_from_json(json));
  json["loss"]["kind"] = "pure";
  json["relation"] = "friends";
  EXPECT_FALSE(guarantee_from_json(json));
  json["relation"] = "add-remove";
  json["basis"] = "hoped";
  EXPECT_FALSE(guarantee_from_json(json));
}

TEST_F(ReleaseFiles, ExplainStatesTheGuaranteeOfEveryKind) {
  for (const Guarantee& guarantee : every_kind()) {
    ASSERT_TRUE(
        write_release(document_with(guarantee), TableFormat::Csv, folder_, Existing::Replace));
    const Result<std::string> text = explain_release(folder_);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_NE(text->find(in_words(guarantee)), std::string::npos) << *text;
    EXPECT_NE(text->find(detection_in_words(guarantee)), std::string::npos);
    EXPECT_NE(text->find("3 rows"), std::string::npos);
    for (const std::string& assumption : guarantee.assumptions) {
      EXPECT_NE(text->find(assumption), std::string::npos);
    }
  }
}

TEST_F(ReleaseFiles, SeveralReleasesAreAddedUp) {
  const auto written = [&](const char* name, const Guarantee& guarantee) {
    EXPECT_TRUE(write_release(document_with(guarantee), TableFormat::Csv, folder_ / name));
    return folder_ / name;
  };
  const fs::path a = written("a", guarantee_with(GaussianDp{3.0}));
  const fs::path b = written("b", guarantee_with(GaussianDp{4.0}));
  const Result<std::string> sum = explain_releases({a, b});
  ASSERT_TRUE(sum) << sum.error().message;
  EXPECT_NE(sum->find(in_words(guarantee_with(GaussianDp{5.0}))), std::string::npos) << *sum;
  EXPECT_NE(sum->find("budgets fixed beforehand"), std::string::npos);
  EXPECT_EQ(*explain_releases({a}), *explain_release(a));

  const auto refusal = [](const std::vector<fs::path>& releases) {
    const Result<std::string> text = explain_releases(releases);
    return text ? std::string() : text.error().message;
  };
  Guarantee other = guarantee_with(GaussianDp{1.0});
  other.relation = Relation::ZeroRow;
  EXPECT_NE(refusal({a, written("c", other)}).find("do not compose"), std::string::npos);
  EXPECT_NE(refusal({a, b, a}).find("named twice"), std::string::npos);
  const fs::path seeded = written("d", guarantee_with(PureDp{1.0}, Basis::NotPrivate));
  EXPECT_NE(refusal({a, seeded}).find("NOT PRIVATE"), std::string::npos);
  write(b / "loadings.csv", "changed");
  EXPECT_NE(refusal({a, b}).find("was changed"), std::string::npos);
}

TEST_F(ReleaseFiles, NamesSayWhatIsNotPrivate) {
  const auto names = [](const Guarantee& guarantee, TableFormat format) {
    std::vector<std::string> all;
    for (const ReleaseFile& file : release_files(document_with(guarantee), format)) {
      all.push_back(file.name);
    }
    return all;
  };
  using Names = std::vector<std::string>;
  const Guarantee sound = guarantee_with(PureDp{1.0});
  const Guarantee seeded = guarantee_with(PureDp{1.0}, Basis::NotPrivate);
  EXPECT_EQ(names(sound, TableFormat::Csv), (Names{"release.json", "loadings.csv", "report.html"}));
  EXPECT_EQ(
      names(seeded, TableFormat::Csv),
      (Names{"release.NOT-PRIVATE.json", "loadings.NOT-PRIVATE.csv", "report.NOT-PRIVATE.html"}));
  EXPECT_EQ(
      names(seeded, TableFormat::Npy),
      (Names{"release.NOT-PRIVATE.json", "loadings.NOT-PRIVATE.npy", "report.NOT-PRIVATE.html"}));
}

/// Each byte of the document that carries content is covered: changing any letter or digit is
/// noticed (or breaks the syntax, which is noticed as well).
TEST_F(ReleaseFiles, EveryChangedByteIsNoticed) {
  ASSERT_TRUE(write_release(document_with(guarantee_with(PureDp{0.7})), TableFormat::Csv, folder_));
  for (const char* name : {"release.json", "loadings.csv"}) {
    const std::string bytes = read(folder_ / name);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == ' ' || bytes[i] == '\n') {
        continue;  // white space of the document is not content
      }
      std::string changed = bytes;
      changed[i] = bytes[i] == '7' ? '8' : '7';
      write(folder_ / name, changed);
      EXPECT_FALSE(explain_release(folder_ / "release.json")) << name << " byte " << i;
    }
    write(folder_ / name, bytes);
    EXPECT_TRUE(explain_release(folder_ / "release.json"));
  }
}

TEST_F(ReleaseFiles, AMissingArrayIsAnInputError) {
  ASSERT_TRUE(write_release(document_with(guarantee_with(PureDp{0.7})), TableFormat::Csv, folder_));
  fs::remove(folder_ / "loadings.csv");
  const Result<std::string> text = explain_release(folder_);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::InputOutput);
}

TEST_F(ReleaseFiles, AnArrayOutsideOfTheFolderIsNotRead) {
  ReleaseDocument document = document_with(guarantee_with(PureDp{0.7}));
  ASSERT_TRUE(write_release(document, TableFormat::Csv, folder_));
  document.tables.front().name = "../loadings";
  write(folder_ / "release.json", release_files(document, TableFormat::Csv).front().bytes);
  const Result<std::string> text = explain_release(folder_);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("outside"), std::string::npos);
}

/// The JSON library recurses level by level: without a limit this would end the program.
TEST_F(ReleaseFiles, ADocumentOfEndlessNestingIsRefused) {
  ASSERT_TRUE(write_release(document_with(guarantee_with(PureDp{0.7})), TableFormat::Csv, folder_));
  constexpr std::size_t kDepth = 1000000;
  write(folder_ / "release.json", "{\"checksum\": \"\\\"[\", \"deep\": " +
                                      std::string(kDepth, '[') + std::string(kDepth, ']') + "}");
  const Result<std::string> text = explain_release(folder_);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("is not a release document"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::release_test
