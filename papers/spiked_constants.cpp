#include "papers/spiked_constants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace eigenveil::papers {
namespace {

/// A version of Algorithm 1, and its error on one drawn table.
struct Version {
  std::string name;
  std::function<double(const SpikedTruth&, RandomStream&)> error;
};

SpikedConstants constants_of(double c) {
  SpikedConstants constants;
  constants.c2 = constants.c3 = c;
  return constants;
}

double covariance_error(const SpikedTruth& truth, const Matrix& released) {
  const SpikedSetting& s = truth.sample.setting;
  const Matrix population =
      s.spike * truth.basis * truth.basis.transpose() + Matrix::Identity(s.dimension, s.dimension);
  return (released - population).norm();
}

Version subspace_version(double c) {
  return {fmt::format("published, C2 = {:g}", c), [c](const SpikedTruth& t, RandomStream& stream) {
            return projector_distance(t.basis,
                                      published_subspace(t.sample, constants_of(c), stream));
          }};
}

Version covariance_version(const std::string& name, const PublishedParts& parts) {
  return {name, [parts](const SpikedTruth& t, RandomStream& stream) {
            return covariance_error(t, published_covariance(t.sample, parts, stream));
          }};
}

std::vector<Version> versions(bool covariance) {
  std::vector<Version> list;
  for (const double c : {4.0, 3.0, 2.0, 1.0, 0.5}) {
    list.push_back(covariance ? covariance_version(fmt::format("published, C2 = C3 = {:g}", c),
                                                   {constants_of(c)})
                              : subspace_version(c));
  }
  if (covariance) {
    list.push_back(
        covariance_version("published, noise on the projector alone", {{}, true, false}));
    list.push_back(
        covariance_version("published, noise on the eigenvalues alone", {{}, false, true}));
    list.push_back(covariance_version(
        "published, the whole budget for each part (private at twice epsilon only)",
        {{}, true, true, true}));
  }
  return list;
}

}  // namespace

PrintedTable constants_table(const std::string& name, const SpikedSetting& setting, bool covariance,
                             int repetitions, RandomStream& stream) {
  const std::vector<Version> tried = versions(covariance);
  std::vector<double> sums(tried.size(), 0.0);
  std::map<std::string, double> rivals;
  for (int i = 0; i < repetitions; ++i) {
    const SpikedTruth truth = draw_spiked(setting, stream);
    for (std::size_t j = 0; j < tried.size(); ++j) {
      sums[j] += tried[j].error(truth, stream) / repetitions;
    }
    const auto released = covariance ? released_covariances(truth.sample, stream)
                                     : released_subspaces(truth.sample, stream);
    for (const char* rival : {kDpGauss, kDpGaussStar, kTight, kGaussTight, kNonPrivate}) {
      const Matrix& other = released.at(rival);
      rivals[rival] +=
          (covariance ? covariance_error(truth, other) : projector_distance(truth.basis, other)) /
          repetitions;
    }
  }
  PrintedTable table{
      name,
      fmt::format("What the constants do at n = {}, p = {}, r = {}, lambda = {:g}: "
                  "mean Frobenius error of the published Algorithm 1 beside its "
                  "rivals on the same {} tables.",
                  setting.rows, setting.dimension, setting.rank, setting.spike, repetitions),
      {"version", "mean error", "over DP-Gauss", "over DP-Gauss*"},
      {}};
  const auto add = [&](const std::string& version, double error) {
    table.rows.push_back({version, fmt::format("{:.4f}", error),
                          fmt::format("{:.2f}", error / rivals.at(kDpGauss)),
                          fmt::format("{:.2f}", error / rivals.at(kDpGaussStar))});
  };
  for (std::size_t j = 0; j < tried.size(); ++j) {
    add(tried[j].name, sums[j]);
  }
  for (const auto& [rival, error] : rivals) {
    add(rival, error);
  }
  return table;
}

}  // namespace eigenveil::papers
