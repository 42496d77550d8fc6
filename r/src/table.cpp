#include "binding.hpp"

namespace eigenveil::r {
namespace {

std::vector<std::string> texts_of(SEXP strings) {
  std::vector<std::string> texts;
  for (R_xlen_t i = 0; i < Rf_xlength(strings); ++i) {
    texts.emplace_back(Rf_translateCharUTF8(STRING_ELT(strings, i)));
  }
  return texts;
}

/// `count` cells of a vector from `first` on: a column of a data frame, or of a matrix.
TableColumn column_of(std::string name, SEXP cells, R_xlen_t first, std::size_t count) {
  if (TYPEOF(cells) == REALSXP) {
    return {std::move(name), std::span<const double>(REAL(cells) + first, count)};
  }
  const int* values = TYPEOF(cells) == LGLSXP ? LOGICAL(cells) : INTEGER(cells);
  const std::span<const std::int32_t> whole(values + first, count);
  if (Rf_isFactor(cells)) {
    return {std::move(name), WordCells{whole, texts_of(Rf_getAttrib(cells, R_LevelsSymbol))}};
  }
  return {std::move(name), WholeCells{whole, NA_INTEGER}};
}

std::string numbered(std::size_t column) {
  return "c" + std::to_string(column + 1);
}

ColumnTable matrix_columns(SEXP table) {
  ColumnTable all;
  all.rows = static_cast<std::size_t>(Rf_nrows(table));
  const SEXP dimension_names = Rf_getAttrib(table, R_DimNamesSymbol);
  const SEXP names = Rf_isNull(dimension_names) ? R_NilValue : VECTOR_ELT(dimension_names, 1);
  for (int j = 0; j < Rf_ncols(table); ++j) {
    const auto column = static_cast<std::size_t>(j);
    all.columns.push_back(
        column_of(Rf_isNull(names) ? numbered(column) : Rf_translateCharUTF8(STRING_ELT(names, j)),
                  table, static_cast<R_xlen_t>(column * all.rows), all.rows));
  }
  return all;
}

}  // namespace

ColumnTable columns_of(SEXP table) {
  if (Rf_isMatrix(table)) {
    return matrix_columns(table);
  }
  ColumnTable all;
  const std::vector<std::string> names = texts_of(Rf_getAttrib(table, R_NamesSymbol));
  for (std::size_t j = 0; j < names.size(); ++j) {
    const SEXP cells = VECTOR_ELT(table, static_cast<R_xlen_t>(j));
    all.rows = static_cast<std::size_t>(Rf_xlength(cells));
    all.columns.push_back(column_of(names[j], cells, 0, all.rows));
  }
  return all;
}

}  // namespace eigenveil::r
