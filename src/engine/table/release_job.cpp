#include "engine/table/release_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/parallel.hpp"
#include "core/plain_text.hpp"
#include "core/strict_json.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/table/person_key.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMost = std::int64_t{1} << 50;

/// The request with what the job leaves out: the defaults of its task.
Result<Request> requested(const Json& json) {
  if (!json.is_object()) {
    return bad_request("{request} must be a JSON object", "request");
  }
  Request plain;
  const Json named = json.contains("task") ? json.at("task") : Json(name_of(plain.task));
  const Result<Task> task = parse_task(named.is_string() ? named.get<std::string>() : "");
  if (!task) {
    return error_of(task);
  }
  plain.task = *task;
  plain.relation = default_relation(*task);
  Json whole = Json::parse(to_json(plain));
  whole.update(json);
  return request_from_json(whole.dump());
}

char separator_of(const std::string& word) {
  return word == "comma"       ? ','
         : word == "semicolon" ? ';'
         : word == "tab"       ? '\t'
         : word == "pipe"      ? '|'
                               : '\0';
}

/// An object inside of a job; an empty one where it is absent.
Json part(StrictObject& in, const char* key) {
  const Json* found = in.find(key);
  return found == nullptr ? Json::object() : *found;
}

void read_format(StrictObject& job_in, ReleaseJob& job) {
  const Json json = part(job_in, "format");
  StrictObject in(json, "{format}");
  TextWords words;
  in.word("header", {"auto", "present", "absent", "numbers"}, words.header);
  in.word("separator", {"comma", "semicolon", "tab", "pipe"}, words.separator);
  in.word("decimal", {"comma", "point"}, words.decimal);
  in.word("encoding", {"utf-8", "latin-1", "utf-16"}, words.encoding);
  in.whole("width", 0, kMost, words.width);
  job.format = text_format(words);
  if (const Result<void> read = in.finish(); !read) {
    job_in.refuse(read.error());
  }
}

void read_out(StrictObject& job_in, ReleaseJob& job) {
  const Json json = part(job_in, "out");
  StrictObject in(json, "{out}");
  std::string arrays = "csv";
  bool replace = false;
  std::string folder;
  in.text("folder", folder);
  in.word("arrays", {"csv", "npy"}, arrays);
  in.flag("replace", replace);
  job.output.out = folder;
  job.output.arrays = arrays == "npy" ? TableFormat::Npy : TableFormat::Csv;
  job.output.existing = replace ? Existing::Replace : Existing::Refuse;
  if (const Result<void> read = in.finish(); !read) {
    job_in.refuse(read.error());
  }
}

