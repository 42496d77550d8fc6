#include "audit/moment_cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "audit/gamma_difference.hpp"
#include "audit/likelihood_ratio.hpp"
#include "core/distributions.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/mask/mask.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

/// Beyond this many entries the event that all of them show is too rare: the runs pick a threshold.
constexpr std::size_t kMostAtomEntries = 6;
/// The cone of wishart is as rare, and only part of the attacks look there.
constexpr std::size_t kMostConeEntries = 4;
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
  const MomentRequest moment{
      bound,
      audit.request.budget,
      relation,
      audit.extension(),
      audit.request.setting.group_size,
      audit.method == "mask-gauss" ? TraceNoise::LikeEntries : TraceNoise::Apart};
  return audit.method == "laplace"   ? plan_laplace(moment)
         : audit.method == "wishart" ? plan_wishart(moment)
                                     : plan_gauss(moment);
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

/// What a mutant of wishart does beside taking another scale.
enum class BrokenLaw : std::uint8_t { None, FewerDegrees, OneSided };

struct MomentMutant {
  std::string name;
  NoiseScale scale;
  BrokenLaw broken = BrokenLaw::None;
};

/// Both Grams live as long as the case that refers to them.
struct AttackedPair {
  ExactGram first;
  ExactGram second;
};

using MomentRun = std::function<NoisyMoment(const ExactGram&, RandomStream&)>;

/// A broken Wishart law in doubles: the truth and noise of too few degrees of freedom, or of one
/// side only.
NoisyMoment broken_wishart(const MomentPlan& plan, BrokenLaw broken, const ExactGram& gram,
                           RandomStream& stream) {
  NoisyTotals totals = add_rounded_noise(SecondMoment(gram, plan.shape()), plan.noise(),
                                         *noise_grid_exponent(plan.noise()), stream);
  const MomentShape& shape = plan.shape();
  const auto q = static_cast<Eigen::Index>(shape.noise_dimension());
  const auto p = static_cast<Eigen::Index>(shape.dimension);
  const Eigen::Index degrees = q + (broken == BrokenLaw::FewerDegrees ? 0 : 1);
  const SecondMoment exact(gram, shape);
  std::vector<double> entries;
  for (std::size_t index = 0; index < shape.entries(); ++index) {
    entries.push_back(static_cast<double>(exact.entry(index)));
  }
  Matrix noisy = as_matrix(shape, entries);
  const bool beside = shape.releases_count() && !shape.releases_sums();
  double count = shape.releases_count() ? entries[0] : 0.0;
  for (const double sign : {1.0, -1.0}) {
    if (sign < 0.0 && broken == BrokenLaw::OneSided) {
      continue;
    }
    Matrix normals(q, degrees);
    fill_standard_normal(stream, {normals.data(), static_cast<std::size_t>(normals.size())});
    noisy += sign * plan.noise().factor * normals * normals.transpose();
    count -= sign * 2.0 * plan.noise().factor * std::log(uniform(stream));
  }
  const double t = static_cast<double>(shape.constant);
  totals.products = noisy.bottomRightCorner(p, p);
  if (shape.releases_sums()) {
    totals.sums = Vector(noisy.col(0).tail(p)) / t;
  }
  if (shape.releases_count()) {
    totals.count = (beside ? count : noisy(0, 0)) / (t * t);
  }
  return in_scaled_units(totals, gram.schema(), gram.bound());
}

