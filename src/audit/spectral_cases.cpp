#include "audit/spectral_cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "audit/spiked_cases.hpp"
#include "core/distributions.hpp"
#include "core/symmetric_eigen.hpp"
#include "data/array_rows.hpp"
#include "mechanism/moment/projected_moment.hpp"
#include "mechanism/moment/symmetric_noise.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/spiked/gap_projector.hpp"

namespace eigenveil {
namespace {

constexpr double kGap = 60.0;      ///< in units of R²: the projector's lemma is within 2% of tight
constexpr double kSureGap = 50.0;  ///< over the smallest gap that gives an answer

/// An attack for a claim of mu and what the version really spends over it.
using MakeAttack = std::function<Attack(const Mutant& version)>;

/// Normal statistics, `mu` standard deviations apart, and the threshold half way.
void add_normal_rule(AuditCase& attack, double threshold, double mu) {
  const double power = normal_cdf(0.5 * mu);
  attack.rule = AuditRule{threshold, 1.0, false};
  attack.exact = ExactTest{power, 1.0 - power};
}

void add_versions(std::vector<Attack>& attacks, const std::vector<Mutant>& mutants,
                  const MakeAttack& make) {
  attacks.push_back(make({"as shipped", 1.0}));
  for (const Mutant& mutant : mutants) {
    attacks.push_back(make({"mutant: " + mutant.name, mutant.factor}));
    attacks.back().kind = AttackKind::Mutant;
  }
}

std::vector<Mutant> mutants_of(const AuditRequest& request, std::size_t dimension) {
  std::vector<Mutant> mutants;
  if (request.mutants) {
    mutants = setting_mutants(request.setting, dimension);
    mutants.insert(mutants.begin(), {"noise x 0.9", 1.0 / 0.9});
  }
  return mutants;
}

struct RobustAudit {
  AttackedTables tables;
  GapPlan plan;
  double group;

