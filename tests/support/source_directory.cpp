#include "support/source_directory.hpp"

namespace eigenveil::test {

std::filesystem::path source_directory() {
  return EIGENVEIL_SOURCE_DIR;
}

}  // namespace eigenveil::test
