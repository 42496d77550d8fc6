#include <gtest/gtest.h>

#include <algorithm>

#include "collection/collected_release.hpp"
#include "collection_support.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/gauss/integer_noise.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::collection_test {
namespace {

/// The exact Gram of (t, x) over the first `people`, as a curator would have it.
std::vector<Int128> exact_triangle(const Collection& collection, std::size_t people) {
  const Manifest& manifest = collection.study.manifest;
  const CollectionPlan plan = collection.plan();
  std::vector<Int128> total(manifest.entries(), 0);
  RandomStream unused = RandomStream::seeded(1);
  for (std::size_t person = 0; person < people; ++person) {
    const std::vector<Int128> own =
        outer_triangle(grid_row(manifest, plan, answers(person, manifest.columns.size()), unused));
    std::transform(total.begin(), total.end(), own.begin(), total.begin(), std::plus<>());
  }
  return total;
}

/// What a curator releases with method gauss from the same rows and the seed of A, on the grid of
/// the study; B's noise comes on top.
TEST(Collecting, IsTheCentralReleaseWithTheSecondServersNoise) {
  Collection collection({.columns = 4});
  const std::uint64_t seed_a = seed_for("collection.a");
  const std::uint64_t seed_b = seed_for("collection.b");
  collection.open_both(seed_a, seed_b);
  const Manifest& manifest = collection.study.manifest;
  const CollectionPlan plan = collection.plan();
  GramAccumulator rows(manifest.schema(), plan.bound, 1);
  for (std::size_t person = 0; person < 9; ++person) {
    const std::vector<double> cells = answers(person, 4);
    collection.send(person, cells);
    ASSERT_TRUE(rows.add(MatrixView::row_major(cells.data(), 1, 4)));
  }
  ASSERT_TRUE(collection.close());
  const CollectedGram gram = collection.merged().value();
  EXPECT_EQ(gram.reports, 9U);
  EXPECT_FALSE(gram.secure_random);

  const ExactGram exact = rows.finish().value();
  RandomStream central_stream = RandomStream::seeded(seed_a);
  const NoisyTotals central =
      add_rounded_noise(SecondMoment(exact, plan.shape), plan.scale, 0, central_stream);
  RandomStream second = RandomStream::seeded(seed_b);
  const std::vector<std::int64_t> noise = gaussian_integer_noise(plan.shape, plan.scale, second);
  const auto t = static_cast<double>(manifest.constant);
  EXPECT_EQ(gram.triangle[0], Int128{manifest.constant} * manifest.constant * 9);
  for (std::size_t column = 0; column < 4; ++column) {
    const std::size_t at_sum = triangle_index(0, column + 1);
    EXPECT_EQ(static_cast<double>(gram.triangle[at_sum] - noise[at_sum]),
              std::round((*central.sums)[static_cast<Eigen::Index>(column)] * t));
    for (std::size_t row = 0; row <= column; ++row) {
      const std::size_t at = triangle_index(row + 1, column + 1);
      EXPECT_EQ(static_cast<double>(gram.triangle[at] - noise[at]),
                central.products(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)))
          << row << " " << column;
    }
  }
}

TEST(Collecting, ReleasedGramHasItsGuaranteeAndIsReadBack) {
  Collection collection({.columns = 3});
  for (std::size_t person = 0; person < 12; ++person) {
    collection.send(person, answers(person, 3));
  }
  ASSERT_TRUE(collection.close());
  const CollectedGram gram = collection.merged().value();
  const ReleaseDocument document = collected_document(collection.study, gram).value();
  EXPECT_EQ(document.task, "collect");
  EXPECT_EQ(document.guarantee().basis, Basis::Proved);
  EXPECT_EQ(document.guarantee().relation, Relation::ZeroRow);
  EXPECT_TRUE(document.guarantee().secure_random);
  EXPECT_TRUE(implausible(collection.study.manifest, collection.plan(), gram).empty());
  const std::filesystem::path out = collection.folder / "gram";
  ASSERT_TRUE(write_release(document, TableFormat::Csv, out));
  const ReadRelease read = read_release(out).value();
  EXPECT_TRUE(components_of_collected(read, 2));
  EXPECT_TRUE(covariance_of_collected(read));
  RandomStream stream = RandomStream::secure();
  EXPECT_TRUE(pseudo_data_of_collected(read, stream));
  EXPECT_FALSE(components_of_collected(read, 4));
}

