#include "engine/released_fields.hpp"

#include <algorithm>

namespace eigenveil {

bool has_midpoints(NeededFields& parameters) {
  if (!parameters.has("range_low")) {
    return false;
  }
  const std::size_t ranges = parameters.size_of("range_low");  // an intercept has no range
  return !(parameters.numbers("range_low", ranges) + parameters.numbers("range_high", ranges))
              .isZero(0.0);
}

Vector midpoints_of(NeededFields& parameters, std::size_t columns) {
  if (parameters.get<std::string>("units") != "original") {
    return {};
  }
  if (parameters.has("range_low")) {
    return 0.5 *
           (parameters.numbers("range_low", columns) + parameters.numbers("range_high", columns));
  }
  return parameters.has("public_center") ? parameters.numbers("public_center", columns)
                                         : Vector(Vector::Zero(static_cast<Eigen::Index>(columns)));
}

double longest_row(NeededFields& parameters, const Vector& scales) {
  const double by_norm =
      parameters.number("row_norm") * (scales.size() > 0 ? scales.maxCoeff() : 0.0);
  return parameters.has("range_low") ? std::min(by_norm, scales.norm()) : by_norm;
}

Vector scales_of(NeededFields& parameters, std::size_t columns) {
  const bool original_ranges =
      parameters.has("range_low") && parameters.get<std::string>("units") != "scaled to [-1, 1]";
  if (!original_ranges) {
    return Vector::Ones(static_cast<Eigen::Index>(columns));
  }
  return 0.5 *
         (parameters.numbers("range_high", columns) - parameters.numbers("range_low", columns));
}

tl::unexpected<Error> lacks_a_field() {
  return bad_request(
      "the release lacks a field that analyse needs, or holds it in another form: it was edited or "
      "written by another version; give the document as it was written, or release again with this "
      "version");
}

const ReleasedTable* table_called(const ReleaseDocument& document, const std::string& name) {
  const auto found = std::find_if(document.tables.begin(), document.tables.end(),
                                  [&](const ReleasedTable& table) { return table.name == name; });
  return found == document.tables.end() ? nullptr : &*found;
}

}  // namespace eigenveil
