#include "audit/drawn_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "audit/drawn_spending.hpp"
#include "audit/gamma_difference.hpp"
#include "audit/orbit_pairs.hpp"
#include "core/distributions.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/exponential/exponential.hpp"
#include "mechanism/orbit/orbit_components.hpp"

namespace eigenveil {
namespace {

/// Total exponent of the table whose draw shows the exponent, of the rows that hide the row under
/// attack (more: closer to the claim, and rarer), and of those that fix the frame.
constexpr double kLawExponent = 2.0;
constexpr double kHidingExponent = 4.0;
constexpr double kFixedExponent = 60.0;

enum class DrawnMethod : std::uint8_t {
  Exponential,  ///< a real unit vector in the plane
  Components,   ///< the complement of one complex unit vector
  Spectrum,     ///< one complex unit vector in the plane, nothing inside
};

struct DrawnAudit {
  DrawnMethod method;
  AttackedTables tables;
  SpendingUnit unit;
  Spending claim;

  std::size_t dimension() const { return static_cast<std::size_t>(tables.axis(0).size()); }
  /// One row along an axis adds this to the exponent along it.
  double exponent_per_row(const Spending& spent) const {
    const double relation = tables.setting().relation == Relation::ReplaceOne ? 2.0 : 1.0;
    return unit.range(spent.directions) / (relation * tables.setting().group_size);
  }
  /// The axis a lone row under attack lies along, and those that hide it.
  AttackedTables::Rows along_others(double exponent) const {
    return rows_on(1, dimension(), exponent);
  }
  AttackedTables::Rows rows_on(std::size_t from, std::size_t to, double exponent) const {
    AttackedTables::Rows rows;
    const double needed = std::max(1.0, std::round(exponent / exponent_per_row(claim)));
    for (std::size_t axis = from; axis < to; ++axis) {
      rows.insert(rows.end(), static_cast<std::size_t>(needed), tables.row(axis));
    }
    return rows;
  }
};

/// A release as far as an attack looks at it.
struct Seen {
  Matrix projection;  ///< real part of the drawn projection
  Matrix frame;
  NoisyProjection inside;
};
using Draw = std::function<Seen(const ExactGram&, RandomStream&)>;

/// The shipped plan at what is spent.
Result<Draw> draw_of(const DrawnAudit& audit, const Spending& spent) {
  const AttackSetting& setting = audit.tables.setting();
  const Budget budget = audit.unit.budget(audit.unit.total(spent));
  const double share = audit.unit.share(spent);
  if (audit.method == DrawnMethod::Exponential) {
    return plan_exponential({audit.tables.bound(), audit.tables.scales(), budget, setting.relation,
                             setting.group_size, share})
        .map([](const ExponentialPlan& plan) -> Draw {
          return [plan](const ExactGram& gram, RandomStream& stream) {
            const DrawnSubspace drawn = plan.run(gram, stream)->value();
            return Seen{drawn.frame * drawn.frame.transpose(), drawn.frame, drawn.projection};
          };
        });
  }
  OrbitRequest request{audit.tables.bound(), audit.tables.scales(), budget, setting.relation};
  request.group_size = setting.group_size;
  if (audit.method == DrawnMethod::Spectrum) {
    return OrbitPlan::make(request, Vector::Ones(1)).map([](const OrbitPlan& plan) -> Draw {
      return [plan](const ExactGram& gram, RandomStream& stream) {
        return Seen{plan.run(gram, stream)->value().matrix.real(), {}, {}};
      };
    });
  }
  return OrbitComponentsPlan::make(request, static_cast<Eigen::Index>(audit.dimension()) - 1, share)
      .map([](const OrbitComponentsPlan& plan) -> Draw {
        return [plan](const ExactGram& gram, RandomStream& stream) {
          const OrbitComponents drawn = plan.run(gram, stream)->value();
          return Seen{drawn.orbit.matrix.real(), drawn.frame, drawn.projection};
        };
      });
}

/// P(cos² > 1/2) for the density exp(rate cos²) of an angle: a unit vector in the real plane.
double circle_probability(double rate) {
  constexpr int kSteps = 400;  // Simpson's rule on a smooth function
  const auto integral = [rate](double from, double to) {
    double sum = 0.0;
    for (int i = 0; i <= kSteps; ++i) {
      const double angle = from + (to - from) * i / kSteps;
      const double weight = i == 0 || i == kSteps ? 1.0 : i % 2 == 0 ? 2.0 : 4.0;
      const double cosine = std::cos(angle);
      sum += weight * std::exp(rate * (cosine * cosine - 1.0));
    }
    return sum * (to - from);
  };
  const double quarter = std::numbers::pi / 4.0;
  const double near = integral(0.0, quarter);
  return near / (near + integral(quarter, 2.0 * quarter));
}

/// The exponent from how often the draw lies nearer than not to where the rows pull it: along the
/// first axis, or (components) its missing direction, which rows along all other axes push there.
Result<Attack> exponent_attack(const DrawnAudit& audit, const Mutant& mutant) {
  const SpendingUnit& unit = audit.unit;
  const double range = unit.range(audit.claim.directions);
  const Result<Draw> draw = draw_of(
      audit, {mutant.factor == 1.0 ? audit.claim.directions : unit.for_range(range * mutant.factor),
              audit.claim.inside});
  if (!draw) {
    return error_of(draw);
  }
  const bool missing = audit.method == DrawnMethod::Components;
  const auto rows = missing ? audit.along_others(kLawExponent) : audit.rows_on(0, 1, kLawExponent);
  const double pulls =
      static_cast<double>(rows.size()) / static_cast<double>(missing ? audit.dimension() - 1 : 1);
  const double rate = pulls * audit.exponent_per_row(audit.claim);
  const bool real = audit.method == DrawnMethod::Exponential;
  const auto d = static_cast<Eigen::Index>(audit.dimension());
  Attack made;
  made.attack.name = "exponent, " + mutant.name;
  const auto announced = [rate, real, d](double factor) {
    return real ? circle_probability(factor * rate) : detail::upper_tail(factor * rate, d, 0.5);
  };
  made.attack.claim = unit.loss(audit.claim.directions);
  made.attack.law = unit.law_of_draw(announced, audit.claim.directions);
  made.attack.rule = AuditRule{0.5, 1.0, false};
  made.attack.exact = ExactTest{announced(mutant.factor), 1.0};
  made.attack.statistic_on_first = [draw = *draw, missing, axis = audit.tables.axis(0),
                                    gram = audit.tables.gram(rows)](RandomStream& stream) {
    const double along = axis.dot(draw(gram, stream).projection * axis);
    return missing ? 1.0 - along : along;
  };
  return made;
}

/// Of the claimed scale: noise this near to the truth is counted.
constexpr double kNear = 0.7;

/// Two tables and the likelihood ratio of a release.
class DrawnRatio {
 public:
  DrawnRatio(const DrawnAudit& audit, const Spending& spent,
             const std::pair<AttackedTables::Rows, AttackedTables::Rows>& rows)
      : grams_{audit.tables.gram(rows.first), audit.tables.gram(rows.second)},
        moments_{scaled_moment(grams_[0], audit.tables.scales()),
                 scaled_moment(grams_[1], audit.tables.scales())},
        counts_{static_cast<double>(rows.first.size()), static_cast<double>(rows.second.size())},
        exponent_(audit.exponent_per_row(spent) / (audit.tables.radius() * audit.tables.radius())) {
  }

