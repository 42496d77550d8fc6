#include "papers/method_contest.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/exponential/exponential.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/orbit/orbit_components.hpp"
#include "mechanism/sharp/sharp.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/spiked.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "papers/spiked_simulation.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil::papers {
namespace {

/// Rows as columns, with the directions to be found.
struct DrawnTable {
  Matrix columns;  ///< p x n
  Matrix basis;    ///< p x k
};

DrawnTable drawn_table(const AssumedSetting& setting, RandomStream& stream) {
  const Eigen::Index p = setting.spectrum.size();
  const Matrix basis = haar_frame(stream, p, p);
  Matrix columns(p, setting.rows);
  fill_standard_normal(stream, {columns.data(), static_cast<std::size_t>(columns.size())});
  return {basis * setting.spectrum.cwiseSqrt().asDiagonal() * columns,
          basis.leftCols(setting.components)};
}

using Frame = std::optional<Matrix>;  ///< nothing: NULL
/// A planned method, to be run on any number of tables.
using Contender = std::function<Frame(const Matrix& columns, const ExactGram&, RandomStream&)>;

Contender moment_contender(const AssumedSetting& s,
                           Result<MomentPlan> (*plan_of)(const MomentRequest&)) {
  const MomentRequest request{s.bound,          s.budget,     s.relation,
                              Extension::Count, s.group_size, TraceNoise::Apart};
  const Result<MomentPlan> plan = plan_of(request);
  if (!plan) {
    return {};
  }
  return [plan = *plan, k = s.components](const Matrix&, const ExactGram& gram,
                                          RandomStream& stream) -> Frame {
    return largest_eigenpairs(plan.run(gram, stream)->value().products, k).vectors;
  };
}

Contender drawing_contender(const AssumedSetting& s, const std::string& name) {
  const Vector scales = column_scales(s.bound, Units::Scaled);
  constexpr double kShare = kDefaultVarianceShare;
  if (name == "exponential") {
    const Result<ExponentialPlan> plan =
        plan_exponential({s.bound, scales, s.budget, s.relation, s.group_size, kShare});
    if (!plan || s.components != 1) {
      return {};
    }
    return [plan = *plan](const Matrix&, const ExactGram& gram, RandomStream& stream) -> Frame {
      return plan.run(gram, stream)->value().frame;
    };
  }
  if (name == "orbit") {
    const Result<OrbitComponentsPlan> plan =
        OrbitComponentsPlan::make({s.bound, scales, s.budget, s.relation, RowField::Real,
                                   OrbitCalibration::Tight, s.group_size},
                                  s.components, kShare);
    if (!plan) {
      return {};
    }
    return [plan = *plan](const Matrix&, const ExactGram& gram, RandomStream& stream) -> Frame {
      return plan.run(gram, stream)->value().frame;
    };
  }
  const Result<SharpPlan> plan =
      SharpPlan::make({s.bound, scales, s.budget, s.relation, s.group_size, s.components, kShare});
  if (!plan) {
    return {};
  }
  return [plan = *plan](const Matrix&, const ExactGram& gram, RandomStream& stream) -> Frame {
    const Result<SharpPlan::Outcome> outcome = plan.run(gram, stream);
    const DrawnSubspace& drawn = outcome->release.value();
    return drawn.is_null() ? Frame() : Frame(drawn.frame);
  };
}

Contender spiked_contender(const AssumedSetting& s) {
  SpikedRequest request;
  request.rows = s.rows;
  request.dimension = s.spectrum.size();
  request.rank = s.components;
  request.noise_variance = s.spectrum.tail(s.spectrum.size() - s.components).mean();
  request.spike = s.spectrum[s.components - 1] - *request.noise_variance;
  request.spread = (s.spectrum[0] - *request.noise_variance) / *request.spike;
  request.row_radius = s.bound.radius();
  request.budget = s.budget;
  request.group_size = s.group_size;
  const Result<SpikedPlan> plan = SpikedPlan::make(request);
  if (!plan) {
    return {};
  }
  return [plan = *plan](const Matrix& columns, const ExactGram&, RandomStream& stream) -> Frame {
    return plan.run(SampleCovariance::of_columns(columns), stream).value().frame;
  };
}

Contender robust_contender(const AssumedSetting& s) {
  const Result<GapPlan> plan = GapPlan::make({s.bound, Units::Scaled, s.budget, s.relation,
                                              s.components, kDefaultVarianceShare, s.group_size});
  if (!plan) {
    return {};
  }
  return [plan = *plan](const Matrix&, const ExactGram& gram, RandomStream& stream) -> Frame {
    return plan.run(gram, stream).value().frame;
  };
}

Contender oja_contender(const AssumedSetting& s) {
  const Relation relation = s.relation == Relation::AddRemove ? Relation::ReplaceOne : s.relation;
  const Result<OjaPlan> plan = OjaPlan::make(
      {s.bound.radius(), s.bound.dimension(), 1000, {}, s.budget, relation, s.group_size});
  if (!plan || s.components != 1) {
    return {};
  }
  return [plan = *plan, radius = s.bound.radius()](const Matrix& columns, const ExactGram&,
                                                   RandomStream& stream) -> Frame {
    OjaPass pass(plan, stream);
    for (const auto& row : columns.colwise()) {
      pass.add(row * std::min(1.0, radius / row.norm()));
    }
    return pass.finish().value();
  };
}

Contender contender(const AssumedSetting& setting, const std::string& name) {
  if (name == "gauss") {
    return moment_contender(setting, &plan_gauss);
  }
  if (name == "wishart") {
    return moment_contender(setting, &plan_wishart);
  }
  if (name == "laplace") {
    return moment_contender(setting, &plan_laplace);
  }
  if (name == "spiked") {
    return spiked_contender(setting);
  }
  if (name == "spiked-robust") {
    return robust_contender(setting);
  }
  if (name == "oja") {
    return oja_contender(setting);
  }
  if (name == "none") {
    return [k = setting.components](const Matrix& columns, const ExactGram&, RandomStream&) {
      return Frame(SampleCovariance::of_columns(columns).top(k).vectors);
    };
  }
  return drawing_contender(setting, name);
}

std::map<std::string, Contender> planned_contenders(const AssumedSetting& setting,
                                                    const std::vector<std::string>& methods) {
  std::map<std::string, Contender> contenders;
  for (const std::string& name : methods) {
    if (Contender planned = contender(setting, name)) {
      contenders[name] = std::move(planned);
    }
  }
  return contenders;
}

}  // namespace

