// The bars of masking: a million rows against parsing plus writing the same file, and against an
// explicit n x n rotation. Usage: bench_mask [rows] [columns] [explicit_rows]
#include "mechanism/mask/mask.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>

#include "core/atomic_output.hpp"
#include "core/parallel.hpp"
#include "data/open.hpp"
#include "data/parallel_rows.hpp"
#include "mechanism/mask/pseudo_rows.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "report/grid_rows.hpp"

namespace {

using namespace eigenveil;
namespace fs = std::filesystem;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Cost {
  double wall = 1e300;
  double processor = 1e300;  ///< of all threads
};

double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

Cost cost(int who, const std::function<void()>& work) {
  const double before = processor_seconds(who);
  const double wall = seconds(work);
  return {wall, processor_seconds(who) - before};
}

Cost best(const Cost& a, const Cost& b) {
  return {std::min(a.wall, b.wall), std::min(a.processor, b.processor)};
}

Matrix normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

void write_blocks(const std::string& path, std::int64_t rows, std::int64_t columns,
                  const std::function<Matrix(std::int64_t)>& make) {
  AtomicFile file = *AtomicFile::create(path);
  const std::vector<int> decimals(static_cast<std::size_t>(columns), 4);
  std::string header;
  for (std::int64_t j = 0; j < columns; ++j) {
    header += fmt::format("{}c{}", j > 0 ? "," : "", j + 1);
  }
  file.append(header + "\n");
  for (std::int64_t done = 0; done < rows; done += PseudoRows::kRowsPerBlock) {
    const Matrix block = make(std::min(PseudoRows::kRowsPerBlock, rows - done));
    std::string text;
    append_grid_rows(text, block.data(), static_cast<std::size_t>(block.cols()), decimals);
    file.append(text);
  }
  file.publish();
}

/// Reads every cell, then writes the same numbers: what any program must do. With the threads, the
/// reader and the writer of the program.
void parse_and_write(const std::string& input, const std::string& output, std::int64_t columns) {
  auto reader = *open_rows(input, {});
  AtomicFile file = *AtomicFile::create(output);
  const std::vector<int> decimals(static_cast<std::size_t>(columns), 4);
  std::mutex order;
  for_each_block(*reader, static_cast<std::size_t>(default_threads()),
                 [&](std::size_t, RawRows& block) {
                   std::string text;
                   append_grid_rows(text, block.values.data(), block.rows, decimals);
                   const std::lock_guard<std::mutex> lock(order);
                   file.append(text);
                 });
  file.publish();
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const std::int64_t columns = argc > 2 ? std::atoll(argv[2]) : 20;
  const std::int64_t small = argc > 3 ? std::atoll(argv[3]) : 2000;
  RandomStream stream = RandomStream::seeded(1);
  const fs::path folder = fs::temp_directory_path() / fmt::format("bench_mask_{}", ::getpid());
  fs::create_directory(folder);
  const std::string input = folder / "in.csv";
  write_blocks(input, rows, columns,
               [&](std::int64_t count) { return Matrix(0.2 * normals(stream, columns, count)); });
  const char* program = std::getenv("EIGENVEIL");
  const std::string command = fmt::format(
      "{} mask {} --method gauss --epsilon 1 --delta 1e-6 --row-norm 2 --out {} --quiet > "
      "/dev/null",
      program != nullptr ? program : "build/release/bin/eigenveil", input,
      (folder / "out" / "masked.csv").string());
  const auto copy = [&] { parse_and_write(input, folder / "copy.csv", columns); };
  const auto mask = [&] {
    if (std::system(command.c_str()) != 0) {
      fmt::print("the program failed; set EIGENVEIL to it\n");
      std::exit(1);  // a time of nothing is no time
    }
  };
  // Turn about, the best of each: other work on the machine makes both slower, never faster.
  Cost floor;
  Cost masked;
  for (int turn = 0; turn < 5; ++turn) {
    fs::remove(folder / "copy.csv");
    fs::remove_all(folder / "out");
    fs::create_directory(folder / "out");
    floor = best(floor, cost(RUSAGE_SELF, copy));
    masked = best(masked, cost(RUSAGE_CHILDREN, mask));
  }
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  fmt::print(
      "mask {} x {}, CSV to CSV: {:.2f} s, {} MiB; parsing plus writing: {:.2f} s; ratio {:.2f}\n",
      rows, columns, masked.wall, usage.ru_maxrss / 1024, floor.wall, masked.wall / floor.wall);
  fmt::print("  processor time: {:.2f} s and {:.2f} s; ratio {:.2f}\n", masked.processor,
             floor.processor, masked.processor / floor.processor);
  const Matrix table = 0.2 * normals(stream, small, columns);
  const double explicit_time = seconds([&] {
    const Matrix rotated =
        haar_frame(stream, small, small) * (table + 0.5 * normals(stream, small, columns));
    fmt::print("  checksum {:.3g}\n", rotated.sum());
  });
  const PseudoFactor factor{small, normals(stream, columns, columns)};
  const double ours = seconds([&] {
    PseudoRows pseudo = *PseudoRows::make(factor, Vector::Ones(columns), stream);
    double sum = 0.0;
    for (std::size_t b = 0; b < pseudo.blocks(); ++b) {
      sum += pseudo.next().sum();
    }
    fmt::print("  checksum {:.3g}\n", sum);
  });
  fmt::print(
      "pseudo-rows n = {}: {:.4f} s; explicit n x n rotation: {:.2f} s; {:.0f} times faster\n",
      small, ours, explicit_time, explicit_time / ours);
  fs::remove_all(folder);
}
