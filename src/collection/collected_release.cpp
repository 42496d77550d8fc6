#include "collection/collected_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/documents/moment_document.hpp"
#include "engine/mask/pseudo_release.hpp"
#include "engine/methods/all.hpp"

namespace eigenveil {
namespace {

/// A released number is this far out with probability 1.3e-15.
constexpr double kFarOut = 8.0;
/// Of sums below 2^127 read as doubles, their square root and product.
constexpr double kRounding = 1e-12;

std::string method_of(const CollectionPlan& plan) {
  const Method& method =
      plan.noise == NoiseMode::Servers ? pseudo_gauss_method() : pseudo_mask_method();
  return method.info().name;
}

MaskSettings settings_of(const Manifest& manifest, const CollectionPlan& plan) {
  MaskSettings settings{method_of(plan),
                        plan.noise == NoiseMode::Participants,
                        manifest.budget,
                        manifest.relation,
                        plan.bound,
                        manifest.schema(),
                        true};
  if (plan.noise == NoiseMode::Participants) {
    settings.smallest_block = manifest.minimum_batch - manifest.colluders;
  }
  return settings;
}

/// Both aggregators add all of it.
MaskNoise noise_of(const CollectionPlan& plan) {
  if (plan.noise == NoiseMode::Participants) {
    return {.cell_sd = plan.cell_sd, .row_norm = plan.row_norm};
  }
  const double both = std::sqrt(2.0);
  return {0.0, both * plan.moment->product_sd(), both * plan.moment->off_diagonal_sd(),
          both * plan.moment->sum_sd()};
}

std::string noise_in_words(const CollectionPlan& plan) {
  const MaskNoise noise = noise_of(plan);
  return plan.noise == NoiseMode::Servers
             ? fmt::format(
                   "standard deviation {:.4g} on a sum of squares over all reports (scaled "
                   "units), of both aggregators together",
                   noise.gram_sd_diagonal)
             : fmt::format(
                   "standard deviation {:.4g} on every cell (scaled units), by participants",
                   noise.cell_sd);
}

Matrix symmetric(const std::vector<Int128>& triangle, std::size_t dimension) {
  const auto p = static_cast<Eigen::Index>(dimension);
  Matrix full(p, p);
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t row = 0; row <= column; ++row) {
      const auto value = static_cast<double>(triangle[triangle_index(row, column)]);
      full(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = value;
      full(static_cast<Eigen::Index>(column), static_cast<Eigen::Index>(row)) = value;
    }
  }
  return full;
}

/// In the units pseudo_scales start from: with servers the first row holds plain sums and the
/// number of reports, with participants products with the noisy constant.
Matrix scaled_gram_of(const Manifest& manifest, const CollectionPlan& plan,
                      const CollectedGram& gram) {
  const double unit = plan.bound.unit();
  Matrix full = symmetric(gram.triangle, manifest.dimension()) * (unit * unit);
  if (plan.noise == NoiseMode::Servers) {
    const double constant = static_cast<double>(manifest.constant) * unit;
    full.row(0) /= constant;
    full.col(0) /= constant;
    full(0, 0) = static_cast<double>(gram.reports);  // public, and all noise-free
  }
  return full;
}

Guarantee as_collected(Guarantee guarantee, bool secure_random) {
  guarantee.secure_random = secure_random;
  if (!secure_random) {
    guarantee.would_be = guarantee.basis;
    guarantee.basis = Basis::NotPrivate;
  }
  return guarantee;
}

void add_collection(ReleaseDocument& document, const Study& study, const CollectedGram& gram) {
  document.data_set = study.manifest.title;
  document.parameters.emplace_back("noise_added_by", std::string(name_of(study.manifest.noise)));
  document.parameters.emplace_back("minimum_batch", study.manifest.minimum_batch);
  document.parameters.emplace_back("study_hash", hex(study.digest));
  document.parameters.emplace_back("study", study.text);
  document.result.emplace_back("set_of_reports", hex(gram.set));
}

/// A released Gram, read back.
struct ReadCollection {
  Manifest manifest;
  CollectionPlan plan;
  MaskSettings settings;
  Matrix gram = {};  ///< as scaled_gram_of gave it
  double reports = 0.0;
  Guarantee guarantee = {};
};

Result<ReadCollection> read_collection(const ReadRelease& release) {
  const auto* text = field<std::string>(release.document.parameters, "study");
  const auto* reports = field<double>(release.document.result, "rows");
  const auto* whole = field<std::int64_t>(release.document.result, "rows");
  const auto table = release.document.array("noisy_gram");
  if (release.document.task != "collect" || text == nullptr || !table ||
      (reports == nullptr && whole == nullptr)) {
    return bad_request("this is no Gram matrix released by a collection");
  }
  const Result<Manifest> manifest = manifest_from_json(*text);
  if (!manifest) {
    return error_of(manifest);
  }
  return plan_collection(*manifest).and_then(
      [&](const CollectionPlan& plan) -> Result<ReadCollection> {
        ReadCollection read{*manifest, plan, settings_of(*manifest, plan)};
        const Vector inverse = pseudo_scales(read.settings).cwiseInverse();
        read.gram = table->value();
        if (read.gram.rows() != inverse.size() || read.gram.cols() != inverse.size()) {
          return bad_request("the released Gram matrix has another shape than its study");
        }
        read.gram = (inverse.asDiagonal() * read.gram * inverse.asDiagonal()).eval();
        read.reports = reports != nullptr ? *reports : static_cast<double>(*whole);
        read.guarantee = release.document.guarantee();
        return read;
      });
}

Result<Release<NoisyMoment>> moment_of(const ReadCollection& read) {
  if (read.plan.noise != NoiseMode::Servers) {
    return bad_request(
        "noise that participants added lies under the squares: use analyse, which corrects for it");
  }
  const Eigen::Index p = read.gram.rows() - 1;
  const MaskNoise noise = noise_of(read.plan);
  NoisyMoment moment{read.manifest.schema(), read.plan.bound, read.reports, true, {}, {}};
  moment.products = read.gram.bottomRightCorner(p, p);
  moment.sums = Vector(read.gram.block(1, 0, p, 1));
  moment.product_sd = noise.gram_sd_diagonal;
  moment.off_diagonal_sd = noise.gram_sd_off_diagonal;
  moment.sum_sd = noise.gram_sd_sums;
  return trusted::assume_released<NoisyMoment>(std::move(moment), read.guarantee,
                                               method_of(read.plan));
}

ReleaseDocument derived(ReleaseDocument document, const ReadRelease& from) {
  document.parameters.emplace_back("derived_from", from.checksum);
  if (const auto* study = field<std::string>(from.document.parameters, "study_hash")) {
    document.parameters.emplace_back("study_hash", *study);
  }
  document.data_set = from.document.data_set;
  document.papers = from.document.papers;
  return document;
}

MomentSettings moment_settings(const ReadCollection& read) {
  return {Center::PrivateMean, Units::Original, false, read.manifest.budget};
}

}  // namespace

