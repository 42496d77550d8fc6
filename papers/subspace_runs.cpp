#include "papers/subspace_runs.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil::papers {
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

double learned_angle(const SimulatedRows& simulated, const SubspacePlan& plan, std::size_t parts,
                     RandomStream& stream) {
  const auto d = static_cast<Eigen::Index>(simulated.dimension);
  const Matrix frame = haar_frame(stream, d, static_cast<Eigen::Index>(simulated.subspace));
  std::vector<LearnedSubspace> learned;
  Vector row(d);
  for (std::size_t part = 0; part < parts; ++part) {
    GroupBuilder builder = plan.builder(stream, default_threads());
    for (std::size_t i = 0; i < plan.request().rows; ++i) {
      draw_row(simulated, frame, stream, row);
      builder.add(row.data());
    }
    learned.push_back(plan.run(std::move(builder).finish(), stream, default_threads()).value());
  }
  const LearnedSubspace answer = parts == 1 ? learned.front() : agreeing_subspace(learned, 0.2);
  return answer.found ? sine_of_angle(frame, answer.frame) : 1.0;
}

}  // namespace

Result<SubspacePlan> plan_for(const SimulatedRows& simulated, SubspaceRequest settings,
                              std::size_t parts) {
  settings.rows = simulated.rows / parts;
  settings.dimension = simulated.dimension;
  settings.subspace = simulated.subspace;
  settings.budget = {1.0, 1e-6};
  settings.gamma = simulated.gamma;
  return SubspacePlan::make(settings);
}

double MeasuredAngles::useful_share() const {
  return static_cast<double>(std::count_if(sines.begin(), sines.end(),
                                           [](double sine) { return sine <= kUseful; })) /
         static_cast<double>(sines.size());
}

double MeasuredAngles::null_share() const {
  return static_cast<double>(std::count(sines.begin(), sines.end(), 1.0)) /
         static_cast<double>(sines.size());
}

double MeasuredAngles::mean() const {
  return std::accumulate(sines.begin(), sines.end(), 0.0) / static_cast<double>(sines.size());
}

double MeasuredAngles::median() const {
  std::vector<double> sorted = sines;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return 0.5 * (sorted[half] + sorted[(sorted.size() - 1) / 2]);
}

MeasuredAngles measure_angles(const SimulatedRows& simulated, const SubspaceRequest& settings,
                              std::size_t parts, int runs, RandomStream& stream) {
  const Result<SubspacePlan> plan = plan_for(simulated, settings, parts);
  MeasuredAngles measured;
  for (int i = 0; i < runs; ++i) {
    measured.sines.push_back(plan ? learned_angle(simulated, *plan, parts, stream) : 1.0);
  }
  return measured;
}

}  // namespace eigenveil::papers
