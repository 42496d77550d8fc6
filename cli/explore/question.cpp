#include "cli/explore/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "eigenveil/core/digest.hpp"
#include "engine/table/prepared_table.hpp"

namespace eigenveil::cli {
namespace {

using Sent = nlohmann::json;  // what the page sends; its order means nothing

constexpr std::size_t kMostColumns = 4096;
constexpr std::size_t kLongestName = 400;

/// A number between two limits, or its default where it is absent.
Result<double> number_in(const Sent& json, const char* key, double otherwise, double low,
                         double high) {
  if (!json.contains(key) || json[key].is_null()) {
    return otherwise;
  }
  const Sent& value = json[key];
  if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
    return bad_request(fmt::format("{} must be a number between {:g} and {:g}", key, low, high));
  }
  return value.get<double>();
}

Result<std::string> text_in(const Sent& json, const char* key, std::string otherwise) {
  if (!json.contains(key) || json[key].is_null()) {
    return otherwise;
  }
  if (!json[key].is_string() || json[key].get<std::string>().size() > kLongestName) {
    return bad_request(fmt::format("{} must be a text of at most {} bytes", key, kLongestName));
  }
  return json[key].get<std::string>();
}

Result<std::vector<std::string>> names_in(const Sent& json, const char* key) {
  std::vector<std::string> columns;
  if (!json.contains(key) || !json[key].is_array() || json[key].empty() ||
      json[key].size() > kMostColumns) {
    return bad_request(fmt::format("this page takes 1 to {} columns: choose among them on screen 1",
                                   kMostColumns));
  }
  for (const Sent& name : json[key]) {
    if (!name.is_string() || name.get<std::string>().empty() ||
        name.get<std::string>().size() > kLongestName) {
      return bad_request("every column needs a name");
    }
    columns.push_back(name.get<std::string>());
  }
  std::vector<std::string> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return bad_request("two columns have the same name");
  }
  return columns;
}

/// Collects the first refusal, so that a list of fields reads as a list.
class Reader {
 public:
  explicit Reader(const Sent& json) : json_(json) {}
  double number(const char* key, double otherwise, double low, double high) {
    return keep(number_in(json_, key, otherwise, low, high), otherwise);
  }
  std::string text(const char* key, const std::string& otherwise) {
    return keep(text_in(json_, key, otherwise), otherwise);
  }
  template <class T>
  T keep(Result<T> found, T otherwise) {
    if (!found && !refusal_) {
      refusal_ = found.error();
    }
    return found ? *std::move(found) : std::move(otherwise);
  }
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  const Sent& json_;
  std::optional<Error> refusal_;
};

/// Lists of names on a command line are cut at commas, and "@" there begins the name of a file.
bool all_listable(const std::vector<std::string>& names) {
  return std::none_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find(',') != std::string::npos || name.starts_with('@');
  });
}

/// Made-up rows are as many as the people: their plans take longer with them, and nobody writes as
/// many as this.
constexpr double kMostMadeUp = 1e8;

Result<std::int64_t> people_in(const Sent& json, Task task) {
  if (!json.contains("people") || json["people"].is_null()) {
    return 20000;
  }
  const bool made_up = task == Task::Mask;
  const std::optional<std::int64_t> people = eigenveil::whole_number(
      json["people"], 2, static_cast<std::int64_t>(made_up ? kMostMadeUp : 1e12));
  return people ? Result<std::int64_t>(*people)
         : made_up
             ? bad_request(
                   "this page plans pseudo-data for a whole number of people, 2 to 100000000; the "
                   "command takes more")
             : bad_request("people must be a whole number, 2 to 1000000000000");
}

Result<Task> task_in(const Sent& json) {
  const Result<std::string> word = text_in(json, "task", "pca");
  const Result<Task> task = word ? parse_task(*word) : Result<Task>(error_of(word));
  if (task && *task != Task::Components && *task != Task::Covariance && *task != Task::Mask) {
    return bad_request("this page plans directions, a covariance or pseudo-data");
  }
  return task;
}