ReleaseCost collection_cost(const Manifest& manifest, const CollectionPlan& plan) {
  ReleaseCost cost;
  cost.task = "collect";
  cost.method = method_of(plan);
  cost.guarantee = plan.guarantee;
  cost.requested = manifest.budget;
  return cost;
}

namespace {

/// Of the n noisy entries that participants add to one column: the norm of n normals is larger than
/// sigma (sqrt(n) + x) with probability at most exp(-x^2 / 2), and rounding adds half a step each.
double noise_norm(const Manifest& manifest, double n) {
  return static_cast<double>(manifest.cell_sigma) * (std::sqrt(n) + kFarOut) +
         (manifest.cell_sigma > 0 ? 0.5 * std::sqrt(n) : 0.0);
}

}  // namespace

std::vector<std::string> implausible(const Manifest& manifest, const CollectionPlan& plan,
                                     const CollectedGram& gram) {
  std::vector<std::string> found;
  const auto n = static_cast<double>(gram.reports);
  const bool servers = plan.noise == NoiseMode::Servers;
  const Int128 corner =
      Int128{manifest.constant} * manifest.constant * static_cast<Int128>(gram.reports);
  if (servers && gram.triangle.front() != corner) {
    found.emplace_back("a participant sent another constant than the study has");
  }
  const Matrix full = symmetric(gram.triangle, manifest.dimension());
  const double both = servers ? std::sqrt(2.0) * kFarOut : 0.0;
  const double on_product = both * plan.scale.off_diagonal;
  const auto name = [&](Eigen::Index j) {
    return j == 0 ? std::string("the constant")
                  : manifest.columns[static_cast<std::size_t>(j) - 1].name;
  };
  const auto on_square = [&](Eigen::Index j) { return j == 0 ? 0.0 : both * plan.scale.diagonal; };
  const auto largest_square = [&](Eigen::Index j) {
    const auto cell = static_cast<double>(j == 0 ? manifest.constant : manifest.max_abs);
    const double norm = std::sqrt(n) * cell + noise_norm(manifest, n);
    return norm * norm + on_square(j);
  };
  for (Eigen::Index j = 0; j < full.rows(); ++j) {
    const bool exact = servers && j == 0;  // compared above
    if (!exact &&
        (full(j, j) < -on_square(j) || full(j, j) > largest_square(j) * (1.0 + kRounding))) {
      found.push_back(
          fmt::format("the sum of squares of {} is not one of answers in its range", name(j)));
    }
    for (Eigen::Index i = 0; i < j; ++i) {  // Cauchy and Schwarz
      const double largest = std::sqrt(std::max(0.0, full(i, i) + on_square(i)) *
                                       std::max(0.0, full(j, j) + on_square(j)));
      if (std::fabs(full(i, j)) > largest * (1.0 + kRounding) + on_product) {
        found.push_back(
            fmt::format("the sum of products of {} and {} is larger than their squares allow",
                        name(i), name(j)));
      }
    }
  }
  return found;
}

