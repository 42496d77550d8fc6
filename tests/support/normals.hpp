#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "random/normal.hpp"

namespace eigenveil::test {

/// A matrix of independent standard normals.
inline Matrix normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

}  // namespace eigenveil::test
