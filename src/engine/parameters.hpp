#pragma once

#include "eigenveil/engine/request.hpp"
#include "engine/documents/document_parts.hpp"

namespace eigenveil {

/// The request as documents state it.
inline MomentSettings settings_of(const Request& request) {
  const bool correlation = request.options.flag("correlation");
  // Correlations have no units: means and deviations beside them are those of the columns.
  const bool unitless = correlation && request.wants_components();
  return {request.private_mean() ? Center::PrivateMean : Center::PublicMidpoint,
          unitless ? Units::Original : request.units, request.center == CenterChoice::Public,
          *request.budget, correlation};
}

inline PublicParameters public_parameters_of(const Request& request, const RowBound& bound) {
  return {settings_of(request), bound, request.relation, request.group_size};
}

/// Of runs that take either.
inline constexpr const char* kNoMixture =
    "rows and totals that were made before cannot be mixed here";

}  // namespace eigenveil
