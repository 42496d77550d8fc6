#include "eigenveil/privacy/guarantee.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "bind.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "engine/asked_budget.hpp"
#include "report/figure.hpp"
#include "report/html_text.hpp"
#include "report/report_figures.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

using State = std::tuple<std::string, Loss, std::string, std::vector<std::string>, bool, int,
                         std::string, std::string>;

/// Every field, in their order: the bindings below do not compile when there is one more.
State state_of(const Guarantee& g) {
  const auto& [relation, loss, basis, assumptions, secure, group_size, would_be, person] = g;
  return {std::string(name_of(relation)),
          loss,
          std::string(name_of(basis)),
          assumptions,
          secure,
          group_size,
          std::string(name_of(would_be)),
          person};
}

Guarantee from_state(const State& state) {
  const auto& [relation, loss, basis, assumptions, secure, group_size, would_be, person] = state;
  return {unwrap(parse_relation(relation)),
          loss,
          unwrap(parse_basis(basis)),
          assumptions,
          secure,
          group_size,
          unwrap(parse_basis(would_be)),
          person};
}

/// Whether a loss states a bound at all: a negative or undefined one would compose to too little.
struct StatesABound {
  static bool amount(double value) { return std::isfinite(value) && value >= 0.0; }
  static bool share(double value) { return value >= 0.0 && value <= 1.0; }
  bool operator()(const PureDp& loss) const { return amount(loss.epsilon); }
  bool operator()(const ApproxDp& loss) const { return amount(loss.epsilon) && share(loss.delta); }
  bool operator()(const Zcdp& loss) const { return amount(loss.rho); }
  bool operator()(const GaussianDp& loss) const { return amount(loss.mu); }
  bool operator()(const RenyiCurve& loss) const {
    return !loss.orders.empty() && loss.orders.size() == loss.divergences.size() &&
           std::ranges::all_of(loss.orders, [](double order) { return order > 1.0; }) &&
           std::ranges::adjacent_find(loss.orders, std::ranges::greater_equal{}) ==
               loss.orders.end() &&
           std::ranges::all_of(loss.divergences, [](double value) { return value >= 0.0; });
  }
  bool operator()(const TradeOffCurve& loss) const {
    return loss.type_one.size() >= 2 && loss.type_one.size() == loss.type_two.size() &&
           std::ranges::all_of(loss.type_one, share) && std::ranges::all_of(loss.type_two, share) &&
           loss.type_one.front() == 0.0 && loss.type_one.back() == 1.0 &&
           loss.type_two.back() == 0.0 &&
           std::ranges::adjacent_find(loss.type_one, std::ranges::greater_equal{}) ==
               loss.type_one.end() &&
           std::ranges::is_sorted(loss.type_two, std::ranges::greater{});
  }
};

Guarantee make_guarantee(const Loss& loss, const std::string& relation, const std::string& basis,
                         std::vector<std::string> assumptions) {
  if (!std::visit(StatesABound{}, loss)) {
    throw Failure{bad_request("a loss is finite and not negative, with delta between 0 and 1; the "
                              "points of a curve are in order")
                      .value()};
  }
  Guarantee g;
  g.relation = unwrap(parse_relation(relation));
  g.loss = loss;
  g.basis = unwrap(parse_basis(basis));
  g.assumptions = std::move(assumptions);
  return g;
}

struct SameLoss {
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
  bool operator()(const PureDp& a, const PureDp& b) const { return a.epsilon == b.epsilon; }
  bool operator()(const ApproxDp& a, const ApproxDp& b) const {
    return a.epsilon == b.epsilon && a.delta == b.delta;
  }
  bool operator()(const Zcdp& a, const Zcdp& b) const { return a.rho == b.rho; }
  bool operator()(const GaussianDp& a, const GaussianDp& b) const { return a.mu == b.mu; }
  bool operator()(const RenyiCurve& a, const RenyiCurve& b) const {
    return a.orders == b.orders && a.divergences == b.divergences;
  }
  bool operator()(const TradeOffCurve& a, const TradeOffCurve& b) const {
    return a.type_one == b.type_one && a.type_two == b.type_two;
  }
};

