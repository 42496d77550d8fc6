#include "report/kept_document.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "eigenveil/report/guarantee_text.hpp"
#include "eigenveil/report/release_writer.hpp"

namespace eigenveil::test::kept_document_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Guarantee claim() {
  return {Relation::ReplaceOne,
          GaussianDp{0.1},
          Basis::Asymptotic,
          {"rows are many"},
          true,
          3,
          Basis::NotPrivate,
          "who"};
}

ReleaseDocument everything() {
  ReleaseDocument document;
  document.task = "pca";
  document.method = "sharp";
  trusted::guarantee_of(document) = claim();
  document.requested = ApproxDp{1.0, 1e-6};
  document.parameters = {{"flag", true},
                         {"count", std::int64_t{3}},
                         {"share", 3.0},
                         {"word", std::string("a \"b\"\n")}};
  document.result = {{"none", std::nan("")},
                     {"numbers", std::vector<double>{0.1, kInfinity, -0.0, std::nan("")}},
                     {"no_numbers", std::vector<double>()},
                     {"no_words", std::vector<std::string>()},
                     {"words", std::vector<std::string>{"x"}}};
  document.tables = {{"loadings",
                      "directions",
                      "column",
                      {"a", "b"},
                      {"PC1"},
                      Matrix{{0.1}, {-1.0 / 3.0}},
                      {"A", "G"}},
                     {"empty", "nothing", "column", {}, {"PC1"}, Matrix(0, 1), {}}};
  document.streamed = {{"rows.csv", "pseudo-rows", "ab", 5, {"a"}}};
  document.drawn = {{"trade", "drawn", "", {}, {"x", "y"}, Matrix{{1.0, 2.0}}, {}}};
  document.request = R"({"task": "pca"})";
  document.ledger = LedgerEntry{"id", 7, "cd"};
  document.builds_on = {"ef"};
  document.data_set = "Survey";
  document.date = "June";
  document.papers = {"Somebody, Something"};
  document.prefix = "north.";
  document.remarks = {{"compared", "words"}};
  return document;
}

/// What anybody sees of it.
std::string shown(const ReleaseDocument& document) {
  std::string all = document.request + document.prefix;
  for (const TableFormat format : {TableFormat::Csv, TableFormat::Npy}) {
    for (const ReleaseFile& file : release_files(document, format)) {
      all += file.name + file.bytes;
    }
  }
  for (const FactLine& line : document.remarks) {
    all += line.label + line.text;
  }
  return all;
}

TEST(KeptDocument, TheCopyIsTheDocument) {
  const ReleaseDocument document = everything();
  const Result<ReleaseDocument> copy = document_of_kept(kept_document(document));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(shown(*copy), shown(document));
  EXPECT_EQ(kept_document(*copy), kept_document(document));
  EXPECT_EQ(copy->drawn.front().values, document.drawn.front().values);
  for (std::size_t i = 0; i < document.result.size(); ++i) {  // of the same kind
    EXPECT_EQ(copy->result[i].second.index(), document.result[i].second.index());
  }
  const auto& numbers = std::get<std::vector<double>>(copy->result[1].second);
  EXPECT_EQ(numbers[1], kInfinity);
  EXPECT_TRUE(std::signbit(numbers[2]) && std::isnan(numbers[3]));
  EXPECT_EQ(std::get<double>(copy->parameters[2].second), 3.0);
}

