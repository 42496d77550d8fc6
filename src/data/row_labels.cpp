#include "data/row_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "data/people.hpp"
#include "data/plink_tables.hpp"

namespace eigenveil {
namespace {

using Person = std::array<double, kHashedCells>;

class LabelledReader final : public RowReader {
 public:
  LabelledReader(std::unique_ptr<RowReader> table, std::vector<double> levels,
                 const std::string& name)
      : table_(std::move(table)), schema_(table_->schema()), levels_(std::move(levels)) {
    schema_.columns.push_back(name);
  }
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return table_->next_chunk(chunk); }
  std::optional<double> progress() const override { return table_->progress(); }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows narrow;
    if (const Result<void> parsed = table_->parse(chunk, narrow); !parsed) {
      return error_of(parsed);
    }
    block.rows = narrow.rows;
    block.dimension = narrow.dimension + 1;
    block.values.resize(block.rows * block.dimension);
    for (std::size_t i = 0; i < block.rows; ++i) {
      double* row = block.values.data() + i * block.dimension;
      std::copy_n(narrow.values.data() + i * narrow.dimension, narrow.dimension, row);
      const std::size_t at = chunk.first_record - 1 + i;
      row[narrow.dimension] = at < levels_.size() ? levels_[at] : 0.0;
    }
    return {};
  }

 private:
  std::unique_ptr<RowReader> table_;
  Schema schema_;
  std::vector<double> levels_;
};

/// The column that names people, where both sides have one.
Result<std::string> id_column(const std::string& input, const LabelFile& file) {
  const Result<std::unique_ptr<RowReader>> opened = open_rows(file.path, file.format);
  if (!opened) {
    return error_of(opened);
  }
  const std::vector<std::string>& columns = (*opened)->schema().columns;
  if (columns.size() < 2 || std::filesystem::path(input).extension() != ".bed") {
    return std::string();
  }
  if (columns.front() == file.label.column) {
    return bad_request(fmt::format(
        "the first column of {} must name people as the .fam file does, and another their level",
        file.path));
  }
  return columns.front();
}

/// Levels in the order of the people in the .fam file.
Result<std::vector<double>> by_person(const std::string& input, const std::map<Person, double>& all,
                                      const HashKey& key) {
  const std::string fam = std::filesystem::path(input).replace_extension(".fam").string();
  return detail::people_of(fam).map([&](const std::vector<std::string>& people) {
    std::vector<double> levels;
    for (const std::string& name : people) {
      Person person{};
      hash_person(key, name, person.data());
      const auto found = all.find(person);
      levels.push_back(found == all.end() ? 0.0 : found->second);
    }
    return levels;
  });
}

}  // namespace

Result<std::unique_ptr<RowReader>> label_rows(std::unique_ptr<RowReader> table,
                                              const std::string& input, const LabelFile& file) {
  const Result<std::string> ids = id_column(input, file);
  if (!ids) {
    return error_of(ids);
  }
  ReadOptions options = file.format;
  options.columns = {file.label.column};
  options.words = {file.label};
  options.person = *ids;
  const Result<std::unique_ptr<RowReader>> reader = open_rows(file.path, options);
  if (!reader) {
    return error_of(reader);
  }
  std::vector<double> levels;
  std::map<Person, double> people;
  RawRows block;
  do {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* row = block.values.data() + i * block.dimension;
      levels.push_back(row[0]);
      Person person{};
      if (!ids->empty()) {
        std::copy_n(row + 1, kHashedCells, person.begin());
        if (!std::isnan(person[0]) && !people.emplace(person, row[0]).second) {
          return bad_request(fmt::format("{}: a person has two lines", file.path));
        }
      }
    }
  } while (block.rows > 0);
  if (!ids->empty()) {
    Result<std::vector<double>> found = by_person(input, people, options.person_key);
    if (!found) {
      return error_of(found);
    }
    levels = *std::move(found);
  }
  return std::make_unique<LabelledReader>(std::move(table), std::move(levels), file.label.column);
}

}  // namespace eigenveil