  bool replaces() const { return tables.setting().relation == Relation::ReplaceOne; }
  double square() const { return tables.radius() * tables.radius(); }
};

/// Gram and true numbers of either table, alive as long as the case.
struct RobustTables {
  std::array<ExactGram, 2> grams;
  std::array<double, 2> gaps;
  std::array<double, 2> counts;
  std::array<Matrix, 2> moments;
};

std::shared_ptr<const RobustTables> robust_tables(const RobustAudit& audit,
                                                  const AttackedTables::Rows& base) {
  const auto [first, second] =
      audit.tables.neighbours(base, audit.tables.row(0), audit.tables.row(1));
  RobustTables made{{audit.tables.gram(first), audit.tables.gram(second)}, {}, {}, {}};
  made.counts = {static_cast<double>(first.size()), static_cast<double>(second.size())};
  for (std::size_t i = 0; i < 2; ++i) {
    made.moments[i] = scaled_moment(made.grams[i], audit.tables.scales());
    const Vector values = symmetric_eigen(made.moments[i]).values;
    made.gaps[i] = values[0] - values[1];
  }
  return std::make_shared<const RobustTables>(std::move(made));
}

/// Too little noise: what was released, nearer to the truth by the factor.
double nearer(double released, double truth, double factor) {
  return truth + (released - truth) / factor;
}

/// add-remove: no row against one. replace-one: a row on the first axis becomes one on the second,
/// with enough rows before it that the order of the axes stays.
Attack gap_attack(const RobustAudit& audit, const Mutant& version) {
  AttackedTables::Rows base;
  if (audit.replaces()) {
    base.assign(static_cast<std::size_t>(3.0 * audit.group), audit.tables.row(0));
  }
  const auto tables = robust_tables(audit, base);
  const double factor = version.factor;
  const auto statistic = [tables, plan = audit.plan, factor](std::size_t i) {
    return [=](RandomStream& stream) {
      return nearer(plan.run(tables->grams[i], stream).value().gap_lower, tables->gaps[i], factor);
    };
  };
  Attack made;
  made.attack = {"gap, " + version.name, GaussianDp{audit.group * audit.plan.mu_gap()},
                 statistic(0), statistic(1)};
  const auto mean = [&](std::size_t i) {
    return nearer(audit.plan.expected_lower(tables->gaps[i]), tables->gaps[i], factor);
  };
  add_normal_rule(made.attack, 0.5 * (mean(0) + mean(1)),
                  (tables->gaps[0] - tables->gaps[1]) * factor / audit.plan.gap_sd());
  return made;
}

/// Rows enough that a frame is always found, and one more along it: the matrix inside and the
/// count, given the frame.
Attack inside_attack(const RobustAudit& audit, const Mutant& version) {
  const double rows = std::ceil(kSureGap * audit.plan.smallest_useful_gap() / audit.square());
  const auto tables = robust_tables(
      audit, AttackedTables::Rows(static_cast<std::size_t>(rows), audit.tables.row(0)));
  const double sd = audit.plan.inside_sd();
  const auto statistic = [tables, plan = audit.plan, sd, factor = version.factor](std::size_t i) {
    return [=](RandomStream& stream) {
      const GapResult result = plan.run(tables->grams[i], stream).value();
      if (!result.frame) {
        return 0.0;
      }
      const auto term = [&](double released, double first, double second, double noise) {
        const double seen = nearer(released, i == 0 ? first : second, factor);
        return (seen - 0.5 * (first + second)) * (first - second) / (noise * noise);
      };
      const auto inside = [&](std::size_t table) {
        return (result.frame->transpose() * tables->moments[table] * *result.frame)(0, 0);
      };
      double total = term(result.inside(0, 0), inside(0), inside(1), sd);
      if (result.count_sd > 0.0) {
        total += term(result.count, tables->counts[0], tables->counts[1], result.count_sd);
      }
      return total;
    };
  };
  Attack made;
  const double claim = audit.group * audit.plan.mu_inside();
  made.attack = {"matrix inside, " + version.name, GaussianDp{claim}, statistic(0), statistic(1)};
  // t² n counts a sixteenth beside R⁴; a replaced row moves both axes, of which one is inside.
  const double moved = tables->counts[0] != tables->counts[1] ? std::sqrt(1.0 + 1.0 / 16.0) : 1.0;
  const double shown = version.factor * audit.group * moved * audit.square() / sd;
  add_normal_rule(made.attack, 0.0, shown);
  if (shown <= claim) {
    made.out_of_reach =
        fmt::format("one component moves {:.0f}% of the sensitivity", 100.0 * shown / claim);
  }
  return made;
}

/// Likelihood ratio of two matrices under isotropic symmetric noise.
AuditCase matrix_case(std::string name, double mu, const Matrix& first, const Matrix& second,
                      double sd) {
  const SymmetricNoise noise = symmetric_noise(sd);
  const Matrix direction = (first - second) / (sd * sd);
  const Matrix middle = 0.5 * (first + second);
  const auto statistic = [=](const Matrix& matrix) {
    return [=](RandomStream& stream) {
      return (add_symmetric_noise(matrix, noise, stream) - middle).cwiseProduct(direction).sum();
    };
  };
  AuditCase made{std::move(name), GaussianDp{mu}, statistic(first), statistic(second)};
  add_normal_rule(made, 0.0, (first - second).norm() / sd);
  return made;
}

Matrix axis_projector(double angle) {
  const Eigen::Vector2d axis(std::cos(angle), std::sin(angle));
  return axis * axis.transpose();
}

/// A row of norm R at the worst angle turns the axis by asin(R²/gap)/2; a replaced one by twice
/// that, half to each side.
Attack projector_attack(const RobustAudit& audit, const Mutant& version, double vouched) {
  const double sd = audit.plan.projector_sd(vouched * audit.square()).value();
  const double turn = 0.5 * std::asin(audit.group / kGap);
  Attack made;
  made.attack = matrix_case("projector, " + version.name, audit.group * audit.plan.mu_projector(),
                            axis_projector(audit.replaces() ? -turn : 0.0), axis_projector(turn),
                            sd / version.factor);
  return made;
}

Result<std::vector<Attack>> robust_attacks(const AuditRequest& request) {
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, 2);
  const auto plan_for = [&](Relation relation) {
    return tables.and_then([&](const AttackedTables& made) {
      return GapPlan::make({made.bound(), Units::Original, request.budget, relation, 1, 0.2,
                            request.setting.group_size});
    });
  };
  const Result<GapPlan> plan = plan_for(request.setting.relation);
  if (!plan) {
    return error_of(plan);
  }
  const RobustAudit audit{*tables, *plan, static_cast<double>(request.setting.group_size)};
  if (!plan->projector_sd(kGap * audit.square())) {
    return bad_request("the budget is too small for this attack; spend more");
  }
  const std::vector<Mutant> mutants = mutants_of(request, 2);
  std::vector<Mutant> gap_mutants = mutants;
  if (request.mutants && audit.replaces()) {
    gap_mutants.push_back({"relation factor missing", 2.0});
  }
  std::vector<Attack> attacks;
  add_versions(attacks, gap_mutants, [&](const Mutant& v) { return gap_attack(audit, v); });
  add_versions(attacks, mutants, [&](const Mutant& v) { return projector_attack(audit, v, kGap); });
  if (request.mutants) {
    attacks.push_back(
        projector_attack(audit, {"mutant: noise for twice the gap", 1.0}, 2.0 * kGap));
    attacks.back().kind = AttackKind::Mutant;
  }
  add_versions(attacks, mutants, [&](const Mutant& v) { return inside_attack(audit, v); });
  return attacks;
}

/// One column: rows of norm R against zero rows, all in one batch. The batch is w times the sum of
/// their squares, w = 1 or -1 known. A replaced row can do no more.
Result<std::vector<Attack>> oja_attacks(const AuditRequest& request) {
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, 1);
  const auto group = static_cast<std::size_t>(request.setting.group_size);
  const Result<OjaPlan> plan = tables.and_then([&](const AttackedTables& made) {
    return OjaPlan::make({row_radius(made.bound(), Units::Original),
                          1,
                          group,
                          {},
                          request.budget,
                          request.setting.relation,
                          request.setting.group_size});
  });
  if (!plan) {
    return error_of(plan);
  }
  const auto make = [&](const Mutant& version) {
    const auto statistic = [tables = *tables, plan = std::make_shared<const OjaPlan>(*plan), group,
                            factor = version.factor](double length) {
      const Vector row = length * tables.row(0);
      const double squares = static_cast<double>(group) * row.squaredNorm();
      const std::vector<double> cells = tables.raw(AttackedTables::Rows(group, row));
      return [=](RandomStream& stream) {
        OjaPass pass(*plan, stream);
        const double start = pass.direction()[0];
        const ArrayView view{cells.data(), group, 1, sizeof(double), sizeof(double)};
        const auto reader = read_array(view, Schema{{"x"}}, BadCell::Refuse, MissingCell::Refuse);
        static_cast<void>(add_rows(pass, **reader, tables.bound(), Units::Original));
        return nearer(start * pass.running()[0], squares, factor);
      };
    };
    const double moved = static_cast<double>(group) * tables->radius() * tables->radius();
    Attack made;
    made.attack = {"batch, " + version.name, plan->guarantee().loss, statistic(1.0),
                   statistic(0.0)};
    add_normal_rule(made.attack, 0.5 * moved, version.factor * moved / plan->noise_sd());
    return made;
  };
  std::vector<Attack> attacks;
  std::vector<Mutant> mutants = mutants_of(request, 1);
  // One column: a corner is as long as a cell.
  std::erase_if(mutants, [](const Mutant& mutant) { return mutant.factor == 1.0; });
  add_versions(attacks, mutants, make);
  return attacks;
}

Result<std::vector<Attack>> spiked_attacks(const AuditRequest& request) {
  const Result<detail::SpikedParts> parts = detail::spiked_parts(request.budget);
  if (!parts) {
    return error_of(parts);
  }
  std::vector<Attack> attacks;
  const double turn = std::asin(parts->change / std::sqrt(2.0));
  const std::vector<Mutant> mutants =
      request.mutants ? std::vector<Mutant>{{"noise x 0.9", 1.0 / 0.9}} : std::vector<Mutant>{};
  add_versions(attacks, mutants, [&](const Mutant& version) {
    Attack made;
    made.attack =
        matrix_case("projectors at their sensitivity, " + version.name, parts->mu,
                    axis_projector(0.0), axis_projector(turn), parts->sd / version.factor);
    return made;
  });
  return detail::spiked_outside(request.budget).map([&](Attack outside) {
    attacks.push_back(std::move(outside));
    return attacks;
  });
}

}  // namespace

Result<std::vector<Attack>> spectral_attacks(const std::string& method,
                                             const AuditRequest& request) {
  return method == "spiked"          ? spiked_attacks(request)
         : method == "spiked-robust" ? robust_attacks(request)
                                     : oja_attacks(request);
}

}  // namespace eigenveil
