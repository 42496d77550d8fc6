#include "cli/options/bound_options.hpp"
#include "engine/table/prepared_table.hpp"
#include "tests/fuzz/blob_files.hpp"

namespace {

void prepare(const eigenveil::cli::BoundOptions& options) {
  const eigenveil::Schema schema{{"a", "b,c"}, {"A", "G"}};
  eigenveil::TableSpec spec;
  if (options.fill(spec)) {
    (void)eigenveil::PreparedTable::make(spec, schema);
    (void)eigenveil::table_from_json(eigenveil::table_json(spec));
  }
}

}  // namespace

/// A bounds file, a centre, and frequencies, each read from the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  using eigenveil::cli::BoundOptions;
  const std::string path = write_blob("bounds.csv", as_text(data, size));
  BoundOptions bounds;
  bounds.bounds_file = path;
  prepare(bounds);
  bounds.center = "public:" + path;
  prepare(bounds);
  BoundOptions frequencies;
  frequencies.range = "0:2";
  frequencies.frequencies_file = path;
  prepare(frequencies);
  frequencies.frequencies_file = write_blob("bounds.frq", as_text(data, size));
  prepare(frequencies);
  return 0;
}
