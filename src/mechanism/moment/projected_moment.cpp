#include "mechanism/moment/projected_moment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/outward.hpp"
#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil {
namespace {

constexpr int kFrameGridBits = 30;
constexpr double kOrthonormality = 0x1p-20;
constexpr int kMostFrameBits = 20;
constexpr int kFewestFrameBits = 4;
/// Totals of fewer than 2^53 rows must stay below 2^125.
constexpr double kRoomBits = 125.0 - 53.0;
/// So must t² n.
constexpr long long kLargestConstant = 1LL << 36U;

/// max_v |D v| / max(d) over rows on the grid, in grid steps, rounded up.
double relative_row_norm(const RowBound& bound, const Vector& scales) {
  const double by_norm = up(std::sqrt(up(static_cast<double>(bound.norm2_bound()))));
  // n products and sums, each off by at most one unit in the last place.
  const double ulps = 1.0 + 2.0 * static_cast<double>(scales.size() + 2) * 0x1p-53;
  const double squares = up((scales / scales.maxCoeff()).squaredNorm() * ulps);
  const double by_cells = up(up(std::sqrt(squares)) * static_cast<double>(bound.max_abs()));
  return std::min(by_norm, by_cells);
}

/// |Fᵀ v| <= 2^s |V|_op |D v| / max(d) + |F - 2^s D V / max(d)|_F |v|, with every entry of F off by
/// at most 1/2 (and the rounding of the product before it, far below 1/4).
double projected_norm(const ProjectionRequest& request, int frame_bits) {
  const double row = relative_row_norm(request.bound, request.scales);
  const double grid_norm = up(std::sqrt(up(static_cast<double>(request.bound.norm2_bound()))));
  const double entries = static_cast<double>(request.scales.size() * request.columns);
  const double stretched = up(std::ldexp(row, frame_bits) * up(1.0 + kOrthonormality));
  return up(stretched + up(up(0.75 * up(std::sqrt(entries))) * grid_norm));
}

/// The finest rounding of the frame that leaves room in 128 bits for any row count.
int frame_bits_for(const ProjectionRequest& request) {
  for (int bits = kMostFrameBits; bits > 0; --bits) {
    if (2.0 * std::log2(projected_norm(request, bits)) < kRoomBits) {
      return bits;
    }
  }
  return 0;
}

/// Row-major p x k.
std::vector<std::int64_t> integer_frame(const Matrix& frame, const Vector& scales, int bits) {
  const double factor = std::ldexp(1.0, bits);
  const double largest = scales.maxCoeff();
  std::vector<std::int64_t> rounded(static_cast<std::size_t>(frame.size()));
  std::size_t next = 0;
  for (Eigen::Index i = 0; i < frame.rows(); ++i) {
    for (Eigen::Index j = 0; j < frame.cols(); ++j) {
      rounded[next++] = std::llround(factor * (scales[i] / largest * frame(i, j)));
    }
  }
  return rounded;
}

/// M F, one row per task; unsigned, because only the final products are known to fit.
std::vector<UInt128> moment_times_frame(const GramTotals& totals, std::size_t p, std::size_t k,
                                        const std::vector<std::int64_t>& frame) {
  std::vector<UInt128> image(p * k, 0);
  constexpr std::size_t kWorthThreads = std::size_t{1} << 16U;
  const int threads = p * p * k < kWorthThreads ? 1 : default_threads();
  parallel_for(p, threads, [&](std::size_t i) {
    UInt128* row = image.data() + i * k;
    for (std::size_t l = 0; l < p; ++l) {
      const auto entry =
          static_cast<UInt128>(totals.products[triangle_index(std::min(i, l), std::max(i, l))]);
      for (std::size_t j = 0; j < k; ++j) {
        row[j] += entry * static_cast<UInt128>(static_cast<Int128>(frame[l * k + j]));
      }
    }
  });
  return image;
}

/// Fᵀ (Σ v vᵀ) F and the count, exactly.
GramTotals project(const GramTotals& totals, std::size_t p, std::size_t k,
                   const std::vector<std::int64_t>& frame) {
  const std::vector<UInt128> image = moment_times_frame(totals, p, k, frame);
  GramTotals projected;
  projected.count = totals.count;
  projected.products.assign(triangle_size(k), 0);
  for (std::size_t column = 0; column < k; ++column) {
    for (std::size_t row = 0; row <= column; ++row) {
      UInt128 sum = 0;
      for (std::size_t i = 0; i < p; ++i) {
        sum +=
            static_cast<UInt128>(static_cast<Int128>(frame[i * k + row])) * image[i * k + column];
      }
      projected.products[triangle_index(row, column)] = static_cast<Int128>(sum);
    }
  }
  return projected;
}

/// t / R of the count's constant. Inside a subspace nothing but variances depends on the noise, and
/// a variance v is a noisy sum over a noisy count: (R² + t²)² ((k + 1) + 2 v² / t⁴) is smallest
/// near t⁶ = 2 v² R² / (k + 1); v = 0.3 R² is assumed.
double count_share(NoiseLaw law, std::size_t columns) {
  return law == NoiseLaw::Wishart ? std::pow(0.18 / (static_cast<double>(columns) + 1.0), 1.0 / 6.0)
                                  : count_constant_share(law, columns);
}

MomentShape projected_shape(const ProjectionRequest& request, int bits) {
  const double norm = projected_norm(request, bits);
  MomentShape shape;
  shape.dimension = static_cast<std::size_t>(request.columns);
  shape.norm2_bound = static_cast<Int128>(std::ceil(up(norm * norm)));
  shape.extension = Extension::Count;
  shape.relation = request.relation;
  shape.constant = std::max<std::int64_t>(
      1,
      std::min(kLargestConstant,
               std::llround(count_share(sharpest_law(request.per_row), shape.dimension) * norm)));
  return shape;
}

bool is_orthonormal(const Matrix& frame) {
  const Matrix deviation = frame.transpose() * frame - Matrix::Identity(frame.cols(), frame.cols());
  return frame.allFinite() && deviation.norm() <= kOrthonormality;
}

}  // namespace

