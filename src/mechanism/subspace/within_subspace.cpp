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

}  // namespace

Result<WithinPlan> WithinPlan::make(const WithinRequest& request) {
  const ApproxDp first{down(request.share * request.budget.epsilon),
                       down(request.share * request.budget.delta)};
  const ApproxDp second{down(request.budget.epsilon - first.epsilon),
                        down(request.budget.delta - first.delta)};
  SubspaceRequest learn;
  learn.rows = request.rows;
  learn.dimension = request.bound.dimension();
  learn.subspace = request.subspace;
  learn.budget = first;
  learn.gamma = request.gamma;
  const Result<SubspacePlan> subspace = SubspacePlan::make(learn);
  if (!subspace) {
    return error_of(subspace);
  }
  return RowBound::row_norm(request.subspace, request.bound.radius())
      .and_then([&](const RowBound& inside) {
        return plan_gauss({inside, second, Relation::ReplaceOne, Extension::Count, 1});
      })
      .and_then([&](const MomentPlan& moment) -> Result<WithinPlan> {
        Guarantee stated = moment.guarantee();
        stated.loss = second;  // implied by its Gaussian curve
        return compose_all({subspace->guarantee(), stated}).map([&](const Guarantee& total) {
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
  components.loadings = frame * components.loadings;
  for (Eigen::Index j = 0; j < components.loadings.cols(); ++j) {
    fix_sign(components.loadings.col(j));
  }
  return components;
}

}  // namespace eigenveil
