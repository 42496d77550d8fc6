#include "sampling/bingham.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "random/haar.hpp"
#include "sampling/angular_gaussian.hpp"
#include "sampling/bingham_request.hpp"
#include "sampling/head_tail.hpp"
#include "sampling/peeled_frames.hpp"

namespace eigenveil {

namespace detail {

/// Neither stage: the law is uniform.
struct BinghamStages {
  Eigen::Index rows;
  Eigen::Index columns;
  std::optional<HeadTail> head_tail;
  std::optional<AngularGaussianEnvelope> envelope;
  std::optional<PeeledFrames> peeled;
};

struct BinghamBuffers {
  HeadTail::Workspace head_tail;
  AngularGaussianEnvelope::Workspace envelope;
  PeeledFrames::Workspace peeled;
};

}  // namespace detail

namespace {

/// Proposals of one stage before the other has its turn. Fixed, so that which stage answers tells
/// nothing about the value: every accepted proposal of either has the target law.
constexpr std::uint64_t kTriesPerTurn = 64;

detail::BinghamStages stages_of(const Vector& eigenvalues, double exponent, Eigen::Index columns) {
  const Eigen::Index rows = eigenvalues.size();
  detail::BinghamStages stages{rows, columns, std::nullopt, std::nullopt, std::nullopt};
  const Vector penalties = exponent * (eigenvalues[0] - eigenvalues.array());
  if (columns == rows || penalties.maxCoeff() == 0.0) {
    return stages;
  }
  stages.head_tail.emplace(eigenvalues, exponent, columns);
  // When every column is captured, the envelope's common column covariance cannot follow k >= 2.
  if (columns == 1 || (stages.head_tail->captured() < columns && columns + 1 < rows)) {
    stages.envelope.emplace(penalties, columns);
  }
  const Eigen::Index captured = stages.head_tail->captured();
  if (captured >= 1 && captured < columns && captured <= rows - columns) {
    stages.peeled.emplace(eigenvalues, exponent, columns, captured);
  }
  return stages;
}

/// Section 5 of the proof page: the number of tries does not grow with p, but for frames that leave
/// hardly a dimension free, where every roaming column pays for sitting on the edge of the ball.
BinghamOutlook outlook_of(const detail::BinghamStages& stages) {
  if (!stages.head_tail) {
    return {0, 1.0};
  }
  const Eigen::Index captured = stages.head_tail->captured();
  const auto rows = static_cast<double>(stages.rows);
  if (stages.columns == 1 || stages.columns + 1 == stages.rows) {
    return {captured, std::sqrt(rows)};
  }
  constexpr double kBoundedTries = 10.0;
  if (captured == stages.columns) {
    return {captured, kBoundedTries};
  }
  const auto roaming = static_cast<double>(stages.columns - captured);
  if (captured == 0 || stages.peeled) {
    // Bounded in p, not in k: 1 in 2e8 was measured at k = 50 (p = 100 and 200).
    const double beyond = std::max(0.0, roaming - 3.0);
    return {captured, kBoundedTries * std::exp(beyond * beyond / 115.0)};
  }
  const double edge = 2.0 * std::pow(rows, roaming * (roaming + 1.0) / 4.0);
  return {captured, std::max(kBoundedTries, edge)};
}

}  // namespace

BinghamSampler::BinghamSampler(std::shared_ptr<const detail::BinghamStages> stages)
    : rows_(stages->rows),
      columns_(stages->columns),
      outlook_(outlook_of(*stages)),
      stages_(std::move(stages)) {}

Result<BinghamSampler> BinghamSampler::make(const Vector& eigenvalues, double exponent,
                                            Eigen::Index columns, double most_expected_tries) {
  if (std::optional<Error> error = detail::check_bingham_request(eigenvalues, exponent, columns)) {
    return tl::unexpected<Error>(std::move(*error));
  }
  const double range = eigenvalues[0] - eigenvalues[eigenvalues.size() - 1];
  if (columns > 1 && !(exponent * range <= kLargestExponentForFrames)) {
    return bad_request(
        "the exponent times the range of the eigenvalues is above 1e12, where double precision no "
        "longer separates the columns of a frame; draw one column, or lower the exponent");
  }
  BinghamSampler sampler(
      std::make_shared<const detail::BinghamStages>(stages_of(eigenvalues, exponent, columns)));
  if (!(sampler.outlook_.expected_tries <= most_expected_tries)) {
    return bad_request(
        "no efficient exact sampler: this exponent ties some of the columns to eigenvectors and "
        "leaves several others in the bulk; raise or lower the exponent, ask for fewer columns, or "
        "use an approximate sampler");
  }
  return sampler;
}

bool BinghamSampler::propose(std::uint64_t attempt, RandomStream& stream, Workspace& workspace,
                             Matrix& frame) const {
  detail::BinghamBuffers& buffers = *workspace.buffers_;
  if (stages_->peeled && attempt / kTriesPerTurn % 2 == 0) {
    return stages_->peeled->propose(stream, buffers.peeled, frame);
  }
  bool use_envelope = false;
  if (stages_->envelope) {
    const std::uint64_t turn = attempt / kTriesPerTurn;
    // With a captured column the envelope helps only near the transition: one turn in eight.
    use_envelope = outlook_.captured == 0 ? turn % 2 == 0 : turn % 8 == 1;
    // One column: the envelope accepts at least about once in sqrt(p) tries whatever the spectrum.
    use_envelope = use_envelope || (columns_ == 1 && turn > 0);
  }
  return use_envelope ? stages_->envelope->propose(stream, buffers.envelope, frame)
                      : stages_->head_tail->propose(stream, buffers.head_tail, frame);
}

void BinghamSampler::draw_into(RandomStream& stream, Workspace& workspace, Matrix& frame) const {
  if (!stages_->head_tail) {
    frame = haar_frame(stream, rows_, columns_);
    return;
  }
  frame.resize(rows_, columns_);
  for (std::uint64_t attempt = 0; !propose(attempt, stream, workspace, frame); ++attempt) {
  }
}

Matrix BinghamSampler::draw(RandomStream& stream) const {
  Workspace workspace;
  Matrix frame;
  draw_into(stream, workspace, frame);
  return frame;
}

Result<Matrix> BinghamSampler::draw_within(RandomStream& stream, std::uint64_t most_tries) const {
  if (!stages_->head_tail) {
    return haar_frame(stream, rows_, columns_);
  }
  Workspace workspace;
  Matrix frame(rows_, columns_);
  for (std::uint64_t attempt = 0; attempt < most_tries; ++attempt) {
    if (propose(attempt, stream, workspace, frame)) {
      return frame;
    }
  }
  return bad_request("no proposal was accepted within the given number of tries");
}

BinghamSampler::Workspace::Workspace() : buffers_(std::make_unique<detail::BinghamBuffers>()) {}
BinghamSampler::Workspace::Workspace(Workspace&&) noexcept = default;
BinghamSampler::Workspace& BinghamSampler::Workspace::operator=(Workspace&&) noexcept = default;
BinghamSampler::Workspace::~Workspace() = default;

}  // namespace eigenveil