TEST(KeptDocument, EveryFieldIsKept) {
  const std::vector<std::function<void(ReleaseDocument&)>> changes = {
      [](auto& d) { d.task = "mask"; },
      [](auto& d) { d.method = "gauss"; },
      [](auto& d) { trusted::guarantee_of(d).group_size = 4; },
      [](auto& d) { d.requested = PureDp{1.0}; },
      [](auto& d) { d.parameters.pop_back(); },
      [](auto& d) { d.result.pop_back(); },
      [](auto& d) { d.tables.front().values(0, 0) = 0.2; },
      [](auto& d) {
        d.tables.front().counted_alleles = {"G", "A"};
      },
      [](auto& d) { d.streamed.clear(); },
      [](auto& d) { d.drawn.clear(); },
      [](auto& d) { d.request = "{}"; },
      [](auto& d) { d.ledger.reset(); },
      [](auto& d) { d.builds_on.clear(); },
      [](auto& d) { d.data_set.clear(); },
      [](auto& d) { d.date.clear(); },
      [](auto& d) { d.papers.clear(); },
      [](auto& d) { d.prefix.clear(); },
      [](auto& d) { d.remarks.clear(); }};
  const std::string before = kept_document(everything());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ReleaseDocument changed = everything();
    changes[i](changed);
    const std::string bytes = kept_document(changed);
    EXPECT_NE(bytes, before) << i;
    const Result<ReleaseDocument> copy = document_of_kept(bytes);
    ASSERT_TRUE(copy) << i;
    EXPECT_EQ(kept_document(*copy), bytes) << i;
  }
}

TEST(KeptDocument, WhatIsNoneIsRefused) {
  const std::string bytes = kept_document(everything());
  EXPECT_FALSE(document_of_kept(""));
  EXPECT_FALSE(document_of_kept("rubbish"));
  EXPECT_FALSE(document_of_kept(bytes.substr(0, bytes.size() - 1)));
}

TEST(GuaranteeText, EveryKindOfLossGoesThereAndBack) {
  for (const Loss& loss :
       {Loss(PureDp{0.1}), Loss(ApproxDp{0.1, 1e-6}), Loss(Zcdp{0.1}), Loss(GaussianDp{0.1}),
        Loss(RenyiCurve{{2.0, 3.0}, {0.1, kInfinity}}), Loss(RenyiCurve{{2.0}, {0.1}}),
        Loss(TradeOffCurve{{0.0, 1.0}, {0.9, 0.0}})}) {
    for (const Basis basis : {Basis::Proved, Basis::Asymptotic, Basis::NotPrivate}) {
      Guarantee guarantee = claim();
      guarantee.loss = loss;
      guarantee.basis = basis;
      const std::string text = guarantee_text(guarantee);
      const Result<Guarantee> back = guarantee_of_text(text);
      ASSERT_TRUE(back) << text;
      EXPECT_EQ(guarantee_text(*back), text);
      EXPECT_EQ(back->loss.index(), loss.index()) << text;
      EXPECT_EQ(in_words(*back), in_words(guarantee));
    }
  }
}

TEST(GuaranteeText, AListOfOneMayStandWithoutItsBrackets) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(guarantee_text(claim()));
  json["assumptions"] = "rows are many";
  EXPECT_EQ(guarantee_text(*guarantee_of_text(json.dump())), guarantee_text(claim()));
}

TEST(GuaranteeText, EveryFieldIsInIt) {
  const std::vector<std::function<void(Guarantee&)>> changes = {
      [](Guarantee& g) { g.relation = Relation::AddRemove; },
      [](Guarantee& g) { g.loss = GaussianDp{0.2}; },
      [](Guarantee& g) { g.basis = Basis::Proved; },
      [](Guarantee& g) { g.assumptions.clear(); },
      [](Guarantee& g) { g.secure_random = false; },
      [](Guarantee& g) { g.group_size = 1; },
      [](Guarantee& g) { g.would_be = Basis::Asymptotic; },
      [](Guarantee& g) { g.person.clear(); }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Guarantee changed = claim();
    changes[i](changed);
    EXPECT_NE(guarantee_text(changed), guarantee_text(claim())) << i;
    EXPECT_EQ(guarantee_text(*guarantee_of_text(guarantee_text(changed))), guarantee_text(changed));
  }
}

TEST(GuaranteeText, WhatIsNoneIsRefused) {
  for (const char* text : {"", "{}", "[]", "{\"relation\": \"add-remove\"}"}) {
    EXPECT_FALSE(guarantee_of_text(text)) << text;
  }
}

}  // namespace
}  // namespace eigenveil::test::kept_document_test
