#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collection/study.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// What a manifest promises and costs, computed from its public numbers by everybody who must rely
/// on it: aggregators before they sign, participants before they send, the collector before it
/// states a guarantee. Proof: docs/proofs/collection.md.
struct CollectionPlan {
  RowBound bound;
  NoiseMode noise = NoiseMode::Servers;
  Guarantee guarantee = {};  ///< with secure randomness

  // Mode servers: what each aggregator adds by itself, in grid steps.
  MomentShape shape = {};
  NoiseScale scale = {};
  std::shared_ptr<const MomentPlan> moment = {};

  // Mode participants, scaled units.
  double cell_sd = 0.0;
  double row_norm = 0.0;  ///< of (t, x)
  double alone_mu = 0.0;  ///< what the noise on the own row keeps if both aggregators collude

  /// The noise an aggregator adds to its sum: mode servers alone, otherwise zeros.
  std::vector<std::int64_t> aggregator_noise(RandomStream& stream) const;
};

/// Refuses a manifest whose grid, constant or noise do not fit its budget.
Result<CollectionPlan> plan_collection(const Manifest& manifest);

/// Fills in grid, constant and noise on cells: the finest grid on which the noise stays within
/// kMostNoiseSteps.
Result<Manifest> with_grid(Manifest draft);

/// Who learns what, for people: printed before anything is signed, and by explain.
std::vector<std::string> trust_in_words(const Manifest& manifest);

}  // namespace eigenveil
