// A document that states another guarantee than its plan promised, and a ledger was charged for, is
// not published, whatever the method says.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "eigenveil/engine/release.hpp"
#include "eigenveil/mechanism/as_run.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "engine/release_cost.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil::test::kept_promise_test {
namespace {

PublicFacts facts() {
  return {Schema{{"a", "b"}}, *RowBound::row_norm(2, 1.0)};
}

Guarantee promised() {
  return {Relation::AddRemove,
          GaussianDp{1.0},
          Basis::ProvedRealArithmetic,
          {"one thing", "another"},
          true,
          2};
}

Request request() {
  Request asked;
  asked.budget = GaussianDp{1.0};
  asked.group_size = 2;
  asked.center = CenterChoice::None;
  return asked;
}

using Lie = std::function<void(ReleaseDocument&)>;

/// Releases nothing, and says of it what it was told to.
class LyingMethod final : public Method {
 public:
  explicit LyingMethod(Lie lie) : lie_(std::move(lie)) {}
  const MethodInfo& info() const override {
    static const MethodInfo info{
        .name = "liar", .sentence = "", .budgets = "", .tasks = {Task::Components}};
    return info;
  }
  Result<PlanFacts> outlook(const Request&, const AssumedTable&) const override {
    return bad_request("");
  }
  Result<std::unique_ptr<Plan>> plan(const Request&, const PublicFacts& facts) const override {
    return std::unique_ptr<Plan>(std::make_unique<LyingPlan>(lie_, facts));
  }

 private:
  class LyingPlan final : public Plan {
   public:
    LyingPlan(Lie lie, PublicFacts facts) : lie_(std::move(lie)), facts_(std::move(facts)) {}
    const Guarantee& guarantee() const override { return guarantee_; }
    const PublicFacts& facts() const override { return facts_; }
    std::unique_ptr<Run> make_run(RandomStream& stream, int) const override {
      return std::make_unique<LyingRun>(*this, stream);
    }

   private:
    class LyingRun final : public Run {
     public:
      LyingRun(const LyingPlan& plan, const RandomStream& stream) : plan_(plan), stream_(stream) {}
      Result<void> take_rows(RowReader&) override { return {}; }
      Result<void> take_totals(const ExactGram&) override { return {}; }
      Result<ReleaseDocument> finish() override {
        ReleaseDocument document;
        document.task = "pca";
        document.method = "liar";
        document.requested = GaussianDp{1.0};
        document.guarantee = as_run(promised(), stream_);
        plan_.lie_(document);
        return document;
      }

     private:
      const LyingPlan& plan_;
      const RandomStream& stream_;
    };

    Lie lie_;
    PublicFacts facts_;
    Guarantee guarantee_ = promised();
  };

