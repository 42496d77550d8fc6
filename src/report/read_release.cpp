#include "eigenveil/report/read_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/outside_json.hpp"
#include "core/parameter_names.hpp"
#include "core/whole_file.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/version.hpp"
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
    return input_output_error(fmt::format("{} does not exist", shown(path.string())));
  }
  if (!folder && path.extension() == ".json") {
    return path;
  }
  const fs::path place =
      folder ? path : (path.has_parent_path() ? path.parent_path() : fs::path("."));
  const std::vector<fs::path> found =
      documents_in(place, folder ? std::string() : path.filename().string());
  if (found.size() > 1) {
    return bad_request(fmt::format("{} has several release documents; give the one that is meant",
                                   shown(path.string())));
  }
  if (found.empty()) {
    return bad_request(
        folder ? fmt::format("{} has no release document in it", shown(path.string()))
               : fmt::format("{} has no release document beside it that names it; give the "
                             "release.json of the release",
                             shown(path.string())));
  }
  return found.front();
}

/// Lists of the result with a number for every component.
constexpr const char* kOfComponents[] = {"noisy_explained_variance", "noisy_explained_share",
                                         "noise_edge"};
constexpr std::int64_t kMostLines = std::int64_t{1} << 53;
constexpr const char* kSinceFormat2[] = {"requested", "request", "ledger", "builds_on",
                                         "data_set",  "date",    "papers"};
/// What a document of this version may hold, and the request inside of it (request_json.cpp).
constexpr std::string_view kKeys[] = {"eigenveil", "format",     "task",      "method",
                                      "requested", "request",    "ledger",    "builds_on",
                                      "data_set",  "date",       "guarantee", "not_protected",
                                      "papers",    "parameters", "result",    "report"};
constexpr std::string_view kRequestKeys[] = {
    "request",        "task",       "method", "budget", "neighbours",
    "group_size",     "components", "center", "units",  "arrives_centred",
    "rank_transform", "options",    "table"};

bool fine(double value) {
  return std::isfinite(value) && value >= 0.0;
}

bool increases(const std::vector<double>& values) {
  return std::is_sorted(values.begin(), values.end(), std::less_equal<>()) && !values.empty();
}

struct IsLoss {
  bool operator()(const PureDp& loss) const { return fine(loss.epsilon); }
  bool operator()(const ApproxDp& loss) const {
    return fine(loss.epsilon) && fine(loss.delta) && loss.delta <= 1.0;
  }
  bool operator()(const Zcdp& loss) const { return fine(loss.rho); }
  bool operator()(const GaussianDp& loss) const { return fine(loss.mu); }
  bool operator()(const RenyiCurve& loss) const {
    return loss.orders.size() == loss.divergences.size() && increases(loss.orders) &&
           loss.orders.front() > 1.0 &&
           std::all_of(loss.divergences.begin(), loss.divergences.end(), fine);
  }
  bool operator()(const TradeOffCurve& loss) const {
    const auto share = [](double value) { return value >= 0.0 && value <= 1.0; };
    return loss.type_one.size() == loss.type_two.size() && !loss.type_one.empty() &&
           std::is_sorted(loss.type_one.begin(), loss.type_one.end()) &&  // ties next to 1
           std::all_of(loss.type_one.begin(), loss.type_one.end(), share) &&
           std::all_of(loss.type_two.begin(), loss.type_two.end(), share) &&
           std::is_sorted(loss.type_two.rbegin(), loss.type_two.rend());
  }
};

/// No document of this version holds anything else.
bool is_ours(const Json& json) {
  return json.at("eigenveil") == kVersion;
}
template <std::size_t n>
bool holds_only(const Json& json, const std::string_view (&keys)[n]) {
  const auto items = json.items();
  return std::all_of(items.begin(), items.end(), [&](const auto& item) {
    return std::find(std::begin(keys), std::end(keys), item.key()) != std::end(keys);
  });
}

/// A sentence without its numbers, and these.
std::pair<std::string, std::vector<double>> taken_apart(const std::string& sentence) {
  std::pair<std::string, std::vector<double>> parts;
  const char* at = sentence.data();
  const char* const end = at + sentence.size();
  while (at != end) {
    double number = 0.0;
    const bool digit = *at >= '0' && *at <= '9';
    const auto read = digit ? std::from_chars(at, end, number, std::chars_format::fixed)
                            : std::from_chars_result{at, std::errc::invalid_argument};
    if (read.ec == std::errc()) {
      parts.first += '#';
      parts.second.push_back(number);
      at = read.ptr;
    } else {
      parts.first += *at++;
    }
  }
  return parts;
}

