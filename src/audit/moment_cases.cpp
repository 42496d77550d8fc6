#include "audit/moment_cases.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/mask/mask.hpp"

namespace eigenveil {
namespace {

/// Beyond this many entries the event that all of them show is too rare: the runs pick a threshold.
constexpr std::size_t kMostAtomEntries = 6;
/// Rows along every axis that keep a noisy Gram positive definite, so that a factor of it loses
/// nothing: this many standard deviations.
constexpr double kPositiveSds = 40.0;

struct MomentAudit {
  std::string method;
  AuditRequest request;
  Extension extension() const {
    return method == "mask-gauss" ? Extension::None
           : request.private_mean ? Extension::Full
                                  : Extension::Count;
  }
};

Result<MomentPlan> make_plan(const MomentAudit& audit, const RowBound& bound, Relation relation) {
  const MomentRequest moment{bound, audit.request.budget, relation, audit.extension(),
                             audit.request.setting.group_size};
  return audit.method == "laplace" ? plan_laplace(moment) : plan_gauss(moment);
}

/// A row in the plane of the first two coordinates.
Vector row_at_angle(const AttackedTables& tables, double angle) {
  Vector row = Vector::Zero(tables.axis(0).size());
  row[0] = tables.radius() * std::cos(angle);
  row[1] = tables.radius() * std::sin(angle);
  return row;
}

struct RowPair {
  Vector row;
  Vector replacement;
};

/// The row with all entries equal (a corner of the ranges) loads every entry of the triangle;
/// replaced rows stand at the angle that moves the extended Gram furthest. Corners stand at right
/// angles only, and a corner moves laplace's triangle furthest when it becomes the midpoint.
RowPair worst_rows(const MomentAudit& audit, const AttackedTables& tables, double constant_share) {
  const Eigen::Index p = tables.axis(0).size();
  const Vector extreme = Vector::Constant(p, tables.radius() / std::sqrt(static_cast<double>(p)));
  const bool laplace = audit.method == "laplace";
  if (tables.setting().bound == AttackedBound::Ranges) {
    return {extreme, laplace ? Vector(Vector::Zero(p)) : tables.row(1)};
  }
  if (tables.setting().relation != Relation::ReplaceOne) {
    return {extreme, extreme};
  }
  if (laplace) {
    const double angle = std::atan(0.5) / 2.0;  // maximises 2|cos 2a| + |sin 2a|
    return {row_at_angle(tables, angle), row_at_angle(tables, angle + std::numbers::pi / 2.0)};
  }
  const double cosine =
      audit.extension() == Extension::Full ? -constant_share * constant_share : 0.0;
  const double angle = std::numbers::pi / 4.0;
  return {row_at_angle(tables, angle), row_at_angle(tables, angle + std::acos(cosine))};
}

/// Log likelihood ratio of the released entries, first against second: the most powerful statistic.
class LikelihoodRatio {
 public:
  LikelihoodRatio(const SecondMoment& first, const SecondMoment& second, const NoiseScale& scale,
                  double unit)
      : shape_(first.shape()), scale_(scale), unit_(unit) {
    for (std::size_t index = 0; index < shape_.entries(); ++index) {
      first_.push_back(static_cast<double>(first.entry(index)));
      second_.push_back(static_cast<double>(second.entry(index)));
    }
  }

  double operator()(const NoisyMoment& released) const {
    return sum(
        [&](std::size_t index, double entry, double scale) {
          const double to_first = entry - first_[index];
          const double to_second = entry - second_[index];
          return scale_.law == NoiseLaw::Laplace
                     ? (std::abs(to_second) - std::abs(to_first)) / scale
                     : (to_second * to_second - to_first * to_first) / (2.0 * scale * scale);
        },
        &released);
  }

  /// Largest value of the ratio (Laplace), or how many standard deviations lie between (Gauss).
  double loss() const {
    const bool laplace = scale_.law == NoiseLaw::Laplace;
    const double total = sum(
        [&](std::size_t index, double /*entry*/, double scale) {
          const double apart = std::abs(first_[index] - second_[index]) / scale;
          return laplace ? apart : apart * apart;
        },
        nullptr);
    return laplace ? total : std::sqrt(total);
  }

