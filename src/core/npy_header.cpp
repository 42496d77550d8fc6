#include "core/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eigenveil {

std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape,
                       NpyOrder order) {
  // A tuple of one number needs its comma.
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}",
                                   type, order == NpyOrder::Column ? "True" : "False",
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kPreamble = 10;
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xffU);
  bytes += static_cast<char>(header.size() >> 8U);
  return bytes + header;
}

}  // namespace eigenveil
