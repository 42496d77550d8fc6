#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <sstream>

#include "data/parallel_rows.hpp"
#include "plink_support.hpp"

namespace eigenveil::test::plink_test {
namespace {

TEST(Plink, CodesCountAlleleOne) {
  // One byte: person 1 in the lowest bits. 00 -> 2, 01 -> missing, 10 -> 1, 11 -> 0.
  const PlinkFiles files(std::string("\x6C\x1B\x01\xE4\x1B", 5), bim({"rs1", "rs2"}), fam(4));
  const Result<Table> table = read_table(files.bed());
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->columns, (std::vector<std::string>{"rs1", "rs2"}));
  ASSERT_EQ(table->rows, 4U);
  EXPECT_EQ(table->values[0], 2);  // E4 = 11 10 01 00
  EXPECT_TRUE(std::isnan(table->values[2]));
  EXPECT_EQ(table->values[4], 1);
  EXPECT_EQ(table->values[6], 0);
  EXPECT_EQ(table->values[1], 0);  // 1B = 00 01 10 11
  EXPECT_EQ(table->values[3], 1);
  EXPECT_TRUE(std::isnan(table->values[5]));
  EXPECT_EQ(table->values[7], 2);
  const auto reader = open_rows(files.bed(), {});
  EXPECT_EQ((*reader)->schema().counted_alleles, (std::vector<std::string>{"A", "A"}));
}

TEST(Plink, EveryShapeSelectionAndChunk) {
  EXPECT_TRUE(rc::check([] {
    const auto people = *rc::gen::inRange<std::size_t>(1, 60);
    const auto variants = *rc::gen::inRange<std::size_t>(1, 90);
    const auto codes = *rc::gen::container<std::vector<unsigned>>(people * variants,
                                                                  rc::gen::inRange<unsigned>(0, 4));
    const auto padding = *rc::gen::inRange<unsigned>(0, 4);
    const PlinkFiles files(bed(codes, variants, padding), bim(names(variants)), fam(people));
    ReadOptions options;
    options.chunk_bytes = *rc::gen::inRange<std::size_t>(0, 9000);
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < variants; ++j) {
      chosen.push_back(variants - 1 - j);
    }
    if (*rc::gen::arbitrary<bool>()) {
      chosen.resize(*rc::gen::inRange<std::size_t>(1, variants + 1));
      for (const std::size_t j : chosen) {
        options.columns.push_back(names(variants)[j]);
      }
    } else {
      std::reverse(chosen.begin(), chosen.end());
    }
    const Result<Table> table = read_table(files.bed(), options);
    RC_ASSERT(table.has_value());
    RC_ASSERT(table->rows == people);
    for (std::size_t i = 0; i < people; ++i) {
      for (std::size_t j = 0; j < chosen.size(); ++j) {
        const unsigned code = codes[i * variants + chosen[j]];
        const double cell = table->values[i * chosen.size() + j];
        const double copies = code == 0 ? 2.0 : code == 2 ? 1.0 : 0.0;
        const bool right = code == 1 ? std::isnan(cell) : cell == copies;
        RC_ASSERT(right);
      }
    }
  }));
}

TEST(Plink, WorkersSeeEveryPersonOnce) {
  constexpr std::size_t kPeople = 4099;
  constexpr std::size_t kVariants = 70;
  std::vector<unsigned> codes(kPeople * kVariants);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<unsigned>((i * 2654435761U) >> 20U) % 4U;
  }
  const PlinkFiles files(bed(codes, kVariants), bim(names(kVariants)), fam(kPeople));
  ReadOptions options;
  options.chunk_bytes = 40000;
  auto reader = open_rows(files.bed(), options);
  ASSERT_TRUE(reader);
  std::vector<std::vector<double>> sums(3, std::vector<double>(kVariants));
  std::vector<std::size_t> rows(3);
  ASSERT_TRUE(for_each_block(**reader, 3, [&](std::size_t worker, RawRows& block) {
    rows[worker] += block.rows;
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      sums[worker][i % kVariants] += std::isnan(block.values[i]) ? 100.0 : block.values[i];
    }
  }));
  EXPECT_EQ(rows[0] + rows[1] + rows[2], kPeople);
  for (std::size_t j = 0; j < kVariants; ++j) {
    double expected = 0.0;
    for (std::size_t i = 0; i < kPeople; ++i) {
      constexpr double kWeights[] = {2.0, 100.0, 1.0, 0.0};
      expected += kWeights[codes[i * kVariants + j]];
    }
    EXPECT_EQ(sums[0][j] + sums[1][j] + sums[2][j], expected);
  }
}

TEST(Plink, MissingCanBeRefused) {
  std::vector<unsigned> codes(10 * 3, 2);
  codes[7 * 3 + 1] = 1;
  codes[8 * 3 + 0] = 1;
  const PlinkFiles files(bed(codes, 3, 1), bim(names(3)), fam(10));
  ReadOptions options;
  options.missing = MissingCell::Refuse;
  for (const std::size_t chunk : {0, 1}) {
    options.chunk_bytes = chunk;
    EXPECT_EQ(message_of(read_table(files.bed(), options)),
              "row 8, column rs1: the value is missing.");
  }
  options.columns = {"rs2"};
  EXPECT_TRUE(read_table(files.bed(), options));  // padding coded as missing is no person
}

