// Reading genotypes against the exact Gram they feed.
//   bench_plink [people [variants [threads [repetitions]]]]
// "read" opens the .bed and unpacks every row; "Gram" accumulates the same rows from memory with
// --range 0:2 --grid 1; "both" is what a release does. Runs alternate; medians. The last column is
// processor time of reading over that of the Gram: below 1, reading is the cheaper part.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "data/open.hpp"
#include "data/parallel_rows.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "timing.hpp"

namespace {

using eigenveil::GramAccumulator;
using eigenveil::RawRows;
using eigenveil::RowBound;
using eigenveil::bench::median;
using eigenveil::bench::Time;
using eigenveil::bench::time_of;

std::string write_genotypes(std::size_t people, std::size_t variants) {
  const std::string stem =
      (std::filesystem::temp_directory_path() / fmt::format("bench-plink-{}", std::time(nullptr)))
          .string();
  std::mt19937_64 engine(1);
  std::ofstream bed(stem + ".bed", std::ios::binary);
  bed.write("\x6C\x1B\x01", 3);
  std::string bytes((people + 3) / 4, '\0');
  std::ofstream bim(stem + ".bim");
  for (std::size_t j = 0; j < variants; ++j) {
    for (char& byte : bytes) {
      byte = static_cast<char>(engine());
    }
    bed.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bim << "1 rs" << j << " 0 " << j + 1 << " A G\n";
  }
  std::ofstream fam(stem + ".fam");
  for (std::size_t i = 0; i < people; ++i) {
    fam << "p" << i << " p" << i << " 0 0 0 -9\n";
  }
  return stem;
}

auto open(const std::string& stem) {
  auto reader = eigenveil::open_rows(stem + ".bed", {});
  if (!reader) {
    fmt::print(stderr, "{}\n", reader.error().message);
    std::exit(1);
  }
  return std::move(*reader);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::size_t usual) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : usual;
  };
  const std::size_t people = argument(1, 100000);
  const std::size_t variants = argument(2, 2000);
  const std::size_t threads = argument(3, 2);
  const std::size_t repetitions = argument(4, 5);
  const std::string stem = write_genotypes(people, variants);
  const RowBound bound =
      *RowBound::ranges(std::vector<eigenveil::ColumnRange>(variants, {0.0, 2.0}), std::nullopt, 1);
  // The rows in memory: one block of them, counted as often as it takes to have as many rows.
  RawRows rows;
  (void)open(stem)->read(rows);
  std::vector<double> many;  // large calls, so that every worker has several blocks
  for (int i = 0; i < 16; ++i) {
    many.insert(many.end(), rows.values.begin(), rows.values.end());
  }
  const std::size_t step = many.size() / variants;
  std::vector<double> read_wall;
  std::vector<double> gram_wall;
  std::vector<double> both_wall;
  std::vector<double> shares;
  for (std::size_t i = 0; i < repetitions; ++i) {
    const Time read = time_of([&] {
      (void)eigenveil::for_each_block(*open(stem), threads, [](std::size_t, RawRows&) {});
    });
    const Time gram = time_of([&] {
      GramAccumulator accumulator(open(stem)->schema(), bound, static_cast<int>(threads));
      for (std::size_t done = 0; done < people; done += step) {
        (void)accumulator.add(eigenveil::MatrixView::row_major(
            many.data(), std::min(step, people - done), bound.dimension()));
      }
      (void)accumulator.finish();
    });
    const Time both = time_of([&] {
      const auto reader = open(stem);
      GramAccumulator accumulator(reader->schema(), bound, static_cast<int>(threads));
      (void)accumulator.add(*reader);
      (void)accumulator.finish();
    });
    read_wall.push_back(read.wall);
    gram_wall.push_back(gram.wall);
    both_wall.push_back(both.wall);
    shares.push_back(read.processor / gram.processor);
  }
  fmt::print("{} threads, median of {} alternating runs\n{:>9}{:>9}{:>10}{:>10}{:>10}{:>13}\n",
             threads, repetitions, "people", "variants", "read s", "Gram s", "both s",
             "read / Gram");
  fmt::print("{:>9}{:>9}{:>10.2f}{:>10.2f}{:>10.2f}{:>13.2f}\n", people, variants,
             median(read_wall), median(gram_wall), median(both_wall), median(shares));
  for (const char* ending : {".bed", ".bim", ".fam"}) {
    std::filesystem::remove(stem + ending);
  }
  return 0;
}
