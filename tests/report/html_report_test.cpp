#include "report/html_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "report/explain.hpp"
#include "report/html_text.hpp"
#include "report/report_figures.hpp"
#include "xml_support.hpp"

namespace eigenveil::test::html_report_test {
namespace {

ReleaseDocument components(Eigen::Index columns) {
  ReleaseDocument document;
  document.task = "pca";
  document.method = "gauss";
  document.guarantee = {Relation::AddRemove, GaussianDp{0.27}, Basis::Proved, {}, true};
  document.requested = ApproxDp{1.0, 1e-6};
  ReleasedTable loadings{"loadings",     "private principal components", "column", {},
                         {"PC1", "PC2"}, Matrix::Zero(columns, 2)};
  for (Eigen::Index i = 0; i < columns; ++i) {
    loadings.row_names.push_back("question_" + std::to_string(i + 1));
    loadings.values(i, 0) = static_cast<double>(i + 1) / static_cast<double>(columns);
  }
  document.parameters = {{"epsilon", 1.0}, {"columns", loadings.row_names}};
  document.result = {{"noise_floor", 0.5},
                     {"noisy_explained_variance", std::vector<double>{3.0, 1.0}}};
  document.tables.push_back(std::move(loadings));
  return document;
}

std::string page_of(const ReleaseDocument& document) {
  return release_files(document, TableFormat::Csv).back().bytes;
}

TEST(HtmlReport, SaysWhatACommitteeAsks) {
  const std::string page = page_of(components(4));
  for (const char* text :
       {"Private principal components", "(1, 1e-06)-DP for adding or removing one row",
        "Someone who accepts 5% false alarms detects a given person with at most",
        "What an adversary must miss", "epsilon = 3", "noise floor", "Loadings",
        "What is not protected", "the names and number of columns", "Statement to paste",
        "Nothing beyond the program", "Dong, A. Roth, W. J. Su", "SHA-256"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("NOT PRIVATE"), std::string::npos);
}

/// The picture of this title, up to the end of its figure.
std::string figure_of(const std::string& page, const std::string& title) {
  const std::size_t from = page.find("<title>" + title + "</title>");
  return from == std::string::npos ? "" : page.substr(from, page.find("</figure>", from) - from);
}

TEST(HtmlReport, AConditionIsSaidWithEveryNumber) {
  ReleaseDocument document = components(4);
  EXPECT_NE(page_of(document).find("whatever else they know"), std::string::npos);
  for (const Basis basis : {Basis::Asymptotic, Basis::ModelProbability}) {
    document.guarantee.basis = basis;
    const std::string page = page_of(document);
    EXPECT_EQ(page.find("whatever else they know"), std::string::npos);
    EXPECT_EQ(page.find("\"max_power_at_5pct\""), std::string::npos);
    const std::string not_covered(condition_of(basis).not_covered);
    EXPECT_GE(occurrences(page, not_covered), 4U) << "guarantee, curve, its text, statement";
    EXPECT_NE(
        figure_of(page, "What an adversary must miss").find(">conditional power at 5%: at most"),
        std::string::npos);
  }
}

TEST(HtmlReport, TheTextNamesTheCurvesThatAreDrawn) {
  const std::string page = page_of(components(4));
  const std::string words = reference_curves_in_words();
  EXPECT_NE(page.find(words), std::string::npos);
  const std::string figure = figure_of(page, "What an adversary must miss");
  const std::regex level("epsilon = [0-9.]+");
  const auto count = [&](const std::string& text) {
    return std::distance(std::sregex_iterator(text.begin(), text.end(), level), {});
  };
  EXPECT_EQ(count(words), 2);
  for (std::sregex_iterator found(words.begin(), words.end(), level);
       found != std::sregex_iterator(); ++found) {
    EXPECT_NE(figure.find(found->str() + "<"), std::string::npos) << found->str();
  }
}

TEST(HtmlReport, WhatCannotBeToldFromNoiseIsFaint) {
  ReleaseDocument document = components(4);
  document.result = {{"noisy_explained_variance", std::vector<double>{3.0, 2.9}},
                     {"noise_edge", std::vector<double>{2.95, 2.95}},
                     {"below_noise", std::vector<std::string>{"PC2"}}};
  const std::string page = page_of(document);
  EXPECT_NE(page.find("must exceed this"), std::string::npos);
  EXPECT_NE(page.find("1 of 2 components rise above the noise."), std::string::npos);
  EXPECT_NE(page.find("PC2 cannot be told from noise"), std::string::npos);
  // One bar of the spreads, and every weight of PC2.
  EXPECT_EQ(occurrences(page, "class=\"ev-faint\""), 5U);
  document.result.back().second = std::vector<std::string>{};
  EXPECT_EQ(occurrences(page_of(document), "class=\"ev-faint\""), 0U);
}

TEST(HtmlReport, ThePeopleAddUpAndRoundUp) {
  ReleaseDocument document = components(4);  // 8.8% power
  const std::string page = page_of(document);
  const int recognised = static_cast<int>(std::ceil(power_in_percent(document.guarantee.loss)));
  EXPECT_EQ(occurrences(page, "class=\"ev-man-given\""), static_cast<std::size_t>(recognised - 5));
  EXPECT_EQ(occurrences(page, "class=\"ev-man-chance\""), 5U);
  EXPECT_EQ(occurrences(page, "href=\"#ev-person\""), 100U);
  EXPECT_NE(page.find("at most " + std::to_string(recognised)), std::string::npos);
}

TEST(HtmlReport, ACommitteeHasRoomToSign) {
  ReleaseDocument document = components(4);
  document.data_set = "Survey <2025>";
  document.date = "14 March 2026";
  document.ledger = LedgerEntry{"abc", 3, "def"};
  const std::string page = page_of(document);
  for (const char* text : {"Survey &lt;2025&gt;", "14 March 2026", "Ledger entry", "Decision",
                           "For the committee", "class=\"signatures\""}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_NE(disclosure_statement(document).find("Data set: Survey <2025>"), std::string::npos);
}

TEST(HtmlReport, EveryColumnOfAHeatMapKeepsItsLabel) {
  ReleaseDocument document = components(4);
  std::vector<std::string> names;
  for (int i = 1; i <= 24; ++i) {
    names.push_back("column_number_" + std::to_string(i));
  }
  document.tables = {
      {"covariance", "private covariance", "column", names, names, Matrix::Identity(24, 24)}};
  const std::string figure = figure_of(page_of(document), "Private covariance");
  for (const std::string& name : names) {
    // The full name is the text, or the title of a shortened one: once for its row, once below.
    EXPECT_EQ(occurrences(figure, ">" + name + "<"), 2U) << name;
  }
}

TEST(HtmlReport, PseudoDataAndNullHavePictures) {
  ReleaseDocument mask = components(3);
  mask.task = "mask";
  mask.result = {{"rows", 100.0}};
  mask.tables.clear();
  const std::vector<std::string> names = {"a", "b", "c"};
  mask.drawn = {{"correlations", "correlations", "column", names, names, Matrix::Identity(3, 3)}};
  EXPECT_NE(figure_of(page_of(mask), "Correlations in the pseudo-data, noise removed"), "");
  EXPECT_EQ(release_files(mask, TableFormat::Csv).size(), 2U) << "document and report alone";
  ReleaseDocument null = components(3);
  null.tables.clear();
  for (const Fields& answer : {Fields{{"null", true}}, Fields{{"outcome", std::string("null")}},
                               Fields{{"outcome", std::string("not achievable")}}}) {
    null.result = answer;
    const std::string page = page_of(null);
    EXPECT_NE(page.find("<strong>The answer is NULL.</strong>"), std::string::npos);
    EXPECT_NE(page.find(">nothing can be told from noise</text>"), std::string::npos);
  }
  null.result = {{"null", true}, {"gap_lower_bound_of_sum", -9000.0}, {"gap_noise_sd", 2000.0}};
  EXPECT_NE(page_of(null).find(">gap found, at least -9e+03</text>"), std::string::npos);
  null.result = {{"outcome", std::string("released")}};
  EXPECT_EQ(page_of(null).find("The answer is NULL"), std::string::npos);
}

TEST(HtmlReport, LowRankBoundsAndSubspacesHavePictures) {
  ReleaseDocument cut = components(3);
  const std::vector<std::string> names = {"a", "b", "c"};
  cut.task = "lowrank";
  cut.result = {{"noisy_eigenvalues", std::vector<double>{4.0, 1.0}},
                {"noise_edge", std::vector<double>{2.0, 2.0}},
                {"below_noise", std::vector<std::string>{"PC2"}}};
  cut.tables = {{"lowrank", "cut", "column", names, names, Matrix::Identity(3, 3)}};
  EXPECT_NE(page_of(cut).find("1 of 2 components rise above the noise."), std::string::npos);
  EXPECT_NE(figure_of(page_of(cut), "The covariance they make up"), "");
  ReleaseDocument bounds = components(3);
  bounds.task = "bounds";
  bounds.result = {{"noisy_rows", 100.0}};
  Matrix ranges(3, 2);
  ranges << 0.0, 8.0, -2.0, 2.0, 1.0, 4.0;
  bounds.tables = {{"bounds", "ranges", "column", names, {"low", "high"}, ranges}};
  const std::string page = page_of(bounds);
  EXPECT_NE(page.find("aria-label=\"Private range of each column\""), std::string::npos);
  EXPECT_NE(page.find(">-2</text>"), std::string::npos);
  ReleaseDocument space = components(3);
  space.task = "subspace";
  space.result = {{"outcome", std::string("subspace")}};
  space.tables = {{"subspace", "basis", "column", names, {"S1"}, Matrix::Identity(3, 1)}};
  EXPECT_NE(page_of(space).find("A basis of the subspace"), std::string::npos);
}

TEST(HtmlReport, LoadsNothingAndRunsNothing) {
  const std::string page = page_of(components(4));
  const std::regex loads(  // a shape or pattern of the page itself is no load
      "<script|<link|<img|<iframe|\\bsrc=|\\bhref=(?!\"#)|url\\((?!#)|@import| on[a-z]+=");
  EXPECT_FALSE(std::regex_search(page, loads));
  EXPECT_TRUE(std::regex_search("<img src=x onerror=y>", loads));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, HostileColumnNamesStayText) {
  ReleaseDocument document = components(4);
  const std::string hostile = "<img src=x onerror=alert(1)>'\"&";
  document.tables.front().row_names.front() = hostile;
  document.parameters.back().second = std::vector<std::string>{hostile, "b"};
  document.guarantee.assumptions = {hostile};
  const std::string page = page_of(document);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;"), std::string::npos);
}

TEST(HtmlReport, NotPrivateIsLoud) {
  ReleaseDocument document = components(4);
  document.guarantee.basis = Basis::NotPrivate;
  document.guarantee.secure_random = false;
  const ReleaseFile file = release_files(document, TableFormat::Csv).back();
  EXPECT_EQ(file.name, "report.NOT-PRIVATE.html");
  EXPECT_NE(file.bytes.find("<title>Principal components (NOT PRIVATE)</title>"),
            std::string::npos);
  EXPECT_EQ(occurrences(file.bytes, "class=\"banner\""), 2U) << "at the top and at the end";
  EXPECT_EQ(occurrences(file.bytes, "class=\"ev-watermark\""), 3U) << "one in every figure";
  EXPECT_NE(file.bytes.find("known seed"), std::string::npos);
  EXPECT_EQ(file.bytes.find("power at most"), std::string::npos);
  EXPECT_NE(disclosure_statement(document).find("must not be published"), std::string::npos);
}

TEST(HtmlReport, LongTablesShowTheLargestReleasedLoadings) {
  const std::string page = page_of(components(100));
  EXPECT_NE(page.find("24 of 100 columns: those with the largest released"), std::string::npos);
  const std::string figure = page.substr(page.find("<h3>Loadings</h3>"));
  const std::string drawn = figure.substr(0, figure.find("</figure>"));
  EXPECT_NE(drawn.find(">question_100<"), std::string::npos);
  EXPECT_NE(drawn.find(">question_77<"), std::string::npos);
  EXPECT_EQ(drawn.find(">question_76<"), std::string::npos);
}

TEST(HtmlReport, CovarianceIsDrawn) {
  ReleaseDocument document = components(3);
  document.task = "covariance";
  document.result = {{"noisy_eigenvalues", std::vector<double>{-0.1, 1.0, 2.0}}};
  const std::vector<std::string> names = {"a", "b", "c"};
  document.tables = {
      {"covariance", "private covariance", "column", names, names, Matrix::Identity(3, 3)}};
  const std::string page = page_of(document);
  EXPECT_NE(page.find("<title>Private covariance</title>\n<desc>"), std::string::npos);
  EXPECT_NE(page.find("Eigenvalues of the covariance"), std::string::npos);
}

TEST(HtmlReport, CovarianceInSeveralUnitsIsDrawnAsCorrelations) {
  ReleaseDocument document = components(3);
  document.task = "covariance";
  document.result = {{"noise_floor", 1e6},
                     {"noisy_variance_sd", std::vector<double>{1e5, 0.1, 10.0}},
                     {"noisy_eigenvalues", std::vector<double>{1e8, 4.0, 1.0}},
                     {"noisy_scaled_eigenvalues", std::vector<double>{0.3, 0.2, 0.01}},
                     {"scaled_noise_floor", 0.05}};
  const std::vector<std::string> names = {"income", "height", "noise"};
  Matrix covariance(3, 3);
  covariance << 1e8, 1e4, 0.0, 1e4, 4.0, 0.0, 0.0, 0.0, 1.0;
  document.tables = {{"covariance", "private covariance", "column", names, names, covariance}};
  const std::string page = page_of(document);
  EXPECT_NE(page.find("2 of 3 directions rise above the noise."), std::string::npos);
  EXPECT_NE(page.find("Left out, variance below 3 deviations of its noise"), std::string::npos);
  const std::optional<Figure> figure = covariance_figure(document);
  ASSERT_TRUE(figure);
  const HeatMap& map = *figure->panels.front().heat_map;
  ASSERT_EQ(map.values.rows(), 2);
  EXPECT_NEAR(map.values(0, 1), 0.5, 1e-15);
  EXPECT_NEAR(map.values(1, 1), 1.0, 1e-15);
}

TEST(HtmlReport, ScoresDrawWhatNoiseWouldNotShowAnywhere) {
  ReleaseDocument document = components(3);
  document.task = "scores";
  document.result = {};
  document.parameters = {{"noise_sd_count", 1.0},
                         {"axes", std::vector<double>{1.0, 3.0}},
                         {"axis_shares", std::vector<double>{0.57, std::nan("")}},
                         {"levels", std::vector<std::string>{"north", "south"}},
                         {"reach", std::vector<double>{4.0, 2.0}}};
  const std::vector<std::string> cells(10);
  Matrix other = Matrix::Zero(10, 10);
  other(3, 3) = 3.5;  // two deviations are passed by 7 of 300 empty cells, 3.8 by one picture in 20
  Matrix north = Matrix::Zero(10, 10);
  north(0, 9) = 40.0;  // the upper right corner
  Matrix south = Matrix::Zero(10, 10);
  south(9, 0) = 10.0;
  document.tables = {{"scores", "others", "PC3", cells, cells, other},
                     {"scores_1", "north", "PC3", cells, cells, north},
                     {"scores_2", "south", "PC3", cells, cells, south}};
  const std::vector<Figure> figures = result_figures(document);
  ASSERT_EQ(figures.size(), 2U);
  const FigurePanel& all = figures[0].panels.front();
  EXPECT_EQ(all.x.label, "PC1 (57% of the variance)");
  EXPECT_EQ(all.y.label, "PC3");
  ASSERT_EQ(all.series.size(), 2U) << "the others are noise";
  EXPECT_EQ(all.series[0].name, "north");
  EXPECT_NEAR(all.series[0].x[0], 3.6, 1e-12);
  EXPECT_NEAR(all.series[0].y[0], 1.8, 1e-12);
  EXPECT_EQ(all.series[1].size, std::vector<double>{10.0});
  EXPECT_EQ(figures[1].panels.size(), 2U);
  EXPECT_NE(page_of(document).find("No cell stands out of the noise: any other level."),
            std::string::npos);
}

TEST(HtmlReport, ReleaseListsItAndExplainChecksIt) {
  const std::filesystem::path folder = testing::TempDir() + "eigenveil-report";
  std::filesystem::remove_all(folder);
  ReleaseDocument document = components(4);
  document.guarantee.assumptions = {"random bits"};  // what no private release is without
  const auto written = write_release(document, TableFormat::Csv, folder);
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, (std::vector<std::string>{"release.json", "loadings.csv", "report.html"}));
  ASSERT_TRUE(explain_release(folder / "release.json"));
  std::ofstream(folder / "report.html", std::ios::app) << " ";
  const auto changed = explain_release(folder / "release.json");
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().message.find("report.html was changed"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(HtmlText, EscapesAndReplaces) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup("µ é 漢"), "µ é 漢");
  for (const char* bad :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\x07", "\u202E", "\xf5\x80\x80\x80"}) {
    const std::string text = escape_markup(bad);
    EXPECT_EQ(text.substr(0, 3), "\uFFFD") << text;
  }
}

}  // namespace
}  // namespace eigenveil::test::html_report_test
