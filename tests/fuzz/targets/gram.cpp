#include "eigenveil/core/digest.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "tests/fuzz/blob_files.hpp"
#include "tests/fuzz/read_everything.hpp"

/// A file as it is, and once more with its checksum put right, so that fields behind it are
/// reached. What loads must merge and come back the same from its own file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil;        // NOLINT(google-build-using-namespace)
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  std::string blob(as_text(data, size));
  (void)ExactGram::load(write_blob("table.gram", blob));
  constexpr std::size_t kDigestBytes = std::tuple_size_v<Digest>;
  if (blob.size() < kDigestBytes) {
    return 0;
  }
  blob.resize(blob.size() - kDigestBytes);
  const Digest digest = sha256(blob);
  blob.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  const Result<ExactGram> gram = ExactGram::load(write_blob("table.gram", blob));
  if (gram) {
    const std::string copy = scratch_folder() + "/copy.gram";
    require(gram->save(copy).has_value());
    const Result<ExactGram> again = ExactGram::load(copy);
    require(again && *again == *gram);
    ExactGram sum = *again;
    (void)sum.merge(*gram);
  }
  return 0;
}