/// The words of the guarantee. Powers may come from another processor, to the tenth of a percent;
/// another version may have said it otherwise.
bool words_fit(const Json& json, const ReleaseDocument& document) {
  if (!is_ours(json)) {
    return true;
  }
  const Json& stated = json.at("guarantee");
  const auto [given, ours] = taken_apart(stated.value("in_words", std::string()));
  const auto [due, theirs] = taken_apart(detection_in_words(document.guarantee));
  return stated.value("statement", std::string()) ==
             headline(document.guarantee, document.requested) &&
         given == due &&
         std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](double a, double b) { return std::fabs(a - b) < 0.15; });
}

/// Whether what `given` says is what `due` says; words are compared elsewhere, and powers to the
/// tenth of a percent that people read, since they may come from another version or processor.
bool says(const Json& given, const Json& due) {
  for (const auto& [name, value] : given.items()) {
    const bool power = name.starts_with("max_power");
    const auto at = due.find(name);
    if (name == "statement" || name == "in_words") {
      continue;
    }
    if (power                                  ? at != due.end() && !(value.is_number() &&
                                     std::fabs(value.get<double>() - at->get<double>()) < 1e-3)
        : at == due.end()                      ? true
        : value.is_object() && at->is_object() ? !says(value, *at)
                                               : value != *at) {
      return false;
    }
  }
  return true;
}

/// A field that is there as a number, with the same value.
bool same_where_given(const Json& given, const char* name, const Json& due) {
  const auto at = given.find(name);
  return at == given.end() || at->is_null() || *at == due;
}

bool guarantee_fits(const Json& json, const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee;
  const bool known = guarantee.basis == Basis::NotPrivate;
  // Secure randomness makes a release private unless its rule is unsound, and known does not.
  const bool random = known ? !guarantee.secure_random || guarantee.would_be == Basis::NotPrivate
                            : guarantee.secure_random;
  // Whatever is private rests on random bits at least.
  return random && (known || !guarantee.assumptions.empty()) &&
         known == json.at("guarantee").contains("would_be") &&
         std::visit(IsLoss{}, guarantee.loss) && words_fit(json, document) &&
         says(json.at("guarantee"), guarantee_to_json(guarantee, document.requested));
}

/// Parameters that say again what the guarantee and the budget say.
bool parameters_fit(const Json& parameters, const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee;
  bool fit = same_where_given(parameters, "neighbours", name_of(guarantee.relation)) &&
             same_where_given(parameters, "group_size", guarantee.group_size) &&
             parameters.value("person", std::string()) == guarantee.person &&
             same_where_given(parameters, "rows_per_person", guarantee.group_size) &&
             (document.is_private() ? !parameters.contains("seed") : true);
  const Json requested = budget_to_json(document.requested);
  for (const auto& [name, value] : requested.items()) {
    fit = fit && (name == "kind" || same_where_given(parameters, name.c_str(), value));
  }
  return fit;
}

bool request_fits(const Json& request, const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee;
  // Subspaces name the aggregate that found them.
  const bool by_aggregate = document.task == "subspace";
  return request.is_object() &&
         (by_aggregate || same_where_given(request, "method", document.method)) &&
         same_where_given(request, "task", document.task) &&
         same_where_given(request, "neighbours", name_of(guarantee.relation)) &&
         same_where_given(request, "group_size", guarantee.group_size) &&
         same_where_given(request, "budget", budget_to_json(document.requested));
}

/// Loadings have a column for every component and, where they are of columns, a line for each.
bool loadings_fit(const ReleaseDocument& document) {
  const auto* components = field<std::int64_t>(document.parameters, "components");
  const auto* columns = field<std::vector<std::string>>(document.parameters, "columns");
  return std::all_of(document.tables.begin(), document.tables.end(), [&](const auto& table) {
    return table.name != "loadings" ||
           ((components == nullptr || table.values.cols() == *components) &&
            (columns == nullptr || std::ssize(*columns) == table.values.rows()));
  });
}

