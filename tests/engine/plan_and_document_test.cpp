// What a plan says and what a document states are the same numbers, for every method.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eigenveil/engine/release.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/method_samples.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::plan_and_document_test {
namespace {

using method_samples::request_for;
using method_samples::samples;

TEST(PlanAndDocument, SayTheSameOfTheBoundAndTheGuarantee) {
  const auto columns = static_cast<std::size_t>(method_samples::kColumns);
  std::size_t compared = 0;
  for (const auto& [name, sample] : samples()) {
    const std::size_t slash = name.find('/');
    const Request request = request_for(name.substr(0, slash), name.substr(slash + 1), sample);
    if (name.ends_with("/spiked") || request.task == Task::Subspace) {
      continue;  // their bound is that of a model, or none
    }
    // In original units the longest row has another length than in the scaled ones.
    const RowBound bound = *RowBound::ranges(std::vector<ColumnRange>(columns, {0.0, 10.0}));
    AssumedTable assumed;
    assumed.schema = Schema::numbered(columns);
    assumed.rows = sample.rows;
    assumed.bound = [&](const auto&) { return Result<RowBound>(bound); };
    const auto facts = outlook(request, assumed);
    ASSERT_TRUE(facts) << name << ": " << facts.error().message;
    const auto made = plan(request, {assumed.schema, bound, sample.rows});
    ASSERT_TRUE(made) << name << ": " << made.error().message;
    Matrix rows = Matrix::Constant(sample.rows, method_samples::kColumns, 4.0);
    rows.topRows(sample.rows / 2).setConstant(6.0);
    RandomStream stream = RandomStream::seeded(seed_for(name));
    const auto document = release(**made, rows, stream);
    ASSERT_TRUE(document) << name << ": " << document.error().message;

    // What it would have been, with its condition, as the plan says it.
    const std::string stated = headline(document->guarantee, document->requested);
    const auto json = nlohmann::json::parse(facts->json);
    const auto planned = json.at("guarantee").get<std::string>();
    const std::string loss = planned.substr(0, planned.find(';'));
    EXPECT_NE(stated.find(loss), std::string::npos) << name << ": " << stated << "\n" << planned;
    if (!condition_of(document->guarantee.would_be).empty()) {
      EXPECT_NE(stated.find(planned), std::string::npos) << name << ": " << stated;
    }
    const auto* norm = field<double>(document->parameters, "row_norm");
    if (json.contains("row_norm") && norm != nullptr) {
      ++compared;
      EXPECT_DOUBLE_EQ(json.at("row_norm").get<double>(), *norm) << name;
    }
  }
  EXPECT_GT(compared, 12U);
}

}  // namespace
}  // namespace eigenveil::test::plan_and_document_test
