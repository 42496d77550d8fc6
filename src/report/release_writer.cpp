#include "eigenveil/report/release_writer.hpp"

#include <nlohmann/json.hpp>

#include "core/atomic_output.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/version.hpp"
#include "report/html_report.hpp"
#include "report/json_guarantee.hpp"
#include "report/not_protected.hpp"
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
  Json guarantee = guarantee_to_json(document.guarantee(), document.requested);
  guarantee["statement"] = headline(document.guarantee(), document.requested);
  guarantee["in_words"] = detection_in_words(document.guarantee());
  Json json{{"eigenveil", kVersion},
            {"format", kReleaseFormat},
            {"task", document.task},
            {"method", document.method},
            {"requested", budget_to_json(document.requested)}};
  add_origin(json, document);
  json["guarantee"] = guarantee;
  json["not_protected"] = not_protected(document);
  if (!document.papers.empty()) {
    json["papers"] = document.papers;
  }
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

namespace {

namespace fs = std::filesystem;

std::string ending_of(ArrayFormat format) {
  switch (format) {
    case ArrayFormat::Csv:
      return ".csv";
    case ArrayFormat::CsvGzip:
      return ".csv.gz";
    default:
      return ".npy";
  }
}

std::string mark_of(bool is_private) {
  return is_private ? "" : ".NOT-PRIVATE";
}

/// Leaves the file complete but unpublished.
Result<StreamedArray> stream_array(const PendingArray& array, const std::string& name,
                                   const ReleaseTarget& target, AtomicFile& file) {
  return array.write(target.arrays, target.threads, file).map([&](const std::string& checksum) {
    return StreamedArray{name, array.description, checksum, array.rows, array.column_names};
  });
}

/// The array comes last, so that it never lies there without the document that says what it is; a
/// failure takes back what was written.
Result<WrittenRelease> write_beside(ReleaseDocument document, const ReleaseTarget& target) {
  document.prefix = target.stem + ".";
  const std::string name = target.stem + mark_of(document.is_private()) + ending_of(target.arrays);
  Result<AtomicFile> data = AtomicFile::create(target.folder / name);
  if (!data) {
    return error_of(data);
  }
  const Result<StreamedArray> array = stream_array(document.pending.front(), name, target, *data);
  if (!array) {
    return error_of(array);
  }
  document.streamed.push_back(*array);
  document.pending.clear();
  std::vector<fs::path> files;
  Result<void> outcome;
  for (const ReleaseFile& file : release_files(document, TableFormat::Csv)) {
    outcome = write_file_atomically(target.folder / file.name, file.bytes);
    if (!outcome) {
      break;
    }
    files.push_back(target.folder / file.name);
  }
  if (outcome) {
    outcome = data->publish();
  }
  if (!outcome) {
    for (const fs::path& file : files) {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
    return error_of(outcome);
  }
  files.insert(files.begin(), target.folder / name);
  return WrittenRelease{std::move(document), std::move(files)};
}

Result<WrittenRelease> write_directory(ReleaseDocument document, const ReleaseTarget& target) {
  Result<AtomicDirectory> directory = AtomicDirectory::create(target.folder, target.existing);
  if (!directory) {
    return error_of(directory);
  }
  std::vector<fs::path> files;
  for (const PendingArray& pending : document.pending) {
    const std::string name =
        pending.name + mark_of(document.is_private()) + ending_of(target.arrays);
    const Result<StreamedArray> array = directory->stream(name).and_then([&](AtomicFile&& file) {
      return stream_array(pending, name, target, file).and_then([&](const StreamedArray& rows) {
        return file.publish().map([&] { return rows; });
      });
    });
    if (!array) {
      return error_of(array);
    }
    document.streamed.push_back(*array);
    files.push_back(target.folder / name);
  }
  document.pending.clear();
  const std::vector<ReleaseFile> made = release_files(document, target.tables);
  for (const ReleaseFile& file : made) {
    if (const Result<void> written = directory->write(file.name, file.bytes); !written) {
      return error_of(written);
    }
    files.push_back(target.folder / file.name);
  }
  if (target.before) {
    const Result<void> settled =
        directory->seal().and_then([&] { return target.before(made.front().bytes); });
    if (!settled) {
      return error_of(settled);
    }
  }
  return directory->publish().map([&] {
    return WrittenRelease{std::move(document), std::move(files)};
  });
}

}  // namespace

std::vector<std::string> ReleaseTarget::names_beside(const std::vector<std::string>& table_names,
                                                     bool is_private) const {
  const std::string mark = mark_of(is_private);
  std::vector<std::string> names = {stem + mark + ending_of(arrays),
                                    stem + ".release" + mark + ".json",
                                    stem + ".report" + mark + ".html"};
  for (const std::string& table : table_names) {
    names.push_back(stem + "." + table + mark + ".csv");
  }
  return names;
}

ReleaseTarget file_or_directory(const std::string& out, TableFormat tables) {
  ReleaseTarget target{out, tables};
  target.arrays = tables == TableFormat::Npy ? ArrayFormat::Npy : ArrayFormat::Csv;
  for (const ArrayFormat format : {ArrayFormat::Csv, ArrayFormat::CsvGzip, ArrayFormat::Npy}) {
    if (!out.ends_with(ending_of(format))) {
      continue;
    }
    const fs::path path(out);
    const std::string name = path.filename().string();
    target.arrays = format;
    target.stem = name.substr(0, name.size() - ending_of(format).size());
    target.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  }
  return target;
}

Result<WrittenRelease> write_release(ReleaseDocument document, const ReleaseTarget& target) {
  try {
    return target.is_file() && document.pending.size() == 1
               ? write_beside(std::move(document), target)
               : write_directory(std::move(document), target);
  } catch (const Json::exception&) {  // of a document that a program filled in or edited
    return bad_request("a text in the document is not UTF-8, or its request is not JSON");
  }
}

Result<std::vector<std::string>> write_release(const ReleaseDocument& document, TableFormat format,
                                               const fs::path& directory, Existing existing) {
  return write_release(document, ReleaseTarget{directory, format, existing})
      .map([](const WrittenRelease& written) {
        std::vector<std::string> names;
        for (const fs::path& file : written.files) {
          names.push_back(file.filename().string());
        }
        return names;
      });
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