bool equal(const Guarantee& a, const Guarantee& b) {
  const auto& [relation, loss, basis, assumptions, secure, group_size, would_be, person] = a;
  return std::visit(SameLoss{}, loss, b.loss) &&
         std::tie(relation, basis, assumptions, secure, group_size, would_be, person) ==
             std::tie(b.relation, b.basis, b.assumptions, b.secure_random, b.group_size, b.would_be,
                      b.person);
}

Guarantee for_group(const Guarantee& g, int size) {
  if (!g.person.empty()) {
    throw Failure{{ErrorCode::BadRequest,
                   "this guarantee is for a person with all their rows and says nothing about "
                   "groups of rows"}};
  }
  Guarantee group = g;
  group.loss = unwrap(group_loss(g.loss, size));
  if (size > std::numeric_limits<int>::max() / g.group_size) {
    throw Failure{{ErrorCode::BadRequest, "a group cannot have 2^31 rows or more"}};
  }
  group.group_size = g.group_size * size;
  return group;
}

double in_unit_interval(double value, const char* what) {
  if (!(value >= 0.0 && value <= 1.0)) {
    throw Failure{bad_request(std::string(what) + " must lie between 0 and 1").value()};
  }
  return value;
}

/// Numbers of a release that is not private promise nothing, whatever its loss would have been.
bool holds(const Guarantee& g) {
  return g.basis != Basis::NotPrivate;
}

/// Bounds on detection hold without a condition, or the caller asks for them under it.
bool limits_detection(const Guarantee& g, bool conditional) {
  return holds(g) && (conditional || condition_of(g.basis).empty());
}

std::string html_of(const Guarantee& g) {
  std::string page = "<div><p><strong>" + escape_markup(in_words(g)) + "</strong><br>" +
                     escape_markup(detection_in_words(g)) + "</p>";
  page += figure_svg(trade_off_figure(g));
  if (!g.assumptions.empty()) {
    page += "<details><summary>what it rests on</summary><ul>";
    for (const std::string& line : g.assumptions) {
      page += "<li>" + escape_markup(line) + "</li>";
    }
    page += "</ul></details>";
  }
  return page + "</div>";
}

template <class Kind, class... Fields>
void bind_loss(nb::module_& m, const char* name, const char* doc, const char* first,
               double Kind::*first_field) {
  nb::class_<Kind>(m, name, doc)
      .def(
          "__init__", [](Kind* self, double value) { new (self) Kind{value}; }, nb::arg(first))
      .def_ro(first, first_field)
      .def("__getstate__", [=](const Kind& k) { return std::make_tuple(k.*first_field); })
      .def("__setstate__",
           [](Kind& k, const std::tuple<double>& s) { new (&k) Kind{std::get<0>(s)}; })
      .def(
          "__eq__", [=](const Kind& a, const Kind& b) { return a.*first_field == b.*first_field; },
          nb::is_operator())
      .def("__hash__", [=](const Kind& a) { return std::hash<double>()(a.*first_field); })
      .def("__repr__", [=](const Kind& k) {
        return std::string(name) + "(" + first + "=" +
               nb::cast<std::string>(nb::str(nb::float_(k.*first_field))) + ")";
      });
}

/// A loss of two fields.
template <class Kind, class Field>
nb::class_<Kind> bind_loss(nb::module_& m, const char* name, const char* doc, const char* first,
                           Field Kind::*first_field, const char* second,
                           Field Kind::*second_field) {
  using Both = std::tuple<Field, Field>;
  return nb::class_<Kind>(m, name, doc)
      .def(
          "__init__",
          [](Kind* self, Field one, Field two) {
            new (self) Kind{std::move(one), std::move(two)};
          },
          nb::arg(first), nb::arg(second))
      .def_ro(first, first_field)
      .def_ro(second, second_field)
      .def("__getstate__", [=](const Kind& k) { return Both(k.*first_field, k.*second_field); })
      .def("__setstate__", [](Kind& k, const Both& s) {
        new (&k) Kind{std::get<0>(s), std::get<1>(s)};
      });
}

