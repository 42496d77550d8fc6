#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/engine/method.hpp"

namespace eigenveil {

/// Every method, in the order of the help text: the one list of their names.
const std::vector<const Method*>& methods();

/// Adds a method of one's own to the list, for this process; its name must be new to its tasks.
[[nodiscard]] Result<void> register_method(const Method& method);

/// Those that serve a task.
std::vector<const Method*> methods_for(Task task);

/// The method asked for, or the default of this task and kind of budget. Refuses options that
/// belong to another method, so that none is passed over in silence.
[[nodiscard]] Result<const Method*> choose_method(const Request& request);

/// Of all methods with a name that a document or a job states; what is false and None for unknown
/// ones.
bool plans_without_budget(std::string_view name);
NoiseOnEntries entry_noise_of(std::string_view name);
/// What a method of this name in a task rests on.
std::vector<std::string> papers_of(Task task, std::string_view name);

/// Those of a task that do what is asked, as a message names them: "{method gauss} or {method
/// wishart}".
std::string choices(Task task, const std::function<bool(const MethodInfo&)>& does);

/// What the request says to a method by name: its task, its options with their values, ranks. Part
/// of `choose_method` and of `make_plan`, so that no way to a plan passes over it.
[[nodiscard]] Result<void> check_asked(const Method& method, const Request& request);

/// What the types of a request let pass: its numbers, and its budget where it has one.
[[nodiscard]] Result<void> check_numbers(const Request& request);

/// Fills in the centre where nothing was said: a private mean by a method that releases one.
/// Otherwise the sentence a user should read, empty where there is none. Public facts alone.
std::string settle_center(const Method& method, Request& request);

/// The assumed eigenvalues: one for every column, none that the bound rules out.
[[nodiscard]] Result<void> check_spectrum(const Request& request, const AssumedTable& table);

/// The method that serves the request, and its plan for a table nobody has read.
[[nodiscard]] Result<PlanFacts> outlook(Request request, const AssumedTable& table);

}  // namespace eigenveil
