#include "eigenveil/report/read_release.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/outside_json.hpp"
#include "core/whole_file.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "report/json_guarantee.hpp"
#include "report/table_format.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChanged =
    "the release document was changed after it was written: its checksum does not match";
constexpr std::string_view kMark = ".NOT-PRIVATE";

bool is_document(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") && name.find("release") != std::string::npos;
}

/// Documents in a folder; with a name, those that list a file of this name.
std::vector<fs::path> documents_in(const fs::path& folder, const std::string& listed) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_document(entry.path())) {
      continue;
    }
    const Result<std::string> text = read_whole_file(entry.path());
    if (text &&
        (listed.empty() || text->find("\"name\": \"" + listed + "\"") != std::string::npos)) {
      found.push_back(entry.path());
    }
  }
  return found;
}

/// The document of a directory, of itself, or of a pseudo-data file beside it.
Result<fs::path> document_of(const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  if (!fs::exists(path, ignored)) {
    return input_output_error(fmt::format("{} does not exist", path.string()));
  }
  if (!folder && path.extension() == ".json") {
    return path;
  }
  const fs::path place =
      folder ? path : (path.has_parent_path() ? path.parent_path() : fs::path("."));
  const std::vector<fs::path> found =
      documents_in(place, folder ? std::string() : path.filename().string());
  if (found.size() > 1) {
    return bad_request(
        fmt::format("{} has several release documents; give the one that is meant", path.string()));
  }
  if (found.empty()) {
    return bad_request(
        folder ? fmt::format("{} has no release document in it", path.string())
               : fmt::format("{} has no release document beside it that names it; give the "
                             "release.json of the release",
                             path.string()));
  }
  return found.front();
}

/// A repeated key would show other readers another value than the one the checksum covers.
Json parse_without_repeats(const std::string& text, bool& repeated) {
  std::vector<std::set<std::string>> keys;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      repeated = !keys.back().insert(parsed.get<std::string>()).second || repeated;
    }
    return true;
  });
}

bool is_sound(const Loss& loss) {
  const auto fine = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (const auto* pure = std::get_if<PureDp>(&loss)) {
    return fine(pure->epsilon);
  }
  if (const auto* approx = std::get_if<ApproxDp>(&loss)) {
    return fine(approx->epsilon) && fine(approx->delta) && approx->delta <= 1.0;
  }
  if (const auto* zcdp = std::get_if<Zcdp>(&loss)) {
    return fine(zcdp->rho);
  }
  if (const auto* gaussian = std::get_if<GaussianDp>(&loss)) {
    return fine(gaussian->mu);
  }
  return true;  // curves are checked where they are evaluated
}

/// What cannot come from this program, whatever the checksum says.
bool is_consistent(const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee;
  const bool random = guarantee.secure_random || guarantee.basis == Basis::NotPrivate;
  const auto* relation = field<std::string>(document.parameters, "neighbours");
  const auto* group = field<std::int64_t>(document.parameters, "group_size");
  return random && (relation == nullptr || *relation == name_of(guarantee.relation)) &&
         (group == nullptr || *group == guarantee.group_size) && is_sound(guarantee.loss);
}

/// Of a file that a document lists, once its checksum matched.
Result<std::string> listed_file(const fs::path& folder, const Json& file) {
  const std::string name = file.at("name").get<std::string>();
  if (fs::path(name).filename() != name) {
    return bad_request("the release names a file outside of its own folder");
  }
  Result<std::string> bytes = read_whole_file(folder / name);
  if (bytes && hex(sha256(*bytes)) != file.at("sha256").get<std::string>()) {
    return bad_request(
        fmt::format("{} was changed after it was written: its checksum does not match", name));
  }
  return bytes;
}

