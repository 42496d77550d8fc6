#include "sampling/orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

constexpr int kBlockAttempts = 64;
constexpr int kAngularAttempts = 256;
constexpr int kVertexAttempts = 64;
constexpr int kTiltedAttempts = 64;
constexpr int kCapturedAttempts = 64;

Result<void> check(const OrbitLaw& law) {
  const Vector& l = law.spectrum;
  if (l.size() < 1 || l.size() > law.diagonal.size()) {
    return bad_request("an orbit needs at least one eigenvalue and at most one per dimension");
  }
  if (!law.diagonal.allFinite() || !l.allFinite() || !std::isfinite(law.exponent) ||
      law.exponent < 0.0) {
    return bad_request(
        "the diagonal, the eigenvalues and the exponent must be finite, and the exponent not "
        "negative");
  }
  if (l.minCoeff() < 0.0 || !std::is_sorted(l.begin(), l.end(), std::greater<>())) {
    return bad_request("the eigenvalues of an orbit must be given largest first, none negative");
  }
  // The products that occur are at most this one.
  if (!std::isfinite(law.exponent * (law.diagonal.maxCoeff() - law.diagonal.minCoeff()) *
                     std::max(1.0, l[0]))) {
    return bad_request("exponent, diagonal and eigenvalues are too large together");
  }
  return {};
}

}  // namespace

Result<OrbitSampler> OrbitSampler::make(const OrbitLaw& law) {
  if (const Result<void> valid = check(law); !valid) {
    return error_of(valid);
  }
  OrbitSampler sampler;
  const Index dimension = law.diagonal.size();
  sampler.dimension_ = dimension;
  sampler.columns_ = law.spectrum.size();
  sampler.order_.resize(static_cast<std::size_t>(dimension));
  std::iota(sampler.order_.begin(), sampler.order_.end(), Index{0});
  std::ranges::stable_sort(sampler.order_,
                           [&law](Index a, Index b) { return law.diagonal[a] > law.diagonal[b]; });
  sampler.is_sorted_ = std::ranges::is_sorted(sampler.order_);
  // Only differences enter, so the largest entry is moved to zero first.
  Vector weights(dimension);
  for (Index i = 0; i < dimension; ++i) {
    weights[i] = law.exponent * (law.diagonal[sampler.order_[static_cast<std::size_t>(i)]] -
                                 law.diagonal[sampler.order_.front()]);
  }
  const Index rank = (law.spectrum.array() > 0.0).count();
  sampler.spectrum_ = law.spectrum.head(rank);
  if (rank == 0) {
    return sampler;
  }
  const bool is_projector = sampler.spectrum_[0] == sampler.spectrum_[rank - 1];
  if (is_projector && rank < dimension) {
    const Vector scaled = sampler.spectrum_[0] * weights;
    sampler.block_.emplace(scaled, rank);
    if (rank > 1) {
      sampler.angular_.emplace(scaled, rank);
    }
  } else {
    if (VertexRejection::applies(weights, sampler.spectrum_)) {
      sampler.vertex_.emplace(weights, sampler.spectrum_);
    }
    sampler.tilted_.emplace(weights, sampler.spectrum_);
    if (CapturedTop::applies(weights, rank)) {
      const Result<OrbitSampler> top = make({weights.head(rank), sampler.spectrum_, 1.0});
      sampler.captured_.emplace(weights, sampler.spectrum_,
                                std::make_shared<const OrbitSampler>(*top));
    }
  }
  const Vector row_rates = weights.head(dimension - 1) - weights.tail(dimension - 1);
  sampler.coupling_.emplace(row_rates, sampler.spectrum_);
  return sampler;
}

ComplexMatrix OrbitSampler::draw(RandomStream& stream) const {
  if (is_sorted_ && spectrum_.size() == columns_) {
    return draw_sorted(stream);
  }
  ComplexMatrix frame = ComplexMatrix::Zero(dimension_, columns_);
  if (spectrum_.size() > 0) {
    const ComplexMatrix sorted = draw_sorted(stream);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      frame.row(order_[i]).head(spectrum_.size()) = sorted.row(static_cast<Index>(i));
    }
  }
  return frame;
}

ComplexMatrix OrbitSampler::draw_sorted(RandomStream& stream) const {
  if (block_) {
    ComplexMatrix frame = draw_projector(stream);
    if (spectrum_[0] != 1.0) {
      frame *= std::sqrt(spectrum_[0]);
    }
    return frame;
  }
  if (vertex_) {
    for (int attempt = 0; attempt < kVertexAttempts; ++attempt) {
      if (const auto pattern = vertex_->attempt(stream)) {
        return frame_from_pattern(*pattern, stream);
      }
    }
  }
  if (tilted_) {
    for (int attempt = 0; attempt < kTiltedAttempts; ++attempt) {
      if (auto frame = tilted_->attempt(stream)) {
        return *std::move(frame);
      }
    }
  }
  if (captured_) {
    for (int attempt = 0; attempt < kCapturedAttempts; ++attempt) {
      if (auto frame = captured_->attempt(stream)) {
        return *std::move(frame);
      }
    }
  }
  return frame_from_pattern(coupling_->draw(stream), stream);
}

ComplexMatrix OrbitSampler::draw_projector(RandomStream& stream) const {
  const bool is_vector = spectrum_.size() == 1;  // where the block needs no help in any regime
  for (int attempt = 0; attempt < kBlockAttempts || is_vector; ++attempt) {
    if (auto frame = block_->attempt(stream)) {
      return *std::move(frame);
    }
  }
  for (int attempt = 0; attempt < kAngularAttempts; ++attempt) {
    if (auto frame = angular_->attempt(stream)) {
      return *std::move(frame);
    }
  }
  const GelfandTsetlinPattern pattern = coupling_->draw(stream);
  return frame_from_pattern(pattern, stream) / std::sqrt(spectrum_[0]);
}

std::vector<ComplexMatrix> draw_many(const ExactSampler<ComplexMatrix>& sampler, std::size_t count,
                                     RandomStream& stream, unsigned threads) {
  const RandomStream family = stream.split();
  std::vector<ComplexMatrix> draws(count);
  parallel_for(count, static_cast<int>(threads), [&](std::size_t i) {
    RandomStream own = trusted::substream(family, i);
    draws[i] = sampler.draw(own);
  });
  return draws;
}

}  // namespace eigenveil
