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

/// Text columns, each with the words that are recognised.
using Words = std::vector<std::pair<std::string, std::vector<std::string>>>;

Result<Table> open_table(const std::string& path, std::vector<std::string> columns,
                         bool refuse_missing, bool refuse_bad, const std::string& header,
                         const std::string& separator, const Words& words,
                         std::vector<double> frequencies,
                         std::vector<std::string> bounded_columns) {
  ReadOptions options;
  options.columns = std::move(columns);
  options.missing = missing_of(refuse_missing);
  options.bad_cell = bad_cell_of(refuse_bad);
  options.header = header_of(header);
  options.bounded_columns = std::move(bounded_columns);
  options.separator = separator.empty() ? '\0' : separator.front();
  for (const auto& [column, list] : words) {
    options.words.push_back({column, list});
  }
  return open_rows(path, options)
      .and_then([&](std::unique_ptr<RowReader> reader) {
        return frequencies.empty()
                   ? Result<std::unique_ptr<RowReader>>(std::move(reader))
                   : standardise_genotypes(std::move(reader), std::move(frequencies));
      })
      .map([](std::unique_ptr<RowReader> reader) { return Table{std::move(reader)}; });
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

Vector by_column(const RowBound& bound, double (RowBound::*number)(std::size_t) const) {
  Vector all(static_cast<Eigen::Index>(bound.dimension()));
  for (std::size_t j = 0; j < bound.dimension(); ++j) {
    all[static_cast<Eigen::Index>(j)] = (bound.*number)(j);
  }
  return all;
}

void bind_bound(nb::module_& m) {
  nb::class_<RowBound>(m, "RowBound", "What is known about rows without looking.")
      .def_static(
          "row_norm",
          [](std::size_t dimension, double radius, std::int64_t grid, std::vector<double> center) {
            return unwrap(RowBound::row_norm(dimension, radius, grid, std::move(center)));
          },
          "dimension"_a, "radius"_a, "grid"_a, "center"_a)
      .def_static(
          "ranges",
          [](const std::vector<double>& low, const std::vector<double>& high,
             std::optional<double> radius, std::int64_t grid,
             const std::vector<std::string>& names) {
            std::vector<ColumnRange> columns;
            for (std::size_t j = 0; j < low.size(); ++j) {
              columns.push_back({low[j], high[j]});
            }
            return unwrap(RowBound::ranges(std::move(columns), radius, grid, names));
          },
          "low"_a, "high"_a, "radius"_a, "grid"_a, "names"_a = std::vector<std::string>())
      .def_prop_ro("dimension", &RowBound::dimension)
      .def_prop_ro("radius", &RowBound::radius)
      .def_prop_ro("grid", &RowBound::max_abs)
      .def_prop_ro("has_ranges", &RowBound::has_ranges)
      .def_prop_ro("midpoints", [](const RowBound& b) { return by_column(b, &RowBound::midpoint); })
      .def_prop_ro("half_widths",
                   [](const RowBound& b) { return by_column(b, &RowBound::half_width); })
      .def(
          "__eq__", [](const RowBound& a, const RowBound& b) { return a == b; }, nb::is_operator())
      .def("__getstate__",
           [](const RowBound& b) {
             const std::string bytes = b.encode();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](RowBound& b, const nb::bytes& state) {
        new (&b) RowBound(unwrap(RowBound::decode({state.c_str(), state.size()})));
      });
  m.def(
      "standardised_ranges",
      [](const std::vector<std::string>& names, const std::vector<double>& frequencies) {
        std::vector<double> high;
        for (const ColumnRange& range : unwrap(standardised_ranges(names, frequencies))) {
          high.push_back(range.high);
        }
        return high;
      },
      "names"_a, "frequencies"_a);
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
  bind_bound(m);
  nb::class_<Schema>(m, "Schema", "Public facts about a table.")
      .def(
          "__init__",
          [](Schema* self, std::vector<std::string> columns, bool fills_gaps) {
            new (self) Schema{std::move(columns), {}, {}, fills_gaps};
          },
          "columns"_a, "fills_gaps"_a)
      .def_ro("columns", &Schema::columns)
      .def(
          "__eq__", [](const Schema& a, const Schema& b) { return a == b; }, nb::is_operator());
  nb::class_<Table>(m, "Table", "An opened file of rows.")
      .def(
          "__init__",
          [](Table* self, const std::string& path, std::vector<std::string> columns,
             bool refuse_missing, bool refuse_bad, const std::string& header,
             const std::string& separator, const Words& words, std::vector<double> frequencies,
             std::vector<std::string> bounded_columns) {
            new (self) Table(unwrap(open_table(path, std::move(columns), refuse_missing, refuse_bad,
                                               header, separator, words, std::move(frequencies),
                                               std::move(bounded_columns))));
          },
          "path"_a, "columns"_a, "refuse_missing"_a, "refuse_bad"_a, "header"_a, "separator"_a,
          "words"_a, "frequencies"_a, "bounded_columns"_a)
      .def_prop_ro("columns", [](const Table& t) { return t.reader->schema().columns; })
      .def_prop_ro("schema", [](const Table& t) { return t.reader->schema(); })
      .def(
          "count_rows",
          [](Table& t) {
            std::size_t rows = 0;
            take_table(
                [&](RowReader& reader) -> Result<void> {
                  RawRows block;
                  do {
                    if (const Result<void> read = reader.read(block); !read) {
                      return error_of(read);
                    }
                    rows += block.rows;
                  } while (block.rows > 0);
                  return {};
                },
                t, nb::none());
            return rows;
          },
          "Reads the file to its end: the table cannot be used afterwards.")
      .def_prop_ro("counted_alleles",
                   [](const Table& t) { return t.reader->schema().counted_alleles; });
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
      "gram_head",
      [](const std::string& path) {
        GramHead head = unwrap(read_gram_head(path));
        return std::pair(std::move(head.schema), std::move(head.bound));
      },
      "path"_a, "Columns and bound of a .gram file: what is public in it.");
  nb::class_<GramAccumulator> gram(m, "GramAccumulator", "Sums rows exactly; nothing is spent.");
  bind_bounded_sink(gram)
      .def_static(
          "for_table",
          [](const Table& table, const RowBound& bound, int threads) {
            return std::make_unique<GramAccumulator>(table.reader->schema(), bound,
                                                     threads_of(threads));
          },
          "table"_a, "bound"_a, "threads"_a)
      .def(
          "finish", [](GramAccumulator& a) { return unwrap(a.finish()); },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace eigenveil::python