 private:
  template <class Term>
  double sum(const Term& term, const NoisyMoment* released) const {
    const double t = static_cast<double>(shape_.constant);
    const auto p = static_cast<Eigen::Index>(shape_.dimension);
    std::size_t index = 0;
    double total = 0.0;
    const auto add = [&](double entry, double scale) { total += term(index++, entry, scale); };
    if (shape_.releases_count()) {
      add(released != nullptr ? released->count * t * t : 0.0, scale_.diagonal);
    }
    for (Eigen::Index j = 0; shape_.releases_sums() && j < p; ++j) {
      add(released != nullptr ? (*released->sums)[j] * t / unit_ : 0.0, scale_.off_diagonal);
    }
    for (Eigen::Index column = 0; column < p; ++column) {
      for (Eigen::Index row = 0; row <= column; ++row) {
        add(released != nullptr ? released->products(row, column) / (unit_ * unit_) : 0.0,
            row == column ? scale_.diagonal : scale_.off_diagonal);
      }
    }
    return total;
  }

  MomentShape shape_;
  NoiseScale scale_;
  double unit_;
  std::vector<double> first_;
  std::vector<double> second_;
};

/// Both Grams live as long as the case that refers to them.
struct AttackedPair {
  ExactGram first;
  ExactGram second;
};

using MomentRun = std::function<NoisyMoment(const ExactGram&, RandomStream&)>;

/// The plan as shipped, or (a mutant) its steps with another scale.
MomentRun run_of(const MomentPlan& plan, const std::optional<NoiseScale>& mutated) {
  if (!mutated) {
    return [plan](const ExactGram& gram, RandomStream& stream) {
      return plan.run(gram, stream)->value();
    };
  }
  return [plan, scale = *mutated](const ExactGram& gram, RandomStream& stream) {
    const NoisyTotals noisy = add_rounded_noise(SecondMoment(gram, plan.shape()), scale,
                                                *noise_grid_exponent(scale), stream);
    return in_scaled_units(noisy, gram.schema(), gram.bound());
  };
}

/// What is left of a moment when only the factor of its nearest positive semidefinite matrix is
/// given away.
NoisyMoment through_a_factor(NoisyMoment moment) {
  const Matrix factor = factor_of(moment, false).factor;
  moment.products = factor.transpose() * factor;
  return moment;
}

/// The rule that shows most, and what it announces.
void add_rule(AuditCase& attack, const LikelihoodRatio& ratio, const NoiseScale& scale,
              std::size_t entries) {
  const double loss = ratio.loss();
  if (scale.law == NoiseLaw::Gaussian) {
    const double power = cdf(boost::math::normal(), 0.5 * loss);
    attack.rule = AuditRule{0.0, 1.0, false};
    attack.exact = ExactTest{power, 1.0 - power};
  } else if (entries <= kMostAtomEntries) {
    // The ratio takes its largest value where every entry lies beyond the first table's.
    const double power = std::exp2(-static_cast<double>(entries));
    attack.rule = AuditRule{loss * (1.0 - 1e-9), 1.0, false};
    attack.exact = ExactTest{power, power * std::exp(-loss)};
  }
}

std::size_t moved_entries(const MomentShape& shape, const AttackedPair& pair) {
  const SecondMoment first(pair.first, shape);
  const SecondMoment second(pair.second, shape);
  std::size_t moved = 0;
  for (std::size_t index = 0; index < shape.entries(); ++index) {
    moved += first.entry(index) != second.entry(index) ? 1U : 0U;
  }
  return moved;
}

struct MomentMutant {
  std::string name;
  NoiseScale scale;
};

std::vector<MomentMutant> mutants_of(const MomentAudit& audit, const MomentPlan& plan) {
  const NoiseScale& shipped = plan.noise();
  const auto smaller = [&](double factor) {
    return NoiseScale{shipped.law, shipped.diagonal / factor, shipped.off_diagonal / factor};
  };
  std::vector<MomentMutant> mutants = {{"noise x 0.9", smaller(1.0 / 0.9)}};
  const AttackSetting& setting = audit.request.setting;
  for (const Mutant& mutant : setting_mutants(setting, plan.bound().dimension())) {
    mutants.push_back({mutant.name, smaller(mutant.factor)});
  }
  if (setting.relation == Relation::ReplaceOne) {
    if (const auto other = make_plan(audit, plan.bound(), Relation::AddRemove)) {
      mutants.push_back({"relation factor missing", other->noise()});
    }
  }
  if (shipped.law == NoiseLaw::Gaussian) {
    mutants.push_back({"off-diagonals at a quarter of the variance",
                       {shipped.law, shipped.diagonal, shipped.diagonal / 2.0}});
  } else {
    mutants.push_back({"l2 sensitivity used for Laplace",
                       smaller(plan.sensitivity() / *frobenius_sensitivity(plan.shape()))});
  }
  return mutants;
}

Attack attack_on(const MomentAudit& audit, const MomentPlan& plan,
                 const std::shared_ptr<const AttackedPair>& pair,
                 const std::optional<MomentMutant>& mutant) {
  const NoiseScale scale = mutant ? mutant->scale : plan.noise();
  const SecondMoment moments[2] = {{pair->first, plan.shape()}, {pair->second, plan.shape()}};
  const LikelihoodRatio ratio(moments[0], moments[1], scale, pair->first.bound().unit());
  const MomentRun run =
      run_of(plan, mutant ? std::optional<NoiseScale>(mutant->scale) : std::nullopt);
  const bool factored = audit.method == "mask-gauss";
  const auto statistic = [=](bool first) {
    return [=](RandomStream& stream) {
      NoisyMoment released = run(first ? pair->first : pair->second, stream);
      return ratio(factored ? through_a_factor(std::move(released)) : released);
    };
  };
  Attack made;
  made.attack = {mutant ? "mutant: " + mutant->name : "as shipped", plan.guarantee().loss,
                 statistic(true), statistic(false)};
  add_rule(made.attack, ratio, scale, moved_entries(plan.shape(), *pair));
  if (mutant) {
    made.kind = AttackKind::Mutant;
    const double claimed = LikelihoodRatio(moments[0], moments[1], plan.noise(), 1.0).loss();
    const double spent = std::visit(
        [](const auto& loss) -> double {
          if constexpr (requires { loss.mu; }) {
            return loss.mu;
          } else if constexpr (requires { loss.epsilon; }) {
            return loss.epsilon;
          } else {
            return 0.0;
          }
        },
        plan.guarantee().loss);
    if (spent > 0.0 && ratio.loss() <= spent) {
      made.out_of_reach =
          fmt::format("the pair moves {:.0f}% of the sensitivity", 100.0 * claimed / spent);
    }
  }
  return made;
}

}  // namespace

Result<std::vector<Attack>> moment_attacks(const std::string& method, const AuditRequest& request) {
  const MomentAudit audit{method, request};
  if (request.dimension < 2) {
    return bad_request("the worst pairs need {dimension} 2 or more");
  }
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, request.dimension);
  const Result<MomentPlan> plan = tables.and_then([&](const AttackedTables& made) {
    return make_plan(audit, made.bound(), request.setting.relation);
  });
  if (!plan) {
    return error_of(plan);
  }
  AttackedTables::Rows base;
  if (method == "mask-gauss") {
    // In units of R²: mu = D / sd with D about R².
    const double rows =
        kPositiveSds * plan->product_sd() / (plan->bound().radius() * plan->bound().radius());
    for (std::size_t axis = 0; axis < request.dimension; ++axis) {
      base.insert(base.end(), static_cast<std::size_t>(std::ceil(rows)), tables->row(axis));
    }
  }
  const double share = static_cast<double>(plan->shape().constant) /
                       std::sqrt(static_cast<double>(plan->shape().norm2_bound));
  const RowPair rows = worst_rows(audit, *tables, share);
  const auto [first, second] = tables->neighbours(base, rows.row, rows.replacement);
  const auto pair =
      std::make_shared<const AttackedPair>(AttackedPair{tables->gram(first), tables->gram(second)});
  std::vector<Attack> attacks = {attack_on(audit, *plan, pair, std::nullopt)};
  if (request.mutants) {
    for (const MomentMutant& mutant : mutants_of(audit, *plan)) {
      attacks.push_back(attack_on(audit, *plan, pair, mutant));
    }
  }
  return attacks;
}

}  // namespace eigenveil
