#include "report/json_guarantee.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/keep.hpp"
#include "core/outside_json.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/guarantee_text.hpp"

namespace eigenveil {
namespace {

struct LossToJson {
  Basis basis;
  Json operator()(const PureDp& loss) const {
    return {{"kind", "pure"}, {"epsilon", loss.epsilon}};
  }
  Json operator()(const ApproxDp& loss) const {
    return {{"kind", "approx"}, {"epsilon", loss.epsilon}, {"delta", loss.delta}};
  }
  Json operator()(const Zcdp& loss) const { return {{"kind", "zcdp"}, {"rho", loss.rho}}; }
  Json operator()(const GaussianDp& loss) const {
    return {{"kind", basis == Basis::Asymptotic ? "agdp" : "gdp"}, {"mu", loss.mu}};
  }
  Json operator()(const RenyiCurve& loss) const {
    return {{"kind", "curve"}, {"orders", loss.orders}, {"divergences", loss.divergences}};
  }
  Json operator()(const TradeOffCurve& loss) const {
    return {{"kind", "curve"}, {"type_one", loss.type_one}, {"type_two", loss.type_two}};
  }
};

/// The pair the user asked for stands beside a tighter loss that implies it, never in place of the
/// loss's own parameter: Laplace noise for (1, 0.3) is purely private at an epsilon above 1.
void add_requested(Json& loss, const Budget& requested) {
  const auto* approx = std::get_if<ApproxDp>(&requested);
  const auto* zcdp = std::get_if<Zcdp>(&requested);
  if (approx != nullptr && !loss.contains("epsilon")) {
    loss["epsilon"] = approx->epsilon;
    loss["delta"] = approx->delta;
  } else if (zcdp != nullptr && !loss.contains("rho")) {
    loss["rho"] = zcdp->rho;
  }
}

Json proved_part(const Guarantee& guarantee, const Budget& requested) {
  Json loss = std::visit(LossToJson{guarantee.basis}, guarantee.loss);
  add_requested(loss, requested);
  const StatedPower stated = stated_power(guarantee);
  Json json{{"relation", name_of(guarantee.relation)},
            {"group_size", guarantee.group_size},
            {"loss", loss},
            {"basis", name_of(guarantee.basis)},
            {"assumptions", guarantee.assumptions},
            {"secure_random", guarantee.secure_random},
            {stated.field, stated.power}};
  if (!guarantee.person.empty()) {
    json["person"] = guarantee.person;
  }
  return json;
}

double amount(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

/// A list, or its one entry alone: in R they are the same.
template <class T, class Read>
std::vector<T> one_or_many(const Json& json, const Read& read) {
  std::vector<T> all;
  for (const Json& entry : json.is_array() ? json : Json::array({json})) {
    all.push_back(read(entry));
  }
  return all;
}

Result<Loss> loss_from_json(const Json& json) {
  const std::string kind = json.value("kind", "");
  const auto number = [&](const char* name) { return amount(json.at(name)); };
  const auto numbers = [&](const char* name) { return one_or_many<double>(json.at(name), amount); };
  if (kind == "pure") {
    return PureDp{number("epsilon")};
  }
  if (kind == "approx") {
    return ApproxDp{number("epsilon"), number("delta")};
  }
  if (kind == "zcdp") {
    return Zcdp{number("rho")};
  }
  if (kind == "gdp" || kind == "agdp") {
    return GaussianDp{number("mu")};
  }
  if (kind == "curve" && json.contains("orders")) {
    return RenyiCurve{numbers("orders"), numbers("divergences")};
  }
  if (kind == "curve") {
    return TradeOffCurve{numbers("type_one"), numbers("type_two")};
  }
  return bad_request("the release names a kind of privacy loss this version does not know");
}

}  // namespace

Json guarantee_to_json(const Guarantee& guarantee, const Budget& requested) {
  if (guarantee.basis != Basis::NotPrivate) {
    return proved_part(guarantee, requested);
  }
  const StatedPower stated = stated_power(guarantee);
  Json json{{"relation", name_of(guarantee.relation)},
            {"group_size", guarantee.group_size},
            {"loss", nullptr},
            {"basis", name_of(guarantee.basis)},
            {"assumptions", guarantee.assumptions},
            {"secure_random", guarantee.secure_random},
            {stated.field, stated.power}};
  Guarantee would_be = guarantee;
  would_be.basis = guarantee.would_be;
  would_be.secure_random = true;
  json["would_be"] = proved_part(would_be, requested);
  return json;
}

Result<Guarantee> guarantee_from_json(const Json& json) {
  const Json& stated = json.contains("would_be") ? json.at("would_be") : json;
  const Result<Relation> relation = parse_relation(json.at("relation").get<std::string>());
  const Result<Basis> basis = parse_basis(json.at("basis").get<std::string>());
  const Result<Loss> loss = loss_from_json(stated.at("loss"));
  const Result<Basis> would_be = parse_basis(stated.at("basis").get<std::string>());
  if (!relation) {
    return error_of(relation);
  }
  if (!would_be) {
    return error_of(would_be);
  }
  if (!basis) {
    return error_of(basis);
  }
  if (!loss) {
    return error_of(loss);
  }
  return Guarantee{*relation,
                   *loss,
                   *basis,
                   json.at("assumptions").get<std::vector<std::string>>(),
                   json.at("secure_random").get<bool>(),
                   json.value("group_size", 1),
                   *would_be,
                   stated.value("person", std::string())};
}

Json plain_guarantee(const Guarantee& guarantee) {
  // Every field, in their order: this does not compile when there is one more.
  const auto& [relation, loss, basis, assumptions, secure, group_size, would_be, person] =
      guarantee;
  const Basis promised = basis == Basis::NotPrivate ? would_be : basis;
  return {{"relation", name_of(relation)}, {"loss", std::visit(LossToJson{promised}, loss)},
          {"basis", name_of(basis)},       {"would_be", name_of(would_be)},
          {"assumptions", assumptions},    {"secure_random", secure},
          {"group_size", group_size},      {"person", person}};
}

Result<Guarantee> guarantee_from_plain(const Json& json) {
  const auto text = [&](const char* name) { return json.at(name).get<std::string>(); };
  Guarantee guarantee;
  guarantee.assumptions = one_or_many<std::string>(
      json.at("assumptions"), [](const Json& entry) { return entry.get<std::string>(); });
  guarantee.secure_random = json.at("secure_random").get<bool>();
  guarantee.group_size = json.at("group_size").get<int>();
  guarantee.person = text("person");
  return keep(parse_relation(text("relation")), guarantee.relation)
      .and_then([&] { return keep(loss_from_json(json.at("loss")), guarantee.loss); })
      .and_then([&] { return keep(parse_basis(text("basis")), guarantee.basis); })
      .and_then([&] { return keep(parse_basis(text("would_be")), guarantee.would_be); })
      .map([&] { return guarantee; });
}

std::string guarantee_text(const Guarantee& guarantee) {
  return plain_guarantee(guarantee).dump();
}

Result<Guarantee> guarantee_of_text(std::string_view text) {
  try {
    return guarantee_from_plain(json_from_outside<Json>(std::string(text)));
  } catch (const Json::exception&) {
    return bad_request("this is no guarantee: a field of it is missing or of another type");
  }
}

Json budget_to_json(const Budget& budget) {
  return std::visit(LossToJson{Basis::Proved}, budget);
}

Result<Budget> budget_from_json(const Json& json) {
  const auto number = [&](const char* name) { return json.at(name).get<double>(); };
  if (json.contains("epsilon") && json.contains("delta")) {
    return check_budget(ApproxDp{number("epsilon"), number("delta")});
  }
  if (json.contains("epsilon")) {
    return check_budget(PureDp{number("epsilon")});
  }
  if (json.contains("rho")) {
    return check_budget(Zcdp{number("rho")});
  }
  return check_budget(GaussianDp{number("mu")});
}

namespace {

/// JSON has no word for a number that is none.
double number_or_nan(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

FieldValue list_from_json(const Json& json) {
  const auto is_text = [](const Json& entry) { return entry.is_string(); };
  if (std::all_of(json.begin(), json.end(), is_text)) {
    return json.get<std::vector<std::string>>();
  }
  std::vector<double> numbers;
  std::transform(json.begin(), json.end(), std::back_inserter(numbers), number_or_nan);
  return numbers;
}

}  // namespace

FieldValue field_from_json(const Json& json) {
  if (json.is_array()) {
    return list_from_json(json);
  }
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  }
  return json.is_string() ? FieldValue(json.get<std::string>()) : FieldValue(number_or_nan(json));
}

Fields fields_from_json(const Json& json) {
  Fields fields;
  for (const auto& [name, value] : json.items()) {
    fields.emplace_back(name, field_from_json(value));
  }
  return fields;
}

Json fields_to_json(const Fields& fields) {
  Json json = Json::object();
  for (const auto& [name, value] : fields) {
    json[name] = std::visit([](const auto& content) -> Json { return content; }, value);
  }
  return json;
}

}  // namespace eigenveil