Result<ReleaseDocument> collected_document(const Study& study, const CollectedGram& gram) {
  return plan_collection(study.manifest).map([&](const CollectionPlan& plan) {
    const MaskSettings settings = settings_of(study.manifest, plan);
    ReleaseDocument document =
        mask_document(settings, noise_of(plan), {static_cast<std::int64_t>(gram.reports)},
                      as_collected(plan.guarantee, gram.secure_random));
    document.task = "collect";
    document.papers = papers_of(Task::Mask, document.method);
    add_collection(document, study, gram);
    const Vector scales = pseudo_scales(settings);
    document.tables.push_back(
        {"noisy_gram",
         plan.noise == NoiseMode::Servers
             ? "noisy sums of row products over all reports that count, unbiased"
             : "sums of products of noisy rows over all reports that count; analyse subtracts the "
               "noise's own squares",
         "column", pseudo_columns(settings), pseudo_columns(settings),
         scales.asDiagonal() * scaled_gram_of(study.manifest, plan, gram) * scales.asDiagonal()});
    document.remarks.push_back({"noise", noise_in_words(plan)});
    const std::vector<std::string> odd = implausible(study.manifest, plan, gram);
    document.result.emplace_back("implausible", odd);
    document.remarks.push_back(
        {"checks", odd.empty()
                       ? "squares, products and the constant are as answers in their ranges "
                         "make them; the ranges themselves are trusted"
                       : fmt::format("{}", fmt::join(odd, "; "))});
    return document;
  });
}

Result<ReleaseDocument> components_of_collected(const ReadRelease& release, Eigen::Index count) {
  const Result<ReadCollection> read = read_collection(release);
  if (!read) {
    return error_of(read);
  }
  if (count < 1 || count > std::ssize(read->manifest.columns)) {
    return bad_request(
        fmt::format("{{components}} must satisfy 1 <= k <= {}, the number of columns",
                    read->manifest.columns.size()),
        "components");
  }
  return moment_of(*read).map([&](Release<NoisyMoment>&& moment) {
    return derived(
        components_document(*read->plan.moment, moment_settings(*read), std::move(moment), count),
        release);
  });
}

Result<ReleaseDocument> covariance_of_collected(const ReadRelease& release) {
  const Result<ReadCollection> read = read_collection(release);
  if (!read) {
    return error_of(read);
  }
  return moment_of(*read).map([&](Release<NoisyMoment>&& moment) {
    return derived(
        covariance_document(*read->plan.moment, moment_settings(*read), std::move(moment)),
        release);
  });
}

Result<ReleaseDocument> pseudo_data_of_collected(const ReadRelease& release, RandomStream& stream) {
  const Result<ReadCollection> read = read_collection(release);
  if (!read) {
    return error_of(read);
  }
  PseudoRelease pseudo;
  pseudo.noise = noise_of(read->plan);
  pseudo.guarantee = read->guarantee;
  const SymmetricEigen eigen = symmetric_eigen(read->gram);
  pseudo.blocks.push_back(
      {std::llround(read->reports),
       eigen.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose()});
  if (read->plan.noise == NoiseMode::Servers) {
    pseudo.noisy_gram = read->gram;
  }
  return pseudo_document(factor_document(read->settings, pseudo), stream)
      .map([&](ReleaseDocument&& document) { return derived(std::move(document), release); });
}

}  // namespace eigenveil
