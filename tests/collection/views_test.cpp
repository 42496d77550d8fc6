// What one aggregator sees has the same law whatever the rows are: payloads are uniform bytes, and
// everything else has the same size.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "collection_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::views_test {
namespace {

constexpr std::size_t kReports = 300;
const std::vector<double> kZeros = {5.0, 5.0, 5.0};      // midpoints: the zero row
const std::vector<double> kExtreme = {10.0, 0.0, 10.0};  // the longest row

hpke::SecretKey sealing_key(const Collection& collection, Role role) {
  std::ifstream file(collection.folder / (std::string(name_of(role)) + "/sealing.key"));
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  const std::string bytes = from_hex(line, hpke::kKeyBytes).value();
  hpke::PublicKey raw = {};
  std::copy_n(bytes.begin(), raw.size(), raw.begin());
  return hpke::SecretKey(raw);
}

/// What the aggregator finds inside a message.
std::string payload_of(const Collection& collection, Role role, const std::string& bytes) {
  const ReportMessage message = decode_report(bytes).value();
  const std::string info = collection.study.sealing_info(role);
  const std::string associated = message.associated();
  const std::string plaintext =
      hpke::open(sealing_key(collection, role), {info, associated}, message.sealed).value();
  return read_plaintext(collection.study.manifest, role, message.id, plaintext).value().payload;
}

constexpr std::size_t kByteValues = 256;

std::vector<std::size_t> byte_counts(const std::string& bytes) {
  std::vector<std::size_t> counts(kByteValues, 0);
  for (const char byte : bytes) {
    ++counts[static_cast<unsigned char>(byte)];
  }
  return counts;
}

/// The chi-square statistic of the likelihood ratio, 2 n D with D the divergence of the n bytes'
/// frequencies from uniform, by a bound of its tail for every n and not by its limit law:
/// P(n D >= x) <= e^-x (e x / (k - 1))^(k - 1) for x > k - 1 (Agrawal, Finite-sample concentration
/// of the multinomial in relative entropy, 2020, theorem 1.2).
double chi_square_tail(const std::vector<std::size_t>& counts, std::size_t n) {
  double x = 0.0;
  for (const std::size_t count : counts) {
    if (count > 0) {
      const auto seen = static_cast<double>(count);
      x += seen * std::log(seen * kByteValues / static_cast<double>(n));
    }
  }
  const double freedom = kByteValues - 1;
  return x <= freedom ? 1.0 : std::exp(-x + freedom * (1.0 + std::log(x / freedom)));
}

/// Exact binomial tails of all 256 byte values (Bonferroni) and all of them together by chi-square:
/// below alpha with probability at most alpha if the bytes are uniform.
double uniformity(const std::string& bytes) {
  const std::vector<std::size_t> counts = byte_counts(bytes);
  const std::vector<double> probabilities(kByteValues, 1.0 / kByteValues);
  return std::min(1.0, 2.0 * std::min(cell_p_value(probabilities, counts),
                                      chi_square_tail(counts, bytes.size())));
}

std::string payloads(const Collection& collection, Role role, const std::vector<double>& cells,
                     std::string_view test) {
  RandomStream stream = RandomStream::seeded(seed_for(test));
  const CollectionPlan plan = collection.plan();
  std::string all;
  for (std::size_t i = 0; i < kReports; ++i) {
    const SealedReport report =
        seal_row(collection.study, plan, collection.codes[0], cells, stream).value();
    all += payload_of(collection, role, role == Role::A ? report.to_a : report.to_b);
  }
  return all;
}

TEST(Views, PayloadsAreUniformWhateverTheRow) {
  constexpr double kAlpha = alpha_of("collection: shares are uniform") / 4.0;
  const Collection collection;
  for (const Role role : {Role::A, Role::B}) {
    EXPECT_GT(uniformity(payloads(collection, role, kZeros, "views.zeros")), kAlpha);
    EXPECT_GT(uniformity(payloads(collection, role, kExtreme, "views.extreme")), kAlpha);
  }
}

/// Twins that must be found: a mask of 64 bits instead of 128, and a seed that is used again after
/// the row was changed, whose two shares B subtracts.
TEST(Views, BrokenSharesAreFound) {
  constexpr double kAlpha = alpha_of("collection: broken shares");
  const Collection collection;
  RandomStream stream = RandomStream::seeded(seed_for("views.broken"));
  std::string narrow;
  std::string reused;
  const CollectionPlan plan = collection.plan();
  const Manifest& manifest = collection.study.manifest;
  const std::vector<Int128> zeros = outer_triangle(grid_row(manifest, plan, kZeros, stream));
  const std::vector<Int128> extreme = outer_triangle(grid_row(manifest, plan, kExtreme, stream));
  for (std::size_t i = 0; i < kReports; ++i) {
    ShareSeed seed = {};
    for (unsigned char& byte : seed) {
      byte = static_cast<unsigned char>(stream.bits64());
    }
    ShareVector mask = expand(seed, zeros.size());
    ShareVector first = difference(zeros, mask);
    const ShareVector second = difference(extreme, mask);
    for (std::size_t j = 0; j < first.size(); ++j) {
      first[j] -= second[j];
      mask[j] &= ~std::uint64_t{0};
    }
    reused += share_bytes(first);
    narrow += share_bytes(difference(extreme, mask));
  }
  for (const std::string& broken : {narrow, reused}) {
    EXPECT_LT(uniformity(broken), kAlpha);
    EXPECT_LT(chi_square_tail(byte_counts(broken), broken.size()), kAlpha);
  }
}

/// Sizes of everything that is received, stored and sent on, for two data sets.
TEST(Views, SizesDoNotDependOnTheRows) {
  std::vector<std::vector<std::size_t>> seen;
  for (const std::vector<double>& cells : {kZeros, kExtreme}) {
    Collection collection({.minimum_batch = 3});
    std::vector<std::size_t> sizes;
    for (std::size_t person = 0; person < 4; ++person) {
      const SealedReport report = collection.send(person, cells);
      sizes.push_back(report.to_a.size());
      sizes.push_back(report.to_b.size());
    }
    const std::string proposal = collection.a->proposal(collection.order()).value();
    const std::string agreement = collection.b->agreement(proposal).value();
    const std::string note = collection.a->stored(agreement).value();
    ASSERT_TRUE(collection.a->draw_and_close());
    for (const std::string& text :
         {proposal, agreement, note, collection.b->closed(note).value(),
          collection.a->closing_list().value(), collection.a->sum_for(collection.order()).value(),
          collection.b->sum_for(collection.order()).value()}) {
      sizes.push_back(text.size());
    }
    for (const char* store : {"a/reports.db", "b/reports.db"}) {
      sizes.push_back(std::filesystem::file_size(collection.folder / store));
    }
    seen.push_back(sizes);
  }
  EXPECT_EQ(seen[0], seen[1]);
}

/// After closing nothing is left in an aggregator's folder that a share could be made of.
TEST(Views, SharesAreGoneAfterClosing) {
  Collection collection({.minimum_batch = 2});
  std::string sealed_part;
  for (std::size_t person = 0; person < 3; ++person) {
    sealed_part = collection.send(person, answers(person, 3)).to_b.substr(200, 64);
  }
  const auto in_store = [&] {
    std::ifstream file(collection.folder / "b/reports.db", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return bytes.find(sealed_part) != std::string::npos;
  };
  EXPECT_TRUE(in_store());
  ASSERT_TRUE(collection.close());
  EXPECT_FALSE(in_store());
}

}  // namespace
}  // namespace eigenveil::test::views_test
