#include "data/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "core/bytes.hpp"
#include "core/decompositions.hpp"
#include "core/multiversion.hpp"
#include "core/number_text.hpp"
#include "data/deviations.hpp"
#include "data/forwarding_reader.hpp"
#include "data/open.hpp"
#include "data/public_files.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kLargestBasis = std::size_t{1} << 14U;
/// Rows that share one sweep over the basis: their sums stay in the nearest cache.
constexpr std::size_t kRowsAtOnce = 8;
/// A basis within this of orthonormal was meant to be, and is left as it is.
constexpr double kOrthonormal = 1e-9;

Result<PublicBasis> read_array_basis(const std::string& path) {
  const Result<std::unique_ptr<RowReader>> reader = open_rows(path, {});
  if (!reader) {
    return error_of(reader);
  }
  std::vector<double> values;
  RawRows block;
  do {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    values.insert(values.end(), block.values.begin(), block.values.end());
  } while (block.rows > 0);
  const auto width = static_cast<Eigen::Index>((*reader)->schema().dimension());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  PublicBasis basis;
  basis.directions = Eigen::Map<const RowMajor>(
      values.data(), static_cast<Eigen::Index>(values.size()) / width, width);
  return basis;
}

Result<PublicBasis> read_loadings(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file.is_open()) {
    return input_output_error(fmt::format("cannot read {}", path));
  }
  std::getline(file, line);
  const std::vector<std::string> names = split_public_line(line);
  const bool alleles = names.size() > 1 && names[1] == "counted_allele";
  const std::size_t first = alleles ? 2 : 1;
  if (names.empty() || names.front() != "column" || names.size() <= first) {
    return bad_request(
        fmt::format("the first line of {} must be column,PC1,PC2,... as loadings.csv of a release "
                    "has it",
                    path));
  }
  PublicBasis basis;
  std::vector<double> values;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    const std::vector<std::string> fields = split_public_line(line);
    if (fields.size() == 1 && fields.front().empty()) {
      continue;
    }
    if (fields.size() != names.size()) {
      return bad_request(fmt::format("{} line {}: {} fields expected", path, number, names.size()));
    }
    basis.columns.push_back(fields.front());
    if (alleles) {
      basis.counted_alleles.push_back(fields[1]);
    }
    for (std::size_t i = first; i < fields.size(); ++i) {
      const std::optional<double> value = finite_number(fields[i]);
      if (!value) {
        return bad_request(
            fmt::format("{} line {}: field {} is not a number", path, number, i + 1));
      }
      values.push_back(*value);
    }
  }
  const auto width = static_cast<Eigen::Index>(names.size() - first);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  basis.directions = Eigen::Map<const RowMajor>(
      values.data(), static_cast<Eigen::Index>(basis.columns.size()), width);
  return basis;
}

/// Rows in memory: the first cell of the first, and cells from one row to the next.
template <class Cell>
struct Strided {
  Cell* first;
  std::size_t stride;
};

/// sums(r, k) += cells(r, j) basis(j, k), column after column: for every row and direction the
/// additions come in the order of the columns, however wide the vectors are.
EIGENVEIL_MULTIVERSION
void add_products(Strided<const double> cells, std::size_t rows, std::size_t columns,
                  const double* basis, std::size_t directions, Strided<double> sums) {
  for (std::size_t j = 0; j < columns; ++j, basis += directions) {
    for (std::size_t r = 0; r < rows; ++r) {
      const double cell = cells.first[r * cells.stride + j];
      double* into = sums.first + r * sums.stride;
      for (std::size_t k = 0; k < directions; ++k) {
        into[k] += cell * basis[k];
      }
    }
  }
}

