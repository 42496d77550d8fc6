// What a ledger is charged before a row is read is what the release states afterwards, for every
// method of the registry.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "data/exact_rows.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/report/read_release.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "engine/method_samples.hpp"
#include "engine/release_cost.hpp"
#include "ledger/ledger_support.hpp"

namespace eigenveil::test::ledger_entries_test {
namespace {

namespace fs = std::filesystem;

using namespace method_samples;  // NOLINT(google-build-using-namespace): requests by name

Matrix rows_near_a_line(Eigen::Index count) {
  Matrix rows(count, kColumns);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < kColumns; ++j) {
      rows(i, j) = 0.1 * static_cast<double>((1 + j) * (1 + i % 3));
    }
  }
  return rows;
}

ExactRows exact_rows(Eigen::Index count) {
  ExactRows rows;
  rows.schema = Schema::numbered(kColumns);
  for (Eigen::Index i = 0; i < count; ++i) {
    rows.points.push_back({1 + i % 3, 2 * (1 + i % 3), 0, 3 * (1 + i % 3)});
  }
  return rows;
}

LedgerTerms generous(Relation relation, const SigningKey& key) {
  LedgerTerms terms = terms_with({40.0, 90.0, 0.2, 0.1}, relation);
  terms.allow_unproved = true;
  return signed_by(key, terms);
}

bool can_be_kept(Relation relation) {
  return relation == Relation::AddRemove || relation == Relation::ReplaceOne ||
         relation == Relation::ZeroRow;
}

/// The line of a reservation beside the document that its release became.
void compare(const LedgerLine& line, const LedgerTerms& terms, const ReleaseCost& before,
             const ReleaseDocument& document, const std::string& what) {
  std::string assumptions;
  for (const std::string& each : document.guarantee().assumptions) {
    assumptions += (assumptions.empty() ? "" : "\n") + each;
  }
  EXPECT_EQ(line.basis, document.guarantee().basis) << what;
  if (before.tightens) {  // and what doubles can show at this number of rows
    EXPECT_TRUE(assumptions.starts_with(line.assumptions + "\n")) << what;
  } else {
    EXPECT_EQ(line.assumptions, assumptions) << what;
  }
  ReleaseCost after = before;
  after.guarantee = document.guarantee();
  after.requested = document.requested;
  const Result<Charge> charge = choose_charge(terms, {}, after);
  ASSERT_TRUE(charge) << what << charge.error().message;
  EXPECT_EQ(line.charge.account, charge->account) << what;
  EXPECT_EQ(line.charge.mu, charge->mu) << what;
  EXPECT_EQ(line.charge.epsilon, charge->epsilon) << what;
  EXPECT_EQ(line.charge.delta, charge->delta) << what;
  // What the release says of its draw is what was charged.
  const bool drawn = assumptions.find("but for a probability of") != std::string::npos;
  EXPECT_EQ(line.charge.draws > 0.0,
            drawn && document.guarantee().basis <= Basis::ProvedRealArithmetic)
      << what;
}

/// What is published reads back: nothing in it contradicts the rest.
void expect_it_reads_back(const ReleaseDocument& document, const std::string& what) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("eigenveil-kept-{}", ::getpid());
  ReleaseTarget target{folder, TableFormat::Csv};
  target.existing = Existing::Replace;
  const auto written = write_release(document, target);
  ASSERT_TRUE(written) << what << written.error().message;
  const Result<ReadRelease> read = read_release(folder);
  EXPECT_TRUE(read) << what << (read ? "" : read.error().message);
  fs::remove_all(folder);
}

Result<ReleaseDocument> released(const Plan& plan, const Method& method, Eigen::Index rows) {
  RandomStream stream = RandomStream::secure();
  if (method.info().reads_exact_rows) {
    return release(plan, exact_rows(rows), stream, 1);
  }
  return release(plan, rows_near_a_line(rows), stream);
}

void check(const Method& method, const std::string& task, const Sample& sample) {
  const std::string what = task + "/" + method.info().name + ": ";
  const Request request = request_for(task, method.info().name, sample);
  PublicFacts facts =
      has_bound(request.task)
          ? PublicFacts{Schema::numbered(kColumns), *RowBound::row_norm(kColumns, sample.radius)}
          : *unbounded(Schema::numbered(kColumns));
  std::optional<ReleaseCost> charged;
  if (method.info().needs_row_count) {
    const Result<ReleaseCost> stated = stated_cost(method, request, false);
    ASSERT_TRUE(stated) << what << stated.error().message;
    charged = *stated;
  }
  facts.rows = sample.rows;
  const Result<std::unique_ptr<Plan>> plan = make_plan(method, request, facts);
  ASSERT_TRUE(plan) << what << plan.error().message;
  if (charged) {
    EXPECT_TRUE(check_charged(*charged, **plan)) << what;
    ReleaseCost forgetful = *charged;  // as it was charged before methods could say
    forgetful.guarantee.assumptions.clear();
    EXPECT_FALSE(check_charged(forgetful, **plan)) << what;
  }
  const ReleaseCost cost = charged.value_or(cost_of(**plan, false));
  const Result<ReleaseDocument> document = released(**plan, method, sample.rows);
  ASSERT_TRUE(document) << what << document.error().message;

  expect_it_reads_back(*document, what);

  const SigningKey key = SigningKey::make();
  SharedLines shared{generous(
      can_be_kept(cost.guarantee.relation) ? cost.guarantee.relation : Relation::ReplaceOne, key)};
  const Ledger ledger = *Ledger::on(std::make_unique<MemoryStore>(shared), key);
  ReservationRequest wanted;
  wanted.cost = cost;
  wanted.request = to_json((*plan)->request());
  const Result<Reservation> made = ledger.reserve(wanted);
  EXPECT_EQ(made.has_value(), can_be_kept(cost.guarantee.relation))
      << what << (made ? "" : made.error().message);
  if (made) {
    compare(shared.lines.back(), shared.terms, cost, *document, what);
  }
}