void bind_losses(nb::module_& m) {
  bind_loss<PureDp>(m, "PureDP", "Pure epsilon-differential privacy.", "epsilon", &PureDp::epsilon);
  bind_loss(m, "ApproxDP", "(epsilon, delta)-differential privacy.", "epsilon", &ApproxDp::epsilon,
            "delta", &ApproxDp::delta)
      .def(
          "__eq__",
          [](const ApproxDp& a, const ApproxDp& b) {
            return a.epsilon == b.epsilon && a.delta == b.delta;
          },
          nb::is_operator())
      .def("__hash__", [](const ApproxDp& a) { return std::hash<double>()(a.epsilon + a.delta); })
      .def("__repr__", [](const ApproxDp& k) {
        return "ApproxDP(epsilon=" + nb::cast<std::string>(nb::str(nb::float_(k.epsilon))) +
               ", delta=" + nb::cast<std::string>(nb::str(nb::float_(k.delta))) + ")";
      });
  bind_loss<Zcdp>(m, "ZCDP", "rho-zero-concentrated differential privacy.", "rho", &Zcdp::rho);
  bind_loss<GaussianDp>(m, "GDP", "mu-Gaussian differential privacy.", "mu", &GaussianDp::mu);
  bind_loss(m, "RenyiCurve", "Renyi divergences by order.", "orders", &RenyiCurve::orders,
            "divergences", &RenyiCurve::divergences);
  bind_loss(m, "TradeOffCurve", "A convex lower bound on the type II error at every type I error.",
            "type_one", &TradeOffCurve::type_one, "type_two", &TradeOffCurve::type_two);
}

constexpr const char* kGuaranteeDoc =
    R"(What a release promises: neighbours, loss and what the promise rests on.

Fitted estimators have one in ``guarantee_``; one of your own makes a claim to compose with.

Parameters
----------
loss : PureDP, ApproxDP, ZCDP, GDP, RenyiCurve or TradeOffCurve
relation : str, default="add-remove"
basis : str, default="proved"
    "proved", "proved-real-arithmetic", "asymptotic", "model-probability" or "not-private".
assumptions : list of str, optional

Examples
--------
>>> from eigenveil import GDP, Guarantee
>>> g = Guarantee(GDP(1.0))
>>> print(g)
1-GDP for adding or removing one row; holds for every data set (proved)
>>> round(g.epsilon(1e-6), 3), round(g.power(0.05), 3)
(4.887, 0.26)
>>> round(g.compose(g).loss.mu, 3)
1.414
)";

