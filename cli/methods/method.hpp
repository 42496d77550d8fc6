#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/methods/request.hpp"
#include "cli/outcome.hpp"
#include "mechanism/comparison/comparison.hpp"

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
  /// One of its own options was given: it is meant even without --method.
  virtual bool asked_for() const { return false; }
  virtual bool takes_variance_share() const { return false; }
  virtual bool has_published_calibration() const { return false; }
  /// Whether its guarantee covers that one row shifts the ranks of all others.
  virtual bool takes_ranks() const { return false; }
  /// Whether a plan makes sense without a budget (sharp: --beta instead).
  virtual bool plans_without_budget() const { return false; }
  /// Options that only this method has, in a group of its own name.
  virtual void declare(CLI::App& /*app*/) {}
  /// One of these options if it was given: no other method may pass over it in silence.
  virtual std::string option_given() const { return {}; }
  /// Public facts, plan, rows, noise, post-processing, files: in this order, so that every refusal
  /// that can come from the request comes before a row is read.
  virtual Outcome release(const ReleaseRequest& request) const = 0;
  /// What the release would cost and give, from public numbers alone.
  virtual Outcome plan(const PlanRequest& request) const = 0;
  /// For `plan pca --compare`; by default none.
  virtual std::optional<PredictedError> predicted_error(const AssumedSetting& /*setting*/) const {
    return std::nullopt;
  }
};

/// The methods of one command. Options shared by several methods are declared here once.
class MethodChoice {
 public:
  explicit MethodChoice(Task task);
  /// --method and the methods' own options.
  void declare(CLI::App& app, Request& request);
  /// The method asked for, or the default of this task and kind of budget.
  Result<const Method*> choose(const Request& request) const;
  /// Every method of the task, in the order of the help text.
  const std::vector<std::unique_ptr<Method>>& all() const { return methods_; }

 private:
  Result<const Method*> find(const std::string& wanted) const;

  Task task_;
  std::vector<std::unique_ptr<Method>> methods_;
};

/// Fills in the centre where nothing was said: a private mean by a method that releases one.
/// Otherwise the sentence a user should read, empty where there is none. Public options alone.
std::string settle_center(const Method& method, Request& request);

std::unique_ptr<Method> gauss_method();
std::unique_ptr<Method> laplace_method();
std::unique_ptr<Method> orbit_method();
std::unique_ptr<Method> exponential_method();
std::unique_ptr<Method> subspace_method();
std::unique_ptr<Method> spiked_method();
std::unique_ptr<Method> spiked_robust_method();
std::unique_ptr<Method> oja_method();
std::unique_ptr<Method> sharp_method();

}  // namespace eigenveil::cli
