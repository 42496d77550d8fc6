#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/methods/request.hpp"
#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// One way to make the release of a task: `--method NAME`. A new method is one file in this folder
/// and one line in registry.cpp.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;
  /// Which budgets it takes, for the help text: "(epsilon, delta), rho, mu".
  virtual std::string budgets() const = 0;
  virtual bool serves(Task task) const = 0;
  virtual bool takes_variance_share() const { return false; }
  virtual bool has_published_calibration() const { return false; }
  /// Options that only this method has, in a group of its own name.
  virtual void declare(CLI::App& /*app*/) {}
  /// Public facts, plan, rows, noise, post-processing, files: in this order, so that every refusal
  /// that can come from the request comes before a row is read.
  virtual Outcome release(const ReleaseRequest& request) const = 0;
  /// What the release would cost and give, from public numbers alone.
  virtual Outcome plan(const PlanRequest& request) const = 0;
};

/// The methods of one command. Options shared by several methods are declared here once.
class MethodChoice {
 public:
  explicit MethodChoice(Task task);
  /// --method and the methods' own options.
  void declare(CLI::App& app, Request& request);
  /// The method asked for, or the default of this task and kind of budget.
  Result<const Method*> choose(const Request& request) const;

 private:
  Result<const Method*> find(const std::string& wanted) const;

  Task task_;
  std::vector<std::unique_ptr<Method>> methods_;
};

std::unique_ptr<Method> gauss_method();
std::unique_ptr<Method> laplace_method();
std::unique_ptr<Method> exponential_method();

}  // namespace eigenveil::cli
