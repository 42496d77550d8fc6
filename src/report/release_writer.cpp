#include "report/release_writer.hpp"

#include <nlohmann/json.hpp>

#include "core/atomic_output.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/version.hpp"
#include "report/html_report.hpp"
#include "report/json_guarantee.hpp"
#include "report/table_format.hpp"

namespace eigenveil {
namespace {

std::string file_name(const ReleaseDocument& document, const std::string& stem,
                      const std::string& ending) {
  return document.prefix + stem + (document.is_private() ? "" : ".NOT-PRIVATE") + ending;
}

/// What format 2 adds, where there is something to say.
void add_origin(Json& json, const ReleaseDocument& document) {
  if (!document.request.empty()) {
    json["request"] = Json::parse(document.request);
  }
  if (document.ledger) {
    json["ledger"] = {{"id", document.ledger->id},
                      {"index", document.ledger->index},
                      {"reservation", document.ledger->reservation}};
  }
  if (!document.builds_on.empty()) {
    json["builds_on"] = document.builds_on;
  }
  if (!document.data_set.empty()) {
    json["data_set"] = document.data_set;
  }
  if (!document.date.empty()) {
    json["date"] = document.date;
  }
}

Json document_head(const ReleaseDocument& document) {
  Json guarantee = guarantee_to_json(document.guarantee, document.requested);
  guarantee["statement"] = headline(document.guarantee, document.requested);
  guarantee["in_words"] = detection_in_words(document.guarantee);
  Json json{{"eigenveil", kVersion},
            {"format", kReleaseFormat},
            {"task", document.task},
            {"method", document.method},
            {"requested", budget_to_json(document.requested)}};
  add_origin(json, document);
  json["guarantee"] = guarantee;
  json["not_protected"] = not_protected(document.guarantee.relation);
  json["parameters"] = fields_to_json(document.parameters);
  json["result"] = fields_to_json(document.result);
  return json;
}

Json describe_table(const ReleasedTable& table, const ReleaseFile& file) {
  Json json{{"name", file.name},
            {"description", table.description},
            {"sha256", hex(sha256(file.bytes))},
            {"shape", {table.values.rows(), table.values.cols()}},
            {"corner", table.corner},
            {"rows", table.row_names},
            {"columns", table.column_names}};
  if (!table.counted_alleles.empty()) {
    json["counted_alleles"] = table.counted_alleles;
  }
  return json;
}

Json describe_streamed(const StreamedArray& array) {
  return Json{{"name", array.name},
              {"description", array.description},
              {"sha256", array.sha256},
              {"shape", {array.rows, array.column_names.size()}},
              {"columns", array.column_names}};
}

}  // namespace

std::vector<ReleaseFile> release_files(const ReleaseDocument& document, TableFormat format) {
  std::vector<ReleaseFile> files;
  Json json = document_head(document);
  Json arrays = Json::array();
  for (const ReleasedTable& table : document.tables) {
    const bool csv = format == TableFormat::Csv;
    files.push_back({file_name(document, table.name, csv ? ".csv" : ".npy"),
                     csv ? table_csv(table) : table_npy(table)});
    arrays.push_back(describe_table(table, files.back()));
  }
  for (const StreamedArray& array : document.streamed) {
    arrays.push_back(describe_streamed(array));
  }
  json["result"]["arrays"] = arrays;
  files.push_back({file_name(document, "report", ".html"), report_html(document, files)});
  json["report"] = {{"name", files.back().name}, {"sha256", hex(sha256(files.back().bytes))}};
  // Over the document as it stands without this field, so that `explain` can recompute it.
  json["checksum"] = hex(sha256(json.dump()));
  files.insert(files.begin(), {file_name(document, "release", ".json"), json.dump(2) + "\n"});
  return files;
}

Result<std::vector<std::string>> write_release(const ReleaseDocument& document, TableFormat format,
                                               const std::filesystem::path& directory,
                                               Existing existing) {
  Result<AtomicDirectory> output = AtomicDirectory::create(directory, existing);
  if (!output) {
    return error_of(output);
  }
  std::vector<std::string> names;
  for (const ReleaseFile& file : release_files(document, format)) {
    if (const Result<void> written = output->write(file.name, file.bytes); !written) {
      return error_of(written);
    }
    names.push_back(file.name);
  }
  if (const Result<void> published = output->publish(); !published) {
    return error_of(published);
  }
  return names;
}

std::string summary_json(const ReleaseDocument& document) {
  Json json = document_head(document);
  for (const StreamedArray& array : document.streamed) {
    json["result"]["arrays"].push_back(describe_streamed(array));
  }
  for (const ReleasedTable& table : document.tables) {
    Json rows = Json::array();
    for (Eigen::Index row = 0; row < table.values.rows(); ++row) {
      const Vector values = table.values.row(row);
      rows.push_back(std::vector<double>(values.data(), values.data() + values.size()));
    }
    json["result"][table.name] =
        Json{{"rows", table.row_names}, {"columns", table.column_names}, {"values", rows}};
  }
  return json.dump(2) + "\n";
}

}  // namespace eigenveil
