#include "audit/moment_pair.hpp"

#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

/// All released entries as one list, with the precision of each: differences of lists are what the
/// most powerful test of two Gaussian laws weighs.
struct Entries {
  std::vector<double> values;
  std::vector<double> precisions;
  void add(double value, double sd) {
    values.push_back(value);
    precisions.push_back(1.0 / (sd * sd));
  }
};

Entries entries_of(const NoisyMoment& moment) {
  Entries entries;
  if (moment.sums) {
    entries.add(moment.count, moment.count_sd);
    for (const double sum : *moment.sums) {
      entries.add(sum, moment.sum_sd);
    }
  }
  for (Eigen::Index j = 0; j < moment.products.cols(); ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) {
      entries.add(moment.products(i, j), i == j ? moment.product_sd : moment.off_diagonal_sd);
    }
  }
  return entries;
}

/// Means over runs of both laws tell where the test should look; noise of so many runs is small.
std::vector<double> mean_entries(const MomentPlan& plan, const ExactGram& gram) {
  constexpr int kRuns = 64;
  RandomStream stream = RandomStream::seeded(20261117);
  std::vector<double> mean;
  for (int run = 0; run < kRuns; ++run) {
    const Entries entries = entries_of(plan.run(gram, stream)->value());
    mean.resize(entries.values.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += entries.values[i] / kRuns;
    }
  }
  return mean;
}

}  // namespace

AuditCase moment_pair(const std::string& name, const Loss& claim, const MomentPlan& plan,
                      const ExactGram& first, const ExactGram& second) {
  // At a budget where noise hides nothing the means are the exact entries.
  const MomentPlan sharp = *plan_gauss(
      {plan.bound(), GaussianDp{1e4}, plan.shape().relation, plan.shape().extension, 1});
  const std::vector<double> one = mean_entries(sharp, first);
  const std::vector<double> two = mean_entries(sharp, second);
  const auto statistic = [plan, one, two](const ExactGram& gram, RandomStream& stream) {
    const Entries released = entries_of(plan.run(gram, stream)->value());
    double ratio = 0.0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      ratio += (one[i] - two[i]) * released.values[i] * released.precisions[i];
    }
    return ratio;
  };
  const std::vector<double> precisions = [&] {
    RandomStream any = RandomStream::seeded(1);  // precisions are public
    return entries_of(plan.run(first, any)->value()).precisions;
  }();
  double middle = 0.0;  // of the two means, where two normal laws are told apart best
  for (std::size_t i = 0; i < one.size(); ++i) {
    middle += (one[i] - two[i]) * 0.5 * (one[i] + two[i]) * precisions[i];
  }
  return {name, claim,
          [statistic, first](RandomStream& stream) { return statistic(first, stream); },
          [statistic, second](RandomStream& stream) { return statistic(second, stream); },
          AuditRule{middle, 1.0, false}};
}

}  // namespace eigenveil
