#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/sample_data/sample_table.hpp"
#include "eigenveil/core/matrix.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

constexpr Eigen::Index kTraits = 3;

/// Latent answer of column j: traits . weights_j + own noise; `trait_spread` is the standard
/// deviation of the first part over people.
struct Latent {
  double value = 0.0;
  double trait_spread = 0.0;

  double standardised() const { return value / std::hypot(trait_spread, 1.0); }
};

using Answer = double (*)(const Latent&);

double rounded(double value, double low, double high) {
  return std::clamp(std::round(value), low, high) + 0.0;  // no negative zero in the file
}

double question(const Latent& latent) {
  return rounded(5.0 + latent.value, 0.0, 10.0);
}
double age(const Latent& latent) {
  return rounded(47.0 + 17.0 * latent.standardised(), 18.0, 90.0);
}
double income(const Latent& latent) {
  return 100.0 * rounded(std::exp(10.3 + 0.6 * latent.standardised()) / 100.0, 0.0, 2500.0);
}
double weekly_hours(const Latent& latent) {
  return rounded(34.0 + 11.0 * latent.standardised(), 0.0, 80.0);
}
double score(const Latent& latent) {
  return rounded(620.0 + 150.0 * latent.standardised(), 0.0, 1000.0) / 10.0;
}
double yes_or_no(const Latent& latent) {
  return latent.standardised() > 0.3 ? 1.0 : 0.0;
}

struct SurveyColumn {
  SampleColumn column;
  Answer answer = nullptr;
};

class Survey final : public SampleTable {
 public:
  Survey(const std::vector<SurveyColumn>& columns, std::uint64_t seed)
      : stream_(RandomStream::seeded(seed)),
        strength_(Vector::LinSpaced(kTraits, 1.6, 0.6)),
        weights_(kTraits, static_cast<Eigen::Index>(columns.size())),
        draw_(kTraits + weights_.cols()) {
    fill_standard_normal(stream_, {weights_.data(), static_cast<std::size_t>(weights_.size())});
    for (const SurveyColumn& column : columns) {
      columns_.push_back(column.column);
      answers_.push_back(column.answer);
    }
  }

  const std::vector<SampleColumn>& columns() const override { return columns_; }

  void next_row(std::span<double> values) override {
    fill_standard_normal(stream_, {draw_.data(), static_cast<std::size_t>(draw_.size())});
    const Vector traits = draw_.head(kTraits).cwiseProduct(strength_);
    for (Eigen::Index j = 0; j < weights_.cols(); ++j) {
      const Latent latent{traits.dot(weights_.col(j)) + draw_(kTraits + j),
                          strength_.cwiseProduct(weights_.col(j)).norm()};
      values[static_cast<std::size_t>(j)] = answers_[static_cast<std::size_t>(j)](latent);
    }
  }

 private:
  RandomStream stream_;
  Vector strength_;
  Matrix weights_;
  Vector draw_;
  std::vector<SampleColumn> columns_;
  std::vector<Answer> answers_;
};

}  // namespace

std::unique_ptr<SampleTable> question_survey(std::int64_t columns, std::uint64_t seed) {
  std::vector<SurveyColumn> all;
  for (std::int64_t j = 1; j <= columns; ++j) {
    all.push_back({{fmt::format("question_{}", j), 0.0, 10.0}, question});
  }
  return std::make_unique<Survey>(all, seed);
}

std::unique_ptr<SampleTable> mixed_survey(std::int64_t columns, std::uint64_t seed) {
  std::vector<SurveyColumn> all{{{"age", 18.0, 90.0}, age},
                                {{"income", 0.0, 250000.0}, income},
                                {{"weekly_hours", 0.0, 80.0}, weekly_hours}};
  all.resize(static_cast<std::size_t>(std::min<std::int64_t>(columns, 3)));
  for (std::int64_t j = 4; j <= columns; ++j) {
    const std::int64_t number = (j - 2) / 2;
    if (j % 2 == 0) {
      all.push_back({{fmt::format("score_{}", number), 0.0, 100.0}, score});
    } else {
      all.push_back({{fmt::format("agrees_{}", number), 0.0, 1.0}, yes_or_no});
    }
  }
  return std::make_unique<Survey>(all, seed);
}

}  // namespace eigenveil::cli