  Lie lie_;
};

Result<ReleaseDocument> released(const Lie& lie, bool secure) {
  const LyingMethod method(lie);
  const auto plan = make_plan(method, request(), facts());
  RandomStream stream = secure ? RandomStream::secure() : RandomStream::seeded(1);
  return release(**plan, ExactGram(facts().schema, facts().bound), stream);
}

TEST(KeptPromise, TheTruthIsPublished) {
  const Lie none = [](ReleaseDocument&) {};
  EXPECT_TRUE(released(none, true));
  EXPECT_TRUE(released(none, false));
}

TEST(KeptPromise, EveryLieIsRefused) {
  const std::pair<const char*, Lie> lies[] = {
      {"a smaller loss", [](auto& d) { d.guarantee.loss = GaussianDp{0.5}; }},
      {"the last bit of it", [](auto& d) { d.guarantee.loss = GaussianDp{0x1.fffffffffffffp-1}; }},
      {"a larger loss than was charged", [](auto& d) { d.guarantee.loss = GaussianDp{2.0}; }},
      {"a loss of another kind", [](auto& d) { d.guarantee.loss = PureDp{1.0}; }},
      {"no number", [](auto& d) { d.guarantee.loss = GaussianDp{std::nan("")}; }},
      {"a stronger basis", [](auto& d) { d.guarantee.basis = Basis::Proved; }},
      {"a weaker one than was charged", [](auto& d) { d.guarantee.basis = Basis::Asymptotic; }},
      {"an assumption less", [](auto& d) { d.guarantee.assumptions.pop_back(); }},
      {"an assumption more", [](auto& d) { d.guarantee.assumptions.emplace_back("luck"); }},
      {"other neighbours", [](auto& d) { d.guarantee.relation = Relation::ReplaceOne; }},
      {"a larger group", [](auto& d) { d.guarantee.group_size = 3; }},
      {"a smaller group", [](auto& d) { d.guarantee.group_size = 1; }},
      {"people", [](auto& d) { d.guarantee.person = "a"; }},
      {"another budget", [](auto& d) { d.requested = GaussianDp{0.5}; }},
      {"another task", [](auto& d) { d.task = "covariance"; }},
      {"other randomness",
       [](auto& d) { d.guarantee.secure_random = !d.guarantee.secure_random; }}};
  for (const auto& [what, lie] : lies) {
    for (const bool secure : {true, false}) {
      const Result<ReleaseDocument> document = released(lie, secure);
      ASSERT_FALSE(document) << what;
      EXPECT_NE(document.error().message.find("nothing is published"), std::string::npos) << what;
    }
  }
}

TEST(KeptPromise, SeededNoiseIsNotCalledPrivate) {
  EXPECT_FALSE(released([](auto& d) { d.guarantee.basis = Basis::ProvedRealArithmetic; }, false));
  EXPECT_FALSE(released([](auto& d) { d.guarantee.would_be = Basis::Proved; }, false));
}

/// Pseudo-data by rotation: the pair is charged before the rows are counted, and the curve for
/// their number, which implies it, is stated beside it.
TEST(KeptPromise, MaskStatesTheCurveForItsRowsBesideThePairThatWasCharged) {
  const ApproxDp pair{1.0, 1e-3};
  Request asked;
  asked.task = Task::Mask;
  asked.method = "mask";
  asked.budget = pair;
  asked.relation = Relation::ZeroRow;
  asked.options.set("factor_only", true);
  const auto plan = eigenveil::plan(asked, facts());
  ASSERT_TRUE(plan) << plan.error().message;
  const ReleaseCost cost = cost_of(**plan, false);
  const auto* charged = std::get_if<ApproxDp>(&cost.guarantee.loss);
  ASSERT_NE(charged, nullptr);
  EXPECT_EQ(charged->epsilon, pair.epsilon);
  EXPECT_EQ(charged->delta, pair.delta);

  RandomStream stream = RandomStream::secure();
  const Matrix rows = Matrix::Constant(40, 2, 0.5);
  Result<ReleaseDocument> document = release(**plan, rows, stream);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_LE(delta_at(document->guarantee.loss, pair.epsilon), pair.delta);
  const Json loss = guarantee_to_json(document->guarantee, document->requested).at("loss");
  EXPECT_EQ(loss.at("kind"), "curve");
  EXPECT_EQ(loss.at("epsilon"), pair.epsilon);
  EXPECT_EQ(loss.at("delta"), pair.delta);
  EXPECT_GT(document->guarantee.assumptions.size(), cost.guarantee.assumptions.size());

  EXPECT_TRUE(check_kept(cost, *document));
  ReleaseCost strict = cost;  // as for every other method
  strict.tightens = false;
  EXPECT_FALSE(check_kept(strict, *document));
  const Loss stated = document->guarantee.loss;
  document->guarantee.loss = GaussianDp{1.01 * gaussian_mu_for(pair)};
  EXPECT_FALSE(check_kept(cost, *document)) << "more than was charged";
  document->guarantee.loss = stated;
  document->guarantee.assumptions.erase(document->guarantee.assumptions.begin());
  EXPECT_FALSE(check_kept(cost, *document)) << "supposes less than was said";
}

}  // namespace
}  // namespace eigenveil::test::kept_promise_test