TEST(Collecting, WithNoiseOfParticipants) {
  Collection collection(
      {.columns = 2, .minimum_batch = 12, .noise = NoiseMode::Participants, .colluders = 2}, 20);
  for (std::size_t person = 0; person < 14; ++person) {
    collection.send(person, answers(person, 2));
  }
  ASSERT_TRUE(collection.close());
  const CollectedGram gram = collection.merged().value();
  const ReleaseDocument document = collected_document(collection.study, gram).value();
  EXPECT_EQ(document.method, "mask");
  EXPECT_EQ(document.guarantee().basis, Basis::ProvedRealArithmetic);
  EXPECT_TRUE(implausible(collection.study.manifest, collection.plan(), gram).empty());
  const std::filesystem::path out = collection.folder / "gram";
  ASSERT_TRUE(write_release(document, TableFormat::Csv, out));
  const ReadRelease read = read_release(out).value();
  EXPECT_FALSE(components_of_collected(read, 1));  // analyse subtracts the noise's own squares
  RandomStream stream = RandomStream::secure();
  EXPECT_TRUE(pseudo_data_of_collected(read, stream));
}

TEST(Collecting, BatchMustExceedColumnsWithoutColluders) {
  Manifest manifest = Collection().study.manifest;
  manifest.noise = NoiseMode::Participants;
  manifest.minimum_batch = 8;
  manifest.colluders = 4;
  EXPECT_FALSE(with_grid(manifest));  // 4 rows for 3 columns and a constant
  manifest.colluders = 2;
  EXPECT_TRUE(with_grid(manifest));
}

TEST(Collecting, GridKeepsTheNoiseWithinItsSteps) {
  for (const double epsilon : {0.05, 1.0, 20.0}) {
    for (const std::size_t columns : {1U, 20U, 200U}) {
      const Collection collection({.columns = columns, .budget = ApproxDp{epsilon, 1e-6}}, 1);
      const CollectionPlan plan = collection.plan();
      EXPECT_LE(plan.scale.diagonal, kMostNoiseSteps);
      EXPECT_GE(plan.scale.off_diagonal, 1.0);
    }
  }
}

/// A lying participant is found where the lie shows.
TEST(Collecting, ImplausibleSumsAreNamed) {
  Collection collection({.columns = 2});
  CollectedGram gram;
  gram.reports = 10;
  gram.triangle = exact_triangle(collection, 10);
  const Manifest& manifest = collection.study.manifest;
  const CollectionPlan plan = collection.plan();
  EXPECT_TRUE(implausible(manifest, plan, gram).empty());
  gram.triangle[0] += 1;
  EXPECT_EQ(implausible(manifest, plan, gram).size(), 1U);
  gram.triangle[0] -= 1;
  gram.triangle[triangle_index(1, 1)] += Int128{1} << 60U;
  EXPECT_FALSE(implausible(manifest, plan, gram).empty());
  gram.triangle[triangle_index(1, 1)] -= Int128{1} << 60U;
  gram.triangle[triangle_index(0, 2)] += Int128{1} << 60U;  // a mean that no answers have
  EXPECT_EQ(implausible(manifest, plan, gram).size(), 1U);
}

/// Where participants add the noise a sum of noisy squares has a largest value, too.
TEST(Collecting, ImplausibleSumsOfNoisyRowsAreNamed) {
  Collection collection({.columns = 2, .minimum_batch = 12, .noise = NoiseMode::Participants});
  const Manifest& manifest = collection.study.manifest;
  const CollectionPlan plan = collection.plan();
  RandomStream stream = RandomStream::seeded(seed_for("collection.noisy_rows"));
  CollectedGram gram;
  gram.reports = 12;
  gram.triangle.assign(manifest.entries(), 0);
  for (std::size_t person = 0; person < gram.reports; ++person) {
    const auto row = grid_row(manifest, plan, answers(person, 2), stream);
    const std::vector<Int128> triangle = outer_triangle(row);
    std::transform(triangle.begin(), triangle.end(), gram.triangle.begin(), gram.triangle.begin(),
                   std::plus<>());
  }
  EXPECT_TRUE(implausible(manifest, plan, gram).empty());
  for (const std::size_t entry :
       {triangle_index(0, 0), triangle_index(1, 1), triangle_index(0, 1), triangle_index(1, 2)}) {
    CollectedGram spoilt = gram;
    spoilt.triangle[entry] += Int128{1} << 90U;
    EXPECT_FALSE(implausible(manifest, plan, spoilt).empty()) << entry;
  }
}

