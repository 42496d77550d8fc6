#include "data/genotypes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plink_support.hpp"

namespace eigenveil::test::genotypes_test {
namespace {

TEST(Genotypes, AreStandardisedByPublicFrequencies) {
  // people x variants; 0 two copies, 1 missing, 2 one copy, 3 none
  const PlinkFiles files(bed({0, 3, 1, 2, 3, 0}, 2), bim({"rs1", "rs2"}), fam(3));
  const std::vector<double> frequencies = {0.5, 0.125};
  auto reader = standardise_genotypes(*open_rows(files.bed(), {}), frequencies);
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->schema().allele_frequencies, frequencies);
  EXPECT_EQ((*reader)->schema().counted_alleles, (std::vector<std::string>{"A", "A"}));
  RawRows block;
  ASSERT_TRUE((*reader)->read(block));
  ASSERT_EQ(block.rows, 3U);
  const double first = std::sqrt(0.5);
  const double second = std::sqrt(2 * 0.125 * 0.875);
  EXPECT_DOUBLE_EQ(block.values[0], 1.0 / first);
  EXPECT_DOUBLE_EQ(block.values[1], -0.25 / second);
  EXPECT_TRUE(std::isnan(block.values[2]));
  EXPECT_DOUBLE_EQ(block.values[3], 0.75 / second);
  EXPECT_DOUBLE_EQ(block.values[4], -1.0 / first);
  EXPECT_DOUBLE_EQ(block.values[5], 1.75 / second);

  const auto ranges = standardised_ranges({"rs1", "rs2"}, frequencies);
  ASSERT_TRUE(ranges);
  EXPECT_DOUBLE_EQ((*ranges)[0].high, 1.0 / first);
  EXPECT_DOUBLE_EQ((*ranges)[1].high, 1.75 / second);
  EXPECT_EQ((*ranges)[1].low, -(*ranges)[1].high);
  // The farthest genotype reaches the bound and a missing one is zero: the mean, not the midpoint.
  const RowBound bound = *RowBound::ranges(*ranges);
  const BoundedRows rows = BoundedRows::clip(bound, block.values.data(), block.rows);
  EXPECT_EQ(rows.values()[2], 0.0);
  EXPECT_GE(rows.values()[5], static_cast<double>(bound.max_abs() - 1));
}

TEST(Genotypes, FrequenciesWithoutSpreadAreRefused) {
  const PlinkFiles files(bed({0, 3}, 2), bim({"rs1", "rs2"}), fam(1));
  for (const double bad : {0.0, 1.0, -0.5, 1.5, std::nan(""), 1e-12}) {
    const auto reader = standardise_genotypes(*open_rows(files.bed(), {}), {0.5, bad});
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().message,
              "the allele frequency of column rs2 must lie strictly between 0 and 1; leave the "
              "column out if the allele is absent or fixed.");
    EXPECT_FALSE(standardised_ranges({"rs1", "rs2"}, {0.5, bad}));
  }
  EXPECT_FALSE(standardise_genotypes(*open_rows(files.bed(), {}), {0.5}));
}

}  // namespace
}  // namespace eigenveil::test::genotypes_test
