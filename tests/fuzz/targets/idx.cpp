#include "tests/fuzz/blob_files.hpp"
#include "tests/fuzz/idx_width.hpp"
#include "tests/fuzz/read_everything.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  if (size > 0 && !is_wide(as_text(data, size - 1))) {
    const std::string path = write_blob("table.idx", as_text(data, size - 1));
    read_everything(path, options_of(data[size - 1]));
  }
  return 0;
}