TEST(Collecting, ChangedManifestsAreRefused) {
  const Collection collection;
  EXPECT_TRUE(check_signatures(collection.study, "", ""));
  EXPECT_TRUE(check_signatures(collection.study, collection.study.manifest.a.signing_key,
                               collection.study.manifest.b.signing_key));
  EXPECT_FALSE(check_signatures(collection.study, SigningKey::make().public_part(), ""));
  Study changed = collection.study;
  changed.manifest.budget = ApproxDp{2.0, 1e-6};
  Study stale = Study::of(changed.manifest);
  stale.signature_a = collection.study.signature_a;
  stale.signature_b = collection.study.signature_b;
  EXPECT_FALSE(check_signatures(stale, "", ""));
  Manifest weak = collection.study.manifest;
  weak.max_abs *= 1024;  // noise calibrated for another grid would need more steps than are drawn
  EXPECT_FALSE(plan_collection(weak));
  weak = collection.study.manifest;
  weak.constant += 1;
  EXPECT_FALSE(plan_collection(weak));
  weak = collection.study.manifest;
  weak.b.sealing_key = weak.a.sealing_key;
  EXPECT_FALSE(check_manifest(weak));
  weak = collection.study.manifest;
  weak.relation = Relation::AddRemove;
  EXPECT_FALSE(check_manifest(weak));
}

/// A study is read from somebody else's file: what it shows must be what it says.
TEST(Collecting, TextsThatSteerATerminalAreRefused) {
  const Collection collection;
  const auto refused = [&](const auto& change) {
    Manifest manifest = collection.study.manifest;
    change(manifest);
    const Result<Study> read = study_from_json(to_json(Study::of(manifest)));
    return !read && read.error().code == ErrorCode::BadRequest;
  };
  for (const std::string text : {"two\nlines", "\x1b[2J",
                                 "\xc2\x9b"
                                 "2J",
                                 "tab\t",
                                 "\xe2\x80\xae"
                                 "abc"}) {
    EXPECT_TRUE(refused([&](Manifest& manifest) { manifest.title = text; })) << text;
    EXPECT_TRUE(refused([&](Manifest& manifest) { manifest.columns[0].name = text; })) << text;
    EXPECT_TRUE(refused([&](Manifest& manifest) { manifest.columns[0].question = text; })) << text;
    EXPECT_TRUE(refused([&](Manifest& manifest) { manifest.a.address = "https://" + text; }))
        << text;
  }
  EXPECT_TRUE(refused([](Manifest& manifest) { manifest.deadline = "2099-01-01T00:00:\n0Z"; }));
  EXPECT_TRUE(refused([](Manifest& manifest) {  // one key in two spellings
    manifest.b.sealing_key = manifest.a.sealing_key;
    std::transform(manifest.b.sealing_key.begin(), manifest.b.sealing_key.end(),
                   manifest.b.sealing_key.begin(),
                   [](char c) { return static_cast<char>(std::toupper(c)); });
  }));
  EXPECT_FALSE(
      refused([](Manifest& manifest) { manifest.title = "Wie gut schlafen Sie? \xc3\xa4"; }));
}

TEST(Collecting, StudyReadsBackAsItWasWritten) {
  const Collection collection;
  const Study read = study_from_json(to_json(collection.study)).value();
  EXPECT_EQ(read.text, collection.study.text);
  EXPECT_EQ(read.digest, collection.study.digest);
  EXPECT_TRUE(check_signatures(read, "", ""));
  EXPECT_FALSE(study_from_json("{}"));
  EXPECT_FALSE(study_from_json("nonsense"));
  std::string spaced = collection.study.text;
  spaced.insert(1, " ");
  EXPECT_FALSE(manifest_from_json(spaced));  // one text for one manifest
}

}  // namespace
}  // namespace eigenveil::test::collection_test
