#include "audit/mask_cases.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <memory>

#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/mask/mask.hpp"

namespace eigenveil {
namespace {

/// What hides a row of norm R along an axis, besides the noise.
enum class MaskPair : std::uint8_t {
  OtherRowsZero,   ///< statistic |Y x|^2, n degrees of freedom
  OtherRowsLarge,  ///< rank p - 1, orthogonal to x; squared residual of Y x, n - p + 1 degrees
  ReplacedRow,     ///< x against an orthogonal y, other rows zero; |Y x|^2 - |Y y|^2
  WithIntercept,   ///< (1, x) against (1, 0), other rows (1, 0); |Y x|^2
};

const char* name_of(MaskPair pair) {
  switch (pair) {
    case MaskPair::OtherRowsZero:
      return "other rows zero";
    case MaskPair::OtherRowsLarge:
      return "other rows large";
    case MaskPair::ReplacedRow:
      return "an orthogonal row instead";
    case MaskPair::WithIntercept:
      break;
  }
  return "column of ones";
}

struct MaskAudit {
  AttackedTables tables;
  ApproxDp budget;
  std::int64_t rows;
  MaskPair pair;

  std::size_t dimension() const { return static_cast<std::size_t>(tables.axis(0).size()); }
  std::size_t victim() const { return dimension() - 1; }
  bool intercept() const { return pair == MaskPair::WithIntercept; }
  Relation relation() const { return tables.setting().relation; }
  MaskShape shape() const {
    return {rows, static_cast<std::int64_t>(dimension()), tables.bound().radius()};
  }
};

/// `victims` rows along the last axis, the others zero or along the other axes. Of a replaced row
/// the second table has another one, along the first axis.
ExactGram table(const MaskAudit& audit, std::int64_t victims) {
  const auto zero = Vector::Zero(static_cast<Eigen::Index>(audit.dimension()));
  AttackedTables::Rows rows(static_cast<std::size_t>(audit.rows), zero);
  const int group = audit.tables.setting().group_size;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::int64_t>(i) < victims) {
      rows[i] = audit.tables.row(audit.victim());
    } else if (audit.pair == MaskPair::ReplacedRow && static_cast<int>(i) < group) {
      rows[i] = audit.tables.row(0);
    } else if (audit.pair == MaskPair::OtherRowsLarge && audit.dimension() > 1 && i >= 2) {
      rows[i] = audit.tables.row(i % (audit.dimension() - 1));
    }
  }
  return audit.tables.gram(rows);
}

/// Squared length of what the columns before the last leave of it.
double last_residual(const Matrix& columns) {
  const Matrix gram = columns.transpose() * columns;
  const Matrix root = gram.llt().matrixL();
  const Eigen::Index last = gram.cols() - 1;
  return root(last, last) * root(last, last);
}

using DrawFactor = std::function<Matrix(const ExactGram&, RandomStream&)>;

/// The steps of a release with other noise.
DrawFactor broken(const MaskAudit& audit, double sigma) {
  return [intercept = audit.intercept(), sigma](const ExactGram& gram, RandomStream& stream) {
    return trusted::draw_masked_factor(gram, intercept, sigma, stream).factor;
  };
}

std::function<double(RandomStream&)> statistic(const MaskAudit& audit, ExactGram gram,
                                               DrawFactor draw) {
  auto shared = std::make_shared<const ExactGram>(std::move(gram));
  const auto p = static_cast<Eigen::Index>(audit.dimension());
  Matrix axes(p, p);
  for (Eigen::Index j = 0; j < p; ++j) {
    axes.col(j) = audit.tables.axis(static_cast<std::size_t>(j));
  }
  return [shared, axes, pair = audit.pair, p, draw = std::move(draw)](RandomStream& stream) {
    const Matrix columns = draw(*shared, stream).rightCols(p) * axes;
    if (pair == MaskPair::OtherRowsLarge) {
      return last_residual(columns);
    }
    const double other = pair == MaskPair::ReplacedRow ? columns.col(0).squaredNorm() : 0.0;
    return columns.col(p - 1).squaredNorm() - other;
  };
}

/// The same randomness for a table the adversary knows and for the other one, and both releases in
/// the adversary's hands: how much they differ. Equal tables come out equal.
std::function<double(RandomStream&)> reused(const MaskAudit& audit, const ExactGram& known,
                                            const ExactGram& gram, double sigma) {
  auto first = statistic(audit, known, broken(audit, sigma));
  auto second = statistic(audit, gram, broken(audit, sigma));
  return [first = std::move(first), second = std::move(second)](RandomStream& stream) {
    const std::uint64_t draw = stream.bits64();
    RandomStream once = trusted::substream(stream, draw);
    RandomStream again = trusted::substream(stream, draw);
    return std::abs(second(again) - first(once));
  };
}

Result<MaskPlan> plan_for(const MaskAudit& audit, Relation relation, int group) {
  return MaskPlan::make(
      {audit.tables.bound(), audit.budget, relation, audit.intercept(), false, group}, audit.rows);
}

Attack attack_with(const MaskAudit& audit, const std::string& name, const DrawFactor& draw) {
  const std::int64_t victims = audit.tables.setting().group_size;
  Attack made;
  made.attack = {fmt::format("{}, {}", name_of(audit.pair), name), audit.budget,
                 statistic(audit, table(audit, victims), draw),
                 statistic(audit, table(audit, 0), draw)};
  return made;
}

