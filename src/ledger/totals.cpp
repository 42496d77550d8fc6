#include "ledger/totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bisection.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

using detail::Wide;

/// A sum that is never too small. With sum >= term the lost part of an addition is representable
/// (Dekker), so that exact sums stay exact and others move up by 1e-45 of themselves.
class OutwardSum {
 public:
  void add(const Wide& term) {
    const Wide& large = std::max(sum_, term);
    const Wide& small = std::min(sum_, term);
    const Wide total = large + small;
    const bool exact = total - large == small;
    static const Wide kStep("1e-45");
    sum_ = exact ? total : total * (1 + kStep);
  }
  const Wide& value() const { return sum_; }

 private:
  Wide sum_ = 0;
};

struct Sums {
  OutwardSum square_mu;
  OutwardSum epsilon;
  OutwardSum delta;
  OutwardSum draws;

  void add(const Charge& charge) {
    draws.add(Wide(charge.draws));
    if (charge.account == Account::Gaussian) {
      square_mu.add(Wide(charge.mu) * Wide(charge.mu));
    } else {
      epsilon.add(Wide(charge.epsilon));
      delta.add(Wide(charge.delta));
    }
  }
};

bool is_finite(const Charge& charge) {
  return std::isfinite(charge.mu) && std::isfinite(charge.epsilon) && std::isfinite(charge.delta) &&
         std::isfinite(charge.draws) && charge.mu >= 0.0 && charge.epsilon >= 0.0 &&
         charge.delta >= 0.0 && charge.draws >= 0.0;
}

Sums sums_of(const std::vector<Charge>& charges) {
  Sums sums;
  for (const Charge& charge : charges) {
    sums.add(charge);
  }
  return sums;
}

double rest_of(double cap, const Wide& spent) {
  return Wide(cap) > spent ? detail::round_down(Wide(cap) - spent) : 0.0;
}

/// "0.1234" rounded down: a printed budget must fit.
std::string printed_down(double value) {
  std::string text = fmt::format("{:.4g}", value);
  double shown = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), shown);
  if (shown > value) {
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 3.0);
    text = fmt::format("{:.4g}", value - 0.5 * step);
  }
  return text;
}

/// The same request with another size, for the search below. What else is proved for the release
/// shrinks about as much: the mu of a draw is a little concave in its epsilon.
ReleaseCost scaled(ReleaseCost cost, double factor) {
  struct Scale {
    double by;
    Loss operator()(PureDp loss) const { return PureDp{loss.epsilon * by}; }
    Loss operator()(ApproxDp loss) const { return ApproxDp{loss.epsilon * by, loss.delta}; }
    Loss operator()(Zcdp loss) const { return Zcdp{loss.rho * by * by}; }
    Loss operator()(GaussianDp loss) const { return GaussianDp{loss.mu * by}; }
    Loss operator()(const RenyiCurve& loss) const { return loss; }
    Loss operator()(const TradeOffCurve& loss) const { return loss; }
  };
  // rho goes with the square of what epsilon and mu measure.
  const bool squared = std::holds_alternative<Zcdp>(cost.requested);
  const Scale scale{squared ? std::sqrt(factor) : factor};
  for (Loss& other : cost.further) {
    other = std::visit(scale, other);
  }
  const auto* pair = std::get_if<ApproxDp>(&cost.requested);
  if (pair != nullptr) {
    const ApproxDp smaller{pair->epsilon * factor, pair->delta};
    // A Gaussian release asked by a pair pays the mu of the smaller pair.
    cost.guarantee.loss = std::holds_alternative<GaussianDp>(cost.guarantee.loss)
                              ? Loss(GaussianDp{gaussian_mu_for(smaller)})
                              : Loss(smaller);
    cost.requested = smaller;
    return cost;
  }
  cost.guarantee.loss = std::visit(scale, cost.guarantee.loss);
  return cost;
}

bool fits(const LedgerTerms& terms, const std::vector<Charge>& charges, const ReleaseCost& cost) {
  const Result<std::optional<Charge>> charge = fitting_charge(terms, charges, cost);
  return charge && charge->has_value();
}

