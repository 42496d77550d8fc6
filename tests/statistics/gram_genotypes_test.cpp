#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::test::gram_genotypes_test {
namespace {

Schema genotypes() {
  return {{"rs1", "rs2"}, {"A", "G"}};
}

ExactGram counted(const Schema& schema, double first) {
  const RowBound bound = *RowBound::ranges({{0, 2}, {0, 2}}, std::nullopt, 1);
  GramAccumulator accumulator(schema, bound, 1);
  const std::vector<double> row = {first, 1.0};
  EXPECT_TRUE(accumulator.add(MatrixView::row_major(row.data(), 1, 2)));
  return *accumulator.finish();
}

ExactGram through_a_file(const ExactGram& gram) {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("eigenveil-genotypes-{}.gram", ::getpid());
  EXPECT_TRUE(gram.save(path));
  const Result<ExactGram> again = ExactGram::load(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(again) << again.error().message;
  return *again;
}

TEST(GramOfGenotypes, KeepsAllelesAndFrequencies) {
  Schema schema = genotypes();
  EXPECT_EQ(through_a_file(counted(schema, 2.0)).schema(), schema);
  schema.allele_frequencies = {0.25, 0.5};
  EXPECT_EQ(through_a_file(counted(schema, 2.0)).schema(), schema);
  schema.counted_alleles.clear();
  EXPECT_EQ(through_a_file(counted(schema, 2.0)).schema(), schema);
  const Schema plain{{"rs1", "rs2"}};
  EXPECT_EQ(through_a_file(counted(plain, 2.0)).schema(), plain);
}

TEST(GramOfGenotypes, OtherAllelesDoNotMerge) {
  const ExactGram gram = counted(genotypes(), 2.0);
  const auto refusal = [&gram](const Schema& schema) {
    ExactGram total = gram;
    const Result<void> merged = total.merge(counted(schema, 0.0));
    return merged ? std::string() : merged.error().message;
  };
  EXPECT_EQ(refusal(genotypes()), "");
  const Schema flipped{{"rs1", "rs2"}, {"A", "T"}};
  EXPECT_EQ(
      refusal(flipped),
      "the tables cannot be merged: column \"rs2\" counts allele G in one and T in the other");
  EXPECT_EQ(refusal({{"rs1", "rs2"}}),
            "the tables cannot be merged: only one of them says which alleles are counted");
  Schema standardised = genotypes();
  standardised.allele_frequencies = {0.25, 0.5};
  EXPECT_EQ(refusal(standardised),
            "the tables cannot be merged: they were standardised by different allele frequencies");
}

/// A file with another name in it, and the checksum of a forger.
std::string renamed(const ExactGram& gram, const std::string& from, const std::string& to) {
  std::string bytes = gram.to_bytes();
  bytes.resize(bytes.size() - 32);
  bytes.replace(bytes.rfind(from), from.size(), to);
  const Digest digest = sha256(bytes);
  return bytes.append(digest.begin(), digest.end());
}

// A name that is no text would end up in release.json, which cannot hold it.
TEST(GramOfGenotypes, NamesThatAreNoTextAreRefused) {
  for (const Schema& schema :
       {Schema{{"rs1", "r\xFF"}}, Schema{{"rs1", "a\nb"}}, Schema{{"rs1", "rs2"}, {"A", "\xC3"}}}) {
    GramAccumulator accumulator(schema, *RowBound::ranges({{0, 2}, {0, 2}}, std::nullopt, 1), 1);
    EXPECT_FALSE(accumulator.add(Matrix::Ones(1, 2).eval()));
  }
  // Of no rows: it holds no fingerprint of its names.
  const ExactGram gram(genotypes(), *RowBound::ranges({{0, 2}, {0, 2}}, std::nullopt, 1));
  EXPECT_TRUE(ExactGram::from_bytes(renamed(gram, "rs2", "rs3")));
  for (const std::string& bytes : {renamed(gram, "rs2", "r\xFF\x32"), renamed(gram, "rs2", "a\nb"),
                                   renamed(gram, "G", "\xC3")}) {
    const Result<ExactGram> read = ExactGram::from_bytes(bytes);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message,
              "the .gram file is damaged: its column names are not plain UTF-8 text");
  }
}

}  // namespace
}  // namespace eigenveil::test::gram_genotypes_test
