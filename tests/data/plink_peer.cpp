#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "plink_support.hpp"

// plink1.9 (scripts/debian-packages.txt) is the reference: its allele frequencies must be ours.

namespace eigenveil::test::plink_peer_test {
namespace {

struct Frequency {
  std::string allele;  // A1 of the output
  std::string value;   // as printed, four digits or NA
  std::size_t observed = 0;
};

Result<std::map<std::string, Frequency>> plink_frequencies(const std::string& stem,
                                                           const std::string& out) {
  const std::string command = fmt::format(
      "plink1.9 --bfile '{}' --keep-allele-order --freq --allow-extra-chr --out '{}' >/dev/null "
      "2>&1",
      stem, out);
  if (std::system(command.c_str()) != 0) {
    return input_output_error("plink1.9 failed");
  }
  std::ifstream file(out + ".frq");
  std::string line;
  std::getline(file, line);
  std::map<std::string, Frequency> frequencies;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string chromosome;
    std::string name;
    std::string other;
    Frequency frequency;
    fields >> chromosome >> name >> frequency.allele >> other >> frequency.value >>
        frequency.observed;
    frequencies[name] = frequency;
  }
  return frequencies;
}

void expect_frequencies_of_plink(const std::string& bed_path, const std::string& stem,
                                 const std::string& out) {
  const Result<std::map<std::string, Frequency>> theirs = plink_frequencies(stem, out);
  ASSERT_TRUE(theirs) << theirs.error().message;
  const auto reader = open_rows(bed_path, {});
  ASSERT_TRUE(reader);
  const Schema& schema = (*reader)->schema();
  std::vector<double> copies(schema.dimension());
  std::vector<std::size_t> observed(schema.dimension());
  RawRows block;
  do {
    ASSERT_TRUE((*reader)->read(block));
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      if (!std::isnan(block.values[i])) {
        copies[i % block.dimension] += block.values[i];
        observed[i % block.dimension] += 2;
      }
    }
  } while (block.rows > 0);
  ASSERT_EQ(theirs->size(), schema.dimension());
  for (std::size_t j = 0; j < schema.dimension(); ++j) {
    const Frequency& frequency = theirs->at(schema.columns[j]);
    EXPECT_EQ(observed[j], frequency.observed) << schema.columns[j];
    EXPECT_EQ(schema.counted_alleles[j], frequency.allele) << schema.columns[j];
    if (observed[j] == 0) {
      EXPECT_EQ(frequency.value, "NA");
      continue;
    }
    const double ours = copies[j] / static_cast<double>(observed[j]);
    // plink prints four significant digits: half a unit of the last one, and a little for rounding
    const double theirs_value = std::stod(frequency.value);
    EXPECT_LE(std::fabs(ours - theirs_value), 0.5001e-3 * std::max(theirs_value, 1e-4))
        << schema.columns[j];
  }
}

TEST(PlinkPeer, FrequenciesOfGeneratedFiles) {
  for (const std::size_t people : {1, 2, 3, 4, 5, 63, 64, 65, 1001}) {
    constexpr std::size_t kVariants = 37;
    std::vector<unsigned> codes(people * kVariants);
    std::uint64_t state = 88172645463325252U + people;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      const std::size_t variant = i % kVariants;
      // variant 0 is never seen, variant 1 never missing, the others differ in frequency
      codes[i] = variant == 0 ? 1U : (state >> 33U) % 100 < 3 * variant ? 3U : (state >> 50U) % 4U;
      codes[i] = variant == 1 && codes[i] == 1 ? 2U : codes[i];
    }
    const PlinkFiles files(bed(codes, kVariants), bim(names(kVariants)), fam(people));
    expect_frequencies_of_plink(files.bed(), files.stem(), files.stem());
  }
}

TEST(PlinkPeer, FrequenciesOfTheThousandGenomes) {
  const std::string stem = "/work/shared/data/genotypes-1000g-phase1/1kg_phase1";
  if (!std::filesystem::exists(stem + ".bed")) {
    GTEST_SKIP() << stem << ".bed is not on this machine";
  }
  const PlinkFiles scratch(bed({}, 1), bim(names(1)), "");  // its stem holds plink's output
  expect_frequencies_of_plink(stem + ".bed", stem, scratch.stem());
}

}  // namespace
}  // namespace eigenveil::test::plink_peer_test
