#include "eigenveil/privacy/guarantee.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "bind.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/document.hpp"
#include "eigenveil/report/guarantee_text.hpp"
#include "engine/asked_budget.hpp"
#include "privacy/loss_rules.hpp"
#include "report/figure.hpp"
#include "report/html_text.hpp"
#include "report/report_figures.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

Guarantee make_guarantee(const Loss& loss, const std::string& relation, const std::string& basis,
                         std::vector<std::string> assumptions) {
  if (!detail::is_well_formed(loss)) {
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

/// A loss by the names of its numbers: a value, and compared as one.
template <class Kind, class... Fields>
void bind_loss(nb::module_& m, const char* name, const char* doc,
               const std::pair<const char*, Fields Kind::*>&... fields) {
  const auto values = [=](const Kind& loss) { return std::tuple(loss.*fields.second...); };
  const auto shown = [=](const Kind& loss) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + std::string(fields.first) + "=" +
              nb::cast<std::string>(nb::repr(nb::cast(loss.*fields.second)))),
     ...);
    return std::string(name) + "(" + text + ")";
  };
  nb::class_<Kind> bound(m, name, doc);
  bound.def(
      "__init__", [](Kind* self, Fields... given) { new (self) Kind{std::move(given)...}; },
      nb::arg(fields.first)...);
  (bound.def_ro(fields.first, fields.second), ...);
  bound.def("__getstate__", values)
      .def("__setstate__",
           [](Kind& loss, const std::tuple<Fields...>& state) {
             std::apply([&](const Fields&... kept) { new (&loss) Kind{kept...}; }, state);
           })
      .def(
          "__eq__", [=](const Kind& a, const Kind& b) { return values(a) == values(b); },
          nb::is_operator())
      .def("__hash__", [=](const Kind& loss) { return std::hash<std::string>()(shown(loss)); })
      .def("__repr__", shown);
}

void bind_losses(nb::module_& m) {
  using std::pair;
  bind_loss<PureDp>(m, "PureDP", "Pure epsilon-differential privacy.",
                    pair("epsilon", &PureDp::epsilon));
  bind_loss<ApproxDp>(m, "ApproxDP", "(epsilon, delta)-differential privacy.",
                      pair("epsilon", &ApproxDp::epsilon), pair("delta", &ApproxDp::delta));
  bind_loss<Zcdp>(m, "ZCDP", "rho-zero-concentrated differential privacy.",
                  pair("rho", &Zcdp::rho));
  bind_loss<GaussianDp>(m, "GDP", "mu-Gaussian differential privacy.", pair("mu", &GaussianDp::mu));
  bind_loss<RenyiCurve>(m, "RenyiCurve", "Renyi divergences by order.",
                        pair("orders", &RenyiCurve::orders),
                        pair("divergences", &RenyiCurve::divergences));
  bind_loss<TradeOffCurve>(
      m, "TradeOffCurve", "A convex lower bound on the type II error at every type I error.",
      pair("type_one", &TradeOffCurve::type_one), pair("type_two", &TradeOffCurve::type_two));
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
      .def(
          "__eq__",
          [](const Guarantee& a, const Guarantee& b) {
            return guarantee_text(a) == guarantee_text(b);
          },
          nb::is_operator())
      .def("__hash__", [](const Guarantee& g) { return std::hash<std::string>()(in_words(g)); })
      .def("__getstate__", &guarantee_text)
      .def("__setstate__", [](Guarantee& g, const std::string& text) {
        new (&g) Guarantee(unwrap(guarantee_of_text(text)));
      });
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
  m.def("headline", &headline, "guarantee"_a, "requested"_a);
  using Number = std::optional<double>;
  m.def(
      "asked_budget",
      [](Number epsilon, Number delta, Number rho, Number mu) {
        return unwrap(asked_budget({epsilon, delta, rho, mu}));
      },
      "epsilon"_a.none(), "delta"_a.none(), "rho"_a.none(), "mu"_a.none());
}

}  // namespace eigenveil::python
