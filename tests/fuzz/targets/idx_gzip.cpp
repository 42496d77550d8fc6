#include <zlib.h>

#include "tests/fuzz/blob_files.hpp"
#include "tests/fuzz/idx_width.hpp"
#include "tests/fuzz/read_everything.hpp"

/// The fuzzer writes the array, this function compresses it; the target gzip writes archives.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  if (size == 0 || is_wide(as_text(data, size - 1))) {
    return 0;
  }
  const std::string path = write_blob("table.idx.gz", "");
  const gzFile file = gzopen(path.c_str(), "wb1");
  require(file != nullptr);
  if (size > 1) {
    require(gzwrite(file, data, static_cast<unsigned>(size - 1)) > 0);
  }
  require(gzclose(file) == Z_OK);
  read_everything(path, options_of(data[size - 1]));
  return 0;
}
