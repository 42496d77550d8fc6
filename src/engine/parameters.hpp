#pragma once

#include "eigenveil/engine/request.hpp"
#include "engine/documents/document_parts.hpp"

namespace eigenveil {

/// The request as documents state it.
inline MomentSettings settings_of(const Request& request) {
  return {request.private_mean() ? Center::PrivateMean : Center::PublicMidpoint, request.units,
          request.center == CenterChoice::Public, *request.budget,
          request.options.flag("correlation")};
}

inline PublicParameters public_parameters_of(const Request& request, const RowBound& bound) {
  return {settings_of(request), bound, request.relation, request.group_size};
}

}  // namespace eigenveil
