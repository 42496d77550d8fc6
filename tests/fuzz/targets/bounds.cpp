#include "cli/options/bound_options.hpp"
#include "tests/fuzz/blob_files.hpp"

/// A bounds file, a centre, and frequencies, each read from the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  using eigenveil::cli::BoundOptions;
  const std::string path = write_blob("bounds.csv", as_text(data, size));
  const eigenveil::Schema schema{{"a", "b,c"}, {"A", "G"}};
  BoundOptions bounds;
  bounds.bounds_file = path;
  (void)bounds.bound(schema);
  bounds.center = "public:" + path;
  (void)bounds.bound(schema);
  BoundOptions frequencies;
  frequencies.range = "0:2";
  frequencies.frequencies_file = path;
  (void)frequencies.bound(schema);
  frequencies.frequencies_file = write_blob("bounds.frq", as_text(data, size));
  (void)frequencies.bound(schema);
  return 0;
}
