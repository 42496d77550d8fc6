#include "data/row_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "data/forwarding_reader.hpp"
#include "data/people.hpp"
#include "data/plink_tables.hpp"

namespace eigenveil {
namespace {

using Person = std::array<double, kHashedCells>;

/// Where the level of every row comes from. Private but for the header, so that it is read with the
/// rows and not before.
struct Labels {
  std::unique_ptr<RowReader> file;  ///< level, perhaps whose it is
  std::string path;
  std::string fam = {};  ///< names people in the order of the rows; empty: line i is of row i
  HashKey key = {};
  bool total = false;  ///< no line stops a run (BadCell::Midpoint)
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
Result<std::vector<double>> by_person(const Labels& labels, const std::map<Person, double>& all) {
  return detail::people_of(labels.fam).map([&](const std::vector<std::string>& people) {
    std::vector<double> levels;
    for (const std::string& name : people) {
      Person person{};
      hash_person(labels.key, name, person.data());
      const auto found = all.find(person);
      levels.push_back(found == all.end() ? 0.0 : found->second);
    }
    return levels;
  });
}

/// Of a table that says so many rows. Lines that are not as many are somebody else's; who comes or
/// goes has both.
Result<std::vector<double>> levels_of(const Labels& labels, std::optional<std::int64_t> rows) {
  const bool named = !labels.fam.empty();
  std::vector<double> levels;
  std::map<Person, double> people;
  RawRows block;
  do {
    if (const Result<void> read = labels.file->read(block); !read) {
      return error_of(read);
    }
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* row = block.values.data() + i * block.dimension;
      levels.push_back(row[0]);
      Person person{};
      if (named) {
        std::copy_n(row + 1, kHashedCells, person.begin());
        const bool first = std::isnan(person[0]) || people.emplace(person, row[0]).second;
        if (!first && !labels.total) {
          return bad_request(fmt::format(
              "{}: a person has two lines; remove one, or let the first one count with {{bad_cell "
              "midpoint}}",
              labels.path));
        }
      }
    }
  } while (block.rows > 0);
  if (!named && !labels.total && rows && *rows != std::ssize(levels)) {
    return bad_request(fmt::format(
        "{}: it has not one line for every row of the table, so nobody knows whose they are: give "
        "as many, or for .bed people in the first column, or count rows without a line as any "
        "other level with {{bad_cell midpoint}}",
        labels.path));
  }
  return named ? by_person(labels, people) : std::move(levels);
}

class LabelledReader final : public ForwardingReader {
 public:
  LabelledReader(std::unique_ptr<RowReader> table, Labels labels, const std::string& name)
      : ForwardingReader(std::move(table)), labels_(std::move(labels)) {
    schema_.columns.push_back(name);
  }
  Result<bool> next_chunk(RawChunk& chunk) override {
    if (!levels_) {
      levels_ = levels_of(labels_, table_->stated_rows());
    }
    chunk.sequence = 0;
    return *levels_ ? table_->next_chunk(chunk) : error_of(*levels_);
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows narrow;
    if (const Result<void> parsed = table_->parse(chunk, narrow); !parsed) {
      return error_of(parsed);
    }
    block.rows = narrow.rows;
    block.dimension = narrow.dimension + 1;
    block.values.resize(block.rows * block.dimension);
    const std::vector<double>& levels = **levels_;
    for (std::size_t i = 0; i < block.rows; ++i) {
      double* row = block.values.data() + i * block.dimension;
      std::copy_n(narrow.values.data() + i * narrow.dimension, narrow.dimension, row);
      const std::size_t at = chunk.first_record - 1 + i;
      row[narrow.dimension] = at < levels.size() ? levels[at] : 0.0;
    }
    return {};
  }

 private:
  Labels labels_;
  std::optional<Result<std::vector<double>>> levels_ = {};  ///< once the first row is wanted
};

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
  return open_rows(file.path, options)
      .map([&](std::unique_ptr<RowReader> opened) -> std::unique_ptr<RowReader> {
        Labels labels{std::move(opened),
                      file.path,
                      {},
                      options.person_key,
                      options.bad_cell == BadCell::Midpoint};
        if (!ids->empty()) {
          labels.fam = std::filesystem::path(input).replace_extension(".fam").string();
        }
        return std::make_unique<LabelledReader>(std::move(table), std::move(labels),
                                                file.label.column);
      });
}

}  // namespace eigenveil
