#include <fmt/format.h>

#include <algorithm>

#include "cli/methods/method.hpp"
#include "cli/suggestion.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kNoPureComponents =
    "two or more pure epsilon-DP components need a mechanism this version does not have. Add "
    "--delta "
    "(for example --delta 1e-6) for the default method gauss, or take --method laplace: pure, but "
    "with noise that grows with the number of columns";

std::vector<std::unique_ptr<Method>> all_methods() {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(gauss_method());
  methods.push_back(laplace_method());
  methods.push_back(exponential_method());
  return methods;
}

/// The table of the README: what a task uses when nothing is said.
Result<std::string> default_method(const Request& request, const Budget& budget) {
  if (!std::holds_alternative<PureDp>(budget)) {
    return "gauss";
  }
  if (request.wants_components() && request.components == 1) {
    return "exponential";
  }
  if (request.wants_components()) {
    return bad_request(kNoPureComponents);
  }
  return "laplace";
}

}  // namespace

MethodChoice::MethodChoice(Task task) : task_(task) {
  for (std::unique_ptr<Method>& method : all_methods()) {
    if (method->serves(task_)) {
      methods_.push_back(std::move(method));
    }
  }
}

void MethodChoice::declare(CLI::App& app, Request& request) {
  std::vector<std::string> lines;
  for (const std::unique_ptr<Method>& method : methods_) {
    lines.push_back(fmt::format("{} ({})", method->name(), method->budgets()));
  }
  app.add_option("--method", request.method,
                 fmt::format("{}; the default follows the budget", fmt::join(lines, ", ")));
  const auto any = [&](bool (Method::*property)() const) {
    return std::any_of(methods_.begin(), methods_.end(),
                       [&](const auto& method) { return (method.get()->*property)(); });
  };
  if (any(&Method::takes_variance_share)) {
    request.declare_variance_share(app);
  }
  if (any(&Method::has_published_calibration)) {
    request.declare_calibration(app);
  }
  for (const std::unique_ptr<Method>& method : methods_) {
    method->declare(app);
  }
}

Result<const Method*> MethodChoice::choose(const Request& request) const {
  const Result<Budget> budget = request.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  const Result<std::string> wanted =
      request.method.empty() ? default_method(request, *budget) : request.method;
  if (!wanted) {
    return error_of(wanted);
  }
  return find(*wanted).and_then([&](const Method* method) -> Result<const Method*> {
    if (request.variance_share && !method->takes_variance_share()) {
      return bad_request(fmt::format(
          "--variance-share has no meaning for method {}, which needs no split", method->name()));
    }
    if (request.published && !method->has_published_calibration()) {
      return bad_request(
          fmt::format("method {} has no published calibration of its own", method->name()));
    }
    return method;
  });
}

Result<const Method*> MethodChoice::find(const std::string& wanted) const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Method>& method : methods_) {
    if (method->name() == wanted) {
      return method.get();
    }
    names.push_back(method->name());
  }
  return bad_request(fmt::format("method '{}' is not known; {} has {}{}", wanted, name_of(task_),
                                 fmt::join(names, ", "), did_you_mean(wanted, names)));
}

}  // namespace eigenveil::cli
