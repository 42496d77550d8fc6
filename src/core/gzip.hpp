#pragma once

#include <string>
#include <string_view>

namespace eigenveil {

/// One gzip member. Members written one after the other are one .gz file, so that blocks can be
/// packed side by side.
std::string gzip_member(std::string_view bytes);

}  // namespace eigenveil
