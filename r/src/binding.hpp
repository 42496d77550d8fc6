#pragma once

// What the files of the binding share. R's own functions are called on R's thread alone: work that
// takes longer than a moment runs on another (run_interruptibly) and sees C++ values.

#include <cpp11.hpp>
#include <cpp11/declarations.hpp>
#include <eigenveil/core/watched_work.hpp>
#include <eigenveil/eigenveil.hpp>
#include <eigenveil/report/guarantee_text.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace eigenveil::r {

using Json = nlohmann::ordered_json;

using eigenveil::Failure;  // becomes a condition of class eigenveil_error
using eigenveil::unwrap;

/// R asked for the work to stop.
struct Interrupted {};

/// run_watched: R's thread looks for Ctrl-C.
void run_interruptibly(const std::function<void()>& work);

template <class Work>
std::invoke_result_t<Work> interruptibly(const Work& work) {
  return result_of(run_interruptibly, work);
}

/// An R list as JSON: names are keys, a vector of length one is a value and any other an array;
/// AsIs (I()) stays an array.
Json to_json(SEXP value);
/// JSON as R: objects are named lists, arrays of one kind vectors, null NULL.
SEXP from_json(const Json& json);

SEXP strings(const std::vector<std::string>& texts);
SEXP named_list(const std::vector<std::pair<std::string, cpp11::sexp>>& entries);

/// A data frame or matrix as the engine reads it, in place.
ColumnTable columns_of(SEXP table);

SEXP document_in_r(const ReleaseDocument& document);
SEXP guarantee_in_r(const Guarantee& guarantee, const std::optional<Budget>& requested);

}  // namespace eigenveil::r

/// The edge of every function that R calls: a failure becomes a value that R raises
/// (R/conditions.R).
SEXP at_the_edge(const std::function<SEXP()>& work);

#define EIGENVEIL_EDGE(...)        \
  BEGIN_CPP11                      \
  return at_the_edge(__VA_ARGS__); \
  END_CPP11
