#include "mechanism/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/comparison/method_trials.hpp"

namespace eigenveil {
namespace {

/// Of the worst error: beyond it directions are hardly found.
constexpr double kHopeless = 0.9;
/// Of errors, not of squares: below it there is no real difference.
constexpr double kSame = 1.05;

bool no_real_difference(const ComparedMethod& better, const ComparedMethod& other) {
  return other.total_f2 < kSame * kSame * better.total_f2;
}

/// Stronger basis first, then what people would take anyway.
bool preferred(const ComparedMethod& one, const ComparedMethod& other) {
  return one.predicted.basis != other.predicted.basis ? one.predicted.basis < other.predicted.basis
                                                      : one.place < other.place;
}

/// Tried where that is possible; the noise's part is then what sampling does not explain.
void compare(ComparedMethod& method, const MethodComparison& comparison,
             const std::optional<MethodTrials>& trials) {
  method.total_f2 =
      std::min(comparison.worst_f2, method.predicted.error_f2 + comparison.sampling_f2);
  if (!trials || !method.predicted.available || !method.predicted.trial) {
    return;
  }
  const TriedMethod tried = trials->run(method.predicted.trial);
  method.total_f2 = tried.total_f2;
  method.null_share = tried.null_share;
  method.predicted.error_f2 = std::max(0.0, tried.total_f2 - comparison.sampling_f2);
  if (tried.null_share == 1.0) {
    method.predicted.available = false;
    method.predicted.note = "NULL is expected: the gap is too small for this budget";
  } else if (tried.null_share > 0.0) {
    method.predicted.note +=
        fmt::format("; answers NULL {:.0f}% of the time", 100.0 * tried.null_share);
  }
}

const ComparedMethod* runner_up(const MethodComparison& comparison, const ComparedMethod& best) {
  for (const ComparedMethod& other : comparison.methods) {
    if (other.predicted.available && other.name != best.name &&
        keeps_the_promise(comparison.relation, other)) {
      return &other;
    }
  }
  return nullptr;
}

}  // namespace

bool pure_instead(const AssumedSetting& setting, const Guarantee& guarantee) {
  return std::holds_alternative<PureDp>(guarantee.loss) &&
         !std::holds_alternative<PureDp>(setting.budget);
}

double sampling_error(const Vector& spectrum, Eigen::Index components, double rows) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < components; ++i) {
    for (Eigen::Index j = components; j < spectrum.size(); ++j) {
      const double gap = spectrum[i] - spectrum[j];
      sum += spectrum[i] * spectrum[j] / std::max(gap * gap, 1e-300);
    }
  }
  return 2.0 * std::min(sum / rows, static_cast<double>(components));
}

bool under_a_model(const ComparedMethod& method) {
  return method.predicted.basis == Basis::ModelProbability ||
         method.predicted.basis == Basis::Asymptotic;
}

bool keeps_the_promise(Relation asked, const ComparedMethod& method) {
  return !under_a_model(method) && !method.predicted.pure_instead &&
         method.predicted.relation == asked;
}

MethodComparison compared(std::vector<ComparedMethod> methods, const AssumedSetting& setting) {
  MethodComparison comparison{
      std::move(methods),
      sampling_error(setting.spectrum, setting.components, static_cast<double>(setting.rows)),
      worst_error_f2(setting), 0, setting.relation};
  comparison.undetermined = comparison.sampling_f2 > kHopeless * comparison.worst_f2;
  std::optional<MethodTrials> trials;
  if (MethodTrials::affordable(setting)) {
    trials.emplace(setting);
    comparison.tables = trials->tables();
    comparison.sampling_f2 = trials->sampling_f2();
  }
  for (ComparedMethod& method : comparison.methods) {
    compare(method, comparison, trials);
  }
  std::stable_sort(
      comparison.methods.begin(), comparison.methods.end(), [](const auto& a, const auto& b) {
        return a.predicted.available != b.predicted.available ? a.predicted.available
                                                              : a.total_f2 < b.total_f2;
      });
  return comparison;
}

const ComparedMethod* recommended(const MethodComparison& comparison, bool accept_all) {
  const ComparedMethod* smallest = nullptr;
  const ComparedMethod* chosen = nullptr;
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.predicted.available ||
        !(accept_all || keeps_the_promise(comparison.relation, method))) {
      continue;
    }
    if (smallest == nullptr) {
      smallest = chosen = &method;
    } else if (no_real_difference(*smallest, method) && preferred(method, *chosen)) {
      chosen = &method;
    }
  }
  return chosen;
}

std::string recommendation(const MethodComparison& comparison) {
  const ComparedMethod* best = recommended(comparison, false);
  if (best == nullptr) {
    return "no method that holds for every data set and these neighbours can predict its error "
           "here";
  }
  const double error = std::sqrt(best->total_f2);
  std::string text = fmt::format("recommended: {} ({}; predicted error {:.3g}", best->name,
                                 best->predicted.note, error);
  if (const ComparedMethod* next = runner_up(comparison, *best)) {
    const double other = std::sqrt(next->total_f2);
    text += fmt::format(", {} has {:.3g}{}", next->name, other,
                        no_real_difference(*best, *next) ? ", no real difference" : "");
  }
  text += ")";
  if (comparison.undetermined) {
    text +=
        "; the subspace is undetermined: the assumed eigenvalues k and k + 1 are tied or too close "
        "to tell apart even without privacy, so take another {components}";
  } else if (best->total_f2 > kHopeless * comparison.worst_f2) {
    text +=
        "; nothing is found at this size and budget: take more rows, fewer columns, tighter "
        "bounds or a larger budget";
  } else if (best->total_f2 < 1.21 * comparison.sampling_f2) {
    text += "; sampling costs more than privacy here";
  }
  return text;
}

}  // namespace eigenveil
