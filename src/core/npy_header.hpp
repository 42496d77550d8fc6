#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eigenveil {

enum class NpyOrder { Row, Column };

/// The bytes before the numbers of an NPY file, version 1; `type` as in "<f8". Padded so that the
/// numbers start at a multiple of 64 bytes, as NumPy does.
std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape,
                       NpyOrder order = NpyOrder::Row);

}  // namespace eigenveil
