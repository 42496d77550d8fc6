#include "eigenveil/engine/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eigenveil {
namespace {

Result<OptionValue> refused(const OptionSpec& spec, const std::string& what) {
  return bad_request(fmt::format("{{{}}} must be {}", spec.name, what), spec.name);
}

Result<OptionValue> whole_number_of(const OptionSpec& spec, const OptionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < spec.smallest || *number > spec.largest) {
    return spec.largest == std::numeric_limits<std::int64_t>::max()
               ? refused(spec, fmt::format("a whole number from {}", spec.smallest))
               : refused(spec,
                         fmt::format("a whole number from {} to {}", spec.smallest, spec.largest));
  }
  return value;
}

Result<OptionValue> number_of(const OptionSpec& spec, const OptionValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const NumberRange& range = spec.kind == OptionKind::Share ? kOpenUnit : spec.range;
  if (whole == nullptr && real == nullptr) {
    return refused(spec, range.in_words());
  }
  const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
  return range.contains(number) ? Result<OptionValue>(number) : refused(spec, range.in_words());
}

Result<OptionValue> word_of(const OptionSpec& spec, const OptionValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr ||
      std::find(spec.words.begin(), spec.words.end(), *word) == spec.words.end()) {
    return refused(spec, fmt::format("{}", fmt::join(spec.words, " or ")));
  }
  return value;
}

Result<OptionValue> spectrum_of(const OptionSpec& spec, OptionValue value) {
  auto* numbers = std::get_if<std::vector<double>>(&value);
  if (numbers == nullptr || numbers->empty() ||
      !std::all_of(numbers->begin(), numbers->end(),
                   [](double x) { return std::isfinite(x) && x >= 0.0; })) {
    return refused(spec, "finite eigenvalues that are not negative");
  }
  std::sort(numbers->begin(), numbers->end(), std::greater<>());
  return value;
}

}  // namespace

std::string_view name_of(Task task) {
  switch (task) {
    case Task::Components:
      return "pca";
    case Task::LowRank:
      return "lowrank";
    case Task::Mask:
      return "mask";
    case Task::Subspace:
      return "subspace";
    default:
      return "covariance";
  }
}

Result<Task> parse_task(std::string_view name) {
  for (const Task task :
       {Task::Components, Task::Covariance, Task::LowRank, Task::Mask, Task::Subspace}) {
    if (name == name_of(task)) {
      return task;
    }
  }
  return bad_request("the request names a task that this version does not know");
}

bool has_center(Task task) {
  return task != Task::Mask && has_bound(task);
}

bool has_bound(Task task) {
  return task != Task::Subspace;
}

bool NumberRange::contains(double value) const {
  return std::isfinite(value) && (without_low ? value > low : value >= low) &&
         (without_high ? value < high : value <= high);
}

std::string NumberRange::in_words() const {
  const bool below = std::isfinite(high);
  if (!std::isfinite(low)) {
    return below ? fmt::format("a number of at most {}", high) : "a finite number";
  }
  if (!below) {
    return fmt::format("a number {} {}", without_low ? "above" : "of at least", low);
  }
  return without_low && without_high ? fmt::format("between {} and {}, both excluded", low, high)
                                     : fmt::format("a number from {} to {}", low, high);
}

namespace {

struct ValueInWords {
  std::string operator()(bool value) const { return value ? "true" : ""; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<double>& values) const {
    return fmt::format("{}", fmt::join(values, ", "));
  }
};

}  // namespace

std::string OptionSpec::default_in_words() const {
  return otherwise ? std::visit(ValueInWords{}, *otherwise) : otherwise_in_words;
}

std::string OptionSpec::help() const {
  const std::string shown = default_in_words();
  return shown.empty() ? sentence : fmt::format("{} (default: {})", sentence, shown);
}

bool OptionSpec::serves(Task task) const {
  return tasks.empty() || std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

void Options::set(std::string name, OptionValue value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

Result<OptionValue> checked(const OptionSpec& spec, OptionValue value) {
  switch (spec.kind) {
    case OptionKind::Flag:
      return std::holds_alternative<bool>(value) ? Result<OptionValue>(value)
                                                 : refused(spec, "true or false");
    case OptionKind::WholeNumber:
      return whole_number_of(spec, value);
    case OptionKind::Word:
      return word_of(spec, value);
    case OptionKind::Spectrum:
      return spectrum_of(spec, std::move(value));
    case OptionKind::PrivateFile:
      return std::holds_alternative<std::string>(value) ? Result<OptionValue>(value)
                                                        : refused(spec, "the name of a file");
    default:
      return number_of(spec, value);
  }
}

}  // namespace eigenveil
