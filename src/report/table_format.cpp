#include "report/table_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

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
      const double value = table.values(row, column);
      std::isnan(value) ? fmt::format_to(out, ",") : fmt::format_to(out, ",{}", value);
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

namespace {

/// Takes `expected` off the front.
bool skip(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) {
    return false;
  }
  text.remove_prefix(expected.size());
  return true;
}

/// An empty cell says nothing; before 0.2.0 such a cell was "nan".
bool skip_number(std::string_view& text, double& value) {
  if (text.empty() || text.front() == ',' || text.front() == '\n') {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return failure == std::errc();
}

/// The header is known but for its first field.
bool skip_header(std::string_view& text, ReleasedTable& table) {
  std::string rest = table.counted_alleles.empty() ? "" : ",counted_allele";
  for (const std::string& name : table.column_names) {
    rest += "," + csv_field(name);
  }
  const std::size_t corner = table.corner.empty() ? text.find(rest + "\n") : table.corner.size();
  if (corner == std::string_view::npos) {
    return false;
  }
  table.corner = text.substr(0, corner);
  text.remove_prefix(std::min(corner, text.size()));
  return skip(text, rest + "\n");
}

bool parse_csv(ReleasedTable& table, std::string_view text) {
  bool sound = skip_header(text, table);
  for (Eigen::Index i = 0; sound && i < table.values.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    sound =
        skip(text, csv_field(table.row_names[row])) &&
        (table.counted_alleles.empty() || skip(text, "," + csv_field(table.counted_alleles[row])));
    for (Eigen::Index j = 0; sound && j < table.values.cols(); ++j) {
      sound = skip(text, ",") && skip_number(text, table.values(i, j));
    }
    sound = sound && skip(text, "\n");
  }
  return sound && text.empty();
}

bool parse_npy(ReleasedTable& table, std::string_view bytes) {
  const auto size = static_cast<std::size_t>(table.values.size()) * sizeof(double);
  if (!skip(bytes,
            npy_header("<f8", {table.values.rows(), table.values.cols()}, NpyOrder::Column)) ||
      bytes.size() != size) {
    return false;
  }
  std::memcpy(table.values.data(), bytes.data(), size);
  return true;
}

}  // namespace

bool parse_table(ReleasedTable& table, std::string_view bytes, Eigen::Index rows,
                 Eigen::Index columns) {
  if (rows < 0 || columns < 0 || std::ssize(table.row_names) != rows ||
      std::ssize(table.column_names) != columns ||
      (!table.counted_alleles.empty() && table.counted_alleles.size() != table.row_names.size())) {
    return false;
  }
  table.values = Matrix::Zero(rows, columns);
  return bytes.starts_with("\x93NUMPY") ? parse_npy(table, bytes) : parse_csv(table, bytes);
}

}  // namespace eigenveil
