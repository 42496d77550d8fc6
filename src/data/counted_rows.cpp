#include "data/counted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/forwarding_reader.hpp"

namespace eigenveil {
namespace {

class CountedReader final : public ForwardingReader {
 public:
  CountedReader(std::unique_ptr<RowReader> table, const RowBound& bound, CountedRows counted)
      : ForwardingReader(std::move(table)), bound_(bound), counted_(std::move(counted)) {
    schema_.columns.resize(bound_.dimension());  // weights may follow
    schema_.columns = counted_names(schema_, counted_);
    schema_.counted_alleles.clear();
    schema_.allele_frequencies.clear();
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows plain;
    if (Result<void> parsed = table_->parse(chunk, plain); !parsed) {
      return parsed;
    }
    const std::size_t width = bound_.dimension();
    std::vector<double> cells(plain.rows * width);
    for (std::size_t row = 0; row < plain.rows; ++row) {
      const double* from = plain.values.data() + row * plain.dimension;
      double* to = cells.data() + row * width;
      std::copy(from, from + width, to);
      for (const std::size_t j : counted_.indicated) {
        to[j] = std::isfinite(to[j]) ? to[j] : std::numeric_limits<double>::quiet_NaN();
      }
    }
    // Clipped and rounded as every row is, then weighed: |x| <= R holds before the weight does.
    const BoundedRows bounded = BoundedRows::clip(bound_, cells.data(), plain.rows);
    block.rows = plain.rows;
    block.dimension = schema_.dimension();
    block.values.resize(block.rows * block.dimension);
    for (std::size_t row = 0; row < plain.rows; ++row) {
      const double share =
          counted_.weighted ? share_of(plain.values[row * plain.dimension + width]) : 1.0;
      write(share, cells.data() + row * width, bounded.values().data() + row * width,
            block.values.data() + row * block.dimension);
    }
    return {};
  }

 private:
  /// sqrt(w / W)
  double share_of(double weight) const {
    return std::sqrt(
        std::clamp(std::isnan(weight) ? 0.0 : weight / counted_.weight_bound, 0.0, 1.0));
  }

  /// A quarter of a step more: whole steps must not become one less where their double is below.
  double counted(double value) const { return value > 0.0 ? value + 0.25 * counted_.step : 0.0; }

  void write(double share, const double* cells, const double* steps, double* out) const {
    *out++ = counted(counted_.constant * share);
    if (counted_.square_constant > 0.0) {
      *out++ = counted(counted_.square_constant * share * share * share);
    }
    for (const std::size_t j : counted_.indicated) {
      *out++ = std::isnan(cells[j]) ? 0.0 : counted(counted_.constant * share);
    }
    for (std::size_t j = 0; j < bound_.dimension(); ++j) {
      *out++ = steps[j] * bound_.unit() * share;
    }
  }

  RowBound bound_;
  CountedRows counted_;
};

}  // namespace

Result<CountedBound> counted_bound(const RowBound& bound, CountedRows asked, std::int64_t grid) {
  const double radius = bound.radius();
  const auto constants = static_cast<double>(1 + asked.indicated.size());
  const double c = asked.constant;
  const double e = asked.square_constant;
  // A grid that is exact for cells (1, for genotypes) is too coarse for the longer row.
  const std::int64_t steps = std::max(grid, RowBound::kDefaultMaxAbs);
  const auto max_abs = static_cast<double>(steps);
  const double wanted = std::sqrt(radius * radius + constants * c * c + e * e);
  const double k = std::max(1.0, std::round(max_abs * c / wanted));
  const double l = e > 0.0 ? std::max(1.0, std::round(max_abs * e / wanted)) : 0.0;
  const double share = (constants * k * k + l * l) / (max_abs * max_abs);
  if (!(share < 1.0)) {
    return bad_request("too many columns for counts of their own on this {grid}", "grid");
  }
  const double longer =
      std::nextafter(radius / std::sqrt(1.0 - share), std::numeric_limits<double>::infinity());
  const std::size_t width =
      bound.dimension() + asked.indicated.size() + 1 + (e > 0.0 ? std::size_t{1} : 0);
  return RowBound::row_norm(width, longer, steps).map([&](RowBound whole) {
    asked.step = whole.unit();
    asked.constant = k * asked.step;
    asked.square_constant = l * asked.step;
    return CountedBound{std::move(asked), std::move(whole)};
  });
}

std::vector<std::string> counted_names(const Schema& columns, const CountedRows& counted) {
  std::vector<std::string> names = {"count"};
  if (counted.square_constant > 0.0) {
    names.emplace_back("squares");
  }
  for (const std::size_t j : counted.indicated) {
    names.push_back("present(" + columns.columns[j] + ")");
  }
  names.insert(names.end(), columns.columns.begin(), columns.columns.end());
  return names;
}

std::unique_ptr<RowReader> count_rows_inside(std::unique_ptr<RowReader> table,
                                             const RowBound& bound, const CountedRows& counted) {
  return std::make_unique<CountedReader>(std::move(table), bound, counted);
}

}  // namespace eigenveil