bool is_checksum(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Text that stands in a document.
void read_plain(StrictObject& in, const char* key, std::string& into) {
  in.text(key, into);
  if (!is_plain_text(into)) {
    in.refuse(key, "one line of plain text");
  }
}

void read_private_files(StrictObject& in, ReleaseJob& job) {
  const Json json = part(in, "private_files");
  if (!json.is_object()) {
    in.refuse("private_files", "an object with the name of a file for every option");
    return;
  }
  for (const auto& [name, path] : json.items()) {
    if (!path.is_string()) {
      in.refuse(name, "the name of a file");
      return;
    }
    job.request.options.set(name, path.get<std::string>());
  }
}

void read_output(StrictObject& in, ReleaseJob& job) {
  read_out(in, job);
  if (const Json* seed = in.find("seed")) {
    if (seed->is_number_unsigned()) {
      job.output.seed = seed->get<std::uint64_t>();
    } else {
      in.refuse("seed", "a whole number from 0 on");
    }
  }
  in.text("ledger", job.output.ledger);
  in.text("ledger_key", job.output.ledger_key);
  std::string answer;
  in.word("same_data", {"ask", "yes", "no"}, answer);
  if (!answer.empty()) {
    job.output.same_data = same_data_of(answer);
  }
  in.texts("builds_on", job.output.builds_on, true);
  in.texts("checksums", job.output.checksums, true);
  if (!std::all_of(job.output.checksums.begin(), job.output.checksums.end(), is_checksum)) {
    in.refuse("checksums", "checksums of releases, 64 hexadecimal digits each");
  }
  in.flag("kept", job.output.kept);
  read_plain(in, "data_set", job.output.data_set);
  read_plain(in, "date", job.output.date);
}

void read_fields(StrictObject& in, ReleaseJob& job) {
  read_format(in, job);
  read_output(in, job);
  read_private_files(in, job);
  in.texts("input", job.inputs, true);
  const auto count = [&](const char* key, std::optional<std::int64_t>& into) {
    std::int64_t number = 0;
    in.whole(key, 1, kMost, number);
    if (number > 0) {
      into = number;
    }
  };
  count("rows", job.rows);
  count("people", job.people);
  in.whole("threads", 1, 1024, job.threads);
  in.flag("anyway", job.anyway);
  in.flag("compare", job.compare);
  in.texts("columns", job.columns, true);
  std::vector<double> spectrum;
  in.numbers("spectrum", spectrum);
  if (!spectrum.empty()) {
    job.spectrum = Eigen::Map<const Vector>(spectrum.data(), std::ssize(spectrum));
  }
}

/// A column and its levels: an object with one field.
void read_label(StrictObject& in, WordList& label) {
  const Json* json = in.find("label");
  if (json == nullptr) {
    return;
  }
  const auto are_texts = [](const Json& list) {
    return list.is_array() &&
           std::all_of(list.begin(), list.end(), [](const Json& word) { return word.is_string(); });
  };
  if (!json->is_object() || json->size() != 1 || !are_texts(json->front())) {
    in.refuse("label", "an object with one column and the list of its levels");
    return;
  }
  label = {json->begin().key(), json->front().get<std::vector<std::string>>()};
}

AskedCounts read_scores(StrictObject& in) {
  AskedScores asked;
  in.text("on", asked.on);
  std::vector<double> axes = {1.0, 2.0};
  in.numbers("axes", axes);
  const auto is_axis = [](double axis) {
    return axis >= 1.0 && axis <= 1e9 && axis == std::floor(axis);
  };
  if (axes.size() != 2 || !std::all_of(axes.begin(), axes.end(), is_axis)) {
    in.refuse("axes", "two components, from 1");
  } else {
    asked.axes = {static_cast<std::size_t>(axes[0]), static_cast<std::size_t>(axes[1])};
  }
  in.whole("cells", 2, 200, asked.cells);
  read_label(in, asked.label);
  in.text("labels", asked.labels);
  return asked;
}

AskedCounts read_bounds(StrictObject& in) {
  AskedBounds asked;
  in.number("outside", asked.outside);
  std::vector<double> outer;
  in.numbers("outer", outer);
  if (outer.size() == 2 && outer[0] < outer[1]) {
    asked.outer = {outer[0], outer[1]};
  } else if (in.has("outer")) {
    in.refuse("outer", "two finite numbers, the lowest below the highest");
  }
  std::string norm;
  in.word("row_norm", {"private"}, norm);
  asked.row_norm = !norm.empty();
  return asked;
}

/// Cells are counted at a price for neighbours, and that is all there is to ask of them.
void read_counts(StrictObject& job_in, const Json& json, ReleaseJob& job) {
  const Json* scores = job_in.find("scores");
  const Json* bounds = job_in.find("bounds");
  if (scores == nullptr && bounds == nullptr) {
    return;
  }
  if (scores != nullptr && bounds != nullptr) {
    job_in.refuse("scores", "asked for alone, without {bounds}");
  }
  StrictObject in(scores != nullptr ? *scores : *bounds,
                  scores != nullptr ? "{scores}" : "{bounds}");
  job.counts = scores != nullptr ? read_scores(in) : read_bounds(in);
  if (const Result<void> read = in.finish(); !read) {
    job_in.refuse(read.error());
  }
  for (const char* key :
       {"people", "anyway", "private_files", "same_data", "spectrum", "compare"}) {
    if (json.contains(key)) {
      job_in.refuse(key, "left out where cells are counted");
    }
  }
  const Json request = part(job_in, "request");
  for (const auto& [key, value] : request.items()) {
    if (key != "budget" && key != "neighbours" && key != "group_size") {
      job_in.refuse(key, "left out where cells are counted");
    }
  }
}

/// Cells are counted as they stand: of a table no more is said than how it is read, whose rows
/// these are, and for a norm the units.
Result<void> settle_counts(ReleaseJob& job) {
  const TableSpec& table = job.table;
  TableSpec taken;
  taken.missing = table.missing;
  taken.bad_cell = table.bad_cell;
  taken.person = table.person;
  taken.rows_per_person = table.rows_per_person;
  const auto* bounds = std::get_if<AskedBounds>(&*job.counts);
  if (bounds != nullptr) {
    taken.columns = table.columns;
    taken.exclude = table.exclude;
    if (bounds->row_norm) {
      taken.range = table.range;
      taken.bounds = table.bounds;
    } else if (table.range || table.bounds) {
      return bad_request("ranges that are known go with {row_norm private}", "row_norm");
    }
  }
  if (table_json(table) != table_json(taken)) {
    return bad_request(bounds != nullptr
                           ? "bounds are of cells as they stand: leave out what changes them"
                           : "scores reads the rows, with the columns of the release: leave out "
                             "what chooses or changes columns");
  }
  draw_person_key(job.table);
  return {};
}

Result<ReleaseJob> read_job(const Json& json, const TableSpec* spec) {
  StrictObject in(json, "a job");
  ReleaseJob job;
  job.threads = default_threads();
  Result<Request> request = requested(part(in, "request"));
  if (!request) {
    return error_of(request);
  }
  job.request = *std::move(request);
  const Json described = part(in, "table");
  Result<TableSpec> table =
      spec != nullptr ? Result<TableSpec>(*spec) : table_from_json(described.dump());
  if (!table) {
    return error_of(table);
  }
  job.table = *std::move(table);
  read_fields(in, job);
  read_counts(in, json, job);
  return in.finish().and_then([&] { return settle_job(job); }).map([&] { return job; });
}

}  // namespace

