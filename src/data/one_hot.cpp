#include "data/one_hot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"
#include "core/parameter_names.hpp"
#include "data/cell_word.hpp"
#include "data/forwarding_reader.hpp"

namespace eigenveil {
namespace {

/// Where a column of the expanded table comes from.
struct Source {
  std::size_t column;
  bool indicator;
  double code;
};

class OneHotReader final : public ForwardingReader {
 public:
  OneHotReader(std::unique_ptr<RowReader> table, Schema schema, std::vector<Source> sources)
      : ForwardingReader(std::move(table)), sources_(std::move(sources)) {
    schema_ = std::move(schema);
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows plain;
    if (Result<void> parsed = table_->parse(chunk, plain); !parsed) {
      return parsed;
    }
    block.rows = plain.rows;
    block.dimension = sources_.size();
    block.values.resize(block.rows * block.dimension);
    double* out = block.values.data();
    for (std::size_t row = 0; row < plain.rows; ++row) {
      const double* cells = plain.values.data() + row * plain.dimension;
      for (const Source& source : sources_) {
        const double cell = cells[source.column];
        const bool plain_cell = !source.indicator || std::isnan(cell);
        *out++ = plain_cell ? cell : (cell == source.code ? 1.0 : 0.0);
      }
    }
    return {};
  }

 private:
  std::vector<Source> sources_;
};

Result<void> check_lists(const Schema& schema, const std::vector<Categories>& lists) {
  for (const Categories& list : lists) {
    if (std::find(schema.columns.begin(), schema.columns.end(), list.column) ==
        schema.columns.end()) {
      return bad_request(fmt::format(
          "{{one_hot}} names column '{}', which is not among the columns", shown(list.column)));
    }
    const auto same = [&](const Categories& other) { return other.column == list.column; };
    if (std::count_if(lists.begin(), lists.end(), same) > 1) {
      return bad_request(fmt::format("{{one_hot}} names column '{}' twice", shown(list.column)));
    }
  }
  return {};
}

}  // namespace

namespace {

struct Expansion {
  Schema schema;
  std::vector<Source> sources;
};

Result<Expansion> expanded(const Schema& plain, const std::vector<Categories>& lists) {
  if (const Result<void> checked = check_lists(plain, lists); !checked) {
    return error_of(checked);
  }
  Expansion expansion;
  Schema& schema = expansion.schema;
  std::vector<Source>& sources = expansion.sources;
  schema.fills_gaps = plain.fills_gaps;
  schema.people = plain.people;
  for (std::size_t j = 0; j < plain.dimension(); ++j) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const Categories& candidate) {
      return candidate.column == plain.columns[j];
    });
    if (list == lists.end()) {
      schema.columns.push_back(plain.columns[j]);
      sources.push_back({j, false, 0.0});
      continue;
    }
    for (std::size_t k = 0; k < list->codes.size(); ++k) {
      schema.columns.push_back(level_name(*list, k));
      sources.push_back({j, true, list->codes[k]});
    }
  }
  std::vector<std::string> names = schema.columns;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return bad_request(fmt::format(
        "{{one_hot}} makes a column '{}', and the table has one of that name; rename it or leave "
        "it out with {{exclude}}",
        shown(*twice)));
  }
  return expansion;
}

}  // namespace

std::string level_name(const Categories& list, std::size_t k) {
  return list.names.empty() ? fmt::format("{}={}", list.column, list.codes[k])
                            : fmt::format("{}={}", list.column, list.names[k]);
}

Result<Schema> one_hot_schema(const Schema& plain, const std::vector<Categories>& lists) {
  return expanded(plain, lists).map([](Expansion made) { return std::move(made.schema); });
}

Result<std::unique_ptr<RowReader>> one_hot(std::unique_ptr<RowReader> table,
                                           const std::vector<Categories>& lists) {
  return expanded(table->schema(), lists).map([&](Expansion made) -> std::unique_ptr<RowReader> {
    return std::make_unique<OneHotReader>(std::move(table), std::move(made.schema),
                                          std::move(made.sources));
  });
}

namespace {

constexpr const char* kAnyOther = "*";

bool is_list(const std::vector<std::string>& words) {
  const auto other = std::find(words.begin(), words.end(), kAnyOther);
  return are_levels(words) && (other == words.end() || other + 1 == words.end());
}

}  // namespace

bool are_levels(const std::vector<std::string>& words) {
  std::vector<std::string> told;
  std::transform(words.begin(), words.end(), std::back_inserter(told),
                 [](const std::string& word) { return cell_word(word); });
  return !words.empty() && std::none_of(told.begin(), told.end(), [&](const std::string& word) {
    return word.empty() || std::count(told.begin(), told.end(), word) > 1;
  });
}

Result<Categories> categories_of(const std::string& column, const std::vector<std::string>& words) {
  if (column.empty() || !is_list(words)) {
    return bad_request(
        "{one_hot} is written COLUMN=A|B|C with different words or numeric codes, and * only at "
        "the end, for example {one_hot} education=1,2,3 or {one_hot} 'sex=male|female'");
  }
  Categories list{column, {}, {}};
  for (const std::string& word : words) {
    if (const std::optional<double> code = finite_number(word)) {
      list.codes.push_back(*code);
    }
  }
  if (list.codes.size() == words.size()) {
    return list;
  }
  list.codes.clear();
  list.names = words;
  for (std::size_t k = 0; k < words.size(); ++k) {
    list.codes.push_back(words[k] == kAnyOther ? 0.0 : static_cast<double>(k + 1));
  }
  return list;
}

Result<RowBound> with_indicators(const RowBound& plain, const Schema& before, const Schema& after,
                                 const std::optional<double>& row_norm) {
  if (!plain.has_ranges()) {
    return RowBound::row_norm(after.dimension(), row_norm.value_or(plain.radius()),
                              plain.max_abs());
  }
  std::vector<ColumnRange> ranges;
  for (const std::string& column : after.columns) {
    const auto found = std::find(before.columns.begin(), before.columns.end(), column);
    if (found == before.columns.end()) {
      ranges.push_back({0.0, 1.0});
      continue;
    }
    const auto j = static_cast<std::size_t>(found - before.columns.begin());
    ranges.push_back(
        {plain.midpoint(j) - plain.half_width(j), plain.midpoint(j) + plain.half_width(j)});
  }
  return RowBound::ranges(std::move(ranges), row_norm, plain.max_abs());
}

}  // namespace eigenveil
