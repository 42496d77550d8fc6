#include "cli/options/table_options.hpp"

namespace eigenveil::cli {

Result<TableSpec> table_spec(const InputOptions& input, const BoundOptions& bounds) {
  const bool names_files =
      !bounds.bounds_file.empty() || bounds.public_center_given() || bounds.standardises();
  if (input.is_gram() && names_files) {  // said before they are read
    return carries_its_bound();
  }
  TableSpec spec;
  return input.fill(spec).and_then([&] { return bounds.fill(spec); }).map([&] { return spec; });
}

}  // namespace eigenveil::cli