/// The plan as shipped, or (a mutant) its steps with another scale or law.
MomentRun run_of(const MomentPlan& plan, const std::optional<MomentMutant>& mutant) {
  if (!mutant) {
    return [plan](const ExactGram& gram, RandomStream& stream) {
      return plan.run(gram, stream)->value();
    };
  }
  if (mutant->broken != BrokenLaw::None) {
    return [plan, broken = mutant->broken](const ExactGram& gram, RandomStream& stream) {
      return broken_wishart(plan, broken, gram, stream);
    };
  }
  return [plan, scale = mutant->scale](const ExactGram& gram, RandomStream& stream) {
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
              std::size_t moved, std::size_t entries) {
  const double loss = ratio.loss();
  if (scale.law == NoiseLaw::Gaussian) {
    const double power = normal_cdf(0.5 * loss);
    attack.rule = AuditRule{0.0, 1.0, false};
    attack.exact = ExactTest{power, 1.0 - power};
  } else if (scale.law == NoiseLaw::Laplace ? moved <= kMostAtomEntries
                                            : ratio.only_adds() && entries <= kMostAtomEntries) {
    // The ratio takes its largest value where every entry lies beyond the first table's (Laplace),
    // or the released matrix minus the first table's is positive semidefinite (Wishart): with
    // probability 1/2 for every entry, moved or not.
    const double power =
        std::exp2(-static_cast<double>(scale.law == NoiseLaw::Laplace ? moved : entries));
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

/// How far a row moves the released matrix in nuclear norm, in scaled units, from the table alone.
double nuclear_move(const AttackedTables& tables, const MomentPlan& plan) {
  const double scale = tables.scales()[0];
  const double r2 = tables.radius() * tables.radius() / (scale * scale);
  const double t = static_cast<double>(plan.shape().constant) * plan.bound().unit();
  const bool full = plan.shape().releases_sums();
  switch (tables.setting().relation) {
    case Relation::ReplaceOne:
      return 2.0 * (r2 + (full ? t * t : 0.0));
    case Relation::ZeroRow:
      return full ? std::sqrt(r2 * (r2 + 4.0 * t * t)) : r2;
    default:
      return r2 + t * t;
  }
}

void add_wishart_mutants(std::vector<MomentMutant>& mutants, const MomentAudit& audit,
                         const MomentPlan& plan) {
  const NoiseScale& shipped = plan.noise();
  const auto with = [&](double factor) {
    return NoiseScale{shipped.law, shipped.diagonal * factor, shipped.off_diagonal * factor,
                      shipped.factor * factor};
  };
  mutants.push_back({"p degrees of freedom", shipped, BrokenLaw::FewerDegrees});
  mutants.push_back({"one-sided", shipped, BrokenLaw::OneSided});
  if (audit.request.setting.relation == Relation::ZeroRow && plan.shape().releases_sums()) {
    const double r2 = static_cast<double>(plan.shape().norm2_bound);
    const double t = static_cast<double>(plan.shape().constant);
    mutants.push_back({"R^2 + t^2 for a zeroed row", with((r2 + t * t) / plan.sensitivity())});
  }
}

std::vector<MomentMutant> mutants_of(const MomentAudit& audit, const MomentPlan& plan) {
  const NoiseScale& shipped = plan.noise();
  const auto smaller = [&](double factor) {
    return NoiseScale{shipped.law, shipped.diagonal / factor, shipped.off_diagonal / factor,
                      shipped.factor / factor, shipped.trace_ratio};
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
    mutants.push_back(
        {"off-diagonals at a quarter of the variance",
         {shipped.law, shipped.diagonal, shipped.diagonal / 2.0, 0.0, shipped.trace_ratio}});
  } else if (shipped.law == NoiseLaw::Wishart) {
    add_wishart_mutants(mutants, audit, plan);
  } else {
    mutants.push_back({"l2 sensitivity used for Laplace",
                       smaller(plan.sensitivity() / *frobenius_sensitivity(plan.shape()))});
  }
  return mutants;
}

/// Noise on the trace that its share of the budget does not allow.
MomentMutant quiet_trace(const MomentPlan& plan) {
  NoiseScale scale = plan.noise();
  scale.trace_ratio *= 0.01;
  return {"the trace at a tenth of its noise", scale};
}

Attack attack_on(const MomentAudit& audit, const MomentPlan& plan,
                 const std::shared_ptr<const AttackedPair>& pair,
                 const std::optional<MomentMutant>& mutant) {
  const NoiseScale scale = mutant ? mutant->scale : plan.noise();
  const SecondMoment moments[2] = {{pair->first, plan.shape()}, {pair->second, plan.shape()}};
  const LikelihoodRatio ratio(moments[0], moments[1], scale, pair->first.bound().unit());
  const MomentRun run = run_of(plan, mutant);
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
  add_rule(made.attack, ratio, scale, moved_entries(plan.shape(), *pair), plan.shape().entries());
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

/// Of the claimed scale: noise this near to the truth is counted.
constexpr double kNearOfClaim = 0.7;

/// The law of wishart's noise on one variance: how often it lies near the truth says the smallest
/// loss that fits, whatever pair would show it.
Attack law_attack(const MomentPlan& plan, const AttackedTables& tables,
                  const std::shared_ptr<const AttackedPair>& pair,
                  const std::optional<MomentMutant>& mutant) {
  const double claimed = std::get<PureDp>(plan.guarantee().loss).epsilon;
  const double scale = tables.setting().group_size * nuclear_move(tables, plan) / claimed;
  const double shape = 0.5 * (static_cast<double>(plan.shape().noise_dimension()) + 1.0);
  const double unit = pair->first.bound().unit();
  const SecondMoment exact(pair->first, plan.shape());
  const std::size_t first_product = plan.shape().entries() - triangle_size(plan.shape().dimension);
  const double truth = static_cast<double>(exact.entry(first_product)) * unit * unit;
  Attack made;
  made.attack.name = fmt::format("law of the noise, {}",
                                 mutant ? "mutant: " + mutant->name : std::string("as shipped"));
  made.attack.claim = PureDp{claimed};
  made.attack.law = [shape](double factor) {
    return gamma_difference_within(shape, kNearOfClaim * factor);
  };
  made.attack.rule = AuditRule{-kNearOfClaim, 1.0, false};
  made.attack.statistic_on_first = [run = run_of(plan, mutant), pair, truth,
                                    scale](RandomStream& stream) {
    return -std::abs(run(pair->first, stream).products(0, 0) - truth) / scale;
  };
  if (mutant) {
    made.kind = AttackKind::Mutant;
    const bool fewer = mutant->broken == BrokenLaw::FewerDegrees;
    made.attack.exact = ExactTest{
        fewer ? gamma_difference_within(0.5 * static_cast<double>(plan.shape().noise_dimension()),
                                        kNearOfClaim)
              : made.attack.law(plan.noise().factor / mutant->scale.factor),
        1.0};
  }
  return made;
}

/// Noise of one side: what is released can never lie below the first table's products.
Attack one_sided_attack(const MomentPlan& plan, const std::shared_ptr<const AttackedPair>& pair,
                        const MomentMutant& mutant) {
  const SecondMoment exact(pair->first, plan.shape());
  std::vector<double> entries;
  for (std::size_t index = 0; index < plan.shape().entries(); ++index) {
    entries.push_back(static_cast<double>(exact.entry(index)));
  }
  const auto p = static_cast<Eigen::Index>(plan.shape().dimension);
  const Matrix truth = as_matrix(plan.shape(), entries).bottomRightCorner(p, p);
  const double unit = pair->first.bound().unit();
  const auto statistic = [run = run_of(plan, mutant), pair, truth, unit](bool first) {
    return [=](RandomStream& stream) {
      const NoisyMoment released = run(first ? pair->first : pair->second, stream);
      const Matrix above = released.products / (unit * unit) - truth;
      return symmetric_eigen(above).values.minCoeff() / above.norm();
    };
  };
  Attack made;
  made.kind = AttackKind::Mutant;
  made.attack = {"mutant: " + mutant.name, plan.guarantee().loss, statistic(true),
                 statistic(false)};
  made.attack.rule = AuditRule{-1e-9, -1.0, true};
  return made;
}

/// Scale mutants of wishart show on the pair where it is tight, and by their law elsewhere.
bool shown_by_law(const MomentPlan& plan, const AttackedPair& pair, const MomentMutant& mutant) {
  const LikelihoodRatio ratio({pair.first, plan.shape()}, {pair.second, plan.shape()}, plan.noise(),
                              1.0);
  return mutant.broken == BrokenLaw::FewerDegrees || !ratio.only_adds() ||
         plan.shape().entries() > kMostConeEntries;
}

/// The pair that moves the trace furthest: a replaced row is worst at right angles, which leaves
/// the trace where it was, and worst for the trace when it becomes the zero row.
void add_trace_attacks(std::vector<Attack>& attacks, const MomentAudit& audit,
                       const AttackedTables& tables, const MomentPlan& plan,
                       const AttackedTables::Rows& base, const Vector& row) {
  const auto [first, second] = tables.neighbours(base, row, Vector::Zero(row.size()));
  const auto pair =
      std::make_shared<const AttackedPair>(AttackedPair{tables.gram(first), tables.gram(second)});
  if (tables.setting().relation == Relation::ReplaceOne) {
    attacks.push_back(attack_on(audit, plan, pair, std::nullopt));
    attacks.back().attack.name = "as shipped, the trace moves";
  }
  if (audit.request.mutants) {
    attacks.push_back(attack_on(audit, plan, pair, quiet_trace(plan)));
  }
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
  const bool wishart = method == "wishart";
  std::vector<Attack> attacks = {attack_on(audit, *plan, pair, std::nullopt)};
  if (wishart) {
    attacks.push_back(law_attack(*plan, *tables, pair, std::nullopt));
  }
  if (request.mutants) {
    for (const MomentMutant& mutant : mutants_of(audit, *plan)) {
      attacks.push_back(mutant.broken == BrokenLaw::OneSided ? one_sided_attack(*plan, pair, mutant)
                        : wishart && shown_by_law(*plan, *pair, mutant)
                            ? law_attack(*plan, *tables, pair, mutant)
                            : attack_on(audit, *plan, pair, mutant));
    }
  }
  if (plan->noise().trace_ratio != 1.0) {
    add_trace_attacks(attacks, audit, *tables, *plan, base, rows.row);
  }
  return attacks;
}

}  // namespace eigenveil
