// What tests of the running system compare with.
//   reference central STUDY ROWS SEED_A SEED_B   integers a curator would release, one a line: the
//                                                exact Gram, A's noise on it by the code of method
//                                                gauss, and B's noise on top
//   reference seal PUBLIC INFO AAD PLAINTEXT     HPKE, everything in hexadecimal ("-" for nothing)
//   reference open SECRET INFO AAD SEALED
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "collection/collection_plan.hpp"
#include "collection/hpke.hpp"
#include "data/open.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "mechanism/gauss/integer_noise.hpp"

namespace eigenveil {
namespace {

std::string bytes(const std::string& text) {
  return text == "-" ? std::string() : from_hex(text, text.size() / 2).value();
}

hpke::PublicKey key(const std::string& text) {
  const std::string raw = bytes(text);
  hpke::PublicKey made = {};
  std::copy_n(raw.begin(), made.size(), made.begin());
  return made;
}

std::string decimal(Int128 value) {
  return fmt::format("{}", value);
}

void central(const std::string& study_file, const std::string& rows_file, std::uint64_t seed_a,
             std::uint64_t seed_b) {
  const Study study = load_study(study_file).value();
  const Manifest& manifest = study.manifest;
  const CollectionPlan plan = plan_collection(manifest).value();
  ReadOptions options;
  options.columns = manifest.schema().columns;
  options.header = ReadOptions::Header::Present;
  auto reader = open_rows(rows_file, options).value();
  GramAccumulator rows(manifest.schema(), plan.bound, 1);
  rows.add(*reader).map_error([](const Error& error) { std::cerr << error.message << '\n'; });
  const ExactGram exact = rows.finish().value();
  RandomStream first = RandomStream::seeded(seed_a);
  const SecondMoment moment(exact, plan.shape);
  const NoisyTotals noisy = add_rounded_noise(moment, plan.scale, 0, first);
  RandomStream second = RandomStream::seeded(seed_b);
  const std::vector<std::int64_t> noise = gaussian_integer_noise(plan.shape, plan.scale, second);
  const auto t = static_cast<double>(manifest.constant);
  std::size_t next = 0;
  for (Eigen::Index column = 0; column < static_cast<Eigen::Index>(manifest.dimension());
       ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      const double value = column == 0 ? t * t * noisy.count
                           : row == 0  ? std::round((*noisy.sums)[column - 1] * t)
                                       : noisy.products(row - 1, column - 1);
      std::cout << decimal(static_cast<Int128>(value) + noise[next++]) << '\n';
    }
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 6 && words[1] == "central") {
    central(words[2], words[3], std::stoull(words[4]), std::stoull(words[5]));
    return 0;
  }
  if (words.size() == 6 && words[1] == "seal") {
    std::cout << to_hex(
                     hpke::seal(key(words[2]), {bytes(words[3]), bytes(words[4])}, bytes(words[5]))
                         .value())
              << '\n';
    return 0;
  }
  if (words.size() == 6 && words[1] == "open") {
    const auto opened = hpke::open(hpke::SecretKey(key(words[2])),
                                   {bytes(words[3]), bytes(words[4])}, bytes(words[5]));
    std::cout << (opened ? to_hex(*opened) : opened.error().message) << '\n';
    return opened ? 0 : 1;
  }
  return 2;
}

}  // namespace
}  // namespace eigenveil

int main(int count, char** words) {
  return eigenveil::run({words, words + count});
}