/// "out.noisy_gram.NOT-PRIVATE.csv" with prefix "out." is the table "noisy_gram".
std::string table_name(const std::string& file, const std::string& prefix) {
  std::string name = fs::path(file).stem().string();
  if (name.ends_with(kMark)) {
    name.resize(name.size() - kMark.size());
  }
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

Result<void> add_array(ReleaseDocument& document, const Json& array, const std::string& bytes) {
  const auto name = array.at("name").get<std::string>();
  const auto description = array.at("description").get<std::string>();
  const auto columns = array.at("columns").get<std::vector<std::string>>();
  const auto rows = array.at("shape").at(0).get<std::int64_t>();
  if (!array.contains("rows")) {  // only tables have names for their rows
    document.streamed.push_back(
        {name, description, array.at("sha256").get<std::string>(), rows, columns});
    return {};
  }
  ReleasedTable table{table_name(name, document.prefix),
                      description,
                      array.value("corner", std::string()),
                      array.at("rows").get<std::vector<std::string>>(),
                      columns,
                      {},
                      array.value("counted_alleles", std::vector<std::string>())};
  const auto* alleles = field<std::vector<std::string>>(document.parameters, "counted_alleles");
  if (alleles != nullptr && !array.contains("corner") && name.ends_with(".csv") &&
      bytes.find(",counted_allele,") < bytes.find('\n')) {  // format 1 does not list them
    table.counted_alleles = *alleles;
  }
  if (!parse_table(table, bytes, rows, array.at("shape").at(1).get<std::int64_t>())) {
    return bad_request(fmt::format("{} has another shape than its release document says", name));
  }
  document.tables.push_back(std::move(table));
  return {};
}

void read_origin(ReleaseDocument& document, const Json& json) {
  if (json.contains("request")) {
    document.request = json.at("request").dump();
  }
  if (json.contains("ledger")) {
    const Json& entry = json.at("ledger");
    document.ledger = {entry.at("id").get<std::string>(), entry.at("index").get<std::int64_t>(),
                       entry.at("reservation").get<std::string>()};
  }
  document.builds_on = json.value("builds_on", std::vector<std::string>());
  document.data_set = json.value("data_set", std::string());
  document.date = json.value("date", std::string());
}

/// Format 1 states it among the parameters, or beside a tighter loss.
Result<Budget> requested_budget(const Json& json) {
  if (json.contains("requested")) {
    return budget_from_json(json.at("requested"));
  }
  const Json& parameters = json.at("parameters");
  for (const char* name : {"epsilon", "rho", "mu"}) {
    if (parameters.contains(name)) {
      return budget_from_json(parameters);
    }
  }
  const Json& guarantee = json.at("guarantee");
  return budget_from_json(
      (guarantee.contains("would_be") ? guarantee.at("would_be") : guarantee).at("loss"));
}

Result<ReleaseDocument> document_from(const Json& json) {
  ReleaseDocument document;
  document.task = json.at("task").get<std::string>();
  document.method = json.at("method").get<std::string>();
  document.parameters = fields_from_json(json.at("parameters"));
  Json result = json.at("result");
  result.erase("arrays");
  document.result = fields_from_json(result);
  read_origin(document, json);
  Result<Guarantee> guarantee = guarantee_from_json(json.at("guarantee"));
  if (!guarantee) {
    return error_of(guarantee);
  }
  document.guarantee = *std::move(guarantee);
  const Result<Budget> requested = requested_budget(json);
  if (!requested || !is_consistent(document)) {
    return bad_request("the release contradicts itself: its guarantee does not fit its parameters");
  }
  document.requested = *requested;
  return document;
}

Result<ReadRelease> release_from(Json json, const fs::path& path) {
  ReadRelease release;
  release.checksum = json.at("checksum").get<std::string>();
  release.format = json.at("format").get<int>();
  release.version = json.at("eigenveil").get<std::string>();
  release.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  json.erase("checksum");
  if (release.checksum != hex(sha256(json.dump()))) {
    return bad_request(kChanged);
  }
  if (release.format < 1 || release.format > kReleaseFormat) {
    return bad_request(
        fmt::format("{} has format {}, which a later version wrote; this one reads formats 1 to {}",
                    path.string(), release.format, kReleaseFormat));
  }
  Result<ReleaseDocument> document = document_from(json);
  if (!document) {
    return error_of(document);
  }
  const std::string name = path.filename().string();
  document->prefix = is_document(path) ? name.substr(0, name.rfind("release")) : std::string();
  for (const Json& array : json.at("result").at("arrays")) {
    const Result<std::string> bytes = listed_file(release.folder, array);
    if (!bytes) {
      return error_of(bytes);
    }
    if (const Result<void> added = add_array(*document, array, *bytes); !added) {
      return error_of(added);
    }
  }
  if (json.contains("report")) {
    const Result<std::string> report = listed_file(release.folder, json.at("report"));
    if (!report) {
      return error_of(report);
    }
  }
  release.document = *std::move(document);
  return release;
}

}  // namespace

Result<ReadRelease> read_release(const fs::path& path) {
  const Result<fs::path> document = document_of(path);
  if (!document) {
    return error_of(document);
  }
  const Result<std::string> text = read_whole_file(*document);
  if (!text) {
    return error_of(text);
  }
  const auto foreign = [&document] {
    return bad_request(
        fmt::format("{} is not a release document of Eigenveil", document->string()));
  };
  if (nests_too_deep(*text)) {
    return foreign();
  }
  // The JSON library reports a missing or mistyped field by exception; this is the one place it can
  // surface.
  try {
    bool repeated = false;
    Json json = parse_without_repeats(*text, repeated);
    if (repeated) {
      return bad_request(kChanged);
    }
    return release_from(std::move(json), *document);
  } catch (const Json::exception&) {
    return foreign();
  }
}

Guarantee stated_guarantee(const ReleaseDocument& document) {
  Guarantee stated = document.guarantee;
  const auto* pair = std::get_if<ApproxDp>(&document.requested);
  if (pair != nullptr && delta_at(stated.loss, pair->epsilon) <= pair->delta) {
    stated.loss = *pair;
  }
  return stated;
}

}  // namespace eigenveil