/// Numbers of the components, as many as there are.
bool lists_fit(const ReleaseDocument& document) {
  const auto loadings =
      std::find_if(document.tables.begin(), document.tables.end(),
                   [](const ReleasedTable& table) { return table.name == "loadings"; });
  return loadings == document.tables.end() ||
         std::none_of(std::begin(kOfComponents), std::end(kOfComponents), [&](const char* name) {
           const bool there = std::any_of(document.result.begin(), document.result.end(),
                                          [&](const auto& entry) { return entry.first == name; });
           const auto* numbers = field<std::vector<double>>(document.result, name);
           return there && (numbers == nullptr || std::ssize(*numbers) != loadings->values.cols());
         });
}

/// Columns are told apart by their names.
bool columns_fit(const ReleaseDocument& document) {
  const auto* columns = field<std::vector<std::string>>(document.parameters, "columns");
  return columns == nullptr ||
         std::set<std::string_view>(columns->begin(), columns->end()).size() == columns->size();
}

bool arrays_are_others(const Json& arrays) {
  std::set<std::string> names;
  return std::all_of(arrays.begin(), arrays.end(), [&](const Json& array) {
    return names.insert(array.at("name").get<std::string>()).second;
  });
}

/// What the first format did not have.
bool is_of_its_format(const Json& json) {
  if (json.at("format") != 1) {
    return json.contains("requested");
  }
  return std::none_of(std::begin(kSinceFormat2), std::end(kSinceFormat2),
                      [&](const char* name) { return json.contains(name); });
}

/// Of one entry of `result.arrays`.
bool contradicts_itself(const Json& array) {
  const Json& shape = array.at("shape");
  const auto size = [&](std::size_t place) { return whole_number(shape.at(place), 0, kMostLines); };
  if (!shape.is_array() || shape.size() != 2 || !size(0) || !size(1) ||
      std::ssize(array.at("columns")) != *size(1)) {
    return true;
  }
  const bool lines = array.contains("rows") && std::ssize(array.at("rows")) != *size(0);
  const bool alleles =
      array.contains("counted_alleles") && std::ssize(array.at("counted_alleles")) != *size(0);
  return lines || alleles;
}

/// Which of its fields a release contradicts by another, whoever wrote it; empty where they fit.
/// `json` is the document that `document` was read from.
std::string contradicted_field(const Json& json, const ReleaseDocument& document) {
  if (!is_of_its_format(json) || (is_ours(json) && !holds_only(json, kKeys))) {
    return "format";
  }
  if (!guarantee_fits(json, document)) {
    return "guarantee";
  }
  if (!parameters_fit(json.at("parameters"), document) || !columns_fit(document)) {
    return "parameters";
  }
  if (json.contains("request") &&
      (!request_fits(json.at("request"), document) ||
       (is_ours(json) && !holds_only(json.at("request"), kRequestKeys)))) {
    return "request";
  }
  return arrays_are_others(json.at("result").at("arrays")) && loadings_fit(document) &&
                 lists_fit(document)
             ? ""
             : "result";
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
  if (contradicts_itself(array)) {
    return bad_request(fmt::format("the release contradicts itself: {} has another shape", name));
  }
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
  document.papers = json.value("papers", std::vector<std::string>());
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
  if (!requested) {
    return bad_request("the release contradicts itself: its budget is none");
  }
  document.requested = *requested;
  return document;
}

Result<ReadRelease> release_from(Json json, const fs::path& path) {
  ReadRelease release;
  release.checksum = json.at("checksum").get<std::string>();
  release.format = static_cast<int>(
      whole_number(json.at("format"), 0, std::numeric_limits<int>::max()).value_or(0));
  release.version = json.at("eigenveil").get<std::string>();
  release.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  json.erase("checksum");
  if (release.checksum != hex(sha256(json.dump()))) {
    return bad_request(kChanged);
  }
  if (release.format < 1 || release.format > kReleaseFormat) {
    return bad_request(
        fmt::format("{} has format {}, which a later version wrote; this one reads formats 1 to {}",
                    shown(path.string()), release.format, kReleaseFormat));
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
  if (const std::string field = contradicted_field(json, *document); !field.empty()) {
    return bad_request(fmt::format(
        "the release contradicts itself: its {} is not what the rest of it says", field));
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
  if (repeats_a_field(*text)) {  // others would read another value than the checksum covers
    return bad_request(kChanged);
  }
  // The JSON library reports a missing or mistyped field by exception; this is the one place it can
  // surface.
  try {
    return release_from(json_from_outside<Json>(*text), *document);
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
