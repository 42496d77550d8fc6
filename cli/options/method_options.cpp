#include "cli/options/method_options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/options/checks.hpp"
#include "cli/options/numbers_file.hpp"
#include "core/parameter_names.hpp"

namespace eigenveil::cli {
namespace {

/// Which methods of a task have an option, for the heading it stands under.
std::vector<std::string> owners(const std::string& name, Task task) {
  std::vector<std::string> names;
  for (const Method* method : methods_for(task)) {
    const OptionSpec* spec = method->info().option(name);
    if (spec != nullptr && spec->serves(task)) {
      names.push_back(method->info().name);
    }
  }
  return names;
}

CLI::Validator check_of(const OptionSpec& spec) {
  switch (spec.kind) {
    case OptionKind::WholeNumber:
      return whole_number(static_cast<std::uint64_t>(spec.smallest),
                          static_cast<std::uint64_t>(spec.largest));
    case OptionKind::Share:
      return number_in(kOpenUnit);
    case OptionKind::Number:
      return number_in(spec.range);
    case OptionKind::Word:
      return one_of(spec.words);
    default:
      return not_empty();
  }
}

Result<OptionValue> value_of(const OptionSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case OptionKind::Flag:
      return true;
    case OptionKind::WholeNumber:
      return static_cast<std::int64_t>(std::strtoll(text.c_str(), nullptr, 10));
    case OptionKind::Number:
    case OptionKind::Share:
      return std::strtod(text.c_str(), nullptr);
    case OptionKind::Spectrum:
      return read_spectrum(text).map([](const Vector& values) -> OptionValue {
        return std::vector<double>(values.begin(), values.end());
      });
    case OptionKind::PrivateFile:
      return check_new_file(text).map([&]() -> OptionValue { return text; });
    default:
      return text;
  }
}

}  // namespace

void MethodOptions::declare(CLI::App& app, Task task) {
  std::vector<std::string> known, lines;
  for (const Method* one : methods_for(task)) {
    known.push_back(one->info().name);
    lines.push_back(fmt::format("{} ({})", one->info().name, one->info().budgets));
  }
  app.add_option("--method", method,
                 for_command_line(
                     fmt::format("{}; the default follows the budget", fmt::join(lines, ", "))))
      ->type_name(choices(known));
  for (const Method* one : methods_for(task)) {
    for (const OptionSpec& spec : one->info().options) {
      if (spec.serves(task) && !specs_.contains(spec.name)) {
        const std::vector<std::string> names = owners(spec.name, task);
        declare_option(
            app, spec,
            fmt::format("Method{} {}", names.size() > 1 ? "s" : "", fmt::join(names, ", ")));
      }
    }
  }
}

void MethodOptions::declare_option(CLI::App& app, const OptionSpec& spec,
                                   const std::string& group) {
  specs_[spec.name] = &spec;
  const std::string flag = for_command_line("{" + spec.name + "}");
  const std::string help = for_command_line(spec.help());
  if (spec.kind == OptionKind::Flag) {
    app.add_flag_callback(
           flag, [this, name = spec.name] { words_[name] = "true"; }, help)
        ->group(group);
    return;
  }
  app.add_option_function<std::string>(
         flag, [this, name = spec.name](const std::string& text) { words_[name] = text; }, help)
      ->check(check_of(spec))
      ->group(group);
  if (spec.name == "calibration") {
    app.add_flag_callback(
           "--published", [this] { words_["calibration"] = "published"; },
           "the same as --calibration published")
        ->group(group);
  }
}

Result<Options> MethodOptions::given() const {
  Options options;
  for (const auto& [name, text] : words_) {
    const OptionSpec& spec = *specs_.at(name);
    Result<OptionValue> value =
        value_of(spec, text).and_then([&](OptionValue raw) { return checked(spec, raw); });
    if (!value) {
      return error_of(value);
    }
    options.set(name, *std::move(value));
  }
  return options;
}

}  // namespace eigenveil::cli
