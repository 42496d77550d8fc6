#pragma once

namespace eigenveil {

inline constexpr const char* kVersion = "0.2.0";

}  // namespace eigenveil
