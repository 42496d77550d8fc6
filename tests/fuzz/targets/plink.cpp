#include "tests/fuzz/blob_files.hpp"
#include "tests/fuzz/read_everything.hpp"

/// The .bim text, a NUL, the .fam text, a NUL, the .bed bytes, and one byte of options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  if (size == 0) {
    return 0;
  }
  const std::string_view blob = as_text(data, size - 1);
  const std::size_t first = std::min(blob.find('\0'), blob.size());
  const std::size_t second = std::min(blob.find('\0', first + 1), blob.size());
  write_blob("table.bim", blob.substr(0, first));
  write_blob("table.fam",
             first < blob.size() ? blob.substr(first + 1, second - first - 1) : std::string_view());
  const std::string path =
      write_blob("table.bed", second < blob.size() ? blob.substr(second + 1) : std::string_view());
  eigenveil::ReadOptions options = options_of(data[size - 1]);
  if (!options.columns.empty()) {
    options.columns = {"rs1", "1:200:C:T"};
  }
  read_everything(path, options);
  return 0;
}
