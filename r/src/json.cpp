#include <cmath>

#include "binding.hpp"

namespace eigenveil::r {
namespace {

std::string text_at(SEXP strings, R_xlen_t i) {
  return Rf_translateCharUTF8(STRING_ELT(strings, i));
}

/// Whole numbers are written as such: a double of R is what an R user writes for either.
Json number(double value) {
  constexpr double kLargestWhole = 9007199254740992.0;  // 2^53
  if (std::isfinite(value) && std::floor(value) == value && std::abs(value) <= kLargestWhole &&
      !(value == 0.0 && std::signbit(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;  // NaN and infinities become null, which no field takes
}

/// Numbers that stand for something else: codes of levels, days, halves of longer ones.
bool is_coded(SEXP value) {
  for (const char* kind : {"factor", "Date", "POSIXt", "difftime", "integer64"}) {
    if (Rf_inherits(value, kind)) {
      return true;
    }
  }
  return false;
}

Json element(SEXP value, R_xlen_t i) {
  if (is_coded(value)) {
    throw Failure{{ErrorCode::BadRequest, "an argument is neither numbers, words nor a list"}};
  }
  switch (TYPEOF(value)) {
    case LGLSXP:
      return LOGICAL(value)[i] == NA_LOGICAL ? Json() : Json(LOGICAL(value)[i] != 0);
    case INTSXP:
      return INTEGER(value)[i] == NA_INTEGER ? Json() : Json(INTEGER(value)[i]);
    case REALSXP:
      return number(REAL(value)[i]);
    case STRSXP:
      return STRING_ELT(value, i) == NA_STRING ? Json() : Json(text_at(value, i));
    case VECSXP:
      return to_json(VECTOR_ELT(value, i));
    default:
      throw Failure{{ErrorCode::BadRequest, "an argument is neither numbers, words nor a list"}};
  }
}

/// An array of one kind as a vector.
SEXP array(const Json& json) {
  const auto all = [&](auto is) { return std::all_of(json.begin(), json.end(), is); };
  if (!json.empty() && all([](const Json& x) { return x.is_number() || x.is_null(); })) {
    cpp11::writable::doubles numbers(static_cast<R_xlen_t>(json.size()));
    for (std::size_t i = 0; i < json.size(); ++i) {
      numbers[static_cast<R_xlen_t>(i)] = json[i].is_null() ? NA_REAL : json[i].get<double>();
    }
    return numbers;
  }
  if (all([](const Json& x) { return x.is_string(); })) {
    return strings(json.get<std::vector<std::string>>());
  }
  cpp11::writable::list list(static_cast<R_xlen_t>(json.size()));
  for (std::size_t i = 0; i < json.size(); ++i) {
    list[static_cast<R_xlen_t>(i)] = from_json(json[i]);
  }
  return list;
}

}  // namespace

SEXP strings(const std::vector<std::string>& texts) {
  cpp11::writable::strings all(static_cast<R_xlen_t>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all[static_cast<R_xlen_t>(i)] = cpp11::r_string(texts[i]);
  }
  return all;
}

SEXP named_list(const std::vector<std::pair<std::string, cpp11::sexp>>& entries) {
  cpp11::writable::list list(static_cast<R_xlen_t>(entries.size()));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    list[static_cast<R_xlen_t>(i)] = static_cast<SEXP>(entries[i].second);
    names.push_back(entries[i].first);
  }
  list.attr("names") = strings(names);
  return list;
}

Json to_json(SEXP value) {
  if (Rf_isNull(value)) {
    return {};
  }
  const SEXP names = Rf_getAttrib(value, R_NamesSymbol);
  const R_xlen_t size = Rf_xlength(value);
  if (!Rf_isNull(names)) {
    Json object = Json::object();
    for (R_xlen_t i = 0; i < size; ++i) {
      object[text_at(names, i)] = element(value, i);
    }
    return object;
  }
  if (size == 1 && TYPEOF(value) != VECSXP && !Rf_inherits(value, "AsIs")) {
    return element(value, 0);
  }
  Json array = Json::array();
  for (R_xlen_t i = 0; i < size; ++i) {
    array.push_back(element(value, i));
  }
  return array;
}

SEXP from_json(const Json& json) {
  if (json.is_null()) {
    return R_NilValue;
  }
  if (json.is_boolean()) {
    return cpp11::as_sexp(json.get<bool>());
  }
  if (json.is_number()) {
    return cpp11::as_sexp(json.get<double>());
  }
  if (json.is_string()) {
    return cpp11::as_sexp(json.get<std::string>());
  }
  if (json.is_array()) {
    return array(json);
  }
  std::vector<std::pair<std::string, cpp11::sexp>> entries;
  for (const auto& [name, value] : json.items()) {
    entries.emplace_back(name, from_json(value));
  }
  return named_list(entries);
}

}  // namespace eigenveil::r
