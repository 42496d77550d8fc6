#include "mechanism/subspace/within_subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

class ProjectedReader final : public RowReader {
 public:
  ProjectedReader(RowReader& rows, const RowBound& bound, const Matrix& frame)
      : rows_(rows), bound_(bound), frame_(frame * bound.unit()) {
    for (Eigen::Index j = 1; j <= frame.cols(); ++j) {
      schema_.columns.push_back(fmt::format("S{}", j));
    }
  }
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return rows_.next_chunk(chunk); }
  std::optional<double> progress() const override { return rows_.progress(); }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows wide;
    if (const Result<void> parsed = rows_.parse(chunk, wide); !parsed) {
      return parsed;
    }
    const BoundedRows bounded = BoundedRows::clip(bound_, wide.values.data(), wide.rows);
    block.rows = wide.rows;
    block.dimension = static_cast<std::size_t>(frame_.cols());
    block.values.resize(block.rows * block.dimension);
    const auto width = static_cast<std::size_t>(frame_.rows());
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double* cells = bounded.values().data() + row * width;
      for (std::size_t j = 0; j < block.dimension; ++j) {
        block.values[row * block.dimension + j] = inner_product(cells, j);
      }
    }
    return {};
  }

 private:
  /// One row alone, in a fixed order of additions: a matrix product over a chunk rounds differently
  /// with the chunk, so that one person's longer line could move the projections of others.
  double inner_product(const double* cells, std::size_t column) const {
    const double* direction = frame_.data() + column * static_cast<std::size_t>(frame_.rows());
    double sum = 0.0;
    for (Eigen::Index i = 0; i < frame_.rows(); ++i) {
      sum += direction[i] * cells[i];
    }
    return sum;
  }

  RowReader& rows_;
  RowBound bound_;
  Matrix frame_;
  Schema schema_;
};

struct TwoSteps {
  ApproxDp learning;
  ApproxDp moment;
};

TwoSteps two_steps(const ApproxDp& budget, double share) {
  const ApproxDp first{down(share * budget.epsilon), down(share * budget.delta)};
  return {first, {down(budget.epsilon - first.epsilon), down(budget.delta - first.delta)}};
}

Result<MomentPlan> moment_inside(std::size_t dimension, double radius, const ApproxDp& budget) {
  return RowBound::row_norm(dimension, radius).and_then([&](const RowBound& inside) {
    return plan_gauss({inside, budget, Relation::ReplaceOne, Extension::Count, 1});
  });
}

Result<Guarantee> both_steps(const Guarantee& learning, Guarantee moment, const ApproxDp& budget) {
  moment.loss = budget;  // implied by its Gaussian curve
  return compose_all({learning, moment});
}

}  // namespace

Result<Guarantee> WithinPlan::stated(const ApproxDp& budget, double share) {
  const TwoSteps steps = two_steps(budget, share);
  return moment_inside(1, 1.0, steps.moment).and_then([&](const MomentPlan& moment) {
    return both_steps(SubspacePlan::stated(steps.learning, SubspaceAggregate::Core),
                      moment.guarantee(), steps.moment);
  });
}

Result<WithinPlan> WithinPlan::make(const WithinRequest& request) {
  const TwoSteps steps = two_steps(request.budget, request.share);
  SubspaceRequest learn;
  learn.rows = request.rows;
  learn.dimension = request.bound.dimension();
  learn.subspace = request.subspace;
  learn.budget = steps.learning;
  learn.gamma = request.gamma;
  const Result<SubspacePlan> subspace = SubspacePlan::make(learn);
  if (!subspace) {
    return error_of(subspace);
  }
  return moment_inside(request.subspace, request.bound.radius(), steps.moment)
      .and_then([&](const MomentPlan& moment) {
        return both_steps(subspace->guarantee(), moment.guarantee(), steps.moment)
            .map([&](const Guarantee& total) {
              return WithinPlan(request, *subspace, moment, total);
            });
      });
}

void scale_row(const RowBound& bound, const double* row, Vector& scaled) {
  for (Eigen::Index j = 0; j < scaled.size(); ++j) {
    const auto column = static_cast<std::size_t>(j);
    const double cell = (row[j] - bound.midpoint(column)) / bound.half_width(column);
    const double held = bound.has_ranges() ? std::clamp(cell, -1.0, 1.0) : cell;
    scaled[j] = std::isnan(held) ? 0.0 : held;  // missing: the midpoint
  }
  const double norm = scaled.stableNorm();
  if (norm > bound.radius()) {
    scaled *= bound.radius() / norm;
  }
}

std::unique_ptr<RowReader> project_rows(RowReader& rows, const RowBound& bound,
                                        const Matrix& frame) {
  return std::make_unique<ProjectedReader>(rows, bound, frame);
}

PrincipalComponents components_within(const Matrix& frame, const NoisyCovariance& inside,
                                      Eigen::Index count) {
  PrincipalComponents components = principal_components(inside, count);
  if (count == frame.cols()) {  // what lies outside of the subspace is left out, and not measured
    components.noise_edge.resize(0);
  }
  components.loadings = frame * components.loadings;
  for (Eigen::Index j = 0; j < components.loadings.cols(); ++j) {
    fix_sign(components.loadings.col(j));
  }
  return components;
}

}  // namespace eigenveil