TEST(Plink, VariantsWithoutAUsableIdentifier) {
  const std::string table =
      "1 rs1 0 100 A G\n"
      "1 . 0 200 C T\r\n"
      "\n"
      "2\trs7\t0.5\t300\tAC\tA\n"
      "X rs7 400 G GT";  // five fields: no centimorgans
  const PlinkFiles files(std::string("\x6C\x1B\x01", 3) + std::string(4, '\0'), table, fam(3));
  const Result<Table> all = read_table(files.bed());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->columns,
            (std::vector<std::string>{"rs1", "1:200:C:T", "2:300:AC:A", "X:400:G:GT"}));
  ReadOptions options;
  options.columns = {"X:400:G:GT", "1:200:C:T", "rs1"};
  const auto some = open_rows(files.bed(), options);
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ((*some)->schema().columns, options.columns);
  EXPECT_EQ((*some)->schema().counted_alleles, (std::vector<std::string>{"G", "C", "A"}));
  const auto refusal = [&](std::vector<std::string> columns) {
    options.columns = std::move(columns);
    return message_of(read_table(files.bed(), options));
  };
  EXPECT_EQ(refusal({"rs7"}),
            "there are several variants called rs7; select by chromosome:position:A1:A2.");
  EXPECT_EQ(refusal({"rs1", "rs1"}), "variant rs1 is selected twice.");
  EXPECT_EQ(refusal({"rs1", "1:100:A:G"}), "variant rs1 is selected twice, once as 1:100:A:G.");
  const std::string where =
      "; a name is the second column of the .bim file, or chromosome:position:A1:A2";
  EXPECT_EQ(refusal({"rs9"}), "there is no variant rs9" + where);
  EXPECT_EQ(refusal({"."}), "there is no variant ." + where);
}

TEST(Plink, RefusalsAreClear) {
  const std::string good = bed(std::vector<unsigned>(5 * 2, 0), 2);
  const auto refusal = [](const std::string& bed_bytes, const std::string& bim_text,
                          const std::string& fam_text) {
    const PlinkFiles files(bed_bytes, bim_text, fam_text);
    std::string message = message_of(read_table(files.bed()));
    const std::size_t at = message.find(files.stem());
    return at == std::string::npos ? message : message.replace(at, files.stem().size(), "X");
  };
  const std::string two = bim(names(2));
  ASSERT_EQ(refusal(good, two, fam(5)), "");
  const std::string belong = "; the three files do not belong together or one is damaged.";
  EXPECT_EQ(refusal(good.substr(0, 6), two, fam(5)),
            "X.bed is shorter than 2 variants (.bim) of 5 people (.fam) take" + belong);
  EXPECT_EQ(refusal(good + "x", two, fam(5)),
            "X.bed is longer than 2 variants (.bim) of 5 people (.fam) take" + belong);
  EXPECT_EQ(refusal(good, two, fam(9)),
            "X.bed is shorter than 2 variants (.bim) of 9 people (.fam) take" + belong);
  EXPECT_EQ(refusal("\x6C\x1B", two, fam(5)), "X.bed is not a PLINK 1 .bed file.");
  EXPECT_EQ(refusal("\x6C\x1C" + good.substr(2), two, fam(5)), "X.bed is not a PLINK 1 .bed file.");
  EXPECT_EQ(refusal(std::string("\x6C\x1B\0", 3) + good.substr(3), two, fam(5)),
            "X.bed is in the old individual-major order; convert it with plink (option make-bed).");
  EXPECT_EQ(refusal(good, two + "1 rs8 0 5 A\n1 rs9 A G\n", fam(5)),
            "X.bim line 4: six fields are expected (chromosome, identifier, centimorgans, "
            "position, allele 1, allele 2), not 4.");
  EXPECT_EQ(refusal(good, "1 r\xC3s 0 5 A G\n", fam(5)),
            "X.bim line 1: only printable ASCII characters are allowed.");
  EXPECT_EQ(refusal(good, "1 . 0 5 A G\n1 . 0 5 A G\n", fam(5)),
            "there are several variants called 1:5:A:G; make them differ in identifier, position "
            "or alleles.");
  EXPECT_EQ(refusal(good, " \n", fam(5)), "X.bim names no variant.");
  EXPECT_EQ(refusal(good, two, fam(4) + "f p 0 0 0\n"),
            "X.fam line 5: six fields are expected (family, person, father, mother, sex, "
            "phenotype), not 5.");
  EXPECT_EQ(refusal(good, std::string(3U << 20U, 'x'), fam(5)),
            "X.bim line 1 is longer than 1 MiB.");
}

TEST(Plink, MissingCompanionAndShrinkingFile) {
  const std::string bytes = bed(std::vector<unsigned>(100 * 2, 0), 2);
  const TemporaryFile alone(bytes, ".bed");
  EXPECT_NE(message_of(read_table(alone.path())).find(".bim cannot be read"), std::string::npos);
  const PlinkFiles files(bytes, bim(names(2)), fam(100));
  ReadOptions options;
  options.chunk_bytes = 64;
  auto reader = open_rows(files.bed(), options);
  ASSERT_TRUE(reader);
  RawRows block;
  ASSERT_TRUE((*reader)->read(block));
  std::filesystem::resize_file(files.bed(), 10);
  Result<void> got;
  while (got && block.rows > 0) {
    got = (*reader)->read(block);
  }
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, files.bed() + " became shorter while it was read.");
  EXPECT_FALSE((*reader)->read(block));
}

TEST(Plink, NobodyIsATableWithoutRows) {
  const PlinkFiles files(bed({}, 2), bim(names(2)), "");
  const Result<Table> table = read_table(files.bed());
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows, 0U);
  EXPECT_EQ(table->columns.size(), 2U);
}

}  // namespace
}  // namespace eigenveil::test::plink_test
