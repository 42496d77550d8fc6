#pragma once

#include <cstdint>

namespace eigenveil {

/// What becomes of an earlier release under the same name: it cannot be drawn again.
enum class Existing : std::uint8_t {
  Refuse,
  Replace,  ///< asked for (--replace)
};

}  // namespace eigenveil
