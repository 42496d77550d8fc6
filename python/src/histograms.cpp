#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/table/counts_session.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// A session of the engine for cells that are counted with noise: rows come in one reader.
class Histogram {
 public:
  Histogram(const std::string& job, const TableSpec& table)
      : session_(interruptibly([&] {
          return unwrap(release_job(job, false, &table).and_then([](ReleaseJob asked) {
            return CountsSession::open(std::move(asked));
          }));
        })) {}
  std::vector<std::string> columns() const { return session_.table().columns; }
  /// Columns that are levels in the release of the axes, and these levels.
  nb::dict one_hot() const {
    nb::dict levels;
    for (const WordList& list : session_.table().one_hot) {
      levels[nb::str(list.column.c_str())] = nb::cast(list.words);
    }
    return levels;
  }
  void begin(const Schema& read) { done(session_.begin(read)); }
  /// Whether a retry found its release.
  bool charge() {
    interruptibly([&] { return done(session_.charge()); });
    return session_.found_again();
  }
  Result<void> add(RowReader& rows) { return session_.add(borrowed(rows)); }
  /// The release, the checksum that it bears, and the hash that a ledger settled it by.
  std::tuple<ReleaseDocument, std::string, std::string> release() {
    TableOutcome outcome = unwrap(session_.finish());
    return {std::move(outcome.document), outcome.checksum, outcome.settled};
  }

 private:
  static bool done(Result<void> result) {
    return unwrap(std::move(result).map([] { return true; }));
  }
  CountsSession session_;
};

}  // namespace

void bind_histograms(nb::module_& m) {
  nb::class_<Histogram> histogram(m, "Histogram", "Ranges of columns, or people on released axes.");
  bind_sink(histogram)
      .def(nb::init<const std::string&, const TableSpec&>(), "job"_a, "table"_a)
      .def_prop_ro("columns", &Histogram::columns)
      .def_prop_ro("one_hot", &Histogram::one_hot)
      .def("begin", &Histogram::begin, "schema"_a)
      .def("charge", &Histogram::charge)
      .def("release", &Histogram::release);
}

}  // namespace eigenveil::python
