#include "binding.hpp"

namespace eigenveil::r {
namespace {

/// From what guarantee_in_r made; the sentences are computed again.
Guarantee guarantee_of(SEXP list) {
  return unwrap(guarantee_of_text(to_json(list).dump()));
}

}  // namespace

SEXP guarantee_in_r(const Guarantee& guarantee, const std::optional<Budget>& requested) {
  const std::string words = requested ? headline(guarantee, *requested) : in_words(guarantee);
  const StatedPower power = stated_power(guarantee);
  Guarantee stated = guarantee;
  stated.would_be = guarantee.basis == Basis::NotPrivate ? guarantee.would_be : guarantee.basis;
  Json json = Json::parse(guarantee_text(stated));
  json.update(Json{{"in_words", words},
                   {"detection", detection_in_words(guarantee)},
                   {power.field, power.power},
                   {"not_protected", not_protected(guarantee.relation)}});
  cpp11::sexp list = from_json(json);
  list.attr("class") = "eigenveil_guarantee";
  return list;
}

}  // namespace eigenveil::r

using namespace eigenveil;

/// Epsilon and delta at each other, or the power of a test: of a basis that does not cover every
/// data set 1, unless the caller asks for it under its condition.
extern "C" SEXP ev_guarantee_number(SEXP guarantee, SEXP what, SEXP at, SEXP conditional) {
  EIGENVEIL_EDGE([&] {
    const Guarantee value = r::guarantee_of(guarantee);
    if (value.basis == Basis::NotPrivate) {
      throw r::Failure{{ErrorCode::BadRequest, "the release is not private: it has no loss"}};
    }
    const std::string wanted = CHAR(STRING_ELT(what, 0));
    const double x = Rf_asReal(at);
    const bool holds = condition_of(value.basis).empty() || Rf_asLogical(conditional) == TRUE;
    return Rf_ScalarReal(wanted == "epsilon" ? epsilon_at(value.loss, x)
                         : wanted == "delta" ? delta_at(value.loss, x)
                         : holds             ? max_power(value.loss, x)
                                             : 1.0);
  });
}

extern "C" SEXP ev_compose(SEXP list) {
  EIGENVEIL_EDGE([&] {
    std::vector<Guarantee> all;
    for (R_xlen_t i = 0; i < Rf_xlength(list); ++i) {
      all.push_back(r::guarantee_of(VECTOR_ELT(list, i)));
    }
    return r::guarantee_in_r(r::unwrap(compose_all(all)), std::nullopt);
  });
}

extern "C" SEXP ev_to_relation(SEXP guarantee, SEXP relation) {
  EIGENVEIL_EDGE([&] {
    const Relation target = r::unwrap(parse_relation(CHAR(STRING_ELT(relation, 0))));
    return r::guarantee_in_r(r::unwrap(to_relation(r::guarantee_of(guarantee), target)),
                             std::nullopt);
  });
}