  const ExactGram& gram(bool first) const { return grams_[first ? 0 : 1]; }
  /// Up to a constant.
  double directions(const Seen& seen) const {
    return exponent_ * (moments_[0] - moments_[1]).cwiseProduct(seen.projection).sum();
  }
  double inside(const Seen& seen) const {
    const Matrix first = seen.frame.transpose() * moments_[0] * seen.frame;
    const Matrix second = seen.frame.transpose() * moments_[1] * seen.frame;
    const auto length = [](double apart) { return apart * apart; };
    if (seen.inside.law == NoiseLaw::Gaussian) {  // half as much variance off the diagonal
      const double sd2 = 2.0 * length(seen.inside.product_sd);
      const double counted =
          seen.inside.count_is_public
              ? 0.0
              : (length(seen.inside.count - counts_[1]) - length(seen.inside.count - counts_[0])) /
                    (2.0 * length(seen.inside.count_sd));
      return ((seen.inside.products - second).squaredNorm() -
              (seen.inside.products - first).squaredNorm()) /
                 sd2 +
             counted;
    }
    // Two-sided Wishart noise: the density falls about as e^(-|.|_*), exactly so on the cone.
    const double scale =
        seen.inside.product_sd / std::sqrt(static_cast<double>(first.cols()) + 1.0);
    double total =
        (nuclear_norm(seen.inside.products - second) - nuclear_norm(seen.inside.products - first)) /
        scale;
    if (!seen.inside.count_is_public) {
      total += laplace(seen.inside.count, counts_[0], counts_[1], seen.inside.count_sd);
    }
    return total;
  }

 private:
  static double laplace(double released, double first, double second, double sd) {
    return (std::abs(released - second) - std::abs(released - first)) / (sd / std::sqrt(2.0));
  }

