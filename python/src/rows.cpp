#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "data/array_rows.hpp"
#include "data/genotypes.hpp"
#include "data/open.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/gram_head.hpp"
#include "statistics/merged_grams.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

ArrayView view_of(const Array& array) {
  ArrayView view;
  view.data = array.data();
  view.rows = array.shape(0);
  view.columns = array.shape(1);
  view.item_bytes = array.itemsize();
  if (array.stride(0) < 0 || array.stride(1) < 0) {
    throw Failure{{ErrorCode::BadRequest, "an array with negative strides is not supported"}};
  }
  view.row_stride = static_cast<std::size_t>(array.stride(0)) * view.item_bytes;
  view.column_stride = static_cast<std::size_t>(array.stride(1)) * view.item_bytes;
  switch (static_cast<nb::dlpack::dtype_code>(array.dtype().code)) {
    case nb::dlpack::dtype_code::Float:
      view.kind = ArrayView::Kind::Float;
      break;
    case nb::dlpack::dtype_code::Int:
      view.kind = ArrayView::Kind::Signed;
      break;
    case nb::dlpack::dtype_code::UInt:
      view.kind = ArrayView::Kind::Unsigned;
      break;
    case nb::dlpack::dtype_code::Bool:
      view.kind = ArrayView::Kind::Boolean;
      break;
    default:
      throw Failure{{ErrorCode::BadRequest, "an array must hold real numbers"}};
  }
  return view;
}

/// Hands `reader` over while Python stays responsive.
void take_rows(const TakeRows& take, RowReader& reader, const nb::object& progress) {
  Result<void> outcome;
  const auto report = [&](double share) {
    if (!progress.is_none()) {
      progress(share);
    }
  };
  run_interruptibly([&] { outcome = take(reader); },
                    [&] { report(reader.progress().value_or(0.0)); });
  unwrap(std::move(outcome));
  report(1.0);
}

}  // namespace

void take_array(const TakeRows& take, const Array& array, const std::vector<std::string>& columns,
                bool refuse_missing, bool refuse_bad, const nb::object& progress) {
  const auto reader = unwrap(read_array(view_of(array), Schema{columns}, bad_cell_of(refuse_bad),
                                        missing_of(refuse_missing)));
  take_rows(take, *reader, progress);
}

void take_table(const TakeRows& take, Table& table, const nb::object& progress) {
  take_rows(take, *table.reader, progress);
}

void bind_rows(nb::module_& m) {
  nb::class_<Schema>(m, "Schema", "Public facts about a table.")
      .def(
          "__init__",
          [](Schema* self, std::vector<std::string> columns, bool fills_gaps) {
            new (self) Schema{std::move(columns), {}, {}, fills_gaps};
          },
          "columns"_a, "fills_gaps"_a)
      .def_ro("columns", &Schema::columns)
      .def_ro("counted_alleles", &Schema::counted_alleles)
      .def(
          "__eq__", [](const Schema& a, const Schema& b) { return a == b; }, nb::is_operator());
  nb::class_<ExactGram>(m, "ExactGram",
                        "Exact totals over bounded rows. Private data: not a release.")
      .def_prop_ro("columns", [](const ExactGram& g) { return g.schema().columns; })
      .def_prop_ro("schema", &ExactGram::schema, nb::rv_policy::copy)
      .def_prop_ro("bound", &ExactGram::bound, nb::rv_policy::copy)
      .def(
          "merge", [](ExactGram& g, const ExactGram& other) { unwrap(g.merge(other)); }, "other"_a)
      .def(
          "save", [](const ExactGram& g, const std::string& path) { unwrap(g.save(path)); },
          "path"_a)
      .def_static(
          "load", [](const std::string& path) { return unwrap(ExactGram::load(path)); }, "path"_a)
      .def(
          "__eq__", [](const ExactGram& a, const ExactGram& b) { return a == b; },
          nb::is_operator());
  m.def(
      "merged_grams",
      [](const std::vector<std::string>& paths) {
        return interruptibly([&] { return unwrap(merged_grams(paths)); });
      },
      "paths"_a, "One table from the .gram files of its parts.");
  m.def(
      "gram_head",
      [](const std::string& path) {
        GramHead head = unwrap(read_gram_head(path));
        return std::pair(std::move(head.schema), std::move(head.bound));
      },
      "path"_a, "Columns and bound of a .gram file: what is public in it.");
}

}  // namespace eigenveil::python
