#include "audit/likelihood_ratio.hpp"

#include <cmath>

#include "core/symmetric_eigen.hpp"

namespace eigenveil {
namespace {

/// Nuclear norm of the matrix, and the modulus of a count that stands beside it.
double extended_nuclear_norm(const MomentShape& shape, const std::vector<double>& entries) {
  const bool beside = shape.releases_count() && !shape.releases_sums();
  return nuclear_norm(as_matrix(shape, entries)) + (beside ? std::abs(entries[0]) : 0.0);
}

}  // namespace

Matrix as_matrix(const MomentShape& shape, const std::vector<double>& entries) {
  const auto border = static_cast<Eigen::Index>(shape.releases_sums() ? 1 : 0);
  const auto p = static_cast<Eigen::Index>(shape.dimension);
  Matrix matrix = Matrix::Zero(p + border, p + border);
  std::size_t next = 0;
  if (shape.releases_count()) {
    const double count = entries[next++];
    if (border == 1) {
      matrix(0, 0) = count;
    }
  }
  for (Eigen::Index j = 0; border == 1 && j < p; ++j) {
    matrix(0, j + 1) = matrix(j + 1, 0) = entries[next++];
  }
  for (Eigen::Index column = border; column < p + border; ++column) {
    for (Eigen::Index row = border; row <= column; ++row) {
      matrix(row, column) = matrix(column, row) = entries[next++];
    }
  }
  return matrix;
}

template <class Term>
double LikelihoodRatio::sum(const Term& term, const NoisyMoment* released) const {
  const double t = static_cast<double>(shape_.constant);
  const auto p = static_cast<Eigen::Index>(shape_.dimension);
  std::size_t index = 0;
  double total = 0.0;
  const auto add = [&](double entry, double scale) { total += term(index++, entry, scale); };
  if (shape_.releases_count()) {
    add(released != nullptr ? released->count * t * t : 0.0, scale_.diagonal);
  }
  for (Eigen::Index j = 0; shape_.releases_sums() && j < p; ++j) {
    add(released != nullptr ? (*released->sums)[j] * t / unit_ : 0.0, scale_.off_diagonal);
  }
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      add(released != nullptr ? released->products(row, column) / (unit_ * unit_) : 0.0,
          row == column ? scale_.diagonal : scale_.off_diagonal);
    }
  }
  return total;
}

LikelihoodRatio::LikelihoodRatio(const SecondMoment& first, const SecondMoment& second,
                                 const NoiseScale& scale, double unit)
    : shape_(first.shape()), scale_(scale), unit_(unit) {
  for (std::size_t index = 0; index < shape_.entries(); ++index) {
    first_.push_back(static_cast<double>(first.entry(index)));
    second_.push_back(static_cast<double>(second.entry(index)));
  }
}

double LikelihoodRatio::operator()(const NoisyMoment& released) const {
  if (scale_.law == NoiseLaw::Wishart) {
    std::vector<double> to_first;
    std::vector<double> to_second;
    sum(
        [&](std::size_t index, double entry, double /*scale*/) {
          to_first.push_back(entry - first_[index]);
          to_second.push_back(entry - second_[index]);
          return 0.0;
        },
        &released);
    return (extended_nuclear_norm(shape_, to_second) - extended_nuclear_norm(shape_, to_first)) /
           (2.0 * scale_.factor);
  }
  const double trace = released.products.trace() / (unit_ * unit_);
  const double along_trace = trace_precision() * (std::pow(trace - trace_of(second_), 2) -
                                                  std::pow(trace - trace_of(first_), 2));
  return 0.5 * along_trace +
         sum(
             [&](std::size_t index, double entry, double scale) {
               const double to_first = entry - first_[index];
               const double to_second = entry - second_[index];
               return scale_.law == NoiseLaw::Laplace
                          ? (std::abs(to_second) - std::abs(to_first)) / scale
                          : (to_second * to_second - to_first * to_first) / (2.0 * scale * scale);
             },
             &released);
}

double LikelihoodRatio::loss() const {
  if (scale_.law == NoiseLaw::Wishart) {
    return extended_nuclear_norm(shape_, change()) / (2.0 * scale_.factor);
  }
  const bool laplace = scale_.law == NoiseLaw::Laplace;
  const double total = sum(
      [&](std::size_t index, double /*entry*/, double scale) {
        const double apart = std::abs(first_[index] - second_[index]) / scale;
        return laplace ? apart : apart * apart;
      },
      nullptr);
  const double trace = trace_of(first_) - trace_of(second_);
  return laplace ? total : std::sqrt(total + trace_precision() * trace * trace);
}

bool LikelihoodRatio::only_adds() const {
  const Vector values = symmetric_eigen(as_matrix(shape_, change())).values;
  return values.minCoeff() >= -1e-9 * values.maxCoeff();
}

double LikelihoodRatio::trace_precision() const {
  return (1.0 / scale_.trace_ratio - 1.0) /
         (static_cast<double>(shape_.dimension) * scale_.diagonal * scale_.diagonal);
}
double LikelihoodRatio::trace_of(const std::vector<double>& entries) const {
  const std::size_t first = shape_.entries() - triangle_size(shape_.dimension);
  double trace = 0.0;
  for (std::size_t i = 0; i < shape_.dimension; ++i) {
    trace += entries[first + triangle_index(i, i)];
  }
  return trace;
}

std::vector<double> LikelihoodRatio::change() const {
  std::vector<double> difference(first_.size());
  for (std::size_t i = 0; i < difference.size(); ++i) {
    difference[i] = first_[i] - second_[i];
  }
  return difference;
}

}  // namespace eigenveil
