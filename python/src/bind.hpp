#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "data/open.hpp"
#include "eigenveil/core/watched_work.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/random/stream.hpp"
#include "engine/table/prepared_table.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil::python {

namespace nb = nanobind;

/// run_watched without the GIL: the calling thread looks for Ctrl-C and calls `tick` (with the
/// GIL).
void run_interruptibly(const std::function<void()>& work, const std::function<void()>& tick = {});

/// The same for work with a result: what takes longer than a moment goes through here.
template <class Work>
std::invoke_result_t<Work> interruptibly(const Work& work) {
  return result_of([](const auto& run) { run_interruptibly(run); }, work);
}

/// A key of people, which Python holds as bytes.
inline HashKey key_of(const nb::bytes& bytes) {
  HashKey key = {};
  if (bytes.size() != key.size()) {
    throw Failure{{ErrorCode::BadRequest,
                   "{person_key} is the file of a key (eigenveil gram key makes one), or 32 "
                   "secret bytes: secrets.token_bytes(32)",
                   "person_key"}};
  }
  std::memcpy(key.data(), bytes.c_str(), key.size());
  return key;
}

/// A file as far as its column names; rows are read by a pass over it, once.
struct Table {
  std::unique_ptr<RowReader> reader;
};
using Array = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
/// What consumes rows: a Gram, a pass of a streaming method, a learner.
using TakeRows = std::function<Result<void>(RowReader&)>;

inline int threads_of(int threads) {
  return threads > 0 ? threads : default_threads();
}
inline Units units_of(bool scaled) {
  return scaled ? Units::Scaled : Units::Original;
}
inline MissingCell missing_of(bool refuse) {
  return refuse ? MissingCell::Refuse : MissingCell::Midpoint;
}
inline BadCell bad_cell_of(bool refuse) {
  return refuse ? BadCell::Refuse : BadCell::Midpoint;
}

/// Every row of an array, or of a file, while Python stays responsive; `progress` is None or called
/// with the share that is done.
void take_array(const TakeRows& take, const Array& array, const std::vector<std::string>& columns,
                bool refuse_missing, bool refuse_bad, const nb::object& progress);
void take_table(const TakeRows& take, Table& table, const nb::object& progress);

/// add_array and add_table for a class with `Result<void> add(RowReader&)`.
template <class Sink>
nb::class_<Sink>& bind_sink(nb::class_<Sink>& type) {
  return type
      .def(
          "add_array",
          [](Sink& sink, const Array& array, const std::vector<std::string>& columns,
             bool refuse_missing, bool refuse_bad, const nb::object& progress) {
            take_array([&](RowReader& rows) { return sink.add(rows); }, array, columns,
                       refuse_missing, refuse_bad, progress);
          },
          nb::arg("array"), nb::arg("columns"), nb::arg("refuse_missing"), nb::arg("refuse_bad"),
          nb::arg("progress").none())
      .def(
          "add_table",
          [](Sink& sink, Table& table, const nb::object& progress) {
            take_table([&](RowReader& rows) { return sink.add(rows); }, table, progress);
          },
          nb::arg("table"), nb::arg("progress").none());
}

/// How a file is to be read; `format` is that of a text table.
ReadOptions file_options(const std::string& path, const TableSpec& spec, const ReadOptions& format);

/// Fresh secure randomness, or the seeded stream that marks a release as not private.
inline RandomStream stream_for(const std::optional<std::uint64_t>& seed) {
  return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
}

// One file per subject; methods come with the engine and need nothing here.
void bind_guarantee(nb::module_& module);
void bind_rows(nb::module_& module);
void bind_shards(nb::module_& module);
void bind_document(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_session(nb::module_& module);
void bind_ledger(nb::module_& module);
void bind_diagnose(nb::module_& module);
void bind_table(nb::module_& module);
void bind_histograms(nb::module_& module);
void bind_analyse(nb::module_& module);
void bind_samplers(nb::module_& module);
void bind_audit(nb::module_& module);

}  // namespace eigenveil::python