  std::array<ExactGram, 2> grams_;
  std::array<Matrix, 2> moments_;
  std::array<double, 2> counts_;
  double exponent_;
};

/// How far k x k products move between neighbours, rows of norm 1: in nuclear norm for pure noise,
/// in Frobenius norm for Gaussian noise.
double products_move(double k, Relation relation, bool pure) {
  return relation != Relation::ReplaceOne || k == 1.0 ? 1.0 : pure ? 2.0 : std::sqrt(2.0);
}

/// Of the claimed noise on a product: its scale (pure) or standard deviation, from the table alone.
/// A row moves the count by t^2 beside its products, the deviation of a product over that of the
/// count.
double claimed_scale(const DrawnAudit& audit, double k, const NoisyProjection& inside) {
  const bool pure = audit.unit.pure();
  const AttackSetting& setting = audit.tables.setting();
  const double products =
      audit.tables.radius() * audit.tables.radius() * products_move(k, setting.relation, pure);
  const double counted =
      inside.count_is_public
          ? 0.0
          : inside.product_sd * (pure ? std::sqrt(2.0 / (k + 1.0)) : 1.0) / inside.count_sd;
  if (pure) {
    return setting.group_size * (products + counted) / audit.claim.inside;
  }
  const double mu = audit.unit.mu() ? audit.claim.inside : std::sqrt(2.0 * audit.claim.inside);
  return setting.group_size * std::hypot(products, counted) / mu;
}

/// The scale of the noise inside, from how often the first product lies within 0.7 times the
/// claimed scale from the truth.
Result<Attack> noise_attack(const DrawnAudit& audit, const Mutant& mutant) {
  const SpendingUnit& unit = audit.unit;
  const Result<Draw> draw =
      draw_of(audit, {audit.claim.directions, unit.for_noise(audit.claim.inside, mutant.factor)});
  if (!draw) {
    return error_of(draw);
  }
  const double k =
      audit.method == DrawnMethod::Components ? static_cast<double>(audit.dimension()) - 1.0 : 1.0;
  const ExactGram gram = audit.tables.gram(audit.along_others(1.0));
  const auto announced = [k, pure = unit.pure()](double factor) {
    return pure ? gamma_difference_within(0.5 * (k + 1.0), kNear * factor)
                : 2.0 * normal_cdf(kNear * factor) - 1.0;
  };
  Attack made;
  made.attack.name = "noise inside, " + mutant.name;
  made.attack.claim = unit.loss(audit.claim.inside);
  made.attack.law = unit.law_of_noise(announced);
  made.attack.rule = AuditRule{-kNear, 1.0, false};
  made.attack.exact = ExactTest{announced(mutant.factor), 1.0};
  made.attack.statistic_on_first =
      [=, draw = *draw, moment = scaled_moment(gram, audit.tables.scales())](RandomStream& stream) {
        const Seen seen = draw(gram, stream);
        const double truth = (seen.frame.transpose() * moment * seen.frame)(0, 0);
        return -std::abs(seen.inside.products(0, 0) - truth) / claimed_scale(audit, k, seen.inside);
      };
  return made;
}

enum class Part : std::uint8_t { Inside, Whole };

/// Inside: rows enough that the directions do not change, the row under attack among them. Whole:
/// rows that hide it.
Result<Attack> ratio_attack(const DrawnAudit& audit, Part part, const std::string& name,
                            const Spending& spent) {
  const Result<Draw> draw = draw_of(audit, spent);
  if (!draw) {
    return error_of(draw);
  }
  const bool components = audit.method == DrawnMethod::Components;
  const bool whole = part == Part::Whole;
  const std::size_t axis = !whole && components ? 1 : 0;
  // As well hidden from a mutant, whose rows pull harder.
  const double hiding = kHidingExponent * audit.unit.range(audit.claim.directions) /
                        audit.unit.range(spent.directions);
  const AttackedTables::Rows base = whole        ? audit.along_others(hiding)
                                    : components ? audit.along_others(kFixedExponent)
                                                 : audit.rows_on(0, 1, kFixedExponent);
  const auto ratio = std::make_shared<const DrawnRatio>(
      audit, spent,
      audit.tables.neighbours(base, audit.tables.row(axis), audit.tables.row(axis + 1)));
  const auto statistic = [draw = *draw, ratio, whole](bool first) {
    return [draw, ratio, whole, first](RandomStream& stream) {
      const Seen seen = draw(ratio->gram(first), stream);
      return ratio->inside(seen) + (whole ? ratio->directions(seen) : 0.0);
    };
  };
  Attack made;
  made.attack = {fmt::format("{}, {}", whole ? "whole release" : "variance inside", name),
                 audit.unit.loss(whole ? audit.unit.total(audit.claim) : audit.claim.inside),
                 statistic(true), statistic(false)};
  return made;
}

Result<void> add(std::vector<Attack>& attacks, Result<Attack> attack, bool is_mutant) {
  if (!attack) {
    return error_of(attack);
  }
  attack->kind = is_mutant ? AttackKind::Mutant : AttackKind::Shipped;
  attacks.push_back(std::move(*attack));
  return {};
}

Result<std::vector<Attack>> exponent_attacks(const DrawnAudit& audit, bool mutants) {
  const AttackSetting& setting = audit.tables.setting();
  std::vector<Mutant> versions = {{"as shipped", 1.0}};
  if (mutants) {
    versions.push_back({"mutant: exponent x 1.1", 1.1});
    versions.push_back({"mutant: exponent x 1.5", 1.5});
    if (audit.claim.inside > 0.0) {
      versions.push_back(
          {"mutant: the variance is not paid for", audit.unit.range(audit.unit.total(audit.claim)) /
                                                       audit.unit.range(audit.claim.directions)});
    }
    if (audit.unit.mu()) {  // the range that rho = mu^2 / 2 buys
      versions.push_back({"mutant: mu taken for the square root of 2 rho",
                          2.0 * audit.claim.directions / audit.unit.range(audit.claim.directions)});
    }
    if (setting.relation == Relation::ReplaceOne) {
      versions.push_back({"mutant: relation factor missing", 2.0});
    }
    for (const Mutant& mutant : setting_mutants(setting, audit.dimension())) {
      versions.push_back({"mutant: " + mutant.name, mutant.factor});
    }
  }
  std::vector<Attack> attacks;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (const auto added = add(attacks, exponent_attack(audit, versions[i]), i > 0); !added) {
      return error_of(added);
    }
  }
  return attacks;
}

/// The noise by its law; the pair, where it is tight or not, with mutants that show anywhere; and
/// the whole release.
Result<void> add_inside(std::vector<Attack>& attacks, const DrawnAudit& audit, bool mutants) {
  std::vector<Mutant> general;
  if (mutants) {
    for (const Mutant& mutant : setting_mutants(audit.tables.setting(), audit.dimension())) {
      general.push_back({"mutant: " + mutant.name, mutant.factor});
    }
  }
  const Mutant shipped{"as shipped", 1.0};
  const Spending& claim = audit.claim;
  const auto inside = [&](const Mutant& version) {
    return ratio_attack(audit, Part::Inside, version.name,
                        {claim.directions, audit.unit.for_noise(claim.inside, version.factor)});
  };
  Result<void> added = add(attacks, noise_attack(audit, shipped), false);
  if (added && mutants) {
    added = add(attacks, noise_attack(audit, {"mutant: noise x 0.9", 1.0 / 0.9}), true);
  }
  for (std::size_t i = 0; added && i < general.size(); ++i) {
    added = add(attacks, noise_attack(audit, general[i]), true);
  }
  added = added ? add(attacks, inside(shipped), false) : added;
  for (std::size_t i = 0; added && i < general.size(); ++i) {
    added = add(attacks, inside(general[i]), true);
  }
  added =
      added ? add(attacks, ratio_attack(audit, Part::Whole, shipped.name, claim), false) : added;
  if (added && mutants) {  // the pair shows some half of the loss, so a small mistake would not
    const Mutant norm{"mutant: row norm 2 taken for 1", 4.0};
    const double range = norm.factor * audit.unit.range(claim.directions);
    added = add(attacks,
                ratio_attack(
                    audit, Part::Whole, norm.name,
                    {audit.unit.for_range(range), audit.unit.for_noise(claim.inside, norm.factor)}),
                true);
  }
  return added;
}

}  // namespace

