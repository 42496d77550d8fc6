// Rows along every axis alike have no direction of their own, so no release may tell one from
// noise: every method of components, whatever it says of its directions.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <set>

#include "core/parameter_names.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/method_samples.hpp"
#include "report/report_figures.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::isotropic_rows_test {
namespace {

using namespace method_samples;  // NOLINT(google-build-using-namespace): requests by name

constexpr int kReleases = 40;
constexpr int kMethods = 24;  ///< at most: they share one rate

/// Second moment and covariance 1 along every direction.
Matrix isotropic(Eigen::Index rows) {
  Matrix values = Matrix::Zero(rows, kColumns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    values(i, i % kColumns) = (i / kColumns) % 2 == 0 ? 2.0 : -2.0;
  }
  return values;
}

/// "In one release of twenty at most" is compatible with so many.
bool within_limit(int told) {
  const boost::math::binomial law(kReleases, 0.05);
  const double beyond = told > 0 ? boost::math::cdf(boost::math::complement(law, told - 1)) : 1.0;
  return beyond >= alpha_of("engine: isotropic rows") / kMethods;
}

struct Seen {
  int told = 0;         ///< the first component is told from noise
  int above_floor = 0;  ///< broken twin: judged by the noise of its own variance alone
};

Seen seen_of(const Plan& made, Eigen::Index rows) {
  Seen seen;
  for (int i = 0; i < kReleases; ++i) {
    RandomStream stream =
        RandomStream::seeded(seed_for("isotropic rows") + static_cast<std::uint64_t>(i));
    const Result<ReleaseDocument> document = release(made, isotropic(rows), stream);
    EXPECT_TRUE(document) << document.error().message;
    const auto* variance = field<std::vector<double>>(document->result, "noisy_explained_variance");
    if (variance == nullptr) {  // NULL, or a method that releases none
      continue;
    }
    const auto* edge = field<std::vector<double>>(document->result, "noise_edge");
    const auto* below = field<std::vector<std::string>>(document->result, "below_noise");
    const auto* floor = field<double>(document->result, "noise_floor");
    EXPECT_NE(floor, nullptr);
    EXPECT_EQ(edge == nullptr, below == nullptr);
    EXPECT_EQ(edge == nullptr, !undecided_in_words(*document).empty());
    seen.told += edge != nullptr && below->empty() ? 1 : 0;
    seen.above_floor += floor != nullptr && (*variance)[0] > *floor ? 1 : 0;
  }
  return seen;
}

TEST(IsotropicRows, NoComponentIsToldFromNoise) {
  std::set<std::string> drawn;
  for (const auto& [name, sample] : samples()) {
    if (!name.starts_with("pca/")) {
      continue;
    }
    Request request = request_for("pca", name.substr(4), sample);
    request.components = 1;
    const Method& method = **choose_method(request);
    settle_center(method, request);
    const PublicFacts facts{Schema::numbered(kColumns),
                            *RowBound::row_norm(kColumns, sample.radius), sample.rows};
    const auto made = plan(request, facts);
    ASSERT_TRUE(made) << name << ": " << made.error().message;
    const Seen seen = seen_of(**made, sample.rows);
    EXPECT_TRUE(within_limit(seen.told)) << name << ": " << seen.told;
    if (!within_limit(seen.above_floor)) {
      drawn.insert(name);
    }
  }
  // The twin that releases of drawn directions had for a verdict.
  EXPECT_TRUE(drawn.contains("pca/exponential") && drawn.contains("pca/orbit"));
}

}  // namespace
}  // namespace eigenveil::test::isotropic_rows_test
