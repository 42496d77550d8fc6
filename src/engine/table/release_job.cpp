#include "engine/table/release_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/outside_json.hpp"
#include "core/parallel.hpp"
#include "core/plain_text.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/request_json.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

/// The request with what the job leaves out: the defaults of its task.
Result<Request> requested(const Json& json) {
  Request plain;
  const Result<Task> task = parse_task(json.value("task", std::string(name_of(plain.task))));
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

template <class T>
void read_word(const Json& json, const char* key, std::initializer_list<const char*> words,
               T& into) {
  if (!json.contains(key)) {
    return;
  }
  const auto word = json.at(key).get<std::string>();
  if (std::none_of(words.begin(), words.end(), [&](const char* known) { return word == known; })) {
    throw Error{ErrorCode::BadRequest,
                fmt::format("{{{}}} must be {}", key, fmt::join(words, " or ")), key};
  }
  into = word;
}

void read_format(const Json& json, ReleaseJob& job) {
  std::string header = "auto";
  std::string separator;
  read_word(json, "header", {"auto", "present", "absent", "numbers"}, header);
  read_word(json, "separator", {"comma", "semicolon", "tab", "pipe"}, separator);
  job.format.header = *parse_header(header);
  job.format.separator = separator_of(separator);
  std::string decimal;
  std::string encoding = "utf-8";
  read_word(json, "decimal", {"comma", "point"}, decimal);
  read_word(json, "encoding", {"utf-8", "latin-1", "utf-16"}, encoding);
  job.format.decimal = decimal.empty() ? '\0' : decimal == "comma" ? ',' : '.';
  job.format.encoding = encoding == "latin-1"  ? TextEncoding::Latin1
                        : encoding == "utf-16" ? TextEncoding::Utf16
                                               : TextEncoding::Utf8;
  job.format.width = json.value("width", std::size_t{0});
}

void read_output(const Json& json, ReleaseJob& job) {
  job.output.out = json.value("folder", "");
  job.output.arrays = json.value("arrays", "csv") == "npy" ? TableFormat::Npy : TableFormat::Csv;
  job.output.existing = json.value("replace", false) ? Existing::Replace : Existing::Refuse;
}

/// Text that stands in a document.
std::string plain(const Json& json, const char* key) {
  auto text = json.at(key).get<std::string>();
  if (!is_plain_text(text)) {
    throw Error{ErrorCode::BadRequest, fmt::format("{{{}}} must be one line of plain text", key),
                key};
  }
  return text;
}

void read_private_files(const Json& json, ReleaseJob& job) {
  for (const auto& [name, path] : json.items()) {
    if (!path.is_string()) {
      throw Error{ErrorCode::BadRequest, fmt::format("{{{}}} must be the name of a file", name),
                  name};
    }
    job.request.options.set(name, path.get<std::string>());
  }
}

std::vector<std::string> list_of(const Json& json) {
  return json.is_array() ? json.get<std::vector<std::string>>()
                         : std::vector<std::string>{json.get<std::string>()};
}

std::optional<std::int64_t> positive(const Json& json, const std::string& key) {
  const auto value = whole_number(json, 1, std::int64_t{1} << 50);
  if (!value) {
    throw Error{ErrorCode::BadRequest, fmt::format("{{{}}} must be a whole number from 1 on", key),
                key};
  }
  return value;
}

void read_job_key(ReleaseJob& job, const std::string& key, const Json& value) {
  if (key == "format") {
    read_format(value, job);
  } else if (key == "input") {
    job.inputs = list_of(value);
  } else if (key == "rows") {
    job.rows = positive(value, key);
  } else if (key == "people") {
    job.people = positive(value, key);
  } else if (key == "anyway") {
    job.anyway = value.get<bool>();
  } else if (key == "threads") {
    job.threads = static_cast<int>(std::min<std::int64_t>(*positive(value, key), 1024));
  } else if (key == "seed") {
    if (!value.is_number_unsigned()) {
      throw Error{ErrorCode::BadRequest, "{seed} must be a whole number from 0 on", "seed"};
    }
    job.output.seed = value.get<std::uint64_t>();
  } else if (key == "ledger") {
    job.output.ledger = value.get<std::string>();
  } else if (key == "ledger_key") {
    job.output.ledger_key = value.get<std::string>();
  } else if (key == "same_data") {
    std::string answer;
    read_word(Json{{key, value}}, "same_data", {"ask", "yes", "no"}, answer);
    job.output.same_data = same_data_of(answer);
  } else if (key == "builds_on") {
    job.output.builds_on = list_of(value);
  } else if (key == "checksums") {
    job.output.checksums = list_of(value);
  } else if (key == "kept") {
    job.output.kept = value.get<bool>();
  } else if (key == "out") {
    read_output(value, job);
  } else if (key == "data_set") {
    job.output.data_set = plain(Json{{key, value}}, "data_set");
  } else if (key == "date") {
    job.output.date = plain(Json{{key, value}}, "date");
  } else if (key == "columns") {
    job.columns = list_of(value);
  } else if (key == "spectrum") {
    const auto values = value.get<std::vector<double>>();
    job.spectrum =
        Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  } else if (key == "compare") {
    job.compare = value.get<bool>();
  } else if (key != "request" && key != "table" && key != "private_files") {
    throw Error{ErrorCode::BadRequest, fmt::format("a job has no field '{}'", key), key};
  }
}

/// Errors travel out of the nested readers by exception, and no further than here.
Result<ReleaseJob> read_job(const Json& json, const TableSpec* spec) {
  try {
    ReleaseJob job;
    job.threads = default_threads();
    Result<Request> request = requested(json.value("request", Json::object()));
    if (!request) {
      return error_of(request);
    }
    job.request = *std::move(request);
    Result<TableSpec> table = spec != nullptr
                                  ? Result<TableSpec>(*spec)
                                  : table_from_json(json.value("table", Json::object()).dump());
    if (!table) {
      return error_of(table);
    }
    job.table = *std::move(table);
    for (const auto& [key, value] : json.items()) {
      read_job_key(job, key, value);
    }
    read_private_files(json.value("private_files", Json::object()), job);
    return settle_job(job).map([&] { return job; });
  } catch (const Error& error) {
    return tl::unexpected<Error>(error);
  } catch (const nlohmann::json::exception&) {
    return bad_request("a field of the job is not what it should be");
  }
}

}  // namespace

void draw_person_key(TableSpec& table) {
  if (table.person.empty() || table.person_key != HashKey{}) {
    return;
  }
  RandomStream stream = RandomStream::secure();
  for (unsigned char& byte : table.person_key) {  // fresh: nobody can prepare names that collide
    byte = static_cast<unsigned char>(stream.bits64());
  }
}

Result<void> settle_job(ReleaseJob& job) {
  Request& request = job.request;
  TableSpec& table = job.table;
  request.arrives_centred = table.arrives_centred();
  request.rank_transform = table.rank_transform;
  table.scaled = request.units == Units::Scaled;
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
    if (const char* named = std::getenv("EIGENVEIL_LEDGER");
        job.output.ledger.empty() && !planned && named != nullptr) {
      job.output.ledger = named;
    }
    return job;
  });
}

}  // namespace eigenveil
