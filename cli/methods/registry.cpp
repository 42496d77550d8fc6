#include <fmt/format.h>

#include <algorithm>

#include "cli/methods/method.hpp"
#include "core/suggestion.hpp"
#include "publication/centring.hpp"

namespace eigenveil::cli {
namespace {

std::vector<std::unique_ptr<Method>> all_methods() {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(gauss_method());
  methods.push_back(laplace_method());
  methods.push_back(exponential_method());
  methods.push_back(orbit_method());
  methods.push_back(spiked_method());
  methods.push_back(spiked_robust_method());
  methods.push_back(oja_method());
  methods.push_back(sharp_method());
  methods.push_back(subspace_method());
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
  if (request.takes_rank()) {
    return "orbit";
  }
  return "laplace";
}

}  // namespace

std::string settle_center(const Method& method, Request& request) {
  BoundOptions& bounds = request.bounds;
  if (!bounds.center.empty()) {
    return {};
  }
  const bool subtracts = subtracts_mean(method.name()) && !bounds.arrives_centred();
  bounds.center = subtracts ? "private" : "none";
  return subtracts || bounds.arrives_centred() ? std::string() : uncentred_warning(method.name());
}

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
    const Result<const Method*> named = find(request.method);
    const bool enough = named && (*named)->plans_without_budget();
    return enough ? named : Result<const Method*>(error_of(budget));
  }
  const auto asked = std::find_if(methods_.begin(), methods_.end(),
                                  [](const auto& method) { return method->asked_for(); });
  const Result<std::string> wanted = !request.method.empty()   ? request.method
                                     : asked != methods_.end() ? (*asked)->name()
                                                               : default_method(request, *budget);
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
    for (const std::unique_ptr<Method>& other : methods_) {
      if (other.get() != method && !other->option_given().empty()) {
        return bad_request(fmt::format("{} belongs to method {}, not to {}", other->option_given(),
                                       other->name(), method->name()));
      }
    }
    if (request.bounds.rank_transform && !method->takes_ranks()) {
      return bad_request(fmt::format(
          "--rank-transform cannot go with method {}: one row shifts the ranks of all the others, "
          "which a guarantee for every data set does not cover; take --method sharp (asymptotic), "
          "or give --range",
          method->name()));
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
