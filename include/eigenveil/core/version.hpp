#pragma once

namespace eigenveil {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace eigenveil
