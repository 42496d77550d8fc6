#include <nanobind/eigen/dense.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "bind.hpp"
#include "data/cell_word.hpp"
#include "data/people.hpp"
#include "eigenveil/engine/release.hpp"
#include "engine/table/person_key.hpp"
#include "engine/table/prepared_table.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// How the rows of a table become bounded rows, from its JSON form: the keywords of the package are
/// its keys. The key of people is fresh (nobody can prepare names that collide), or that of `like`,
/// whose public files are not read again.
TableSpec spec_of(const std::string& json, const TableSpec* like) {
  TableSpec spec = unwrap(table_from_json(json));
  if (like != nullptr) {
    spec.person_key = like->person_key;
    spec.project = like->project;
    return spec;
  }
  spec.person_key = fresh_person_key();
  return spec;
}

/// A cell as Python has it: None where it is missing, numbers with a point, and text of the rest.
using WordCell = std::optional<std::variant<std::string, double>>;

/// Cells that name people, by their keyed hash; None is nobody.
Matrix hashed(const HashKey& key, const std::vector<WordCell>& people, bool refuse_bad) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> cells(
      static_cast<Eigen::Index>(people.size()), static_cast<Eigen::Index>(kHashedCells));
  cells.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < people.size(); ++i) {
    double* out = cells.row(static_cast<Eigen::Index>(i)).data();
    if (people[i]) {
      std::visit([&](const auto& cell) { hash_person(key, cell, out); }, *people[i]);
    }
    if (std::isinf(*out) && refuse_bad) {
      throw Failure{{ErrorCode::BadRequest, kUntoldPerson}};
    }
  }
  return cells;
}

nb::bytes as_bytes(const HashKey& key) {
  return nb::bytes(reinterpret_cast<const char*>(key.data()), key.size());
}

/// Cells by their place in a public list of words (data/cell_word.hpp).
Vector coded(const std::vector<WordCell>& cells, const std::vector<std::string>& words) {
  const PublicWords list(words);
  Vector codes(static_cast<Eigen::Index>(cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto code_of = [&](const auto& cell) { return std::optional<double>(list.code(cell)); };
    const std::optional<double> code = cells[i] ? std::visit(code_of, *cells[i]) : std::nullopt;
    codes[static_cast<Eigen::Index>(i)] = code.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return codes;
}

void bind_spec(nb::module_& m) {
  nb::class_<TableSpec>(m, "TableSpec", "How rows become bounded rows; public.")
      .def(
          "__init__",
          [](TableSpec* self, const std::string& json, const TableSpec* like) {
            new (self) TableSpec(spec_of(json, like));
          },
          "json"_a, "like"_a.none())
      .def(
          "set_basis",
          [](TableSpec& s, const Matrix& directions, std::vector<std::string> columns) {
            s.project = PublicBasis{std::move(columns), {}, directions};
          },
          "directions"_a, "columns"_a)
      .def_prop_ro("bounded", &TableSpec::bounded)
      .def_prop_ro("json", &table_json)
      .def("check", [](const TableSpec& s) { unwrap(s.check()); })
      .def(
          "selection",
          [](const TableSpec& s) {
            const ReadOptions o = unwrap(read_options(s));
            std::vector<std::pair<std::string, std::vector<std::string>>> words;
            for (const WordColumn& column : o.words) {
              words.emplace_back(column.column, column.words);
            }
            return std::tuple(o.columns, o.exclude, o.appended, o.person, words);
          },
          "Columns, those left out, those that follow, the one of people, and public words.")
      .def(
          "hashed",
          [](const TableSpec& s, const std::vector<WordCell>& people) {
            return hashed(s.person_key, people, s.bad_cell == BadCell::Refuse);
          },
          "people"_a);
  m.def("fresh_person_key", [] { return as_bytes(fresh_person_key()); });
  m.def(
      "load_person_key",
      [](const std::string& path) { return as_bytes(unwrap(load_person_key(path))); }, "path"_a);
  m.def(
      "hashed_people",
      [](const nb::bytes& key, const std::vector<WordCell>& people, bool refuse_bad) {
        return hashed(key_of(key), people, refuse_bad);
      },
      "key"_a, "people"_a, "refuse_bad"_a);
  m.def("hashed_names", &hashed_names, "person"_a);
  m.def("coded", &coded, "cells"_a, "words"_a);
}

/// A file as far as its column names; rows are read by a pass over it, once.
void bind_opened(nb::module_& m) {
  nb::class_<ReadOptions>(m, "TextFormat", "How a text table is written.")
      .def(
          "__init__",
          [](ReadOptions* self, const std::string& json) {
            new (self) ReadOptions(unwrap(text_format(json)));
          },
          "json"_a);
  nb::class_<Table>(m, "Table", "An opened file of rows.")
      .def(
          "__init__",
          [](Table* self, const std::string& path, const TableSpec& spec, const ReadOptions& format,
             const std::string& label, std::vector<std::string> levels) {
            ReadOptions options = file_options(path, spec, format);
            if (!label.empty()) {
              options.appended.push_back(label);
              options.words.push_back({label, std::move(levels)});
            }
            new (self) Table{unwrap(open_rows(path, options))};
          },
          "path"_a, "spec"_a, "format"_a, "label"_a = "", "levels"_a = std::vector<std::string>(),
          "With the label a further column of public words after the others.")
      .def_prop_ro("schema", [](const Table& t) { return t.reader->schema(); })
      .def_prop_ro("stated_rows", [](const Table& t) { return t.reader->stated_rows(); })
      .def(
          "count_rows",
          [](Table& t, int threads) {
            return interruptibly([&] {
              return unwrap(count_rows(
                  [&]() -> Result<std::unique_ptr<RowReader>> { return std::move(t.reader); },
                  threads_of(threads)));
            });
          },
          "threads"_a, "Reads the file to its end: the table cannot be used afterwards.");
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
      .def_prop_ro("radius", &RowBound::radius)
      .def(
          "__eq__", [](const RowBound& a, const RowBound& b) { return a == b; }, nb::is_operator())
      .def_prop_ro("midpoints", [](const RowBound& b) { return by_column(b, &RowBound::midpoint); })
      .def_prop_ro("half_widths",
                   [](const RowBound& b) { return by_column(b, &RowBound::half_width); });
}

}  // namespace

ReadOptions file_options(const std::string& path, const TableSpec& spec,
                         const ReadOptions& format) {
  return unwrap(read_options(spec, format, is_text_table(path)));
}

void bind_table(nb::module_& m) {
  bind_bound(m);
  bind_spec(m);
  bind_opened(m);
}

}  // namespace eigenveil::python