void bind_guarantee_class(nb::module_& m) {
  nb::class_<Guarantee>(m, "Guarantee", kGuaranteeDoc)
      .def(
          "__init__",
          [](Guarantee* self, const Loss& loss, const std::string& relation,
             const std::string& basis, std::vector<std::string> assumptions) {
            new (self) Guarantee(make_guarantee(loss, relation, basis, std::move(assumptions)));
          },
          "loss"_a, "relation"_a = "add-remove", "basis"_a = "proved",
          "assumptions"_a = std::vector<std::string>{})
      .def_prop_ro("relation", [](const Guarantee& g) { return std::string(name_of(g.relation)); })
      .def_ro("loss", &Guarantee::loss)
      .def_prop_ro("basis", [](const Guarantee& g) { return std::string(name_of(g.basis)); })
      .def_prop_ro("would_be", [](const Guarantee& g) { return std::string(name_of(g.would_be)); })
      .def_ro("assumptions", &Guarantee::assumptions)
      .def_ro("secure_random", &Guarantee::secure_random)
      .def_ro("group_size", &Guarantee::group_size)
      .def_ro("person", &Guarantee::person)
      .def(
          "epsilon",
          [](const Guarantee& g, double delta) {
            const double level = in_unit_interval(delta, "delta");
            return holds(g) ? epsilon_at(g.loss, level) : std::numeric_limits<double>::infinity();
          },
          "delta"_a, "Smallest epsilon proved at this delta, rounded up.")
      .def(
          "delta",
          [](const Guarantee& g, double epsilon) {
            if (!(epsilon >= 0.0)) {
              throw Failure{bad_request("epsilon must not be negative").value()};
            }
            return holds(g) ? delta_at(g.loss, epsilon) : 1.0;
          },
          "epsilon"_a, "Smallest delta proved at this epsilon, rounded up.")
      .def(
          "trade_off",
          [](const Guarantee& g, double alpha, bool conditional) {
            const double level = in_unit_interval(alpha, "alpha");
            return limits_detection(g, conditional) ? trade_off(g.loss, level) : 0.0;
          },
          "alpha"_a, nb::kw_only(), "conditional"_a = false,
          "Smallest type II error of any test with type I error alpha, rounded down. Of a basis "
          "that does not cover every data set 0, unless conditional: then under its condition.")
      .def(
          "power",
          [](const Guarantee& g, double false_alarm, bool conditional) {
            const double level = in_unit_interval(false_alarm, "false_alarm");
            return limits_detection(g, conditional) ? max_power(g.loss, level) : 1.0;
          },
          "false_alarm"_a = 0.05, nb::kw_only(), "conditional"_a = false,
          "Largest chance to detect a given person at this false-alarm rate. Of a basis that does "
          "not cover every data set 1, unless conditional: then under its condition.")
      .def(
          "renyi",
          [](const Guarantee& g, double order) {
            return holds(g) ? renyi_divergence(g.loss, order)
                            : std::numeric_limits<double>::infinity();
          },
          "order"_a, "Upper bound on the Renyi divergence of this order.")
      .def(
          "to_relation",
          [](const Guarantee& g, const std::string& relation) {
            return unwrap(to_relation(g, unwrap(parse_relation(relation))));
          },
          "relation"_a, "The guarantee stated for other neighbours, where a rule leads there.")
      .def(
          "for_group",
          [](const Guarantee& g, nb::handle size) {
            int rows = 0;
            if (PyIndex_Check(size.ptr()) == 0 || !nb::try_cast(size, rows)) {
              throw Failure{bad_request("size must be a whole number").value()};
            }
            return for_group(g, rows);
          },
          "size"_a, nb::sig("def for_group(self, size: int) -> Guarantee"),
          "The guarantee for this many rows changed together.")
      .def(
          "compose",
          [](const Guarantee& g, const Guarantee& other) { return unwrap(compose(g, other)); },
          "other"_a, "Both releases together.")
      .def(
          "not_private",
          [](const Guarantee& g, const std::string& would_need) {
            Guarantee broken = g;
            broken.would_be = holds(g) ? g.basis : g.would_be;
            broken.basis = Basis::NotPrivate;
            broken.assumptions.push_back(would_need);
            return broken;
          },
          "would_need"_a,
          "The same release after something that voids it; says what it would need.")
      .def(
          "detection", [](const Guarantee& g) { return detection_in_words(g); },
          "The guarantee as the power of a test, in words.")
      .def("__str__", [](const Guarantee& g) { return in_words(g); })
      .def("__repr__", [](const Guarantee& g) { return "<Guarantee: " + in_words(g) + ">"; })
      .def("_repr_html_", &html_of)
      .def("__eq__", &equal, nb::is_operator())
      .def("__hash__", [](const Guarantee& g) { return std::hash<std::string>()(in_words(g)); })
      .def("__getstate__", [](const Guarantee& g) { return state_of(g); })
      .def("__setstate__", [](Guarantee& g, const State& s) { new (&g) Guarantee(from_state(s)); });
}

}  // namespace

void bind_guarantee(nb::module_& m) {
  bind_losses(m);
  bind_guarantee_class(m);
  m.def(
      "compose_all", [](const std::vector<Guarantee>& all) { return unwrap(compose_all(all)); },
      "guarantees"_a,
      "Sequential composition; composing a list at once is tighter than folding it.");
  m.def(
      "compose_parallel",
      [](const std::vector<Guarantee>& all, bool fixed) {
        return unwrap(
            compose_parallel(all, fixed ? Partition::FixedAndPublic : Partition::DecidedByRow));
      },
      "guarantees"_a, "partition_is_public"_a = false, "Releases on disjoint parts of one table.");
  m.def(
      "pure_zcdp", [](double epsilon) { return pure_zcdp(epsilon).rho; }, "epsilon"_a,
      "rho of the zCDP that pure epsilon-DP implies, rounded up.");
  using Number = std::optional<double>;
  m.def(
      "asked_budget",
      [](Number epsilon, Number delta, Number rho, Number mu) {
        return unwrap(asked_budget({epsilon, delta, rho, mu}));
      },
      "epsilon"_a.none(), "delta"_a.none(), "rho"_a.none(), "mu"_a.none());
}

}  // namespace eigenveil::python
