#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collection/collection_plan.hpp"
#include "collection/noisy_sum.hpp"
#include "eigenveil/report/document.hpp"
#include "eigenveil/report/read_release.hpp"
#include "ledger/charge.hpp"

namespace eigenveil {

/// What a collection costs a ledger: charged once, when it is closed, under the study's name.
ReleaseCost collection_cost(const Manifest& manifest, const CollectionPlan& plan);

/// The released Gram matrix of a study: noisy sums of products of (1, x), in original units, with
/// the guarantee and everything it rests on. `analyse` reads it.
Result<ReleaseDocument> collected_document(const Study& study, const CollectedGram& gram);

/// What cannot be if every participant kept to the ranges, in words; empty where nothing was found.
/// Computed from released numbers alone.
std::vector<std::string> implausible(const Manifest& manifest, const CollectionPlan& plan,
                                     const CollectedGram& gram);

/// What is made of a released Gram costs nothing more.
Result<ReleaseDocument> components_of_collected(const ReadRelease& release, Eigen::Index count);
Result<ReleaseDocument> covariance_of_collected(const ReadRelease& release);
Result<ReleaseDocument> pseudo_data_of_collected(const ReadRelease& release, RandomStream& stream);

}  // namespace eigenveil
