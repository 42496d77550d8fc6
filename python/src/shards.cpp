#include "statistics/shards.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>

#include "bind.hpp"
#include "data/array_rows.hpp"
#include "data/people.hpp"
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

/// What is public about a part, and the same for all of them.
struct PartFacts {
  std::vector<std::string> columns;
  std::string bound;
  bool refuse_missing;
  bool refuse_bad;
  PeopleLimit people;
};

/// Exact sums of one part of a table, on the machine that has it. Where people are limited, the
/// last kHashedCells columns of a block are the hash of whose a row is.
class PartialSums {
 public:
  PartialSums(const PartFacts& facts, int threads, const std::optional<Shard>& shard,
              const nb::bytes& key)
      : read_{facts.columns, {}, {}, !(facts.refuse_missing && facts.refuse_bad)},
        people_(facts.people),
        missing_(missing_of(facts.refuse_missing)),
        bad_cell_(bad_cell_of(facts.refuse_bad)),
        sums_(summed(read_, people_), unwrap(RowBound::decode(facts.bound)), threads) {
    if (shard) {
      const auto& [run, index, count] = *shard;
      identity_ = ShardIdentity{run, index, count};
      unwrap(check_identity(*identity_));
    }
    if (people_.given()) {
      const std::vector<std::string> cells = hashed_names(people_.column);
      read_.columns.insert(read_.columns.end(), cells.begin(), cells.end());
    }
    if (people_.given() && identity_) {
      shard_ = PeopleShard{key_of(key), identity_->index, identity_->count};
      identity_->people_mark = mark_of_key(shard_->key);
    }
  }

  void add(const Block& block) {
    if (block.shape(1) != read_.dimension()) {
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
    auto reader = unwrap(read_array(view, read_, bad_cell_, missing_));
    if (people_.given()) {
      reader =
          limit_rows_per_person(std::move(reader), kHashedCells, people_, seen_, bad_cell_, shard_);
    }
    Result<void> added;
    {
      const nb::gil_scoped_release released;
      added = sums_.add(*reader);
    }
    unwrap(std::move(added));
  }

  nb::bytes finish() {
    ExactGram gram = unwrap(sums_.finish());
    if (identity_) {
      gram.set_identity(*identity_);
    }
    return as_bytes(gram.to_bytes());
  }

 private:
  static Schema summed(Schema schema, const PeopleLimit& people) {
    schema.people = people;
    return schema;
  }

  Schema read_;  ///< columns of a block
  PeopleLimit people_;
  std::optional<ShardIdentity> identity_;
  std::optional<PeopleShard> shard_;
  std::shared_ptr<SeenPeople> seen_ = nobody_seen();
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
             bool refuse_missing, bool refuse_bad, int threads, const std::optional<Shard>& shard,
             const std::string& person, std::uint32_t rows_per_person, const nb::bytes& key) {
            const PartFacts facts{std::move(columns),
                                  std::string(bound.c_str(), bound.size()),
                                  refuse_missing,
                                  refuse_bad,
                                  {person, rows_per_person}};
            new (self) PartialSums(facts, threads_of(threads), shard, key);
          },
          "columns"_a, "bound"_a, "refuse_missing"_a, "refuse_bad"_a, "threads"_a, "shard"_a.none(),
          "person"_a, "rows_per_person"_a, "key"_a)
      .def("add", &PartialSums::add, "block"_a)
      .def("finish", &PartialSums::finish);
  m.def(
      "row_hashes",
      [](const nb::bytes& bytes, const Block& block) {
        const HashKey key = key_of(bytes);
        Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic> hashes(
            static_cast<Eigen::Index>(block.shape(0)), 2);
        for (std::size_t i = 0; i < block.shape(0); ++i) {
          const auto hash = hash_row(key, {block.data() + i * block.shape(1), block.shape(1)});
          const auto row = static_cast<Eigen::Index>(i);
          hashes(row, 0) = std::bit_cast<std::int64_t>(hash[0]);
          hashes(row, 1) = std::bit_cast<std::int64_t>(hash[1]);
        }
        return hashes;
      },
      "key"_a, "block"_a);
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
      "people_of",
      [](const ExactGram& gram) {
        const PeopleLimit& people = gram.schema().people;
        return std::pair(people.column, people.rows);
      },
      "gram"_a);
  m.def(
      "gram_columns", [](const ExactGram& gram) { return gram.schema().columns; }, "gram"_a);
}

}  // namespace eigenveil::python
