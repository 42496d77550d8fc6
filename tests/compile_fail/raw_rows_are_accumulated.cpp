// Bounded rows are made by clipping only.
#include "eigenveil/data/bounding.hpp"

using namespace eigenveil;

BoundedRows bounded(const RowBound& bound, const std::vector<double>& cells) {
#ifdef MUST_NOT_COMPILE
  return BoundedRows(1, cells.size(), cells);
#else
  return BoundedRows::clip(bound, cells.data(), 1);
#endif
}
