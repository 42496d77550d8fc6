#pragma once

#include <string>
#include <vector>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

/// How the result was asked for; public.
struct MomentSettings {
  Center center = Center::PublicMidpoint;
  Units units = Units::Original;
  bool public_center = false;  ///< a centre was given instead of the midpoint
  Budget requested;
  bool correlation = false;  ///< divided by the released variances after the noise
};

/// What every release of a table states first.
struct PublicParameters {
  MomentSettings settings;
  RowBound bound;
  Relation relation = Relation::AddRemove;
  int group_size = 1;
};
/// Budget, neighbours, columns, bound, centre, units.
Fields public_parameters(const PublicParameters& parameters, const Schema& schema);

/// The row count as released: exact where it is public (standard deviation 0), else with its noise.
void add_count(ReleaseDocument& document, double count, double count_sd);

/// Noisy variances of components as a method found them; `noise_edge` is empty where nothing is
/// known of the directions left out (a drawn subspace), `share` where the total is not released.
struct NoisyVariances {
  Vector variance;
  Vector noise_edge = {};
  Vector share = {};
  double total = 0.0;  ///< what the shares are of
};
/// Variances with their verdicts: which cannot be told from noise (and have no share), which were
/// clipped to the largest that the bounds allow. The variances as they stand in the document.
Vector add_variances(ReleaseDocument& document, const NoisyVariances& noisy, const RowBound& bound,
                     Units units, const std::string& name = "noisy_explained_variance");
/// The same for variances that cannot be above `largest`.
Vector add_variances(ReleaseDocument& document, const NoisyVariances& noisy, double largest,
                     const std::string& name = "noisy_explained_variance");

/// "PC1", "PC2", ...
std::vector<std::string> component_names(Eigen::Index count);
std::vector<double> to_list(const Vector& values);

}  // namespace eigenveil