/// "--epsilon 0.41 --delta 1e-06": what was asked, `factor` times as large.
std::string request_in_words(const Budget& requested, double factor) {
  struct Words {
    double by;
    std::string operator()(const PureDp& budget) const {
      return fmt::format("{{epsilon {}}}", printed_down(budget.epsilon * by));
    }
    std::string operator()(const ApproxDp& budget) const {
      return fmt::format("{{epsilon {}}} {{delta {:.3g}}}", printed_down(budget.epsilon * by),
                         budget.delta);
    }
    std::string operator()(const Zcdp& budget) const {
      return fmt::format("{{rho {}}}", printed_down(budget.rho * by));
    }
    std::string operator()(const GaussianDp& budget) const {
      return fmt::format("{{mu {}}}", printed_down(budget.mu * by));
    }
  };
  return std::visit(Words{factor}, requested);
}

/// Charges that sum up the earlier ones, so that the search does not add them each time.
std::vector<Charge> condensed(const std::vector<Charge>& charges) {
  const LedgerSpent spent = spent_by(charges);
  return {{Account::Gaussian, detail::root_up(Wide(spent.square_mu)), 0.0, 0.0},
          {Account::Basic, 0.0, spent.epsilon, spent.delta, spent.draws}};
}

/// The largest factor up to 1 that passes, or none where a thousandth, which is no answer worth
/// giving, does not.
template <class Passes>
std::optional<double> largest_factor(const Passes& passes) {
  double low = 1e-3;
  if (!passes(low)) {
    return std::nullopt;
  }
  double high = 1.0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (passes(middle) ? low : high) = middle;
  }
  return low;
}

/// A pair that goes to the basic account with another delta, where that alone is too large.
std::optional<std::string> smaller_delta_in_words(const LedgerTerms& terms,
                                                  const std::vector<Charge>& earlier,
                                                  const ReleaseCost& cost) {
  const auto* asked = std::get_if<ApproxDp>(&cost.requested);
  const bool pays_mu =
      std::holds_alternative<GaussianDp>(cost.guarantee.loss) && terms.caps.has_gaussian();
  if (asked == nullptr || pays_mu || !(left_of(terms.caps, earlier).delta > 0.0)) {
    return std::nullopt;
  }
  // Steps between the neighbours multiply a delta by a number that depends on epsilon: searched.
  const auto with = [&](double epsilon_factor, double delta_factor) {
    const ApproxDp pair{asked->epsilon * epsilon_factor, asked->delta * delta_factor};
    ReleaseCost smaller = cost;
    smaller.requested = pair;
    smaller.guarantee.loss = pair;
    return smaller;
  };
  const auto factor = [&](double epsilon_factor) {
    double low = 0.0;
    double high = 1.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (fits(terms, earlier, with(epsilon_factor, middle)) ? low : high) = middle;
    }
    return low;
  };
  for (const double tried : {1.0, 0.5, 0.1, 0.01}) {
    if (const double delta = factor(tried); delta > 0.0) {
      return fmt::format("{{epsilon {}}} {{delta {}}} would fit",
                         printed_down(asked->epsilon * tried), printed_down(asked->delta * delta));
    }
  }
  return std::nullopt;
}

std::string largest_in_words(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                             const ReleaseCost& cost) {
  const std::optional<double> found = largest_fitting(terms, earlier, cost);
  if (!found) {
    return smaller_delta_in_words(terms, condensed(earlier), cost)
        .value_or("no smaller budget of this kind worth having would fit");
  }
  std::string words =
      fmt::format("the largest that would fit is {}{}", cost.further.empty() ? "" : "about ",
                  request_in_words(cost.requested, *found));
  if (*found > 1.0 - 1e-9) {  // four digits of both look alike
    words +=
        "; what was asked is more by less than a billionth, since a decimal such as 0.1 can be a "
        "little more than itself as a binary number";
  }
  return words;
}

/// Where only the cap for draws in doubles is in the way: the sentence for it.
std::optional<std::string> lacks_draws(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                                       ReleaseCost cost) {
  const double error = std::exchange(cost.draw_error, 0.0);
  const Result<std::optional<Charge>> exact = fitting_charge(terms, earlier, cost);
  if (error == 0.0 || !exact || !exact->has_value()) {
    return std::nullopt;
  }
  cost.draw_error = error;
  const std::vector<Charge> ways = *charges_of(terms, cost);
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const Charge& one, const Charge& other) { return one.draws < other.draws; });
  return fmt::format(
      "the ledger has not enough left for draws in doubles: this release adds {:.4g}, left are "
      "{:.4g} of {:.4g}; take a method without such a draw (gauss, laplace, wishart), or make a "
      "ledger with larger {{draws}}",
      least->draws, left_of(terms.caps, earlier).draws, terms.caps.draws);
}

}  // namespace

