#include "cli/options/bound_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/genotypes.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kMissingBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain, "
    "and "
    "reading it off the data would leak. Give what you know without looking: --range LO:HI, "
    "--bounds "
    "FILE (per column; eigenveil bounds template INPUT writes one to fill in), or --row-norm R";

/// Numbers of a public file in the order of the table's columns.
Result<std::vector<std::vector<double>>> in_schema_order(const std::vector<NamedNumbers>& rows,
                                                         const Schema& schema,
                                                         const std::string& path) {
  std::map<std::string, std::vector<double>> by_name;
  for (const NamedNumbers& row : rows) {
    if (!by_name.emplace(row.column, row.numbers).second) {
      return bad_request(fmt::format("{} names column '{}' twice", path, row.column));
    }
  }
  std::vector<std::vector<double>> ordered;
  for (const std::string& column : schema.columns) {
    const auto found = by_name.find(column);
    if (found == by_name.end()) {
      return bad_request(
          fmt::format("{} has no line for column '{}'; add one, or choose columns with --columns",
                      path, column));
    }
    ordered.push_back(found->second);
  }
  return ordered;
}

}  // namespace

void BoundOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Bounds (what is known without looking)";
  app.add_option("--row-norm", row_norm,
                 "every row is scaled down to this Euclidean norm when longer; after --range or "
                 "--bounds it is in scaled units")
      ->group(kGroup);
  app.add_option("--range", range, "LO:HI, the public range of every column; mapped to [-1, 1]")
      ->group(kGroup);
  app.add_option("--bounds", bounds_file, "CSV file column,low,high with a range for each column")
      ->group(kGroup);
  app.add_option("--center", center,
                 "private (about a privately released mean; default where the method releases one: "
                 "gauss, laplace), none (second moments about the public midpoint), or public FILE "
                 "(CSV column,value)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool known = text == "none" || text == "private" ||
                               (text.starts_with("public:") && text.size() > 7);
            return known ? std::string() : "must be none, private, or public FILE";
          },
          ""))
      ->group(kGroup);
  app.add_option("--allele-frequencies", frequencies_file,
                 "genotypes: standardise each variant by its public allele frequency f, (copies - "
                 "2f) / sqrt(2f(1-f)); CSV column,value or plink's .frq")
      ->group(kGroup);
  app.add_option(
         "--grid", grid,
         "grid steps from zero to the bound, up to 16777216 (default 262144); 1 is exact and "
         "fastest for genotypes with --range 0:2")
      ->group(kGroup);
}

CenterChoice BoundOptions::center_choice() const {
  if (center.empty()) {
    return CenterChoice::Unsaid;
  }
  return private_mean()          ? CenterChoice::Private
         : public_center_given() ? CenterChoice::Public
                                 : CenterChoice::None;
}

void BoundOptions::declare_rank_transform(CLI::App& app) {
  app.add_flag("--rank-transform", rank_transform,
               "replace every column by its average ranks, scaled to [-1, 1]: needs no range; for "
               "method sharp only; --row-norm then clips in scaled units")
      ->group("Bounds (what is known without looking)");
}

Result<ColumnRange> parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  char* low_end = nullptr;
  char* high_end = nullptr;
  if (colon == std::string::npos) {
    return bad_request("--range is written LO:HI, for example --range 0:10");
  }
  const double low = std::strtod(text.c_str(), &low_end);
  const double high = std::strtod(text.c_str() + colon + 1, &high_end);
  if (low_end != text.c_str() + colon || colon == 0 || *high_end != '\0' ||
      colon + 1 == text.size() || !std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
    return bad_request("--range is written LO:HI with finite LO < HI, for example --range 0:10");
  }
  return ColumnRange{low, high};
}

Result<std::vector<ColumnRange>> BoundOptions::ranges(const Schema& schema) const {
  if (!range.empty()) {
    return parse_range(range).map([&](const ColumnRange& common) {
      return std::vector<ColumnRange>(schema.dimension(), common);
    });
  }
  return read_named_numbers(bounds_file, {"low", "high"})
      .and_then([&](const auto& rows) { return in_schema_order(rows, schema, bounds_file); })
      .map([](const auto& pairs) {
        std::vector<ColumnRange> columns;
        columns.reserve(pairs.size());
        for (const std::vector<double>& pair : pairs) {
          columns.push_back({pair[0], pair[1]});
        }
        return columns;
      });
}

