#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A public basis B: p columns of a table by K orthonormal directions (loadings of a public panel,
/// a published embedding, random directions). It must come from outside of the table.
struct PublicBasis {
  std::vector<std::string> columns = {};          ///< of the table; empty: by position
  std::vector<std::string> counted_alleles = {};  ///< genotypes, where the file names them
  Matrix directions = {};                         ///< p x K
  /// First digits of the digest it was given with: `orthonormal` may round otherwise elsewhere.
  std::string mark = {};
  /// The same of what its rows are measured in: midpoints, ranges and scale of the cells.
  std::string cells = {};
  std::size_t dimension() const { return static_cast<std::size_t>(directions.cols()); }
  /// SHA-256 over names and numbers: which basis it was.
  Digest digest() const;
};

/// A file of loadings as a release writes it (CSV column,PC1,PC2,..., perhaps with counted_allele)
/// or a p x K array (.npy), whose rows are the columns of the table by position.
Result<PublicBasis> read_basis(const std::string& path);

/// The same span with orthonormal columns; a basis that has them already stays as it is. Refused
/// where a direction is a combination of the others, or not finite.
Result<PublicBasis> orthonormal(PublicBasis basis);

/// A last column c e for what a basis leaves out of a row: e^2 = |D (x - m)|^2 - |y|^2, clipped to
/// `norm`, beside coordinates y scaled down to `projected_norm` where longer. Rows whose squares
/// overflow are zero.
struct OutsideColumn {
  double projected_norm = 0.0;
  double norm = 0.0;
  double constant = 0.0;  ///< c
};
/// c^2 norm^2 over projected_norm^2: the noise of all entries is a tenth more.
constexpr double kOutsideShare = 0.1;
/// Its name, which tells the norm: sums with another one are other sums.
std::string outside_name(double norm);

/// Rows y = Bᵀ D (x - m): deviations from the public midpoints m, clipped to the ranges that
/// `bound` has (a bound without ranges does not clip), in original (D = 1) or scaled units. Every
/// row is mapped alone, sums run over columns in their order, so that y depends on no other row
/// and on no machine; K directions stand in memory, p K doubles. Columns after those of `bound`
/// stay as they are. The caller bounds y: nothing here does.
std::unique_ptr<RowReader> project_rows(std::unique_ptr<RowReader> table, const RowBound& bound,
                                        bool scaled, const PublicBasis& basis,
                                        const std::optional<OutsideColumn>& outside = {});

/// "b1@1f2e3d4c8d9e0f1a", ...: the columns of projected rows, by the basis they are coordinates in
/// and the cells these are of, so that sums inside of another basis or of cells clipped to other
/// ranges have other columns.
std::vector<std::string> direction_names(const PublicBasis& basis);

}  // namespace eigenveil
