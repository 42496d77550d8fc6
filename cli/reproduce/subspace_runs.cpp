#include "cli/reproduce/subspace_runs.hpp"

#include "eigenveil/core/parallel.hpp"
#include "eigenveil/random/haar.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil::cli {
namespace {

void draw_row(const SimulatedRows& simulated, const Matrix& frame, RandomStream& stream,
              Vector& row) {
  fill_standard_normal(stream, {row.data(), static_cast<std::size_t>(row.size())});
  if (uniform(stream) < simulated.corrupted) {
    row *= 100.0;  // a large row in a direction of its own
    return;
  }
  Vector inside(frame.cols());
  fill_standard_normal(stream, {inside.data(), static_cast<std::size_t>(inside.size())});
  row = simulated.gamma * row + frame * inside;
}

}  // namespace

double learned_angle(const SimulatedRows& simulated, SubspaceAggregate aggregate, std::size_t parts,
                     RandomStream& stream) {
  SubspaceRequest request;
  request.rows = simulated.rows / parts;
  request.dimension = simulated.dimension;
  request.subspace = simulated.subspace;
  request.budget = {1.0, 1e-6};
  request.aggregate = aggregate;
  request.gamma = simulated.gamma;
  const Result<SubspacePlan> plan = SubspacePlan::make(request);
  if (!plan) {
    return 1.0;
  }
  const auto d = static_cast<Eigen::Index>(simulated.dimension);
  const Matrix frame = haar_frame(stream, d, static_cast<Eigen::Index>(simulated.subspace));
  std::vector<LearnedSubspace> learned;
  Vector row(d);
  for (std::size_t part = 0; part < parts; ++part) {
    GroupBuilder builder = plan->builder(stream, default_threads());
    for (std::size_t i = 0; i < request.rows; ++i) {
      draw_row(simulated, frame, stream, row);
      builder.add(row.data());
    }
    learned.push_back(plan->run(std::move(builder).finish(), stream, default_threads()).value());
  }
  const LearnedSubspace answer = parts == 1 ? learned.front() : agreeing_subspace(learned, 0.2);
  return answer.found ? sine_of_angle(frame, answer.frame) : 1.0;
}

}  // namespace eigenveil::cli