Result<std::vector<std::string>> BoundOptions::named_columns() const {
  if (bounds_file.empty() || !range.empty()) {  // both: refused by bound(), before a file is read
    return std::vector<std::string>();
  }
  return read_named_numbers(bounds_file, {"low", "high"}).map([](const auto& lines) {
    std::vector<std::string> names;
    for (const NamedNumbers& line : lines) {
      names.push_back(line.column);
    }
    return names;
  });
}

Result<std::vector<double>> BoundOptions::public_center(const Schema& schema) const {
  if (!public_center_given()) {
    return std::vector<double>{};
  }
  const std::string path = center.substr(7);
  return read_named_numbers(path, {"value"})
      .and_then([&](const auto& rows) { return in_schema_order(rows, schema, path); })
      .map([](const auto& rows) {
        std::vector<double> values;
        values.reserve(rows.size());
        for (const std::vector<double>& row : rows) {
          values.push_back(row[0]);
        }
        return values;
      });
}

Result<std::vector<double>> BoundOptions::frequencies(const Schema& schema) const {
  const Result<std::vector<NamedNumbers>> rows =
      frequencies_file.ends_with(".frq") ? read_plink_frequencies(frequencies_file, schema)
                                         : read_named_numbers(frequencies_file, {"value"});
  return rows
      .and_then([&](const auto& named) { return in_schema_order(named, schema, frequencies_file); })
      .map([](const auto& ordered) {
        std::vector<double> values;
        values.reserve(ordered.size());
        for (const std::vector<double>& row : ordered) {
          values.push_back(row[0]);
        }
        return values;
      });
}

/// Cells are already centred at twice the frequency, so ranges are symmetric about zero.
Result<RowBound> BoundOptions::standardised_bound(const Schema& schema) const {
  if (!bounds_file.empty() || public_center_given() || (!range.empty() && range != "0:2")) {
    return bad_request(
        "--allele-frequencies centres and scales genotypes itself; give --range 0:2 or --row-norm "
        "R beside it, and leave out --bounds and a public --center");
  }
  if (grid == 1) {
    return bad_request(
        "--grid 1 would round standardised genotypes to zero; leave --grid out beside "
        "--allele-frequencies");
  }
  const Result<std::vector<double>> values = frequencies(schema);
  if (!values) {
    return error_of(values);
  }
  if (range.empty()) {
    return RowBound::row_norm(schema.dimension(), *row_norm, grid);
  }
  return standardised_ranges(schema.columns, *values).and_then([&](const auto& columns) {
    return RowBound::ranges(columns, row_norm, grid, schema.columns);
  });
}

Result<RowBound> BoundOptions::bound(const Schema& schema) const {
  if (!given()) {
    return bad_request(kMissingBound);
  }
  if (rank_transform) {
    if (!range.empty() || !bounds_file.empty() || standardises() || public_center_given()) {
      return bad_request(
          "--rank-transform needs no range: leave out --range, --bounds, --allele-frequencies and "
          "a "
          "public --center");
    }
    return RowBound::ranges(std::vector<ColumnRange>(schema.dimension()), row_norm, grid);
  }
  if (standardises()) {
    return standardised_bound(schema);
  }
  if (!range.empty() && !bounds_file.empty()) {
    return bad_request("give --range or --bounds, not both");
  }
  const Result<std::vector<double>> middle = public_center(schema);
  if (!middle) {
    return error_of(middle);
  }
  if (range.empty() && bounds_file.empty()) {
    return RowBound::row_norm(schema.dimension(), *row_norm, grid, *middle);
  }
  Result<std::vector<ColumnRange>> columns = ranges(schema);
  if (!columns) {
    return error_of(columns);
  }
  // A public centre moves the midpoint: the range is widened to be symmetric about it.
  for (std::size_t j = 0; j < middle->size(); ++j) {
    ColumnRange& column = (*columns)[j];
    const double c = (*middle)[j];
    const double half = std::max(column.high - c, c - column.low);
    column = {c - half, c + half};
  }
  return RowBound::ranges(*columns, row_norm, grid, schema.columns);
}

}  // namespace eigenveil::cli
