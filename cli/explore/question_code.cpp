#include <fmt/format.h>

#include <algorithm>

#include "cli/explore/question.hpp"
#include "report/html_text.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kNoTable = "table.csv";

bool unquoted_in_shells(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') ||
         std::string_view("-_./:=,@%+").find(letter) != std::string_view::npos;
}

std::string column_list(const std::vector<std::string>& columns) {
  return fmt::format("{}", fmt::join(columns, ","));
}

/// How the table is written, where that was said.
void add_format(std::vector<std::string>& words, const ExploreSource& source) {
  words.insert(words.end(), {"--header", source.header.empty() ? "present" : source.header});
  if (source.header == "absent") {
    words.insert(words.end(), {"--width", fmt::format("{}", source.columns.size())});
  }
  for (const auto& [name, value] :
       {std::pair("--separator", source.separator), std::pair("--decimal", source.decimal),
        std::pair("--encoding", source.encoding)}) {
    if (!value.empty()) {
      words.insert(words.end(), {name, value});
    }
  }
}

std::string table_word(const ExploreSource& source) {
  return source.input.empty() ? kNoTable : source.input;
}

std::string range_text(const ColumnRange& range) {
  return fmt::format("{}:{}", range.low, range.high);
}

std::string class_of(Task task) {
  return task == Task::Components   ? "PrivatePCA"
         : task == Task::Covariance ? "PrivateCovariance"
                                    : "MaskedData";
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), unquoted_in_shells)) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char letter : word) {
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return quoted + "'";
}

std::string python_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      quoted += fmt::format("\\{}", letter);
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

std::vector<std::string> command_words(const Question& question, const ExploreSource& source,
                                       Eigen::Index components) {
  std::vector<std::string> words = {std::string(name_of(question.task)), table_word(source)};
  const auto add = [&](std::string name, std::string value) {
    if (value.starts_with('-')) {  // or it would be taken for another option
      words.push_back(std::move(name) + "=" + std::move(value));
      return;
    }
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  };
  add_format(words, source);
  if (question.some_columns) {
    add("--columns", column_list(question.columns));
  }
  if (takes_rank(question.task)) {
    add("-k", fmt::format("{}", components));
  }
  add("--epsilon", fmt::format("{}", question.epsilon));
  if (question.delta > 0.0) {
    add("--delta", fmt::format("{}", question.delta));
  }
  if (question.range) {
    add("--range", range_text(*question.range));
  } else {
    add("--bounds", source.bounds_file);
  }
  if (question.standardize) {
    words.emplace_back("--standardize");
  }
  if (question.relation != default_relation(question.task)) {
    add("--neighbours", std::string(name_of(question.relation)));
  }
  if (!question.method.empty()) {
    add("--method", question.method);
  }
  if (question.task != Task::Mask) {  // the verdict goes by the number on the page
    add("--people", fmt::format("{}", question.people));
  }
  if (question.anyway) {
    words.emplace_back("--anyway");
  }
  if (!source.ledger.empty()) {
    add("--ledger", source.ledger);
  }
  if (!question.data_set.empty()) {
    add("--data-set", question.data_set);
  }
  if (!question.date.empty()) {
    add("--date", question.date);
  }
  add("--out", question.out);
  return words;
}

namespace {

std::vector<std::string> map_words(const Question& question, const ExploreSource& source) {
  std::vector<std::string> words = {"scores", table_word(source)};
  add_format(words, source);
  words.insert(words.end(), {"--on", question.out + "/release.json", "--axes", "1,2", "--epsilon",
                             fmt::format("{}", question.map_epsilon)});
  if (question.relation != Relation::AddRemove) {
    words.insert(words.end(), {"--neighbours", std::string(name_of(question.relation))});
  }
  if (!source.ledger.empty()) {
    words.insert(words.end(), {"--ledger", source.ledger});
  }
  words.insert(words.end(), {"--out", question.out + "-map"});
  return words;
}

std::vector<std::string> with_intercept(const Question& question) {
  std::vector<std::string> predictors = {"intercept"};
  predictors.insert(predictors.end(), question.predictors.begin(), question.predictors.end());
  return predictors;
}

}  // namespace

std::vector<std::string> next_words(const Question& question, const ExploreSource& source) {
  if (question.map_epsilon > 0.0) {
    return map_words(question, source);
  }
  if (question.response.empty()) {
    return {};
  }
  // With "=", for a name may begin with a dash.
  return {"analyse", "regress", question.out, "--response=" + question.response,
          "--predictors=" + column_list(with_intercept(question))};
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line = "eigenveil";
  for (const std::string& word : words) {
    line += " " + shell_quoted(word);
  }
  return line;
}

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + python_quoted(name);
  }
  return "[" + list + "]";
}

std::string regression_code(const Question& question) {
  if (question.response.empty()) {
    return {};
  }
  return fmt::format("\nslopes = eigenveil.analyse_regress(release, {}, {})",
                     python_quoted(question.response), list_of(with_intercept(question)));
}

}  // namespace

std::string python_code(const Question& question, const ExploreSource& source,
                        Eigen::Index components) {
  std::string arguments;
  const auto add = [&](std::string_view name, const std::string& value) {
    arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", name, value);
  };
  if (takes_rank(question.task)) {
    add("n_components", fmt::format("{}", components));
  }
  add("epsilon", fmt::format("{}", question.epsilon));
  if (question.delta > 0.0) {
    add("delta", fmt::format("{}", question.delta));
  }
  if (question.range) {
    add("bounds", fmt::format("({}, {})", question.range->low, question.range->high));
  } else {
    std::string ranges;
    for (const NamedRange& range : source.bounds) {
      if (std::find(question.columns.begin(), question.columns.end(), range.column) !=
          question.columns.end()) {
        ranges += fmt::format("{}{}: ({}, {})", ranges.empty() ? "" : ", ",
                              python_quoted(range.column), range.range.low, range.range.high);
      }
    }
    add("bounds", "{" + ranges + "}");
  }
  if (question.some_columns) {
    add("columns", list_of(question.columns));
  }
  if (!source.header.empty()) {
    add("header", python_quoted(source.header));
  }
  for (const auto& [name, value] :
       {std::pair("separator", source.separator), std::pair("encoding", source.encoding)}) {
    if (!value.empty()) {
      add(name, python_quoted(value));
    }
  }
  if (!source.decimal.empty()) {
    add("decimal", source.decimal == "comma" ? "\",\"" : "\".\"");
  }
  if (question.standardize) {
    add("standardize", "True");
  }
  if (question.relation != default_relation(question.task)) {
    add("neighbours", python_quoted(name_of(question.relation)));
  }
  if (!question.method.empty()) {
    add("method", python_quoted(question.method));
  }
  if (question.task != Task::Mask) {
    add("people", fmt::format("{}", question.people));
  }
  if (question.anyway) {
    add("anyway", "True");
  }
  const bool charged = !source.ledger.empty() && question.task != Task::Mask;
  if (charged) {
    add("ledger", fmt::format("eigenveil.Ledger({})", python_quoted(source.ledger)));
  }
  if (charged && source.header == "absent") {
    return "# The command alone releases this table past a ledger: without names the number of\n"
           "# columns must be said, and Python has no place for it.";
  }
  return fmt::format("{}release = eigenveil.{}({}).fit({})",
                     source.ledger.empty() || charged
                         ? ""
                         : "# The command charges the ledger; MaskedData cannot yet.\n",
                     class_of(question.task), arguments, python_quoted(table_word(source))) +
         regression_code(question);
}

}  // namespace eigenveil::cli
