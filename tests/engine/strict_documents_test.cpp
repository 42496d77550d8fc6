// Documents at the engine's door: what is wrong is named in one sentence, and nothing is converted.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "eigenveil/engine/release.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::test::strict_documents_test {
namespace {

using Json = nlohmann::ordered_json;

Json sound_job() {
  return Json::parse(R"({"request": {"task": "pca", "components": 2,
      "budget": {"epsilon": 1.0, "delta": 1e-6}}, "table": {"range": [0, 1], "grid": 1000}})");
}

/// A job with a JSON patch merged in, and what the refusal must name.
struct BadDocument {
  const char* patch;
  const char* named;
};

const BadDocument kBad[] = {
    {R"({"table": {"grid": 2.9}})", "{grid}"},
    {R"({"table": {"grid": 0}})", "{grid}"},
    {R"({"table": {"grid": 16777217}})", "{grid}"},
    {R"({"table": {"range": [2, 1]}})", "{range}"},
    {R"({"table": {"range": [1, 1]}})", "{range}"},
    {R"({"table": {"bounds": {"a": [2, 1]}}})", "{bounds}"},
    {R"({"request": {"rank_transform": true}})", "{rank_transform}"},
    {R"({"request": {"arrives_centred": true}})", "{allele_frequencies}"},
    {R"({"request": {"center": "public"}})", "{center}"},
    {R"({"compare": true})", "{compare}"},
    {R"({"table": {"grid": "1000"}})", "{grid}"},
    {R"({"table": {"grid": 18446744073709551617}})", "{grid}"},
    {R"({"table": {"gird": 3}})", "did you mean grid?"},
    {R"({"table": {"range": [0]}})", "{range}"},
    {R"({"table": {"range": [0, 1, 2]}})", "{range}"},
    {R"({"table": {"range": [0, "1"]}})", "{range}"},
    {R"({"table": {"bounds": [1, 2]}})", "{bounds}"},
    {R"({"table": {"bounds": {"x": 3}}})", "{bounds}"},
    {R"({"table": {"missing": "refused"}})", "did you mean refuse?"},
    {R"({"table": {"bad_cell": true}})", "{bad_cell}"},
    {R"({"table": {"row_norm": -1}})", "{row_norm}"},
    {R"({"table": {"row_norm": true}})", "{row_norm}"},
    {R"({"table": {"center": {"x": "0"}}})", "{center}"},
    {R"({"table": {"one_hot": {"x": "a"}}})", "{one_hot}"},
    {R"({"table": {"one_hot": ["x"]}})", "{one_hot}"},
    {R"({"table": {"columns": "x"}})", "{columns}"},
    {R"({"table": {"columns": [1]}})", "{columns}"},
    {R"({"table": {"rank_transform": 1}})", "{rank_transform}"},
    {R"({"table": {"rows_per_person": 4294967297}})", "{rows_per_person}"},
    {R"({"table": {"weight_bound": "2"}})", "{weight_bound}"},
    {R"({"table": {"noisy_count": true}})", "{noisy_count}"},
    {R"({"checksums": ["abc"]})", "{checksums}"},
    {R"({"threads": 5000})", "{threads}"},
    {R"({"table": {"allele_frequencies": {"x": 0.5}}})", "{allele_frequencies}"},
    {R"({"table": {"allele_frequencies": [{"column": "x"}]}})", "{allele_frequencies}"},
    {R"({"table": {"project": {"columns": ["x"], "counted_alleles": [], "directions": 2,
        "values": [1, 2, 3]}}})",
     "{project}"},
    {R"({"table": {"project": [1]}})", "{project}"},
    {R"({"request": {"budget": {"epsilon": "1", "delta": 1e-6}}})", "{epsilon}"},
    {R"({"request": {"budget": {"epsilom": 1}}})", "did you mean epsilon?"},
    {R"({"request": {"budget": {"mu": 1}}})", "do not go together"},
    {R"({"request": {"budget": 1}})", "{budget}"},
    {R"({"request": {"components": 2.5}})", "{components}"},
    {R"({"request": {"components": "2"}})", "{components}"},
    {R"({"request": {"group_size": true}})", "{group_size}"},
    {R"({"request": {"units": "metres"}})", "{units}"},
    {R"({"request": {"center": "privat"}})", "did you mean private?"},
    {R"({"request": {"task": 3}})", "task"},
    {R"({"request": {"neighbours": []}})", "{neighbours}"},
    {R"({"request": {"method": 1}})", "{method}"},
    {R"({"request": {"methud": "gauss"}})", "did you mean method?"},
    {R"({"request": {"options": []}})", "{options}"},
    {R"({"request": {"options": {"calibration": {}}}})", "{calibration}"},
    {R"({"request": {"options": {"calibration": "rubbish"}}})", "{calibration}"},
    {R"({"request": {"options": {"calibration": 18446744073709551615}}})", "{calibration}"},
    {R"({"request": 7})", "{request}"},
    {R"({"table": 7})", "table"},
    {R"({"format": {"headr": "auto"}})", "did you mean header?"},
    {R"({"format": {"width": 1.5}})", "{width}"},
    {R"({"format": 1})", "{format}"},
    {R"({"out": {"arrays": "np"}})", "did you mean npy?"},
    {R"({"out": {"folder": 3}})", "{folder}"},
    {R"({"out": {"replace": "yes"}})", "{replace}"},
    {R"({"rows": -1})", "{rows}"},
    {R"({"rows": 1e300})", "{rows}"},
    {R"({"threads": 0})", "{threads}"},
    {R"({"seed": -1})", "{seed}"},
    {R"({"seed": 1.5})", "{seed}"},
    {R"({"anyway": "yes"})", "{anyway}"},
    {R"({"spectrum": [1, "2"]})", "{spectrum}"},
    {R"({"date": "a\nb"})", "{date}"},
    {R"({"same_data": "maybe"})", "{same_data}"},
    {R"({"private_files": []})", "{private_files}"},
    {R"({"private_files": {"diagnostic": 1}})", "{diagnostic}"},
    {R"({"ledgr": "x"})", "did you mean ledger?"},
};

