#include "data/csv_reader.hpp"

#include <utility>

#include "data/text_cell.hpp"
#include "data/text_table.hpp"

namespace eigenveil::detail {
namespace {

class CsvReader final : public RowReader {
 public:
  explicit CsvReader(TextTable table) : table_(std::move(table)) {}

  const Schema& schema() const override { return table_.layout().selection.schema; }
  Result<bool> next_chunk(RawChunk& chunk) override { return table_.next(chunk); }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return parse_records(table_.layout(), chunk, block);
  }
  std::optional<double> progress() const override { return table_.progress(); }

 private:
  TextTable table_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_delimited(std::unique_ptr<ByteSource> source,
                                                  char delimiter, const ReadOptions& options) {
  const KindOfCell kinds =
      options.decimal == ',' ? [](std::string_view field) { return classify_cell(field, ',').kind; }
      : options.decimal == '.'
          ? [](std::string_view field) { return classify_cell(field, '.').kind; }
          : [](std::string_view field) { return classify_cell(field).kind; };
  return TextTable::open(std::move(source), delimiter, options, kinds)
      .map([](TextTable table) -> std::unique_ptr<RowReader> {
        return std::make_unique<CsvReader>(std::move(table));
      });
}

}  // namespace eigenveil::detail
