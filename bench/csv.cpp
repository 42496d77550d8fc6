// CSV to rows and CSV to Gram matrix against pyarrow (bench/csv_peer.py) on the same file.
//
//   bench_csv [MEGABYTES=1024] [DIGITS=6] [WORKERS=all cores] [REPEATS=3]
//
// Makes build/bench-data/p50-<digits>-<megabytes>.csv once. Every measurement is a process of its
// own, so that peak memory belongs to it; medians are printed. The peer runs when
// build/bench-venv/bin/python exists (python3 -m venv build/bench-venv, pip install pyarrow numpy
// scipy).
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "data/open.hpp"
#include "data/parallel_rows.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace {

constexpr std::size_t kDimension = 50;
const std::string kPython = "build/bench-venv/bin/python";

struct Measurement {
  double seconds = 0.0;
  double processor_seconds = 0.0;  // steadier than the clock on a shared machine
  double peak_mib = 0.0;
  std::size_t rows = 0;
};

void generate(const std::string& path, std::size_t bytes, int digits) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::FILE* file = std::fopen((path + ".part").c_str(), "w");
  if (file == nullptr) {
    std::abort();
  }
  std::string line;
  for (std::size_t j = 0; j < kDimension; ++j) {
    line += fmt::format("{}x{}", j == 0 ? "" : ",", j + 1);
  }
  std::size_t written = 0;
  while (written < bytes) {
    line += '\n';
    written += std::fwrite(line.data(), 1, line.size(), file);
    line.clear();
    for (std::size_t j = 0; j < kDimension; ++j) {
      fmt::format_to(std::back_inserter(line), "{}{:.{}g}", j == 0 ? "" : ",", normal(random),
                     digits);
    }
  }
  std::fclose(file);
  std::filesystem::rename(path + ".part", path);
}

std::unique_ptr<eigenveil::RowReader> open(const std::string& path) {
  auto reader = eigenveil::open_rows(path, {});
  if (!reader) {
    fmt::print(stderr, "{}\n", reader.error().message);
    std::exit(1);
  }
  return std::move(*reader);
}

/// Parsing alone.
std::size_t read_rows(const std::string& path, std::size_t workers) {
  const auto reader = open(path);
  std::vector<std::size_t> rows(workers);
  const auto done = eigenveil::for_each_block(
      *reader, workers,
      [&](std::size_t worker, const eigenveil::RawRows& block) { rows[worker] += block.rows; });
  return done ? std::accumulate(rows.begin(), rows.end(), std::size_t{0}) : 0;
}

/// The whole exact pass: parse, clip, round to the grid, exact Gram.
std::size_t read_gram(const std::string& path, std::size_t workers) {
  const auto reader = open(path);
  const eigenveil::RowBound bound = *eigenveil::RowBound::row_norm(kDimension, 10.0);
  eigenveil::GramAccumulator accumulator(reader->schema(), bound, static_cast<int>(workers));
  const auto done = accumulator.add(*reader);
  return done ? eigenveil::trusted::totals(*accumulator.finish()).count : 0;
}

/// Runs `task` in a child; its standard output is "seconds processor-seconds kibibytes rows".
Measurement in_child(const std::function<void(int output)>& task) {
  int ends[2] = {};
  if (::pipe(ends) != 0) {
    std::abort();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    task(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::FILE* input = ::fdopen(ends[0], "r");
  Measurement measured;
  double kibibytes = 0.0;
  if (std::fscanf(input, "%lf %lf %lf %zu", &measured.seconds, &measured.processor_seconds,
                  &kibibytes, &measured.rows) != 4) {
    std::abort();
  }
  measured.peak_mib = kibibytes / 1024.0;
  std::fclose(input);
  ::waitpid(child, nullptr, 0);
  return measured;
}

Measurement ours(const std::string& path, std::size_t workers, bool gram) {
  return in_child([&](int output) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t rows = gram ? read_gram(path, workers) : read_rows(path, workers);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const std::string report =
        fmt::format("{} {} {} {}\n", elapsed.count(),
                    seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, rows);
    if (::write(output, report.data(), report.size()) < 0) {
      std::abort();
    }
  });
}

Measurement peer(const std::string& path, const char* reader, std::size_t workers, bool gram) {
  return in_child([&](int output) {
    ::dup2(output, STDOUT_FILENO);
    ::setenv("OPENBLAS_NUM_THREADS", std::to_string(workers).c_str(), 1);
    ::execl(kPython.c_str(), kPython.c_str(), "bench/csv_peer.py", path.c_str(), reader,
            gram ? "gram" : "rows", std::to_string(workers).c_str(), nullptr);
    std::abort();
  });
}

Measurement median(std::size_t repeats, const std::function<Measurement()>& measure) {
  std::vector<Measurement> all;
  for (std::size_t i = 0; i < repeats; ++i) {
    all.push_back(measure());
  }
  std::ranges::sort(all, {}, &Measurement::seconds);
  return all[all.size() / 2];
}

std::size_t argument(int count, char** values, int index, std::size_t otherwise) {
  return count > index ? std::strtoull(values[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t megabytes = argument(count, values, 1, 1024);
  const auto digits = static_cast<int>(argument(count, values, 2, 6));
  const std::size_t workers =
      argument(count, values, 3, std::max(1U, std::thread::hardware_concurrency()));
  const std::size_t repeats = argument(count, values, 4, 3);
  const std::string path = fmt::format("build/bench-data/p50-{}-{}.csv", digits, megabytes);
  std::filesystem::create_directories("build/bench-data");
  if (!std::filesystem::exists(path)) {
    generate(path, megabytes * 1000000, digits);
  }
  const double size = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  fmt::print("{}: {:.0f} MB, {} columns, {} significant digits, {} workers, median of {}\n", path,
             size, kDimension, digits, workers, repeats);
  fmt::print("{:<6} {:<17} {:>8} {:>7} {:>9} {:>9} {:>12} {:>12}\n", "task", "reader", "seconds",
             "MB/s", "cpu s", "peak MiB", "our speed /", "our cpu /");
  for (const bool gram : {false, true}) {
    const char* task = gram ? "gram" : "rows";
    const Measurement own = median(repeats, [&] { return ours(path, workers, gram); });
    const auto print = [&](const char* name, const Measurement& m) {
      fmt::print("{:<6} {:<17} {:>8.3f} {:>7.0f} {:>9.3f} {:>9.0f} {:>12.2f} {:>12.2f}\n", task,
                 name, m.seconds, size / m.seconds, m.processor_seconds, m.peak_mib,
                 m.seconds / own.seconds, own.processor_seconds / m.processor_seconds);
    };
    print("eigenveil", own);
    if (std::filesystem::exists(kPython)) {
      for (const char* reader : {"table", "stream"}) {
        const Measurement other =
            median(repeats, [&] { return peer(path, reader, workers, gram); });
        if (other.rows != own.rows) {
          fmt::print(stderr, "the readers disagree on the number of rows\n");
          return 1;
        }
        print(reader == std::string("table") ? "pyarrow read_csv" : "pyarrow open_csv", other);
      }
    }
  }
  return 0;
}
