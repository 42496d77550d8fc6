// What a program asks of the library directly: refused in one sentence, or released.
#include <gtest/gtest.h>

#include "eigenveil/eigenveil.hpp"
#include "eigenveil/mechanism.hpp"

namespace eigenveil::test::plan_test {
namespace {

PublicFacts facts(std::size_t columns = 3) {
  return {Schema::numbered(columns), *RowBound::row_norm(columns, 2.0)};
}

Request sound() {
  Request request;
  request.components = 2;
  request.budget = ApproxDp{1.0, 1e-6};
  return request;
}

/// The refusal of a request that was changed in one place; empty when it passes.
std::string refusal(const std::function<void(Request&)>& change, PublicFacts about = facts()) {
  Request request = sound();
  change(request);
  const auto planned = plan(request, about);
  return planned ? "" : planned.error().message;
}

TEST(Plan, RefusesWhatIsWrong) {
  EXPECT_EQ(refusal([](Request&) {}), "");
  EXPECT_EQ(refusal([](Request& r) { r.budget.reset(); }), "a budget is missing");
  EXPECT_NE(refusal([](Request& r) { r.budget = ApproxDp{-1.0, 1e-6}; }), "");
  EXPECT_NE(refusal([](Request& r) { r.budget = ApproxDp{1.0, 1.0}; }), "");
  EXPECT_EQ(refusal([](Request& r) { r.components = 0; }), "{components} must be at least 1");
  EXPECT_NE(refusal([](Request& r) { r.components = 4; }), "");
  EXPECT_EQ(refusal([](Request& r) { r.group_size = 0; }), "{group_size} must be at least 1");
  EXPECT_NE(refusal([](Request& r) { r.method = "gaus"; }).find("gauss"), std::string::npos);
  EXPECT_NE(refusal([](Request&) {}, {Schema::numbered(2), *RowBound::row_norm(3, 2.0)}), "");
}

/// A release that fails after its draw has spent its budget for nothing.
TEST(Plan, RefusesNamesThatNoFileCouldHold) {
  const auto named = [](std::vector<std::string> names) {
    return refusal([](Request& r) { r.components = 1; },
                   {Schema{std::move(names)}, *RowBound::row_norm(2, 2.0)});
  };
  EXPECT_EQ(named({"a", "b"}), "");
  EXPECT_EQ(named({"a", "b\xff"}), "the name of column 2 is not one line of plain UTF-8 text");
  EXPECT_EQ(named({"a\nb", "b"}), "the name of column 1 is not one line of plain UTF-8 text");
  EXPECT_EQ(named({"a", "\xe2\x80\xae"}),
            "the name of column 2 is not one line of plain UTF-8 text");
  EXPECT_EQ(named({"a", ""}), "column 2 has no name");
  EXPECT_EQ(named({"a", "a"}), "there are several columns called a");
  EXPECT_EQ(named({"{grid}", "{grid}"}), "there are several columns called { grid}");
  // A method that sees no totals asks too.
  Request subspace;
  subspace.task = Task::Subspace;
  subspace.relation = Relation::ReplaceOne;
  subspace.budget = ApproxDp{1.0, 1e-6};
  PublicFacts facts = *unbounded(Schema{{"a", "b\xff"}});
  facts.rows = 1000;
  EXPECT_EQ(plan(subspace, facts).error().message,
            "the name of column 2 is not one line of plain UTF-8 text");
}

/// Numbers that were cast, and a table of which nothing is known: refused, not thrown.
TEST(Plan, RefusesWhatIsNoMemberOfAnEnumeration) {
  EXPECT_NE(refusal([](Request& r) { r.relation = static_cast<Relation>(17); }), "");
  EXPECT_NE(refusal([](Request& r) { r.task = static_cast<Task>(17); }), "");
  EXPECT_NE(refusal([](Request& r) { r.center = static_cast<CenterChoice>(17); }), "");
  EXPECT_NE(refusal([](Request& r) { r.units = static_cast<Units>(17); }), "");
}

TEST(Plan, AnOutlookIsRefusedAsAPlanIs) {
  AssumedTable about;
  about.schema = Schema::numbered(4);
  about.rows = 1000;
  const auto refused = [&](const std::function<void(Request&)>& change, AssumedTable table) {
    Request request = sound();
    change(request);
    const Result<PlanFacts> facts = outlook(request, table);
    return facts ? "" : facts.error().message;
  };
  const auto nothing = [](Request&) {};
  EXPECT_NE(refused(nothing, about).find("set its bound"), std::string::npos);
  AssumedTable known = about;
  known.bound = [](const auto&) { return RowBound::row_norm(4, 1.0); };
  EXPECT_EQ(refused(nothing, known), "");
  EXPECT_EQ(refused([](Request& r) { r.method = "gauss", r.budget.reset(); }, known),
            "a budget is missing");
  EXPECT_NE(refused([](Request& r) { r.budget = GaussianDp{-1.0}; }, known), "");
  EXPECT_NE(refused([](Request& r) { r.group_size = 0; }, known), "");
  EXPECT_NE(refused([](Request& r) { r.relation = static_cast<Relation>(17); }, known), "");
  known.schema.columns[1] = "c\xff";
  EXPECT_NE(refused(nothing, known).find("plain UTF-8"), std::string::npos);
}

TEST(Plan, SaysWhichParameterIsWrong) {
  const auto parameter = [](const std::function<void(Request&)>& change) {
    Request request = sound();
    change(request);
    return plan(request, facts()).error().parameter;
  };
  EXPECT_EQ(parameter([](Request& r) { r.budget = PureDp{0.0}; }), "epsilon");
  EXPECT_EQ(parameter([](Request& r) { r.budget = ApproxDp{1.0, 1.0}; }), "delta");
  EXPECT_EQ(parameter([](Request& r) { r.budget = Zcdp{0.0}; }), "rho");
  EXPECT_EQ(parameter([](Request& r) { r.budget = GaussianDp{0.0}; }), "mu");
  EXPECT_EQ(RowBound::row_norm(2, -1.0).error().parameter, "row_norm");
  EXPECT_EQ(RowBound::ranges({{1.0, 0.0}}).error().parameter, "range");
  EXPECT_EQ(parse_relation("zero").error().parameter, "neighbours");
}

TEST(Plan, AMatrixIsReleasedWhateverItsStorageOrder) {
  const Matrix columns = Matrix::Constant(50, 3, 0.25);
  const Eigen::Matrix<double, 50, 3, Eigen::RowMajor> rows = columns;
  const auto planned = plan(sound(), facts());
  ASSERT_TRUE(planned);
  const auto released = [&](const MatrixView& people) {
    RandomStream stream = RandomStream::seeded(7);
    return release(**planned, people, stream)->array("loadings")->value();
  };
  EXPECT_EQ(released(columns), released(rows));
  RandomStream stream = RandomStream::seeded(7);
  const auto narrow = release(**planned, Matrix::Zero(5, 2).eval(), stream);
  ASSERT_FALSE(narrow);
  EXPECT_EQ(narrow.error().message, "the array has 2 columns, but 3 were expected");
}

TEST(Plan, PostProcessingKeepsTheGuarantee) {
  RandomStream stream = RandomStream::secure();
  const auto document = plan(sound(), facts()).and_then([&](const auto& planned) {
    return release(*planned, Matrix::Constant(50, 3, 0.25).eval(), stream);
  });
  ASSERT_TRUE(document);
  EXPECT_FALSE(document->array("loading"));
  const Release<double> size =
      document->array("loadings")->map([](const Matrix& loadings) { return loadings.norm(); });
  EXPECT_NEAR(size.value() * size.value(), 2.0, 1e-12);
  EXPECT_EQ(in_words(size.guarantee()), in_words(document->guarantee()));
  EXPECT_TRUE(size.guarantee().secure_random);
}

/// A mechanism whose author forgot that seeded noise hides nothing.
struct ForgetfulPlan {
  Guarantee made{Relation::AddRemove, GaussianDp{1.0}, Basis::Proved, {}, true};
  const Guarantee& guarantee() const { return made; }
  Release<double> run(const ExactGram& /*gram*/, RandomStream& /*stream*/) const {
    return trusted::assume_released(1.0, made, "forgetful");
  }
};

TEST(Plan, SeededNoiseIsNeverCalledPrivate) {
  const auto planned =
      gram_plan(facts(), ForgetfulPlan{}, [](const ForgetfulPlan&, const Release<double>& release) {
        ReleaseDocument document(release);
        document.task = "pca";
        document.requested = GaussianDp{1.0};
        return document;
      });
  Request request;
  request.budget = GaussianDp{1.0};
  planned->remember(request);
  const ExactGram gram(facts().schema, facts().bound);
  RandomStream seeded = RandomStream::seeded(1);
  EXPECT_FALSE(release(*planned, gram, seeded)->is_private());
  RandomStream secure = RandomStream::secure();
  EXPECT_TRUE(release(*planned, gram, secure)->is_private());
}

}  // namespace
}  // namespace eigenveil::test::plan_test
