// Subspace learning against its bars. Arguments: rows columns k of the approximate case (default
// 20000 10000 5); "quick" measures a twentieth of it.
//   1. approximate: placing all groups and averaging, against the thin SVDs (LAPACK dgesdd) of the
//      same blocks (bar: at most 3 times);
//   2. exact votes, n = 20000, d = 1000, k = 5 (bar: 30 s on two cores);
//   3. gapmax, n = 2000, d = 1000, k = 3, 5% adversarial points (bar: 30 s).
#include <fmt/format.h>
#include <lapacke.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "mechanism/subspace/approximate_subspace.hpp"
#include "mechanism/subspace/exact_subspace.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "random/truncated_laplace.hpp"

namespace {

using eigenveil::Matrix;
using eigenveil::RandomStream;
using Index = Eigen::Index;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void thin_svd(Matrix block) {
  const auto d = static_cast<lapack_int>(block.rows());
  const auto m = static_cast<lapack_int>(block.cols());
  Matrix right(m, m);
  Matrix left(d, m);
  eigenveil::Vector values(m);
  LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', d, m, block.data(), d, values.data(), left.data(), d,
                 right.data(), m);
}

void approximate_case(std::size_t n, std::size_t d, std::size_t k) {
  RandomStream stream = RandomStream::seeded(1);
  eigenveil::SubspaceRequest request;
  request.rows = n;
  request.dimension = d;
  request.subspace = k;
  request.budget = {1.0, 1e-6};
  request.gamma = 2e-5;
  const auto planned = eigenveil::SubspacePlan::make(request);
  if (!planned) {
    fmt::print("approximate: {}\n", planned.error().message);
    return;
  }
  const eigenveil::GroupShape& shape = planned->shape();
  const Matrix frame = eigenveil::haar_frame(stream, static_cast<Index>(d), static_cast<Index>(k));
  const int threads = eigenveil::default_threads();
  eigenveil::GroupBuilder builder = planned->builder(stream, threads);
  const auto m = static_cast<Index>(shape.per_group);
  double ours = 0.0;
  double peer = 0.0;
  Matrix block(static_cast<Index>(d), m);
  Matrix inside(static_cast<Index>(k), m);
  for (std::size_t group = 0; group < shape.groups; ++group) {
    eigenveil::fill_standard_normal(stream, {block.data(), static_cast<std::size_t>(block.size())});
    eigenveil::fill_standard_normal(stream,
                                    {inside.data(), static_cast<std::size_t>(inside.size())});
    block = 2e-5 * block + frame * inside;
    double begin = processor_seconds();
    for (Index i = 0; i < m; ++i) {
      builder.add(block.col(i).data());
    }
    ours += processor_seconds() - begin;
    const eigenveil::BlasThreads one(1);
    begin = processor_seconds();
    thin_svd(block);
    peer += processor_seconds() - begin;
  }
  const double begin = processor_seconds();
  const auto release = planned->run(std::move(builder).finish(), stream, threads);
  const double aggregate = processor_seconds() - begin;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print(
      "approximate n = {}, d = {}, k = {}: {} groups of {}; placing {:.2f} s + aggregating {:.2f} "
      "s, thin SVDs {:.2f} s (processor seconds): {:.2f} times; peak {} MiB; {}\n",
      n, d, k, shape.groups, shape.per_group, ours, aggregate, peer, (ours + aggregate) / peer,
      used.ru_maxrss / 1024,
      release.value().found
          ? fmt::format("sine {:.3g}", eigenveil::sine_of_angle(frame, release.value().frame))
          : "NULL");
}

void exact_case(std::size_t n, std::size_t d, std::size_t k, std::size_t strays,
                eigenveil::ExactAggregate aggregate) {
  RandomStream stream = RandomStream::seeded(2);
  const auto small = [&](std::int64_t largest) {
    return static_cast<std::int64_t>(
               eigenveil::uniform_below(stream, static_cast<eigenveil::UInt128>(2 * largest + 1))) -
           largest;
  };
  std::vector<std::vector<std::int64_t>> basis(k, std::vector<std::int64_t>(d));
  for (auto& row : basis) {
    for (auto& value : row) {
      value = small(9);
    }
  }
  eigenveil::ExactPoints points(d, 1000);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> point(d, 0);
    for (const auto& row : basis) {
      const std::int64_t factor = small(20);
      for (std::size_t c = 0; c < d; ++c) {
        point[c] += i < strays ? small(100) : factor * row[c];
      }
    }
    points.add(point);
  }
  eigenveil::ExactSubspaceRequest request;
  request.rows = n;
  request.dimension = d;
  request.subspace = k;
  request.budget = {1.0, 1e-6};
  request.aggregate = aggregate;
  const auto plan = eigenveil::ExactSubspacePlan::make(request);
  if (!plan) {
    fmt::print("exact: {}\n", plan.error().message);
    return;
  }
  const double begin = processor_seconds();
  const double wall = wall_seconds();
  const auto release = plan->run(points, stream);
  fmt::print(
      "exact {} n = {}, d = {}, k = {}, {} strays: {:.2f} s processor, {:.2f} s elapsed, "
      "modulo 2^{} - 1; {}\n",
      plan->aggregate_name(), n, d, k, strays, processor_seconds() - begin, wall_seconds() - wall,
      plan->field_bits(), release.value().found ? "found" : "NULL");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  const auto argument = [&](int index, std::size_t otherwise) {
    return !quick && argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
  };
  exact_case(20000, 1000, 5, 0, eigenveil::ExactAggregate::Votes);
  exact_case(2000, 1000, 3, 100, eigenveil::ExactAggregate::GapMax);
  approximate_case(argument(1, quick ? 4000 : 20000), argument(2, quick ? 2000 : 10000),
                   argument(3, quick ? 2 : 5));
  return 0;
}