Result<std::vector<Attack>> drawn_attacks(const std::string& method, const AuditRequest& request) {
  const Result<SpendingUnit> unit = SpendingUnit::of(request.budget);
  const bool components = method == "orbit";
  // All but one of three components; ranges have orthogonal corners in four dimensions.
  const std::size_t dimension = !components                                      ? 2
                                : request.setting.bound == AttackedBound::Ranges ? 4
                                                                                 : 3;
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, dimension);
  if (!unit || !tables) {
    return unit ? Result<std::vector<Attack>>(error_of(tables)) : error_of(unit);
  }
  const DrawnAudit audit{components ? DrawnMethod::Components : DrawnMethod::Exponential, *tables,
                         *unit, unit->divide(request.variance_share)};
  Result<std::vector<Attack>> attacks = exponent_attacks(audit, request.mutants);
  if (!attacks) {
    return attacks;
  }
  if (const Result<void> added = add_inside(*attacks, audit, request.mutants); !added) {
    return error_of(added);
  }
  return attacks;
}

Result<std::vector<Attack>> orbit_exponent_attacks(const AuditRequest& request) {
  const Result<SpendingUnit> unit = SpendingUnit::of(request.budget);
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, 2);
  if (!unit || !tables) {
    return unit ? Result<std::vector<Attack>>(error_of(tables)) : error_of(unit);
  }
  return exponent_attacks({DrawnMethod::Spectrum, *tables, *unit, unit->divide(0.0)},
                          request.mutants);
}

}  // namespace eigenveil