class ProjectedReader final : public ForwardingReader {
 public:
  ProjectedReader(std::unique_ptr<RowReader> table, const RowBound& bound, bool scaled,
                  const PublicBasis& basis, const std::optional<OutsideColumn>& outside)
      : ForwardingReader(std::move(table)),
        deviations_(bound, scaled),
        directions_(basis.dimension()),
        outside_(outside),
        made_(directions_ + (outside ? 1 : 0)),
        carried_(table_->schema().dimension() - bound.dimension()) {
    const std::vector<std::string>& names = table_->schema().columns;
    schema_ = Schema{direction_names(basis)};
    if (outside) {
      schema_.columns.push_back(outside_name(outside->norm));
    }
    schema_.columns.insert(schema_.columns.end(),
                           names.end() - static_cast<std::ptrdiff_t>(carried_), names.end());
    schema_.fills_gaps = table_->schema().fills_gaps;
    schema_.people = table_->schema().people;
    basis_.resize(bound.dimension() * directions_);  // row-major: one column of the table at a time
    for (std::size_t j = 0; j < bound.dimension(); ++j) {
      for (std::size_t k = 0; k < directions_; ++k) {
        basis_[j * directions_ + k] =
            basis.directions(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k));
      }
    }
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows plain;
    if (Result<void> parsed = table_->parse(chunk, plain); !parsed) {
      return parsed;
    }
    block.rows = plain.rows;
    block.dimension = made_ + carried_;
    block.values.assign(block.rows * block.dimension, 0.0);
    for (std::size_t row = 0; row < plain.rows; row += kRowsAtOnce) {
      const std::size_t rows = std::min(kRowsAtOnce, plain.rows - row);
      double* cells = plain.values.data() + row * plain.dimension;
      double* sums = block.values.data() + row * block.dimension;
      for (std::size_t r = 0; r < rows; ++r) {
        deviations_.take(cells + r * plain.dimension);
        std::copy_n(cells + r * plain.dimension + deviations_.columns(), carried_,
                    sums + r * block.dimension + made_);
      }
      add_products({cells, plain.dimension}, rows, deviations_.columns(), basis_.data(),
                   directions_, {sums, block.dimension});
      for (std::size_t r = 0; outside_ && r < rows; ++r) {
        add_outside(cells + r * plain.dimension, sums + r * block.dimension);
      }
    }
    return {};
  }

 private:
  static double squared_norm(const double* cells, std::size_t count) {
    double sum = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      sum += cells[j] * cells[j];
    }
    return sum;
  }

  /// The coordinates of a row are at hand: clipped, and what they leave out after them.
  void add_outside(const double* cells, double* coordinates) const {
    const double whole = squared_norm(cells, deviations_.columns());
    const double inside = squared_norm(coordinates, directions_);
    if (!std::isfinite(whole) || !std::isfinite(inside)) {
      std::fill_n(coordinates, made_, 0.0);
      return;
    }
    const double length = std::sqrt(inside);
    for (std::size_t k = 0; k < directions_ && length > outside_->projected_norm; ++k) {
      coordinates[k] *= outside_->projected_norm / length;
    }
    coordinates[directions_] =
        outside_->constant * std::min(std::sqrt(std::max(0.0, whole - inside)), outside_->norm);
  }

  Deviations deviations_;
  std::size_t directions_;
  std::optional<OutsideColumn> outside_;
  std::size_t made_;     ///< directions, and what lies outside of them
  std::size_t carried_;  ///< columns after those of the bound, which stay as they are
  std::vector<double> basis_;
};

}  // namespace

Digest PublicBasis::digest() const {
  ByteWriter bytes;
  bytes.text("eigenveil public basis 1");
  bytes.integer(static_cast<std::uint64_t>(directions.rows()));
  bytes.integer(static_cast<std::uint64_t>(directions.cols()));
  for (const std::string& name : columns) {
    bytes.text(name);
  }
  Sha256 hash;
  hash.update(bytes.view());
  hash.update(directions.data(), static_cast<std::size_t>(directions.size()) * sizeof(double));
  return hash.finish();
}

Result<PublicBasis> read_basis(const std::string& path) {
  return path.ends_with(".npy") ? read_array_basis(path) : read_loadings(path);
}

Result<PublicBasis> orthonormal(PublicBasis basis) {
  const Eigen::Index p = basis.directions.rows();
  const Eigen::Index k = basis.directions.cols();
  if (k < 1 || k > p || k > static_cast<Eigen::Index>(kLargestBasis)) {
    return bad_request(
        fmt::format("{{project}} must have one line for every column and from 1 to {} directions, "
                    "not more than columns; this has {} lines and {} directions",
                    kLargestBasis, p, k),
        "project");
  }
  if (!basis.directions.allFinite()) {
    return bad_request("{project} holds a cell that is not a finite number", "project");
  }
  if (basis.mark.empty()) {
    basis.mark = hex(basis.digest()).substr(0, 8);
  }
  const Matrix gram = basis.directions.transpose() * basis.directions;
  if ((gram - Matrix::Identity(k, k)).cwiseAbs().maxCoeff() <= kOrthonormal) {
    return basis;
  }
  detail::ThinQr qr = detail::thin_qr(basis.directions);
  const Vector diagonal = qr.upper.diagonal();
  if (diagonal.cwiseAbs().minCoeff() <= 1e-10 * diagonal.cwiseAbs().maxCoeff()) {
    return bad_request("a direction of {project} is a combination of the others; leave it out",
                       "project");
  }
  for (Eigen::Index j = 0; j < k; ++j) {  // each direction keeps its side
    if (diagonal[j] < 0.0) {
      qr.frame.col(j) = -qr.frame.col(j);
    }
  }
  basis.directions = std::move(qr.frame);
  return basis;
}

std::unique_ptr<RowReader> project_rows(std::unique_ptr<RowReader> table, const RowBound& bound,
                                        bool scaled, const PublicBasis& basis,
                                        const std::optional<OutsideColumn>& outside) {
  return std::make_unique<ProjectedReader>(std::move(table), bound, scaled, basis, outside);
}

std::string outside_name(double norm) {
  return fmt::format("outside@{}", norm);
}

std::vector<std::string> direction_names(const PublicBasis& basis) {
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= basis.dimension(); ++k) {
    names.push_back(fmt::format("b{}@{}{}", k, basis.mark, basis.cells));
  }
  return names;
}

}  // namespace eigenveil