Attack mutant_with(const MaskAudit& audit, const std::string& name, double sigma) {
  Attack made = attack_with(audit, "mutant: " + name, broken(audit, sigma));
  made.kind = AttackKind::Mutant;
  return made;
}

/// Two rows of one person read as two releases instead of as a group.
Result<Attack> composed_rows(const MaskAudit& audit, double sigma) {
  const Loss once = mask_curve(audit.shape(), sigma, audit.budget.epsilon, Relation::ZeroRow);
  return compose_losses({once, once}).map([&](const Loss& twice) {
    Attack made = mutant_with(audit, "two rows as composition, not as a group", sigma);
    made.attack.claim = ApproxDp{audit.budget.epsilon, delta_at(twice, audit.budget.epsilon)};
    made.attack.statistic_on_first = statistic(audit, table(audit, 2), broken(audit, sigma));
    return made;
  });
}

/// The mutants of one pair, and what only this pair shows.
Result<void> add_mutants(std::vector<Attack>& attacks, const MaskAudit& audit, double sigma) {
  const auto add = [&](const std::string& name, double noise) {
    attacks.push_back(mutant_with(audit, name, noise));
  };
  const AttackSetting& setting = audit.tables.setting();
  const std::size_t shipped = attacks.size() - 1;
  add("noise x 0.9", 0.9 * sigma);
  for (const Mutant& mutant : setting_mutants(setting, audit.dimension())) {
    if (mutant.name == "group factor missing") {
      const Result<MaskPlan> alone = plan_for(audit, setting.relation, 1);
      if (!alone) {
        return error_of(alone);
      }
      add(mutant.name, alone->sigma());
    } else {
      add(mutant.name, sigma / std::sqrt(mutant.factor));  // of the norm, not of its square
    }
  }
  if (audit.pair == MaskPair::WithIntercept) {
    for (std::size_t i = shipped + 1; i < attacks.size(); ++i) {
      attacks[i].out_of_reach = "a kept 1 hides more than no row would";
    }
  }
  if (audit.pair == MaskPair::ReplacedRow) {
    const Result<MaskPlan> other = plan_for(audit, Relation::ZeroRow, setting.group_size);
    if (!other) {
      return error_of(other);
    }
    add("relation factor missing", other->sigma());
  }
  if (setting.group_size > 1 || setting.bound != AttackedBound::UnitNorm) {
    return {};
  }
  if (audit.pair == MaskPair::OtherRowsZero) {
    const ExactGram known = table(audit, 0);
    attacks.push_back(mutant_with(audit, "noise and mask of a known table again", sigma));
    attacks.back().most_runs = 20'000;  // its streams are made anew in every run
    attacks.back().attack.statistic_on_first = reused(audit, known, table(audit, 1), sigma);
    attacks.back().attack.statistic_on_second = reused(audit, known, known, sigma);
  }
  if (audit.pair == MaskPair::OtherRowsLarge) {
    MaskShape upside_down = audit.shape();
    upside_down.rows += 2 * upside_down.dimension;
    const Result<double> wrong = tight_mask_noise(upside_down, audit.budget, Relation::ZeroRow);
    Result<Attack> composed = composed_rows(audit, sigma);
    if (!wrong || !composed) {
      return wrong ? error_of(composed) : error_of(wrong);
    }
    add("n + p instead of n - p", *wrong);
    attacks.push_back(std::move(*composed));
  }
  return {};
}

}  // namespace

Result<std::vector<Attack>> mask_attacks(const AuditRequest& request) {
  const auto* budget = std::get_if<ApproxDp>(&request.budget);
  if (budget == nullptr) {
    return bad_request("this audit needs {epsilon} with {delta}");
  }
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, request.dimension);
  if (!tables) {
    return error_of(tables);
  }
  const bool replaces = request.setting.relation == Relation::ReplaceOne;
  if (replaces && request.dimension < 2) {
    return bad_request("two orthogonal rows need {dimension} 2 or more");
  }
  std::vector<MaskPair> pairs = {MaskPair::ReplacedRow};
  if (!replaces) {
    pairs = {MaskPair::OtherRowsZero, MaskPair::OtherRowsLarge};
    if (request.rows > static_cast<std::int64_t>(request.dimension) + 1) {  // one column more
      pairs.push_back(MaskPair::WithIntercept);
    }
  }
  std::vector<Attack> attacks;
  for (const MaskPair pair : pairs) {
    const MaskAudit audit{*tables, *budget, request.rows, pair};
    const Result<MaskPlan> plan =
        plan_for(audit, request.setting.relation, request.setting.group_size);
    if (!plan) {
      return error_of(plan);
    }
    attacks.push_back(attack_with(audit, "as shipped",
                                  [plan = *plan](const ExactGram& gram, RandomStream& stream) {
                                    return plan.run(gram, stream)->value().factor;
                                  }));
    if (request.mutants) {
      if (const Result<void> added = add_mutants(attacks, audit, plan->sigma()); !added) {
        return error_of(added);
      }
    }
  }
  return attacks;
}

}  // namespace eigenveil