ExactGram exact_gram(const RowBound& bound, const Matrix& columns) {
  GramAccumulator accumulator(Schema::numbered(bound.dimension()), bound, 1);
  return accumulator.add(columns.transpose())
      .and_then([&] { return accumulator.finish(); })
      .value();
}

Vector flat_spikes(Eigen::Index dimension, Eigen::Index components) {
  Vector spectrum = Vector::Ones(dimension);
  spectrum.head(components).array() += 10.0;
  return spectrum;
}

Vector decaying(Eigen::Index dimension) {
  return 20.0 * Vector::LinSpaced(dimension, 1.0, static_cast<double>(dimension)).cwiseInverse();
}

Vector weak_gap(Eigen::Index dimension, Eigen::Index components) {
  Vector spectrum =
      5.4 *
      Vector::LinSpaced(dimension, 1.0, static_cast<double>(dimension)).cwiseSqrt().cwiseInverse();
  spectrum.tail(dimension - components) = spectrum.head(dimension - components).eval();
  spectrum.head(components) = Vector::LinSpaced(components, 6.0, 8.0).reverse();
  return spectrum;
}

Result<AssumedSetting> contest_setting(Eigen::Index rows, Eigen::Index components,
                                       const Vector& spectrum, const Budget& budget) {
  const double radius2 =
      spectrum.sum() + 4.0 * std::log(static_cast<double>(rows)) * spectrum.maxCoeff();
  return RowBound::row_norm(static_cast<std::size_t>(spectrum.size()), std::sqrt(radius2))
      .map([&](const RowBound& bound) {
        return AssumedSetting{rows, components, bound, budget, Relation::AddRemove, spectrum};
      });
}

std::map<std::string, std::optional<Matrix>> released_frames(
    const AssumedSetting& setting, const std::vector<std::string>& methods, const Matrix& columns,
    RandomStream& stream) {
  const ExactGram gram = exact_gram(setting.bound, columns);
  std::map<std::string, std::optional<Matrix>> frames;
  for (const auto& [name, run] : planned_contenders(setting, methods)) {
    frames[name] = run(columns, gram, stream);
  }
  return frames;
}

std::map<std::string, ContestResult> contest(const AssumedSetting& setting,
                                             const std::vector<std::string>& methods,
                                             int repetitions, RandomStream& stream) {
  const std::map<std::string, Contender> contenders = planned_contenders(setting, methods);
  const double worst = 2.0 * static_cast<double>(setting.components);
  std::map<std::string, ContestResult> results;
  for (int i = 0; i < repetitions; ++i) {
    const DrawnTable table = drawn_table(setting, stream);
    const ExactGram gram = exact_gram(setting.bound, table.columns);
    for (const auto& [name, run] : contenders) {
      const Frame frame = run(table.columns, gram, stream);
      const double distance = frame ? projector_distance(table.basis, *frame) : std::sqrt(worst);
      results[name].error += distance * distance / repetitions;
      results[name].null_share += frame ? 0.0 : 1.0 / repetitions;
    }
  }
  for (auto& [name, result] : results) {
    result.error = std::sqrt(result.error);
  }
  return results;
}

std::string budget_in_words(const Budget& budget) {
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    return fmt::format("epsilon {:g}", pure->epsilon);
  }
  if (const auto* approx = std::get_if<ApproxDp>(&budget)) {
    return fmt::format("({:g}, {:g})", approx->epsilon, approx->delta);
  }
  if (const auto* gaussian = std::get_if<GaussianDp>(&budget)) {
    return fmt::format("mu {:g}", gaussian->mu);
  }
  return fmt::format("rho {:g}", std::get<Zcdp>(budget).rho);
}

}  // namespace eigenveil::papers