TEST(StrictDocuments, ASoundJobIsRead) {
  const Result<ReleaseJob> job = release_job(sound_job().dump(), false);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->table.grid, 1000);
  EXPECT_EQ(job->request.components, 2);
}

TEST(StrictDocuments, WhatIsWrongIsNamed) {
  for (const BadDocument& bad : kBad) {
    Json json = sound_job();
    const Json patch = Json::parse(bad.patch);
    for (const auto& [key, value] : patch.items()) {
      value.is_object() && json.contains(key) ? json[key].merge_patch(value)
                                              : void(json[key] = value);
    }
    const Result<ReleaseJob> job = release_job(json.dump(), false);
    ASSERT_FALSE(job) << bad.patch;
    EXPECT_NE(job.error().message.find(bad.named), std::string::npos)
        << bad.patch << ": " << job.error().message;
    EXPECT_EQ(job.error().code, ErrorCode::BadRequest);
    EXPECT_EQ(job.error().message.find('\n'), std::string::npos);
  }
}

/// Readers differ in which of two fields they take.
TEST(StrictDocuments, AFieldThatStandsTwiceIsRefused) {
  const std::string sound = sound_job().dump();
  ASSERT_TRUE(release_job(sound, false));
  for (const auto& [field, again] :
       {std::pair(R"("request":{)", R"("seed":1,"seed":2,"request":{)"),
        std::pair(R"("task":"pca")", R"("task":"covariance","task":"pca")"),
        std::pair(R"("task":"pca")", R"("t\u0061sk":"covariance","task":"pca")"),
        std::pair(R"("epsilon":1.0)", R"("epsilon":9,"epsilon":1.0)")}) {
    std::string repeated = sound;
    const std::size_t at = repeated.find(field);
    ASSERT_NE(at, std::string::npos) << field << sound;
    repeated.replace(at, std::string(field).size(), again);
    EXPECT_FALSE(release_job(repeated, false)) << repeated;
  }
  EXPECT_FALSE(repeats_a_field(R"([{"a":1},{"a":1,"b":{"a":2}},"a"])"));
  EXPECT_TRUE(repeats_a_field(R"([{"a":1,"b":{"c":[{"d":1,"d":1}]}}])"));
  EXPECT_FALSE(repeats_a_field(R"({"a":1,"a)")) << "no JSON at all is refused elsewhere";
}

/// What a program in C++ sets is held against the same specs.
TEST(StrictDocuments, OptionsOfCppCallersAreChecked) {
  const auto refusal = [](const std::string& method, const std::string& name,
                          const OptionValue& value) {
    Request request;
    request.method = method;
    request.budget = ApproxDp{1.0, 1e-6};
    request.options.set(name, value);
    const auto planned =
        plan(request, {Schema::numbered(3), *RowBound::row_norm(3, 2.0), std::int64_t{1000}});
    return planned ? std::string() : planned.error().message;
  };
  EXPECT_EQ(refusal("gauss", "correlation", true), "");
  EXPECT_NE(refusal("gauss", "correlation", std::string("yes")).find("{correlation}"),
            std::string::npos);
  EXPECT_NE(refusal("sharp", "calibration", std::string("rubbish")).find("{calibration}"),
            std::string::npos);
  EXPECT_NE(refusal("sharp", "calibration", 1.0).find("{calibration}"), std::string::npos);
  EXPECT_NE(refusal("sharp", "beta", std::int64_t{1}).find("{beta}"), std::string::npos);
  EXPECT_NE(refusal("sharp", "beta", NAN).find("{beta}"), std::string::npos);
  EXPECT_NE(refusal("sharp", "variance_share", 1.0).find("{variance_share}"), std::string::npos);
  EXPECT_NE(refusal("sharp", "data_spectrum", std::vector<double>{1.0, 2.0}).find("largest"),
            std::string::npos);
  EXPECT_NE(refusal("gauss", "complex_rows", true).find("belongs to method orbit"),
            std::string::npos);
  EXPECT_NE(refusal("gauss", "correlatoin", true).find("did you mean correlation?"),
            std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::strict_documents_test
