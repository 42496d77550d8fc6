#include "eigenveil/report/document.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "bind.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/report/read_release.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "engine/mask/pseudo_release.hpp"
#include "engine/release_words.hpp"
#include "report/report_figures.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
namespace fs = std::filesystem;

nb::object in_python(const FieldValue& value) {
  return std::visit(
      [](const auto& content) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::vector<double>>) {
          return nb::cast(Vector(
              Eigen::Map<const Vector>(content.data(), static_cast<Eigen::Index>(content.size()))));
        } else {
          return nb::cast(content);
        }
      },
      value);
}

nb::dict in_python(const Fields& fields) {
  nb::dict all;
  for (const auto& [name, value] : fields) {
    all[name.c_str()] = in_python(value);
  }
  return all;
}

const ReleasedTable& table_of(const ReleaseDocument& document, const std::string& name) {
  for (const ReleasedTable& table : document.tables) {
    if (table.name == name) {
      return table;
    }
  }
  throw nb::key_error(name.c_str());
}

/// A look at a table where it lies: the document is what was drawn, so nobody may write there.
auto table_view(nb::handle_t<ReleaseDocument> document, const std::string& name) {
  const Matrix& values = table_of(nb::cast<const ReleaseDocument&>(document), name).values;
  const auto rows = static_cast<std::size_t>(values.rows());
  return nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::f_contig>(
      values.data(), {rows, static_cast<std::size_t>(values.cols())}, document, {1, values.rows()});
}

/// Fields keep the kind of their value: an empty list of texts is none of numbers.
using FieldState = std::tuple<std::string, std::size_t, FieldValue>;
std::vector<FieldState> state_of(const Fields& fields) {
  std::vector<FieldState> state;
  for (const auto& [name, value] : fields) {
    state.emplace_back(name, value.index(), value);
  }
  return state;
}

Fields from_state(const std::vector<FieldState>& state) {
  constexpr std::size_t kTexts = 5;
  Fields fields;
  for (const auto& [name, kind, value] : state) {
    const auto* numbers = std::get_if<std::vector<double>>(&value);
    const bool no_texts = kind == kTexts && numbers != nullptr && numbers->empty();
    fields.emplace_back(name, no_texts ? FieldValue(std::vector<std::string>()) : value);
  }
  return fields;
}

using TableState = std::tuple<std::string, std::string, std::string, std::vector<std::string>,
                              std::vector<std::string>, Matrix, std::vector<std::string>>;
/// Ledger, builds_on, data set and date.
using OriginState = std::tuple<std::optional<std::tuple<std::string, std::int64_t, std::string>>,
                               std::vector<std::string>, std::string, std::string>;
using DocumentState =
    std::tuple<std::string, std::string, Guarantee, Budget, std::vector<FieldState>,
               std::vector<FieldState>, std::vector<TableState>, std::vector<TableState>,
               std::vector<std::pair<std::string, std::string>>, std::string, OriginState>;

OriginState origin_of(const ReleaseDocument& d) {
  OriginState origin{std::nullopt, d.builds_on, d.data_set, d.date};
  if (d.ledger) {
    std::get<0>(origin) = {d.ledger->id, d.ledger->index, d.ledger->reservation};
  }
  return origin;
}

std::vector<TableState> state_of(const std::vector<ReleasedTable>& tables) {
  std::vector<TableState> state;
  for (const ReleasedTable& t : tables) {
    state.emplace_back(t.name, t.description, t.corner, t.row_names, t.column_names, t.values,
                       t.counted_alleles);
  }
  return state;
}

std::vector<ReleasedTable> from_state(const std::vector<TableState>& state) {
  std::vector<ReleasedTable> tables;
  for (const auto& [name, description, corner, rows, columns, values, alleles] : state) {
    tables.push_back({name, description, corner, rows, columns, values, alleles});
  }
  return tables;
}

DocumentState state_of(const ReleaseDocument& d) {
  std::vector<std::pair<std::string, std::string>> remarks;
  for (const FactLine& line : d.remarks) {
    remarks.emplace_back(line.label, line.text);
  }
  return {d.task,
          d.method,
          d.guarantee(),
          d.requested,
          state_of(d.parameters),
          state_of(d.result),
          state_of(d.tables),
          state_of(d.drawn),
          remarks,
          d.request,
          origin_of(d)};
}

ReleaseDocument from_state(const DocumentState& state) {
  ReleaseDocument document;
  document.task = std::get<0>(state);
  document.method = std::get<1>(state);
  trusted::guarantee_of(document) = std::get<2>(state);
  document.requested = std::get<3>(state);
  document.parameters = from_state(std::get<4>(state));
  document.result = from_state(std::get<5>(state));
  document.tables = from_state(std::get<6>(state));
  document.drawn = from_state(std::get<7>(state));
  for (const auto& [label, text] : std::get<8>(state)) {
    document.remarks.push_back({label, text});
  }
  document.request = std::get<9>(state);
  const auto& [ledger, builds_on, data_set, date] = std::get<10>(state);
  if (ledger) {
    document.ledger = LedgerEntry{std::get<0>(*ledger), std::get<1>(*ledger), std::get<2>(*ledger)};
  }
  document.builds_on = builds_on;
  document.data_set = data_set;
  document.date = date;
  return document;
}

std::vector<std::string> table_names(const ReleaseDocument& document) {
  std::vector<std::string> names;
  for (const ReleasedTable& table : document.tables) {
    names.push_back(table.name);
  }
  return names;
}