std::optional<double> largest_fitting(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                                      const ReleaseCost& cost) {
  const std::vector<Charge> sum = condensed(earlier);
  return largest_factor([&](double factor) { return fits(terms, sum, scaled(cost, factor)); });
}

LedgerSpent spent_by(const std::vector<Charge>& charges) {
  const Sums sums = sums_of(charges);
  return {detail::round_up(sums.square_mu.value()), detail::round_up(sums.epsilon.value()),
          detail::round_up(sums.delta.value()), detail::round_up(sums.draws.value())};
}

bool within(const LedgerCaps& caps, const std::vector<Charge>& charges) {
  if (!std::all_of(charges.begin(), charges.end(), is_finite)) {
    return false;
  }
  const Sums sums = sums_of(charges);
  return sums.square_mu.value() <= Wide(caps.mu) * Wide(caps.mu) &&
         sums.epsilon.value() <= Wide(caps.epsilon) && sums.delta.value() <= Wide(caps.delta) &&
         sums.draws.value() <= Wide(caps.draws);
}

LedgerCaps left_of(const LedgerCaps& caps, const std::vector<Charge>& charges) {
  const Sums sums = sums_of(charges);
  const Wide square = Wide(caps.mu) * Wide(caps.mu) - sums.square_mu.value();
  return {square > 0 ? detail::root_down(square) : 0.0, rest_of(caps.epsilon, sums.epsilon.value()),
          rest_of(caps.delta, sums.delta.value()), rest_of(caps.draws, sums.draws.value())};
}

double share_of(const LedgerCaps& caps, const Charge& charge) {
  const auto part = [](double taken, double cap) {
    return taken == 0.0 ? 0.0 : cap > 0.0 ? taken / cap : std::numeric_limits<double>::infinity();
  };
  if (charge.account == Account::Gaussian) {
    const double root = part(charge.mu, caps.mu);
    return root * root;
  }
  return std::max(part(charge.epsilon, caps.epsilon), part(charge.delta, caps.delta));
}

std::string left_in_words(const LedgerCaps& caps, const std::vector<Charge>& charges) {
  const LedgerCaps left = left_of(caps, charges);
  std::string text;
  if (caps.has_gaussian()) {
    text = fmt::format("mu {:.4g} of {:.4g} in the gaussian account", left.mu, caps.mu);
  }
  if (caps.has_basic()) {
    text += fmt::format("{}epsilon {:.4g} of {:.4g}", text.empty() ? "" : " and ", left.epsilon,
                        caps.epsilon);
    if (caps.delta > 0.0) {
      text += fmt::format(" with delta {:.3g} of {:.3g}", left.delta, caps.delta);
    }
    text += " in the basic account";
  }
  return text;
}

Result<std::optional<Charge>> fitting_charge(const LedgerTerms& terms,
                                             const std::vector<Charge>& earlier,
                                             const ReleaseCost& cost) {
  const Result<std::vector<Charge>> ways = charges_of(terms, cost);
  if (!ways) {
    return error_of(ways);
  }
  std::optional<Charge> chosen;
  std::vector<Charge> all = earlier;
  all.emplace_back();
  for (const Charge& way : *ways) {
    all.back() = way;
    const bool smaller = !chosen || share_of(terms.caps, way) < share_of(terms.caps, *chosen);
    if (smaller && within(terms.caps, all)) {
      chosen = way;
    }
  }
  return chosen;
}

Result<Charge> choose_charge(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                             const ReleaseCost& cost) {
  const Result<std::optional<Charge>> chosen = fitting_charge(terms, earlier, cost);
  if (!chosen) {
    return error_of(chosen);
  }
  if (*chosen) {
    return **chosen;
  }
  std::string asked;
  const std::vector<Charge> ways = *charges_of(terms, cost);
  if (const std::optional<std::string> drawn = lacks_draws(terms, earlier, cost)) {
    return bad_request(*drawn);
  }
  for (const Charge& way : ways) {
    asked += fmt::format("{}{} of the {} account", asked.empty() ? "" : ", or ", in_words(way),
                         name_of(way.account));
  }
  const std::string counted =
      ways.empty() ? std::string() : steps_in_words(terms, cost, ways.front().steps);
  return bad_request(fmt::format(
      "the ledger has not enough left: this release takes {}{}{}; left are {}; {}",
      asked.empty() ? "an account the ledger lacks" : asked, counted.empty() ? "" : "; ", counted,
      left_in_words(terms.caps, earlier), largest_in_words(terms, earlier, cost)));
}

}  // namespace eigenveil
