#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/engine/request.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil::cli {

/// What the explorer was started with: public names and paths, no row.
struct ExploreSource {
  std::string input = {};      ///< the table's file; empty: none, nothing to release
  std::string header = {};     ///< what its first line holds, as the curator said; empty: not yet
  std::string separator = {};  ///< words of its options; empty: told from the file's name
  std::string decimal = {};
  std::string encoding = {};
  std::vector<std::string> columns = {};  ///< names from its header, or c1, c2, ...
  std::string bounds_file = {};           ///< a dictionary of ranges, as it was given
  std::vector<NamedRange> bounds = {};    ///< what it says
  std::string ledger = {};                ///< its file; empty: none

  /// Of everything that was said on the page: a tab that asks by another one shows what is no
  /// longer so.
  std::string mark() const;
};

/// What is on the screen, all of it public or assumed. The page sends it whole with every move.
struct Question {
  Task task = Task::Components;
  std::string method = {};  ///< empty: the default of task and budget
  double epsilon = 1.0;
  double delta = 1e-6;  ///< 0: pure
  Relation relation = Relation::AddRemove;
  std::int64_t people = 20000;
  std::vector<std::string> columns = {};
  bool some_columns = false;              ///< not all of the table's
  std::optional<ColumnRange> range = {};  ///< of every column; absent: the dictionary's
  Eigen::Index hoped = 6;                 ///< components one hopes to see
  Eigen::Index components = 0;            ///< to release; 0: those that rise above the noise
  double spread = 0.3;        ///< assumed: standard deviation of a column over half its range
  std::string shape = "few";  ///< assumed: few, some or many directions carry it
  double map_epsilon = 0.0;   ///< of the map of people, a release of its own; 0: none
  std::string response = {};  ///< of a regression on the released covariance; empty: none
  std::vector<std::string> predictors = {};
  bool standardize = false;  ///< ranges differ, so results stay in scaled units
  std::string data_set = {};
  std::string date = {};
  std::string out = "out";
  bool anyway = false;  ///< spend although noise would drown it

  bool centred() const { return has_center(task); }
};

/// Reads what the page sends about this source; what cannot be is refused in a sentence.
Result<Question> question_from_json(std::string_view text, const ExploreSource& source);

/// The engine's request, for a number of components.
Request request_of(const Question& question, Eigen::Index components);
/// The table nobody has read. Eigenvalues in scaled units, for tasks that take them.
Result<AssumedTable> assumed_table_of(const Question& question, const ExploreSource& source);
/// Eigenvalues that the assumptions give, largest first, scaled units.
Vector assumed_spectrum_of(const Question& question);
/// Half the range of every column where they agree, else nothing: then units stay scaled.
std::optional<double> common_half_range(const Question& question, const ExploreSource& source);

/// The words of the command that makes the release on the screen, after the program's name.
/// Without a table its file is called table.csv.
std::vector<std::string> command_words(const Question& question, const ExploreSource& source,
                                       Eigen::Index components);
/// The words of what follows the release: the map of people on its directions, a release of its
/// own, or a regression on the covariance, which costs nothing. Empty where nothing does.
std::vector<std::string> next_words(const Question& question, const ExploreSource& source);
/// The same as a line for a shell.
std::string shell_line(const std::vector<std::string>& words);
/// The same in Python.
std::string python_code(const Question& question, const ExploreSource& source,
                        Eigen::Index components);

/// One word for a shell, and one literal for Python, whatever is in it.
std::string shell_quoted(std::string_view word);
std::string python_quoted(std::string_view text);

}  // namespace eigenveil::cli
