#include "collection/collection_plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/outward.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/gauss/integer_noise.hpp"
#include "mechanism/mask/mask.hpp"

namespace eigenveil {
namespace {

/// Rows rounded before they are squared are told from exact ones by less, the more steps the noise
/// has.
constexpr double kFewestCellSteps = 0x1p10;

constexpr const char* kSealing =
    "sealing: HPKE (RFC 9180 with X25519, HKDF-SHA256 and AES-128-GCM) hides a share from "
    "everybody "
    "but the aggregator it is for, and AES-256 in counter mode expands a seed to bits that cannot "
    "be told from uniform ones; SHA-256 binds to a half of a report and, with a secret prefix of "
    "32 "
    "bytes, hides it; Ed25519 signatures cannot be forged";
constexpr const char* kForm =
    "participants use an honest program or form: whoever serves the form could change what it "
    "sends";

std::vector<std::string> server_assumptions() {
  return {
      "one of the two aggregators is honest: it runs this program, keeps its shares and its keys "
      "to "
      "itself and adds its noise once; the other one, the collector and any number of participants "
      "may do what they like together",
      kSealing, kForm};
}

constexpr const char* kFormNoise =
    "reports sent from the form: the browser's random bits are secure, and it draws its normal "
    "numbers in double precision from 53 "
    "bits (Box and Muller), with a logarithm and a cosine whose accuracy ECMAScript leaves open; "
    "the program draws them exactly rounded";

/// Whoever issues codes can use all but one of a batch.
std::string issuer_in_words(const Manifest& manifest) {
  return fmt::format(
      "{} is trusted: every code went to another person who exists, and none was kept, used or "
      "told. With known answers under {} codes and a closing as soon as one other person has "
      "answered, whoever issues codes would learn the noisy square of that row, with both "
      "aggregators honest",
      manifest.collector_issues() ? "the collector, who issues the codes of this study,"
                                  : "whoever issues the codes (not the collector: another key)",
      manifest.minimum_batch - 1);
}

std::vector<std::string> participant_assumptions(const CollectionPlan& plan,
                                                 const Manifest& manifest) {
  return {
      fmt::format(
          "the two aggregators do not collude, and of the {} reports or more at most {} were made "
          "by people who tell their noise or work with an aggregator or the collector",
          manifest.minimum_batch, manifest.colluders),
      issuer_in_words(manifest),
      fmt::format(
          "rows are rounded to whole steps before they are squared, which is no function of "
          "the exact noisy Gram: assumed harmless, with noise of {} steps on every cell",
          manifest.cell_sigma),
      kFormNoise,
      fmt::format("if both aggregators collude they read every noisy row: then its own noise alone "
                  "protects it, {:.4g}-GDP",
                  plan.alone_mu),
      kSealing,
      kForm};
}

void append(std::vector<std::string>& list, std::vector<std::string> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

Result<CollectionPlan> plan_servers(const Manifest& manifest, const RowBound& bound) {
  return plan_gauss({bound, manifest.budget, manifest.relation, Extension::Full})
      .and_then([&](MomentPlan&& moment) -> Result<CollectionPlan> {
        CollectionPlan plan{bound};
        plan.guarantee = moment.guarantee();
        append(plan.guarantee.assumptions, server_assumptions());
        plan.shape = moment.shape();
        plan.scale = moment.noise();
        if (plan.scale.diagonal > kMostNoiseSteps || plan.scale.off_diagonal < 1.0) {
          return bad_request(
              "the grid of the study does not fit its noise: between 1 and 2^30 steps are drawn "
              "exactly");
        }
        plan.moment = std::make_shared<const MomentPlan>(std::move(moment));
        return plan;
      });
}

Result<CollectionPlan> plan_participants(const Manifest& manifest, const RowBound& bound) {
  const MaskRequest request{bound, manifest.budget, manifest.relation, true};
  return MaskPlan::make(request, manifest.minimum_batch - manifest.colluders)
      .and_then([&](const MaskPlan& mask) -> Result<CollectionPlan> {
        CollectionPlan plan{bound};
        plan.noise = NoiseMode::Participants;
        plan.guarantee = mask.guarantee();
        plan.cell_sd = static_cast<double>(manifest.cell_sigma) * bound.unit();
        plan.row_norm = mask.shape().row_norm;
        plan.alone_mu = up(row_change(bound, manifest.relation) / plan.cell_sd);
        if (manifest.cell_sigma > 0 && !(plan.cell_sd >= mask.sigma())) {
          return bad_request("the noise on cells is less than the budget of the study asks for");
        }
        if (manifest.cell_sigma > 0 &&
            (static_cast<double>(manifest.cell_sigma) < kFewestCellSteps ||
             static_cast<double>(manifest.cell_sigma) > kMostNoiseSteps)) {
          return bad_request("the noise on cells must have 2^10 to 2^30 grid steps");
        }
        // Nothing is drawn centrally: what mask assumes of its own arithmetic has no place here.
        plan.guarantee.assumptions = noise_assumptions(NoiseLaw::Gaussian);
        append(plan.guarantee.assumptions, participant_assumptions(plan, manifest));
        return plan;
      });
}

Result<CollectionPlan> plan_on(const Manifest& manifest, const RowBound& bound) {
  return manifest.noise == NoiseMode::Servers ? plan_servers(manifest, bound)
                                              : plan_participants(manifest, bound);
}

std::int64_t constant_of(const Manifest& manifest, const CollectionPlan& plan) {
  return manifest.noise == NoiseMode::Servers ? plan.shape.constant
                                              : intercept_constant(plan.bound);
}

}  // namespace

std::vector<std::int64_t> CollectionPlan::aggregator_noise(RandomStream& stream) const {
  if (noise == NoiseMode::Servers) {
    return gaussian_integer_noise(shape, scale, stream);
  }
  return std::vector<std::int64_t>(triangle_size(bound.dimension() + 1), 0);
}

Result<CollectionPlan> plan_collection(const Manifest& manifest) {
  return check_manifest(manifest)
      .and_then([&] { return manifest.bound(); })
      .and_then([&](const RowBound& bound) { return plan_on(manifest, bound); })
      .and_then([&](CollectionPlan&& plan) -> Result<CollectionPlan> {
        if (manifest.constant != constant_of(manifest, plan) ||
            (manifest.noise == NoiseMode::Participants) != (manifest.cell_sigma > 0)) {
          return bad_request("the constant or the noise on cells is not that of such a study");
        }
        return std::move(plan);
      });
}

Result<Manifest> with_grid(Manifest draft) {
  constexpr std::int64_t kCoarsest = 16;
  for (draft.max_abs = RowBound::kDefaultMaxAbs; draft.max_abs >= kCoarsest; draft.max_abs /= 2) {
    const Result<RowBound> bound = draft.bound();
    if (!bound) {
      return error_of(bound);
    }
    if (draft.noise == NoiseMode::Participants) {
      return MaskPlan::make({*bound, draft.budget, draft.relation, true},
                            draft.minimum_batch - draft.colluders)
          .and_then([&](const MaskPlan& mask) -> Result<Manifest> {
            draft.constant = intercept_constant(*bound);
            const double steps = std::ceil(up(mask.sigma() / bound->unit()));
            draft.cell_sigma =
                static_cast<std::int64_t>(std::max(std::min(steps, 0x1p62), kFewestCellSteps));
            return plan_collection(draft).map([&](const CollectionPlan&) { return draft; });
          });
    }
    const Result<MomentPlan> moment =
        plan_gauss({*bound, draft.budget, draft.relation, Extension::Full});
    if (!moment) {
      return error_of(moment);
    }
    if (moment->noise().diagonal <= kMostNoiseSteps) {
      draft.constant = moment->shape().constant;
      return plan_collection(draft).map([&](const CollectionPlan&) { return draft; });
    }
  }
  return bad_request(
      "the budget is so small, or the columns so many, that the noise would need a grid of fewer "
      "than 16 steps; spend more or ask for fewer columns");
}

std::vector<std::string> trust_in_words(const Manifest& manifest) {
  std::vector<std::string> lines = {
      "one aggregator alone sees numbers that are uniform whatever the answers are"};
  if (manifest.noise == NoiseMode::Servers) {
    lines.emplace_back(
        "each aggregator adds all the noise by itself: the promise holds if one of the two is "
        "honest");
  } else {
    lines.push_back(fmt::format(
        "everybody adds noise to the own row: the promise holds if the two aggregators do not "
        "collude and at most {} participants tell their noise",
        manifest.colluders));
    lines.push_back(issuer_in_words(manifest));
  }
  lines.emplace_back(
      "a lying participant can spoil the sum, not read others; that answers lie in their ranges is "
      "trusted, not proved");
  return lines;
}

}  // namespace eigenveil