/// A directory; where an array streams, perhaps a file of it with the release beside it.
std::vector<std::string> write(const ReleaseDocument& document, const std::string& path, bool npy,
                               bool replace, std::string data_set, std::string date, int threads,
                               const std::string& settled) {
  const TableFormat format = npy ? TableFormat::Npy : TableFormat::Csv;
  ReleaseDocument named = document;
  named.data_set = data_set.empty() ? document.data_set : std::move(data_set);
  named.date = date.empty() ? document.date : std::move(date);
  // A ledger knows the release in one form; any other says which it was made from.
  if (!settled.empty() && hex(sha256(release_files(named, format).front().bytes)) != settled) {
    named.builds_on.push_back(settled);
  }
  ReleaseTarget target =
      named.pending.empty() ? ReleaseTarget{path, format} : file_or_directory(path, format);
  target.threads = threads_of(threads);
  target.existing = replace ? Existing::Replace : Existing::Refuse;
  for (const std::string& name : target.is_file()
                                     ? target.names_beside(table_names(named), named.is_private())
                                     : std::vector<std::string>()) {
    if (fs::exists(fs::symlink_status(target.folder / name))) {
      throw Failure{{ErrorCode::BadRequest, name + " exists already; name another file"}};
    }
  }
  return interruptibly([&] {
    std::vector<std::string> names;
    for (const auto& file : unwrap(write_release(std::move(named), target)).files) {
      names.push_back(file.filename().string());
    }
    return names;
  });
}

std::unique_ptr<ReleaseDocument> with_pseudo_data(const ReleaseDocument& factors,
                                                  RandomStream& stream) {
  return std::make_unique<ReleaseDocument>(unwrap(pseudo_document(factors, stream)));
}

/// All pseudo-rows of a factor, n x p: post-processing.
Matrix pseudo_rows(const Matrix& factor, std::int64_t count, RandomStream& stream) {
  return interruptibly([&] {
    PseudoRows rows =
        unwrap(PseudoRows::make({count, factor}, Vector::Ones(factor.cols()), stream));
    Matrix all(count, factor.cols());
    Eigen::Index next = 0;
    for (std::size_t index = 0; index < rows.blocks(); ++index) {
      const Matrix block = rows.next();  // rows as columns
      all.middleRows(next, block.cols()) = block.transpose();
      next += block.cols();
    }
    return all;
  });
}

}  // namespace

void bind_document(nb::module_& m) {
  nb::class_<ReleaseDocument>(m, "ReleaseDocument",
                              "Everything that is published about one release, and nothing else.")
      .def_ro("task", &ReleaseDocument::task)
      .def_ro("method", &ReleaseDocument::method)
      .def_prop_ro("guarantee", &ReleaseDocument::guarantee)
      .def_ro("requested", &ReleaseDocument::requested)
      .def_prop_ro("parameters", [](const ReleaseDocument& d) { return in_python(d.parameters); })
      .def_prop_ro("result", [](const ReleaseDocument& d) { return in_python(d.result); })
      .def_prop_ro("null_reason", &null_reason)
      .def_prop_ro("tables", &table_names)
      .def_prop_ro("summary",
                   [](const ReleaseDocument& d) {
                     std::vector<std::pair<std::string, std::string>> lines;
                     for (const FactLine& line : summary_lines(d)) {
                       lines.emplace_back(line.label, line.text);
                     }
                     return lines;
                   })
      .def_prop_ro("streamed",
                   [](const ReleaseDocument& d) {
                     std::vector<std::string> names;
                     for (const StreamedArray& array : d.streamed) {
                       names.push_back(array.name);
                     }
                     return names;
                   })
      .def("table", &table_view, "name"_a, "Read-only, where it lies.")
      .def(
          "labels",
          [](const ReleaseDocument& d, const std::string& name) {
            const ReleasedTable& table = table_of(d, name);
            return std::tuple(table.row_names, table.column_names, table.description);
          },
          "name"_a, "Names of the rows and columns of a table, and what it is.")
      .def(
          "figures",
          [](const ReleaseDocument& d) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const Figure& figure : result_figures(d)) {
              all.emplace_back(figure.title, figure_svg(figure));
            }
            return all;
          },
          "The pictures of the report: title and SVG.")
      .def("write", &write, "path"_a, "npy"_a, "replace"_a, "data_set"_a, "date"_a, "threads"_a,
           "settled"_a = "")
      .def("with_pseudo_data", &with_pseudo_data, "stream"_a,
           "The same release with pseudo-data in place of its factors; it can be written once.")
      .def_prop_ro("ledger", [](const ReleaseDocument& d) { return std::get<0>(origin_of(d)); })
      .def_ro("builds_on", &ReleaseDocument::builds_on)
      .def_ro("data_set", &ReleaseDocument::data_set)
      .def_ro("date", &ReleaseDocument::date)
      .def("__getstate__", [](const ReleaseDocument& d) { return state_of(d); })
      .def("__setstate__", [](ReleaseDocument& d, const DocumentState& state) {
        new (&d) ReleaseDocument(from_state(state));
      });
  m.def("pseudo_rows", &pseudo_rows, "factor"_a, "rows"_a, "stream"_a);
  m.def(
      "read_release",
      [](const std::string& path) {
        return interruptibly([&] {
          ReadRelease read = unwrap(read_release(path));
          return std::tuple(std::move(read.document), read.format, read.version, read.checksum,
                            read.folder.string());
        });
      },
      "path"_a);
}

}  // namespace eigenveil::python
