// Sums of another table than the plan's: noise is scaled to the plan's bound, so that whatever the
// method, they are refused before anything is drawn.
#include <gtest/gtest.h>

#include "eigenveil/engine/release.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "engine/method_samples.hpp"

namespace eigenveil::test::other_sums_test {
namespace {

using method_samples::request_for;
using method_samples::Sample;
using method_samples::samples;

/// People at every corner of a box, so that no direction is empty.
Matrix people(Eigen::Index rows, Eigen::Index columns, double size) {
  Matrix cells(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      cells(i, j) = ((i >> j) % 2 == 0 ? size : -size) * (j == 0 ? 1.0 : 0.1);
    }
  }
  return cells;
}

ExactGram sums_of(const Matrix& rows, const Schema& schema, const RowBound& bound) {
  GramAccumulator accumulator(schema, bound, 1);
  EXPECT_TRUE(accumulator.add(rows));
  return *accumulator.finish();
}

Result<std::unique_ptr<Plan>> planned(const std::string& name, const Sample& sample,
                                      const PublicFacts& facts) {
  const std::size_t slash = name.find('/');
  return plan(request_for(name.substr(0, slash), name.substr(slash + 1), sample), facts);
}

TEST(OtherSums, AreRefusedByEveryMethod) {
  const Schema schema = Schema::numbered(method_samples::kColumns);
  std::size_t taken = 0;
  for (const auto& [name, sample] : samples()) {
    const RowBound bound = *RowBound::row_norm(schema.dimension(), sample.radius);
    const auto made = planned(name, sample, {schema, bound, sample.rows});
    ASSERT_TRUE(made) << name << ": " << made.error().message;
    const auto drawn = [&](const Schema& columns, const RowBound& other) {
      RandomStream stream = RandomStream::secure();
      const Matrix rows =
          people(sample.rows, static_cast<Eigen::Index>(columns.dimension()), sample.radius / 4.0);
      return release(**made, sums_of(rows, columns, other), stream);
    };
    const auto own = drawn(schema, bound);
    if (!own) {  // only one of the methods that need the rows may refuse sums of this very table
      EXPECT_NE(own.error().message.find("needs the rows"), std::string::npos)
          << name << ": " << own.error().message;
      continue;
    }
    ++taken;
    Schema renamed = schema;
    renamed.columns.back() = "another";
    Schema of_people = schema;
    of_people.people = {"who", 3};
    const std::tuple<const char*, Schema, RowBound> others[] = {
        {"longer rows", schema, *RowBound::row_norm(schema.dimension(), 1000.0 * sample.radius)},
        {"a coarser grid", schema, *RowBound::row_norm(schema.dimension(), sample.radius, 1000)},
        {"other columns", renamed, bound},
        {"people", of_people, bound},
        {"more columns", Schema::numbered(schema.dimension() + 1),
         *RowBound::row_norm(schema.dimension() + 1, sample.radius)}};
    for (const auto& [what, columns, other] : others) {
      const auto document = drawn(columns, other);
      ASSERT_FALSE(document) << name << " took sums of " << what;
      EXPECT_NE(document.error().message.find("that the plan was made for"), std::string::npos)
          << name << ": " << document.error().message;
    }
  }
  EXPECT_GT(taken, 15U);
}

TEST(OtherSums, OfSeveralPartsAddUpOrAreRefused) {
  const Schema schema = Schema::numbered(method_samples::kColumns);
  const Sample sample = samples().find("pca/spiked")->second;
  const RowBound bound = *RowBound::row_norm(schema.dimension(), sample.radius);
  const auto made = planned("pca/spiked", sample, {schema, bound, sample.rows});
  ASSERT_TRUE(made);
  const ExactGram some = sums_of(people(150, method_samples::kColumns, 5.0), schema, bound);
  const ExactGram others = sums_of(people(250, method_samples::kColumns, 4.0), schema, bound);
  const Matrix rows = people(250, method_samples::kColumns, 4.0);
  const OpenRows open = [&] { return read_matrix(rows, schema); };
  RandomStream stream = RandomStream::secure();
  const auto both = release(**made, std::vector<TablePart>{{{}, &some}, {{}, &others}}, stream, 1);
  ASSERT_TRUE(both) << both.error().message;  // row_count is 400: neither part has as many
  EXPECT_FALSE(release(**made, std::vector<TablePart>{{{}, &others}}, stream, 1));
  EXPECT_FALSE(release(**made, std::vector<TablePart>{{open}, {{}, &some}}, stream, 1));
  EXPECT_FALSE(release(**made, std::vector<TablePart>{{{}, &some}, {open}}, stream, 1));
}

TEST(OtherSums, APlanWithoutPartsReleasesNothing) {
  const Schema schema = Schema::numbered(method_samples::kColumns);
  for (const auto& [name, sample] : samples()) {
    const RowBound bound = *RowBound::row_norm(schema.dimension(), sample.radius);
    const auto made = planned(name, sample, {schema, bound, sample.rows});
    ASSERT_TRUE(made) << name;
    RandomStream stream = RandomStream::secure();
    EXPECT_FALSE(release(**made, std::vector<TablePart>{}, stream, 1)) << name;
    if (name.starts_with("mask/")) {
      EXPECT_FALSE((*made)->start(stream, 1)->finish()) << name;
    }
  }
}

TEST(OtherSums, RowsOfAnotherWidthAreRefused) {
  const Schema schema = Schema::numbered(method_samples::kColumns);
  for (const auto& [name, sample] : samples()) {
    const RowBound bound = *RowBound::row_norm(schema.dimension(), sample.radius);
    const auto made = planned(name, sample, {schema, bound, sample.rows});
    ASSERT_TRUE(made) << name;
    RandomStream stream = RandomStream::secure();
    const Matrix narrow = Matrix::Constant(sample.rows, 2, 0.25);
    const OpenRows open = [&] { return read_matrix(narrow, Schema::numbered(2)); };
    const auto document = release(**made, open, stream, 1);
    ASSERT_FALSE(document) << name;
  }
}

}  // namespace
}  // namespace eigenveil::test::other_sums_test