TEST(LedgerEntries, SayWhatTheReleaseSaysForEveryMethod) {
  for (const Method* method : methods()) {
    for (const Task task : method->info().tasks) {
      const std::string name = std::string(name_of(task)) + "/" + method->info().name;
      const auto [first, last] = samples().equal_range(name);
      EXPECT_NE(first, last) << name << " has no sample here";
      for (auto sample = first; sample != last; ++sample) {
        check(*method, std::string(name_of(task)), sample->second);
      }
    }
  }
}

/// A method that plans with the number of rows and does not say what it costs is not charged.
TEST(LedgerEntries, AMethodThatCannotSayIsRefused) {
  class Silent final : public Method {
   public:
    const MethodInfo& info() const override {
      static const MethodInfo info{.name = "silent",
                                   .sentence = "",
                                   .budgets = "",
                                   .tasks = {Task::Components},
                                   .needs_row_count = true};
      return info;
    }
    Result<std::unique_ptr<Plan>> plan(const Request&, const PublicFacts&) const override {
      return bad_request("");
    }
    Result<PlanFacts> outlook(const Request&, const AssumedTable&) const override {
      return bad_request("");
    }
  };
  Request request;
  request.budget = PureDp{1.0};
  const Result<ReleaseCost> cost = stated_cost(Silent(), request, false);
  ASSERT_FALSE(cost);
  EXPECT_NE(cost.error().message.find("give {rows}"), std::string::npos);
}

/// Asked by rho, exponential pays the mu that covers its draw where that is the smaller share; not
/// sqrt(2 rho), and not a pair.
TEST(LedgerEntries, ExponentialByRhoPaysItsOwnMu) {
  const Method& method = **std::find_if(methods().begin(), methods().end(), [](const Method* each) {
    return each->info().name == "exponential";
  });
  Request request =
      request_for("pca", "exponential", {[](Request& r) { by_rho(r), about_nothing(r); }});
  const PublicFacts facts = {Schema::numbered(kColumns), *RowBound::row_norm(kColumns, 2.0)};
  const auto plan = *make_plan(method, request, facts);
  const LedgerTerms terms = terms_with({1.0, 1.0, 1e-6, 1e-6});
  const Charge charge = *choose_charge(terms, {}, cost_of(*plan, false));
  EXPECT_EQ(charge.account, Account::Gaussian);
  EXPECT_GT(charge.mu, std::sqrt(2.0 * 0.02));
  EXPECT_LT(charge.mu,
            1.3 * std::sqrt(2.0 * 0.02));  // mu(e) / (e/2) is at most sqrt(pi/2) = 1.2533
  // Without a gaussian account the pair is all that is left.
  EXPECT_EQ(choose_charge(terms_with({0.0, 3.0, 1e-4, 1e-6}), {}, cost_of(*plan, false))->account,
            Account::Basic);
}

/// Draws in doubles (docs/proofs/double_precision.md) are charged what they add to delta, and a
/// ledger whose cap they would pass refuses them.
TEST(LedgerEntries, DrawsInDoublesAreChargedWhatTheyAdd) {
  const Method& method = **std::find_if(methods().begin(), methods().end(), [](const Method* each) {
    return each->info().name == "orbit" && each->info().serves(Task::Components);
  });
  const Request request =
      request_for("pca", "orbit", {[](Request& r) { pure(r), about_nothing(r); }});
  const PublicFacts facts = {Schema::numbered(kColumns), *RowBound::row_norm(kColumns, 2.0)};
  const auto plan = *make_plan(method, request, facts);
  const ReleaseCost cost = cost_of(*plan, false);
  EXPECT_GT(cost.draw_error, 0.0);
  EXPECT_LT(cost.draw_error, 1e-8);
  const Charge beside_epsilon = *choose_charge(terms_with({0.0, 1.0, 0.0, 1e-6}), {}, cost);
  EXPECT_GT(beside_epsilon.draws, (1.0 + std::exp(1.0)) * cost.draw_error * (1 - 1e-12));
  EXPECT_LT(beside_epsilon.draws, (1.0 + std::exp(1.0)) * cost.draw_error * (1 + 1e-12));
  const Charge beside_mu = *choose_charge(terms_with({3.0, 0.0, 0.0, 1e-6}), {}, cost);
  EXPECT_EQ(beside_mu.draws, cost.draw_error);
  const Result<Charge> refused =
      choose_charge(terms_with({0.0, 1.0, 0.0, cost.draw_error}), {}, cost);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("draws in doubles"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::ledger_entries_test
