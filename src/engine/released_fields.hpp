#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/report/fields.hpp"

namespace eigenveil {

/// Fields that must be there. What is missing or of another kind reads as zero and turns
/// `complete()` false, so that one check at the end does.
class NeededFields {
 public:
  explicit NeededFields(const Fields& fields) : fields_(fields) {}
  bool has(std::string_view name) const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const auto& entry) { return entry.first == name; });
  }
  double number(std::string_view name) {
    const auto* whole = field<std::int64_t>(fields_, name);
    return whole != nullptr ? static_cast<double>(*whole) : get<double>(name);
  }
  template <class T>
  T get(std::string_view name) {
    const T* found = field<T>(fields_, name);
    complete_ = complete_ && found != nullptr;
    return found != nullptr ? *found : T{};
  }
  /// One number for each column.
  Vector numbers(std::string_view name, std::size_t columns) {
    const auto values = get<std::vector<double>>(name);
    complete_ = complete_ && values.size() == columns;
    return values.size() == columns
               ? Vector(Eigen::Map<const Vector>(values.data(), std::ssize(values)))
               : Vector(Vector::Zero(static_cast<Eigen::Index>(columns)));
  }
  std::size_t size_of(std::string_view name) { return get<std::vector<double>>(name).size(); }
  bool complete() const { return complete_; }

 private:
  const Fields& fields_;
  bool complete_ = true;
};

/// Whether a zero of the release is the midpoint of a public range instead of a zero of the data.
bool has_midpoints(NeededFields& parameters);

/// What brings the columns of data back to original units; empty for a release in other units.
Vector midpoints_of(NeededFields& parameters, std::size_t columns);

/// No row is longer, in the units of the release: by its norm, and by its ranges.
double longest_row(NeededFields& parameters, const Vector& scales);

/// The half widths of the public ranges where the release is in original units, else ones.
Vector scales_of(NeededFields& parameters, std::size_t columns);

tl::unexpected<Error> lacks_a_field();

const ReleasedTable* table_called(const ReleaseDocument& document, const std::string& name);

/// Missing cells were left out pair by pair.
inline bool is_pairwise(const ReleaseDocument& document) {
  return field<std::vector<std::string>>(document.parameters, "pairwise_columns") != nullptr;
}

}  // namespace eigenveil