Result<std::string> shape_in(const Sent& json) {
  Result<std::string> shape = text_in(json, "shape", "few");
  if (shape && *shape != "few" && *shape != "some" && *shape != "many") {
    return bad_request("the differences lie in few, some or many directions");
  }
  return shape;
}

/// A number so small that nobody could write it out is no small print.
Result<double> delta_in(const Sent& json) {
  constexpr double kLeastDelta = 1e-30;
  const Result<double> delta = number_in(json, "delta", 1e-6, 0.0, 0.5);
  if (delta && *delta > 0.0 && *delta < kLeastDelta) {
    return bad_request("delta must be 0, or 1e-30 at least");
  }
  return delta;
}

/// Every column is one of the table's: the command takes all that are not left out by name.
Result<void> check_of_table(const std::vector<std::string>& columns, const ExploreSource& source) {
  std::vector<std::string> known = source.columns;
  std::sort(known.begin(), known.end());
  const bool all = std::all_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return std::binary_search(known.begin(), known.end(), column);
  });
  return known.empty() || all
             ? Result<void>()
             : bad_request(
                   "this page asks for a column that the table does not have: load it "
                   "again");
}

/// How fast the eigenvalues fall.
double decay_of(const std::string& shape) {
  return shape == "few" ? 0.42 : shape == "some" ? 0.65 : 0.85;
}

}  // namespace

std::string ExploreSource::mark() const {
  Sha256 told;
  const auto tell = [&](const std::string& text) {
    told.update(fmt::format("{}:{}", text.size(), text));
  };
  tell(header);
  tell(bounds_file);
  for (const std::string& column : columns) {
    tell(column);
  }
  for (const NamedRange& range : bounds) {
    tell(fmt::format("{} {} {}", range.range.low, range.range.high, range.column));
  }
  return hex(told.finish()).substr(0, 16);
}

Result<Question> question_from_json(std::string_view text, const ExploreSource& source) {
  const Sent json = json_from_outside<Sent>(text);
  if (json.is_discarded() || !json.is_object()) {
    return bad_request("this is no question: JSON was expected");
  }
  if (json.contains("mark") && json["mark"] != source.mark()) {
    return bad_request(
        "another tab of this page has said otherwise of the first line or of the ranges: load "
        "this page again");
  }
  Reader read(json);
  Question question;
  question.task = read.keep(task_in(json), Task::Components);
  question.method = read.text("method", "");
  question.epsilon = read.number("epsilon", 1.0, 1e-4, 100.0);
  question.delta = read.keep(delta_in(json), 1e-6);
  question.relation = read.keep(
      parse_relation(read.text("relation", std::string(name_of(default_relation(question.task))))),
      Relation::AddRemove);
  question.people = read.keep(people_in(json, question.task), std::int64_t{20000});
  question.columns = read.keep(names_in(json, "columns"), {});
  question.some_columns = !source.columns.empty() && question.columns != source.columns;
  question.hoped = static_cast<Eigen::Index>(read.number("hoped", 6, 1, 12));
  question.components = static_cast<Eigen::Index>(read.number("components", 0, 0, 12));
  question.spread = read.number("spread", 0.3, 0.01, 0.9);
  question.shape = read.keep(shape_in(json), std::string("few"));
  question.map_epsilon =
      question.task == Task::Components ? read.number("map_epsilon", 0.0, 0.0, 100.0) : 0.0;
  question.response = question.task == Task::Covariance ? read.text("response", "") : "";
  if (!question.response.empty()) {
    question.predictors = read.keep(names_in(json, "predictors"), {});
  }
  question.data_set = read.text("data_set", "");
  question.date = read.text("date", "");
  question.out = read.text("out", "out");
  question.anyway = json.contains("anyway") && json["anyway"] == true;
  if (json.contains("range") && json["range"].is_array() && json["range"].size() == 2 &&
      json["range"][0].is_number() && json["range"][1].is_number()) {
    question.range = {json["range"][0].get<double>(), json["range"][1].get<double>()};
  }
  if (read.refusal()) {
    return tl::unexpected<Error>(*read.refusal());
  }
  if (const Result<void> known = check_of_table(question.columns, source); !known) {
    return error_of(known);
  }
  if (question.some_columns && !all_listable(question.columns)) {
    return bad_request(
        "a name with a comma cannot be chosen in a list of names: keep all columns, or rename it");
  }
  constexpr std::size_t kMostExplained = 1000;  // its covariance is solved for every picture
  if (!question.response.empty() && question.columns.size() > kMostExplained) {
    return bad_request(
        "this page plans a regression among 1000 columns at most: leave some out on screen 1, or "
        "publish the covariance, from which any regression can be computed");
  }
  if (!all_listable(question.predictors)) {
    return bad_request(
        "a name with a comma cannot stand in the list of what explains: leave it out on screen 2, "
        "or "
        "rename it");
  }
  const auto width = static_cast<Eigen::Index>(question.columns.size());
  question.hoped = std::min(question.hoped, std::max<Eigen::Index>(1, width - 1));
  question.components = std::min(question.components, width);
  question.standardize = question.centred() && !common_half_range(question, source);
  return question;
}

