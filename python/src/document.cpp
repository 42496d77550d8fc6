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
#include "report/kept_document.hpp"
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
      .def_prop_ro("ledger",
                   [](const ReleaseDocument& d) {
                     return d.ledger ? std::optional(std::tuple(d.ledger->id, d.ledger->index,
                                                                d.ledger->reservation))
                                     : std::nullopt;
                   })
      .def_ro("builds_on", &ReleaseDocument::builds_on)
      .def_ro("data_set", &ReleaseDocument::data_set)
      .def_ro("date", &ReleaseDocument::date)
      .def("__getstate__",
           [](const ReleaseDocument& d) {
             const std::string bytes = kept_document(d);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](ReleaseDocument& d, const nb::bytes& bytes) {
        new (&d) ReleaseDocument(unwrap(document_of_kept({bytes.c_str(), bytes.size()})));
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
