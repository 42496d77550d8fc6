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
  EXPECT_FALSE(release(**planned, Matrix::Zero(5, 2).eval(), stream));
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
  EXPECT_EQ(in_words(size.guarantee()), in_words(document->guarantee));
  EXPECT_TRUE(size.guarantee().secure_random);
}

/// A mechanism whose author forgot that seeded noise hides nothing.
struct ForgetfulPlan {
  Guarantee made{Relation::AddRemove, GaussianDp{1.0}, Basis::Proved, {}, true};
  const Guarantee& guarantee() const { return made; }
  Release<double> run(const ExactGram& /*gram*/, RandomStream& /*stream*/) const {
    return {1.0, made, "forgetful"};
  }
};

TEST(Plan, SeededNoiseIsNeverCalledPrivate) {
  const auto planned =
      gram_plan(facts(), ForgetfulPlan{}, [](const ForgetfulPlan&, const Release<double>& release) {
        ReleaseDocument document;
        document.task = "pca";
        document.guarantee = release.guarantee();
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