Request request_of(const Question& question, Eigen::Index components) {
  Request request;
  request.task = question.task;
  request.method = question.method;
  request.budget = question.delta > 0.0 ? Budget(ApproxDp{question.epsilon, question.delta})
                                        : Budget(PureDp{question.epsilon});
  request.relation = question.relation;
  request.units = question.standardize ? Units::Scaled : Units::Original;
  if (takes_rank(question.task)) {
    request.components = components;
    request.components_given = true;
  }
  return request;
}

Vector assumed_spectrum_of(const Question& question) {
  const auto width = static_cast<Eigen::Index>(question.columns.size());
  const double total = question.spread * question.spread * static_cast<double>(width);
  const double decay = decay_of(question.shape);
  constexpr double kEven = 0.06;  // of the variance lies in all directions alike
  Vector spectrum(width);
  for (Eigen::Index j = 0; j < width; ++j) {
    spectrum[j] = std::pow(decay, static_cast<double>(j));
  }
  spectrum *= (1.0 - kEven) * total / spectrum.sum();
  return spectrum.array() + kEven * total / static_cast<double>(width);
}

namespace {

/// The ranges of the columns on the screen, or what is missing.
Result<TableSpec> spec_of(const Question& question, const ExploreSource& source) {
  TableSpec spec;
  if (question.range) {
    spec.range = question.range;
    return spec;
  }
  if (source.bounds.empty()) {
    return bad_request("the answers need a range: a low and a high end");
  }
  spec.bounds.emplace();
  for (const std::string& column : question.columns) {
    const auto found =
        std::find_if(source.bounds.begin(), source.bounds.end(),
                     [&](const NamedRange& range) { return range.column == column; });
    if (found == source.bounds.end()) {
      return bad_request(fmt::format("the dictionary has no range for column {}", column));
    }
    spec.bounds->push_back(*found);
  }
  return spec;
}

}  // namespace

std::optional<double> common_half_range(const Question& question, const ExploreSource& source) {
  if (question.range) {
    return 0.5 * (question.range->high - question.range->low);
  }
  const Result<TableSpec> spec = spec_of(question, source);
  if (!spec) {
    return std::nullopt;
  }
  const ColumnRange& first = spec->bounds->front().range;
  const bool same =
      std::all_of(spec->bounds->begin(), spec->bounds->end(), [&](const NamedRange& other) {
        return other.range.high - other.range.low == first.high - first.low;
      });
  return same ? std::optional(0.5 * (first.high - first.low)) : std::nullopt;
}

Result<AssumedTable> assumed_table_of(const Question& question, const ExploreSource& source) {
  const Result<TableSpec> spec = spec_of(question, source);
  if (!spec) {
    return error_of(spec);
  }
  AssumedTable table;
  table.schema = Schema{question.columns};
  table.rows = question.people;
  const Result<PreparedTable> prepared = PreparedTable::make(*spec, table.schema);
  if (!prepared) {
    return error_of(prepared);
  }
  table.bound = [bound = prepared->bound()](const auto&) { return Result<RowBound>(bound); };
  if (question.centred()) {
    table.spectrum = assumed_spectrum_of(question);
  }
  return table;
}

}  // namespace eigenveil::cli
