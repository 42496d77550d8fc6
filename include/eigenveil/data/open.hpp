#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// How a file is to be read; everything here is public.
struct ReadOptions {
  std::vector<std::string> columns;  ///< selection by name, in this order; empty: all
  BadCell bad_cell = BadCell::Refuse;
  MissingCell missing = MissingCell::Midpoint;
  enum class Header : unsigned char { Auto, Present, Absent } header = Header::Auto;
};

/// Opens a table by the ending of its name: .csv .tsv (.gz), .npy, or "-" (CSV on standard input).
Result<std::unique_ptr<RowReader>> open_rows(const std::string& input, const ReadOptions& options);

}  // namespace eigenveil