double scaled_norm2_bound(const RowBound& bound, const Vector& scales) {
  const double norm =
      up(up(relative_row_norm(bound, scales) * up(bound.unit())) * scales.maxCoeff());
  return up(norm * norm);
}

Matrix scaled_moment(const ExactGram& gram, const Vector& scales) {
  const GramTotals& totals = trusted::totals(gram);
  const double unit2 = gram.bound().unit() * gram.bound().unit();
  Matrix moment(scales.size(), scales.size());
  std::size_t next = 0;
  for (Eigen::Index column = 0; column < scales.size(); ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      moment(row, column) = moment(column, row) =
          static_cast<double>(totals.products[next++]) * unit2 * scales[row] * scales[column];
    }
  }
  return moment;
}

Matrix round_frame(const Matrix& frame) {
  return frame.unaryExpr([](double entry) {
    return std::ldexp(std::nearbyint(std::ldexp(entry, kFrameGridBits)), -kFrameGridBits);
  });
}

Result<ProjectionPlan> ProjectionPlan::make(const ProjectionRequest& request) {
  Result<ProjectionPlan> plan = bad_request(
      "the table is too wide for exact arithmetic inside a subspace; give a coarser {grid}");
  // The finest rounding whose noise the exact rounding can still draw: a small budget needs large
  // noise, and fewer bits of the frame leave room for it.
  for (int bits = frame_bits_for(request); bits >= kFewestFrameBits && !plan; --bits) {
    const MomentShape shape = projected_shape(request, bits);
    const NoiseLaw law = sharpest_law(request.per_row);
    plan = calibrate_noise(shape, request.per_row, law).map([&](const CalibratedNoise& noise) {
      const Guarantee guarantee{request.relation, as_loss(request.per_row), Basis::Proved,
                                noise_assumptions(noise.scale.law), true};
      return ProjectionPlan(request, bits, shape, noise, guarantee);
    });
  }
  return plan;
}

ProjectionPlan::ProjectionPlan(ProjectionRequest request, int frame_bits, MomentShape shape,
                               CalibratedNoise noise, Guarantee guarantee)
    : request_(std::move(request)),
      frame_bits_(frame_bits),
      shape_(shape),
      noise_(noise),
      guarantee_(std::move(guarantee)) {}

double ProjectionPlan::product_unit() const {
  const double unit = std::ldexp(request_.bound.unit() * request_.scales.maxCoeff(), -frame_bits_);
  return unit * unit;
}

double ProjectionPlan::product_sd() const {
  return standard_deviation(noise_.scale.law, noise_.scale.diagonal) * product_unit();
}

double ProjectionPlan::off_diagonal_sd() const {
  return standard_deviation(noise_.scale.law, noise_.scale.off_diagonal) * product_unit();
}

double ProjectionPlan::count_sd() const {
  const double t = static_cast<double>(shape_.constant);
  return shape_.releases_count() ? corner_sd(noise_.scale, shape_) / (t * t) : 0.0;
}

Result<Release<NoisyProjection>> ProjectionPlan::run(const ExactGram& gram, const Matrix& frame,
                                                     RandomStream& stream) const {
  const bool fits = gram.bound() == request_.bound && frame.rows() == request_.scales.size() &&
                    frame.cols() == request_.columns;
  if (!fits || !is_orthonormal(frame)) {
    return bad_request("the projection was planned for another table or frame");
  }
  const GramTotals projected = project(trusted::totals(gram), gram.dimension(), shape_.dimension,
                                       integer_frame(frame, request_.scales, frame_bits_));
  const SecondMoment moment(projected, shape_);
  return noise_grid_exponent(noise_.scale).map([&](int exponent) {
    const NoisyTotals noisy = add_rounded_noise(moment, noise_.scale, exponent, stream);
    return trusted::assume_released<NoisyProjection>(
        NoisyProjection{noisy.products * product_unit(), product_sd(), off_diagonal_sd(),
                        noisy.count, noisy.count_sd, noisy.count_is_public, noisy.law},
        as_run(guarantee_, stream), "projected moment");
  });
}

PrincipalComponents components_in_subspace(const Matrix& frame, const NoisyProjection& projection) {
  const double count = std::max(projection.count, 1.0);
  const SymmetricEigen eigen = symmetric_eigen(projection.products / count);
  PrincipalComponents result;
  result.loadings = frame * eigen.vectors;
  for (Eigen::Index j = 0; j < result.loadings.cols(); ++j) {
    fix_sign(result.loadings.col(j));
  }
  result.explained_variance = eigen.values.cwiseMax(0.0);
  const double total = result.explained_variance.sum();
  result.explained_share = total > 0.0 ? Vector(result.explained_variance / total)
                                       : Vector::Zero(result.explained_variance.size());
  const EntryNoise noise{.scales = Vector::Ones(frame.cols()),
                         .product = projection.off_diagonal_sd,
                         .law = projection.law};
  // Of what was left out nothing is known, so no edge: any direction has a variance above zero.
  result.noise_floor = noise_reach(noise, 0.0, count).floor;
  return result;
}

}  // namespace eigenveil
