#include "statistics/shards.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "data/array_rows.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

using Shard = std::tuple<std::string, std::uint64_t, std::uint64_t>;
using Block = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::bytes as_bytes(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

/// Exact sums of one part of a table, on the machine that has it.
class PartialSums {
 public:
  PartialSums(std::vector<std::string> columns, const nb::bytes& bound, bool refuse_missing,
              bool refuse_bad, int threads)
      : schema_{std::move(columns), {}, {}, !(refuse_missing && refuse_bad)},
        missing_(missing_of(refuse_missing)),
        bad_cell_(bad_cell_of(refuse_bad)),
        sums_(schema_, unwrap(RowBound::decode({bound.c_str(), bound.size()})), threads) {}

  void add(const Block& block) {
    if (block.shape(1) != schema_.dimension()) {
      throw Failure{{ErrorCode::BadRequest, "a block has other columns than the bound"}};
    }
    ArrayView view;
    view.data = block.data();
    view.rows = block.shape(0);
    view.columns = block.shape(1);
    view.item_bytes = sizeof(double);
    view.row_stride = block.shape(1) * sizeof(double);
    view.column_stride = sizeof(double);
    view.kind = ArrayView::Kind::Float;
    const auto reader = unwrap(read_array(view, schema_, bad_cell_, missing_));
    Result<void> added;
    {
      const nb::gil_scoped_release released;
      added = sums_.add(*reader);
    }
    unwrap(std::move(added));
  }

  nb::bytes finish(const std::optional<Shard>& shard) {
    ExactGram gram = unwrap(sums_.finish());
    if (shard) {
      const auto& [run, index, count] = *shard;
      ShardIdentity identity{run, index, count};
      unwrap(check_identity(identity));
      gram.set_identity(std::move(identity));
    }
    return as_bytes(gram.to_bytes());
  }

 private:
  Schema schema_;
  MissingCell missing_;
  BadCell bad_cell_;
  GramAccumulator sums_;
};

}  // namespace

void bind_shards(nb::module_& m) {
  m.def(
      "encode_norm_bound",
      [](std::size_t dimension, double radius, std::int64_t grid, std::vector<double> center) {
        return as_bytes(
            unwrap(RowBound::row_norm(dimension, radius, grid, std::move(center))).encode());
      },
      "dimension"_a, "radius"_a, "grid"_a, "center"_a);
  m.def(
      "encode_range_bound",
      [](const std::vector<std::pair<double, double>>& ranges, std::optional<double> radius,
         std::int64_t grid, const std::vector<std::string>& names) {
        std::vector<ColumnRange> columns;
        for (const auto& [low, high] : ranges) {
          columns.push_back({low, high});
        }
        return as_bytes(unwrap(RowBound::ranges(std::move(columns), radius, grid, names)).encode());
      },
      "ranges"_a, "radius"_a.none(), "grid"_a, "names"_a);
  nb::class_<PartialSums>(m, "PartialSums", "Exact sums of a part of a table. Private data.")
      .def(
          "__init__",
          [](PartialSums* self, std::vector<std::string> columns, const nb::bytes& bound,
             bool refuse_missing, bool refuse_bad, int threads) {
            new (self) PartialSums(std::move(columns), bound, refuse_missing, refuse_bad,
                                   threads > 0 ? threads : default_threads());
          },
          "columns"_a, "bound"_a, "refuse_missing"_a, "refuse_bad"_a, "threads"_a)
      .def("add", &PartialSums::add, "block"_a)
      .def("finish", &PartialSums::finish, "shard"_a.none());
  m.def(
      "gram_bytes", [](const ExactGram& gram) { return as_bytes(gram.to_bytes()); }, "gram"_a);
  m.def(
      "gram_from_bytes",
      [](const nb::bytes& bytes) {
        return unwrap(ExactGram::from_bytes({bytes.c_str(), bytes.size()}));
      },
      "bytes"_a);
  m.def(
      "merge_into",
      [](ExactGram& total, const ExactGram& part, bool equal_totals) {
        unwrap(total.merge(part, equal_totals ? EqualTotals::DifferentRows : EqualTotals::Refuse));
      },
      "total"_a, "part"_a, "equal_totals"_a);
  m.def(
      "check_complete", [](const ExactGram& gram) { unwrap(gram.check_complete()); }, "gram"_a);
  m.def(
      "shards_of",
      [](const ExactGram& gram) {
        std::vector<std::tuple<std::string, std::uint64_t, std::vector<std::uint64_t>>> all;
        for (const ShardSet& set : gram.parts()) {
          all.emplace_back(set.run, set.count, set.indices);
        }
        return all;
      },
      "gram"_a);
  m.def(
      "gram_columns", [](const ExactGram& gram) { return gram.schema().columns; }, "gram"_a);
}

}  // namespace eigenveil::python
