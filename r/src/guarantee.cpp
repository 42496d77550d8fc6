#include "binding.hpp"

namespace eigenveil::r {
namespace {

template <class... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;

Json loss_json(const Loss& loss) {
  return std::visit(
      Overloaded{
          [](const PureDp& l) -> Json {
            return {{"kind", "pure"}, {"epsilon", l.epsilon}};
          },
          [](const ApproxDp& l) -> Json {
            return {{"kind", "approx"}, {"epsilon", l.epsilon}, {"delta", l.delta}};
          },
          [](const Zcdp& l) -> Json {
            return {{"kind", "zcdp"}, {"rho", l.rho}};
          },
          [](const GaussianDp& l) -> Json {
            return {{"kind", "gaussian"}, {"mu", l.mu}};
          },
          [](const RenyiCurve& l) -> Json {
            return {{"kind", "renyi"}, {"orders", l.orders}, {"divergences", l.divergences}};
          },
          [](const TradeOffCurve& l) -> Json {
            return {{"kind", "trade-off"}, {"type_one", l.type_one}, {"type_two", l.type_two}};
          }},
      loss);
}

std::vector<double> numbers(const Json& json) {
  return json.is_array() ? json.get<std::vector<double>>() : std::vector{json.get<double>()};
}

Loss loss_of(const Json& json) {
  const auto kind = json.at("kind").get<std::string>();
  const auto number = [&](const char* name) { return json.at(name).get<double>(); };
  if (kind == "pure") {
    return PureDp{number("epsilon")};
  }
  if (kind == "approx") {
    return ApproxDp{number("epsilon"), number("delta")};
  }
  if (kind == "zcdp") {
    return Zcdp{number("rho")};
  }
  if (kind == "gaussian") {
    return GaussianDp{number("mu")};
  }
  if (kind == "renyi") {
    return RenyiCurve{numbers(json.at("orders")), numbers(json.at("divergences"))};
  }
  return TradeOffCurve{numbers(json.at("type_one")), numbers(json.at("type_two"))};
}

/// From what guarantee_in_r made; the sentences are computed again.
Guarantee guarantee_of(SEXP list) {
  const Json json = to_json(list);
  Guarantee guarantee;
  guarantee.relation = unwrap(parse_relation(json.at("relation").get<std::string>()));
  guarantee.loss = loss_of(json.at("loss"));
  guarantee.basis = unwrap(parse_basis(json.at("basis").get<std::string>()));
  guarantee.would_be = unwrap(parse_basis(json.at("would_be").get<std::string>()));
  const Json& assumptions = json.at("assumptions");
  guarantee.assumptions = assumptions.is_array() ? assumptions.get<std::vector<std::string>>()
                                                 : std::vector{assumptions.get<std::string>()};
  guarantee.secure_random = json.at("secure_random").get<bool>();
  guarantee.group_size = json.at("group_size").get<int>();
  guarantee.person = json.at("person").get<std::string>();
  return guarantee;
}

}  // namespace

SEXP guarantee_in_r(const Guarantee& guarantee, const std::optional<Budget>& requested) {
  const std::string words = requested ? headline(guarantee, *requested) : in_words(guarantee);
  const StatedPower power = stated_power(guarantee);
  const Basis promised =
      guarantee.basis == Basis::NotPrivate ? guarantee.would_be : guarantee.basis;
  cpp11::sexp list =
      named_list({{"relation", cpp11::as_sexp(std::string(name_of(guarantee.relation)))},
                  {"loss", from_json(loss_json(guarantee.loss))},
                  {"basis", cpp11::as_sexp(std::string(name_of(guarantee.basis)))},
                  {"would_be", cpp11::as_sexp(std::string(name_of(promised)))},
                  {"assumptions", strings(guarantee.assumptions)},
                  {"secure_random", cpp11::as_sexp(guarantee.secure_random)},
                  {"group_size", cpp11::as_sexp(static_cast<double>(guarantee.group_size))},
                  {"person", cpp11::as_sexp(guarantee.person)},
                  {"in_words", cpp11::as_sexp(words)},
                  {"detection", cpp11::as_sexp(detection_in_words(guarantee))},
                  {power.field, cpp11::as_sexp(power.power)},
                  {"not_protected", strings(not_protected(guarantee.relation))}});
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
