#include <nanobind/eigen/dense.h>

#include "bind.hpp"
#include "engine/table/release_session.hpp"
#include "mechanism/spiked/spiked_diagnostic.hpp"
#include "statistics/bounded_table.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

/// Its own type: a variant would be taken apart on its way to Python.
struct TableStatistic {
  TableOrGram value;
};

/// Keeps few rows, sums many exactly, as the release of a job would see them; nothing is spent.
class JobSums {
 public:
  JobSums(const std::string& text, const TableSpec& spec, const Schema& read)
      : job_(unwrap(release_job(text, true, &spec))),
        table_(unwrap(choose_method(job_.request).and_then([&](const Method* method) {
          return awaited_table(*method, job_, read, false);
        }))),
        sums_(table_.facts().schema, table_.facts().bound, job_.threads) {}
  Result<void> add(RowReader& reader) {
    return table_.staged(reader).and_then(
        [&](const std::unique_ptr<RowReader>& rows) { return sums_.add(*rows); });
  }
  TableStatistic finish() {
    return interruptibly([&] { return TableStatistic{unwrap(sums_.finish())}; });
  }
  const std::vector<std::string>& columns() const { return table_.prepared()->columns().columns; }

 private:
  ReleaseJob job_;
  OpenedTable table_;
  TableOrGramAccumulator sums_;
};

SpikedDiagnostic diagnosed(const SampleCovariance& sample, Eigen::Index rank, double sigma2_upper,
                           double lambda_lower, double spread) {
  return diagnose_spiked(sample, {rank, sigma2_upper, lambda_lower, spread});
}

template <class Statistic, class Value>
void bind_statistic(nb::module_& m, const Value& value) {
  m.def(
      "diagnose_spiked",
      [value](const Statistic& statistic, bool scaled, Eigen::Index rank, double sigma2_upper,
              double lambda_lower, double spread) {
        return diagnosed(SampleCovariance::of(value(statistic), units_of(scaled)), rank,
                         sigma2_upper, lambda_lower, spread);
      },
      "statistic"_a, "scaled"_a, "rank"_a, "sigma2_upper"_a, "lambda_lower"_a, "spread"_a,
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_diagnose(nb::module_& m) {
  nb::class_<TableStatistic>(m, "TableStatistic",
                             "Rows, or their exact sums. Private: not a release.");
  nb::class_<JobSums> sums(m, "TableOrSums", "Rows of a job, or their sums; nothing is spent.");
  bind_sink(sums)
      .def(nb::init<const std::string&, const TableSpec&, const Schema&>(), "job"_a, "spec"_a,
           "schema"_a)
      .def_prop_ro("columns", &JobSums::columns)
      .def("finish", &JobSums::finish);
  nb::class_<SpikedDiagnostic>(m, "SpikedDiagnostic",
                               "CURATOR ONLY: exact facts about private rows, not a release.")
      .def_prop_ro("checks",
                   [](const SpikedDiagnostic& d) {
                     nb::list checks;
                     for (const SpikedDiagnostic::Check& c : d.checks) {
                       checks.append(nb::make_tuple(c.name, c.holds, c.words));
                     }
                     return checks;
                   })
      .def_prop_ro("eigenvalues", [](const SpikedDiagnostic& d) { return d.eigenvalues; })
      .def_prop_ro("all_hold", &SpikedDiagnostic::all_hold)
      .def("__str__", &SpikedDiagnostic::text)
      .def("__repr__", [](const SpikedDiagnostic& d) {
        return std::string("<SpikedDiagnostic CURATOR ONLY, not a release: the model ") +
               (d.all_hold() ? "holds>" : "DOES NOT HOLD>");
      });
  bind_statistic<TableStatistic>(
      m, [](const TableStatistic& s) -> const TableOrGram& { return s.value; });
  bind_statistic<ExactGram>(m, [](const ExactGram& gram) -> const ExactGram& { return gram; });
}

}  // namespace eigenveil::python
