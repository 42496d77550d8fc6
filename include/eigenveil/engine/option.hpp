#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// What a release is about; the commands that have a choice of methods.
enum class Task : std::uint8_t {
  Components,
  Covariance,
  LowRank,
  Mask,      ///< pseudo-data
  Subspace,  ///< in or near which the rows lie; no bound on them is needed
};
std::string_view name_of(Task task);  ///< "pca", "covariance", "lowrank", "mask", "subspace"
[[nodiscard]] Result<Task> parse_task(std::string_view name);
/// Second moments about a centre, which a request chooses.
bool has_center(Task task);
/// Rows are clipped to a public bound.
bool has_bound(Task task);

/// What an option holds: decides how a face reads it and what is checked.
enum class OptionKind : std::uint8_t {
  Flag,
  WholeNumber,
  Number,
  Share,        ///< 0 < x < 1
  Word,         ///< one of a list, the default first
  Spectrum,     ///< finite eigenvalues, none negative; a file with one per line on a command line
  PrivateFile,  ///< a path for the curator's eyes: what is written there is in no guarantee
};

using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

/// Where a number must lie; the ends belong to it unless they are said to be left out.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool without_low = false;
  bool without_high = false;
  bool contains(double value) const;
  std::string in_words() const;  ///< "a number above 0"
};
constexpr NumberRange kPositive{.low = 0.0, .without_low = true};
constexpr NumberRange kOpenUnit{.low = 0.0, .high = 1.0, .without_low = true, .without_high = true};

/// An option of a method, said once: `eigenvalue_share` is --eigenvalue-share on the command line
/// and eigenvalue_share= in Python and R, with this sentence as its help everywhere.
struct OptionSpec {
  std::string name;
  OptionKind kind = OptionKind::Flag;
  std::string sentence;
  std::vector<std::string> words = {};  ///< of a Word
  std::int64_t smallest = 1;            ///< of a WholeNumber
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  NumberRange range = {};                     ///< of a Number; a Share has the open unit interval
  std::optional<OptionValue> otherwise = {};  ///< the default, where it is one value
  std::string otherwise_in_words = {};        ///< where it depends on the rest of the request
  std::vector<Task> tasks = {};               ///< empty: every task of its method
  bool serves(Task task) const;
  /// The default for people, empty where an option that is absent means nothing: "0.2".
  std::string default_in_words() const;
  /// The sentence with the default, as every face shows it.
  std::string help() const;
};

/// Options that were given, by name. What is absent has its default, which the method knows.
class Options {
 public:
  void set(std::string name, OptionValue value);
  bool given(std::string_view name) const { return values_.contains(name); }
  bool flag(std::string_view name) const { return value(name, false); }
  template <class T>
  std::optional<T> find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional<T>(std::get<T>(found->second));
  }
  template <class T>
  T value(std::string_view name, T otherwise) const {
    return find<T>(name).value_or(std::move(otherwise));
  }
  const std::map<std::string, OptionValue, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, OptionValue, std::less<>> values_;
};

/// The value as the option takes it (a whole number serves as a number), or a sentence that says
/// what it must be.
[[nodiscard]] Result<OptionValue> checked(const OptionSpec& spec, OptionValue value);

}  // namespace eigenveil
