#include "data/one_hot.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "data/array_rows.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
/// A column and its public list, as the user wrote it.
using Lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::vector<Categories> categories(const Lists& lists) {
  std::vector<Categories> all;
  for (const auto& [column, words] : lists) {
    all.push_back(unwrap(categories_of(column, words)));
  }
  return all;
}

/// The columns after expansion: those of a table without rows.
Schema expanded(const std::vector<std::string>& columns, const std::vector<Categories>& lists) {
  ArrayView none;
  none.columns = columns.size();
  none.item_bytes = sizeof(double);
  none.row_stride = columns.size() * sizeof(double);
  none.column_stride = sizeof(double);
  return unwrap(read_array(none, Schema{columns}, BadCell::Refuse, MissingCell::Midpoint)
                    .and_then([&](std::unique_ptr<RowReader> empty) {
                      return one_hot(std::move(empty), lists);
                    }))
      ->schema();
}

/// A reader that belongs to somebody else.
class Borrowed final : public RowReader {
 public:
  explicit Borrowed(RowReader& reader) : reader_(reader) {}
  const Schema& schema() const override { return reader_.schema(); }
  Result<bool> next_chunk(RawChunk& chunk) override { return reader_.next_chunk(chunk); }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return reader_.parse(chunk, block);
  }
  std::optional<double> progress() const override { return reader_.progress(); }

 private:
  RowReader& reader_;
};

/// Sums rows whose listed columns are expanded as they stream.
class OneHotGram {
 public:
  OneHotGram(const std::vector<std::string>& columns, const Lists& lists, const RowBound& bound,
             int threads)
      : lists_(categories(lists)), gram_(expanded(columns, lists_), bound, threads_of(threads)) {}
  Result<void> add(RowReader& reader) {
    return one_hot(std::make_unique<Borrowed>(reader), lists_)
        .and_then([&](const std::unique_ptr<RowReader>& rows) { return gram_.add(*rows); });
  }
  Result<ExactGram> finish() { return gram_.finish(); }

 private:
  std::vector<Categories> lists_;
  GramAccumulator gram_;
};

}  // namespace

void bind_one_hot(nb::module_& m) {
  nb::class_<OneHotGram> sink(m, "OneHotGram", "Sums rows with indicator columns exactly.");
  bind_sink(sink)
      .def(
          "__init__",
          [](OneHotGram* self, const std::vector<std::string>& columns, const Lists& lists,
             const RowBound& bound,
             int threads) { new (self) OneHotGram(columns, lists, bound, threads); },
          "columns"_a, "lists"_a, "bound"_a, "threads"_a)
      .def(
          "finish", [](OneHotGram& g) { return unwrap(g.finish()); },
          nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "one_hot_columns",
      [](const std::vector<std::string>& columns, const Lists& lists) {
        return expanded(columns, categories(lists)).columns;
      },
      "columns"_a, "lists"_a);
  m.def(
      "one_hot_words",
      [](const Lists& lists) {
        std::vector<std::string> columns;
        for (const Categories& list : categories(lists)) {
          if (!list.names.empty()) {
            columns.push_back(list.column);
          }
        }
        return columns;
      },
      "lists"_a, "The columns among these that hold words, not codes.");
  m.def(
      "one_hot_bound",
      [](const RowBound& plain, const std::vector<std::string>& columns, const Lists& lists,
         const std::optional<double>& row_norm) {
        return unwrap(with_indicators(plain, Schema{columns}, expanded(columns, categories(lists)),
                                      row_norm));
      },
      "plain"_a, "columns"_a, "lists"_a, "row_norm"_a.none());
}

}  // namespace eigenveil::python
