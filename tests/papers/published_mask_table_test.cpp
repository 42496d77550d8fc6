// Table 1 of Ding, Wu, Miao and Chen with every column to the printed digit, Corollaries 3.3
// and 3.5, the general form, settings A, B and C, and blocks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/mask/mask_calibration.hpp"
#include "papers/published_noise.hpp"

namespace eigenveil::test::published_mask_table_test {
namespace {

using papers::kPublishedNoise;
using papers::PublishedNoise;

TEST(PublishedTable, EveryColumnOfAllRowsToThePrintedDigit) {
  static_assert(kPublishedNoise.size() == 36);
  for (const PublishedNoise& row : kPublishedNoise) {
    const ApproxDp target{row.epsilon, row.delta};
    const UnmaskedNoise plain = unmasked_noise(1.0, target);                     // setting A
    const double masked = *published_mask_noise(row.rows, row.columns, target);  // B and C
    SCOPED_TRACE(fmt::format("{} {} p {} n {}", row.epsilon, row.delta, row.columns, row.rows));
    EXPECT_EQ(fmt::format("{:.1f}", plain.necessary), row.necessary);
    EXPECT_EQ(fmt::format("{:.1f}", plain.sufficient), row.sufficient);
    EXPECT_EQ(fmt::format("{:.1f}", masked), row.masked);
    EXPECT_EQ(fmt::format("{:.0f}", plain.sufficient / masked), row.ratio);
    // (epsilon, delta)-DP asks for less than P(loss > epsilon) <= delta.
    EXPECT_LT(plain.analytic, plain.necessary);
    EXPECT_LT(plain.sufficient, 1.1 * plain.necessary);
  }
}

TEST(PublishedTable, CorollariesBracketTheConditionsTheyRelax) {
  for (const PublishedNoise& row : kPublishedNoise) {
    const ApproxDp target{row.epsilon, row.delta};
    const UnmaskedNoise plain = unmasked_noise(1.0, target);
    const double root = std::sqrt(std::log(1.0 / row.delta)) / row.epsilon;
    EXPECT_NEAR(plain.corollary_necessary, root, 1e-12 * root);         // Corollary 3.3 (a)
    EXPECT_NEAR(plain.corollary_sufficient, 1.7 * root, 1e-12 * root);  // Corollary 3.3 (b)
    EXPECT_LE(plain.corollary_necessary, plain.necessary);
    EXPECT_GE(plain.corollary_sufficient, plain.sufficient);
    const double n = row.rows;
    const double p = row.columns;
    const double relaxed = std::sqrt((2.0 * n - p + std::log(1.0 / row.delta)) / (2.0 * (n - p))) *
                           3.0 * std::pow(p, 0.25) / std::sqrt(row.epsilon);
    EXPECT_NEAR(*relaxed_mask_noise(row.rows, row.columns, target), relaxed, 1e-12 * relaxed);
    EXPECT_GE(relaxed, *published_mask_noise(row.rows, row.columns, target));  // Corollary 3.5
  }
}

TEST(PublishedTable, TheGeneralFormIsNeverWorseAndTheTightOneIsBetter) {
  for (const PublishedNoise& row : kPublishedNoise) {
    const ApproxDp target{row.epsilon, row.delta};
    const double radius = std::sqrt(static_cast<double>(row.columns));
    const double published = *published_mask_noise(row.rows, row.columns, target);
    // The printed L = 2 sqrt(p) + 1 is looser than 2 R D.
    EXPECT_LE(*general_mask_noise({row.rows, row.columns, radius}, 1.0, target), published);
    if (row.columns == 1) {  // there both relations are one
      const double tight =
          *tight_mask_noise({row.rows, row.columns, 1.0}, target, Relation::ZeroRow);
      EXPECT_GT(published, 6.0 * tight);
    }
  }
}

/// A block-diagonal mask needs the noise of its smallest block, whatever the other blocks hold.
TEST(PublishedTable, BlocksNeedTheNoiseOfTheSmallest) {
  for (const PublishedNoise& row : kPublishedNoise) {
    if (row.rows != 10'000) {
      continue;
    }
    const ApproxDp target{row.epsilon, row.delta};
    const double whole = *published_mask_noise(row.rows, row.columns, target);
    const double blocks = *published_mask_noise(100, row.columns, target);
    EXPECT_GT(blocks, whole);
    EXPECT_GT(*tight_mask_noise({100, row.columns, 1.0}, target, Relation::ZeroRow),
              *tight_mask_noise({row.rows, row.columns, 1.0}, target, Relation::ZeroRow));
  }
}

}  // namespace
}  // namespace eigenveil::test::published_mask_table_test