ReadOptions text_format(const TextWords& words) {
  ReadOptions options;
  options.header = parse_header(words.header).value_or(ReadOptions::Header::Auto);
  options.width = words.width;
  options.separator = separator_of(words.separator);
  options.decimal = words.decimal.empty()                              ? '\0'
                    : words.decimal == "comma" || words.decimal == "," ? ','
                                                                       : '.';
  options.encoding = words.encoding == "latin-1"  ? TextEncoding::Latin1
                     : words.encoding == "utf-16" ? TextEncoding::Utf16
                                                  : TextEncoding::Utf8;
  return options;
}

void draw_person_key(TableSpec& table) {
  if (!table.person.empty() && table.person_key == HashKey{}) {
    table.person_key = fresh_person_key();
  }
}

Result<void> settle_job(ReleaseJob& job) {
  if (job.counts) {
    return settle_counts(job);
  }
  Request& request = job.request;
  TableSpec& table = job.table;
  table.scaled = request.units == Units::Scaled;
  if (const Result<void> fit = check_stages(request, table); !fit) {
    return fit;
  }
  request.arrives_centred = table.arrives_centred();
  request.rank_transform = table.rank_transform;
  if (table.center) {
    request.center = CenterChoice::Public;
  }
  draw_person_key(table);
  return settle_people(table, request);
}

Result<ReleaseJob> release_job(std::string_view text, bool planned, const TableSpec* table) {
  const Json json = json_from_outside<Json>(text);
  if (!json.is_object()) {
    return bad_request("the text is not a job of Eigenveil");
  }
  return read_job(json, table).and_then([&](ReleaseJob job) -> Result<ReleaseJob> {
    if (!job.request.budget && !(planned && plans_without_budget(job.request.method))) {
      if (const Result<const Method*> method = choose_method(job.request); planned && !method) {
        return error_of(method);
      }
      return bad_request(
          "a budget is missing: give {epsilon} with {delta}, {epsilon} alone, {rho} or {mu}; there "
          "is no default",
          "epsilon");
    }
    if (planned && !job.inputs.empty()) {
      return bad_request("a plan is for a table nobody has read: leave out {input}", "input");
    }
    if (!planned && (!job.columns.empty() || job.spectrum.size() > 0 || job.compare)) {
      return bad_request(
          "{columns} of a job, {spectrum} and {compare} are of plans, for tables nobody has read",
          "spectrum");
    }
    if (const char* named = std::getenv("EIGENVEIL_LEDGER");
        job.output.ledger.empty() && !planned && named != nullptr) {
      job.output.ledger = named;
    }
    return job;
  });
}

}  // namespace eigenveil
