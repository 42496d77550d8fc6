#include "report/table_format.hpp"

#include <fmt/format.h>

#include <iterator>

#include "core/npy_header.hpp"

namespace eigenveil {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    quoted += letter;
    if (letter == '"') {
      quoted += '"';
    }
  }
  return quoted + "\"";
}

std::string table_csv(const ReleasedTable& table) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{}", csv_field(table.corner),
                 table.counted_alleles.empty() ? "" : ",counted_allele");
  for (const std::string& name : table.column_names) {
    fmt::format_to(out, ",{}", csv_field(name));
  }
  fmt::format_to(out, "\n");
  for (Eigen::Index row = 0; row < table.values.rows(); ++row) {
    fmt::format_to(out, "{}", csv_field(table.row_names[static_cast<std::size_t>(row)]));
    if (!table.counted_alleles.empty()) {
      fmt::format_to(out, ",{}", csv_field(table.counted_alleles[static_cast<std::size_t>(row)]));
    }
    for (Eigen::Index column = 0; column < table.values.cols(); ++column) {
      fmt::format_to(out, ",{}", table.values(row, column));
    }
    fmt::format_to(out, "\n");
  }
  return fmt::to_string(text);
}

std::string table_npy(const ReleasedTable& table) {
  std::string bytes =
      npy_header("<f8", {table.values.rows(), table.values.cols()}, NpyOrder::Column);
  bytes.append(reinterpret_cast<const char*>(table.values.data()),
               static_cast<std::size_t>(table.values.size()) * sizeof(double));
  return bytes;
}

}  // namespace eigenveil
