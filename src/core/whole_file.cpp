#include "core/whole_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "core/parameter_names.hpp"

namespace eigenveil {

Result<std::string> read_whole_file(const std::filesystem::path& path) {
  std::error_code error;
  std::ifstream file;
  std::string bytes;
  if (std::filesystem::is_regular_file(path, error)) {
    file.open(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (!file.is_open() || file.bad()) {
    return input_output_error(fmt::format("cannot read {}", shown(path.string())));
  }
  return bytes;
}

}  // namespace eigenveil
