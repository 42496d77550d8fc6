#include <fmt/format.h>

#include "engine/mask/mask_facts.hpp"
#include "engine/mask/pseudo_release.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/outlook.hpp"

namespace eigenveil {
namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 50U;

/// Pseudo-data, by noise on the second moment (gauss) or on the rows before a secret rotation
/// (mask): one method under two names, because a plan shows both noises.
class PseudoMethod final : public Method {
 public:
  explicit PseudoMethod(MethodInfo info) : info_(std::move(info)) {}
  const MethodInfo& info() const override { return info_; }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;

 private:
  MaskSettings settings(const Request& request, const Schema& schema, const RowBound& bound) const;

  MethodInfo info_;
};

std::vector<OptionSpec> pseudo_options() {
  return {{.name = "intercept",
           .kind = OptionKind::Flag,
           .sentence = "with a column of ones, for means and models with an intercept; counts in "
                       "the norm"},
          {.name = "factor_only",
           .kind = OptionKind::Flag,
           .sentence = "release only the p x p factor, from which pseudo-data could be made"},
          {.name = "smallest_block",
           .kind = OptionKind::WholeNumber,
           .sentence = "a shard masked alone: rows of the smallest shard of all, whose noise it "
                       "gets",
           .largest = kMostRows}};
}

bool rotates(const MethodInfo& info) {
  return info.entry_noise == NoiseOnEntries::None;
}

MaskSettings PseudoMethod::settings(const Request& request, const Schema& schema,
                                    const RowBound& bound) const {
  return {info_.name,
          rotates(info_),
          *request.budget,
          request.relation,
          bound,
          schema,
          request.options.flag("intercept"),
          request.published(),
          request.units == Units::Scaled,
          request.group_size,
          request.options.value("smallest_block", std::int64_t{0})};
}

Result<void> check_no_private_center(const Request& request) {
  if (request.private_mean()) {
    return bad_request(
        "pseudo-data has no private centre; give {intercept}, and analyse subtracts the mean",
        "center");
  }
  return {};
}

/// Every block is a Gram of its own until all are there: the noise is that of the smallest.
class PseudoPlan final : public Plan {
 public:
  PseudoPlan(PublicFacts facts, MaskSettings settings, bool factor_only, Guarantee guarantee)
      : facts_(std::move(facts)),
        settings_(std::move(settings)),
        factor_only_(factor_only),
        guarantee_(std::move(guarantee)) {}
  const Guarantee& guarantee() const override { return guarantee_; }
  const PublicFacts& facts() const override { return facts_; }
  bool tightens_with_rows() const override { return settings_.rotates; }
  std::vector<std::string> table_names() const override {
    return settings_.rotates ? std::vector<std::string>{} : std::vector<std::string>{"noisy_gram"};
  }
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override {
    return std::make_unique<PseudoRun>(*this, stream, threads);
  }

 private:
  class PseudoRun final : public Run {
   public:
    PseudoRun(const PseudoPlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), threads_(threads) {}
    Result<void> take_rows(RowReader& rows) override {
      GramAccumulator block(plan_.settings_.schema, plan_.settings_.bound, threads_);
      return block.add(rows).and_then([&] { return block.finish(); }).map([&](ExactGram&& gram) {
        blocks_.push_back(std::move(gram));
      });
    }
    Result<void> take_totals(const ExactGram& totals) override {
      blocks_.push_back(totals);
      return {};
    }
    Result<ReleaseDocument> finish() override {
      return draw_pseudo(plan_.settings_, blocks_, plan_.factor_only_, stream_)
          .and_then([&](const PseudoRelease& release) -> Result<ReleaseDocument> {
            ReleaseDocument factors = factor_document(plan_.settings_, release);
            return plan_.factor_only_ ? Result<ReleaseDocument>(std::move(factors))
                                      : pseudo_document(std::move(factors), stream_);
          });
    }

   private:
    const PseudoPlan& plan_;
    RandomStream& stream_;
    int threads_;
    std::vector<ExactGram> blocks_;
  };

  PublicFacts facts_;
  MaskSettings settings_;
  bool factor_only_;
  Guarantee guarantee_;
};

Result<std::unique_ptr<Plan>> PseudoMethod::plan(const Request& request,
                                                 const PublicFacts& facts) const {
  const MaskSettings made = settings(request, facts.schema, facts.bound);
  return check_no_private_center(request)
      .and_then([&] { return check_pseudo(made); })
      .and_then([&] { return pseudo_guarantee(made); })
      .map([&](const Guarantee& guarantee) -> std::unique_ptr<Plan> {
        return std::make_unique<PseudoPlan>(facts, made, request.options.flag("factor_only"),
                                            guarantee);
      });
}

/// The bounds of Ding et al. on noise without a mask come from a quantile that must be positive.
bool has_published_bounds(const MaskedNoise& noise) {
  return noise.unmasked.necessary > 0.0;
}

void add_masked_numbers(nlohmann::ordered_json& json, const MaskedNoise& noise, std::int64_t rows) {
  const nlohmann::ordered_json none;
  const bool bounds = has_published_bounds(noise);
  const nlohmann::ordered_json masked = {
      {"epsilon", noise.target.epsilon},
      {"delta", noise.target.delta},
      {"smallest_block", noise.shape.rows},
      {"sigma_asked", noise.asked},
      {"sigma", noise.zero_row},
      {"sigma_relation", "zero-row: one row of norm at most row_norm against the zero row"},
      {"sigma_replace_one", noise.replace_one},
      {"sigma_replace_one_relation",
       "replace-one: one row of norm at most row_norm against another"},
      {"sigma_published", noise.general},
      {"sigma_published_relation",
       "zero-row by the general condition of Ding et al.; their table has rows that move by at "
       "most 1"},
      {"unmasked_sigma_necessary",
       bounds ? nlohmann::ordered_json(noise.unmasked.necessary) : none},
      {"unmasked_sigma_sufficient",
       bounds ? nlohmann::ordered_json(noise.unmasked.sufficient) : none},
      {"unmasked_sigma_analytic", noise.unmasked.analytic},
      {"unmasked_relation",
       "zero-row; necessary and sufficient are for P(loss > epsilon) <= delta, analytic is for "
       "(epsilon, delta)-DP"},
      {"gram_noise_sd_mask", noise.gram_sd(static_cast<double>(rows))},
      {"gram_noise_sd_mask_note",
       "on a diagonal entry of the sum over rows, plus 2 sigma |x_j| from the cross term"},
      {"basis_mask", "proved-real-arithmetic"}};
  json.update(masked);
}

void add_masked_lines(Outlook& outlook, const MaskedNoise& noise, std::int64_t rows) {
  outlook.line("mask", fmt::format("standard deviation {:.4g} on it, plus 2 sigma |x_j| ({{method "
                                   "mask}}; Ding, Wu, Miao, Chen 2022)",
                                   noise.gram_sd(static_cast<double>(rows))));
  outlook.line("  sigma", fmt::format("{:.4g}   on every cell; one row against the zero row "
                                      "(zero-row)",
                                      noise.zero_row));
  outlook.line("",
               fmt::format("{:.4g}   one row against any other (replace-one)", noise.replace_one));
  outlook.line("",
               fmt::format("{:.4g}   zero-row, the condition of Ding et al. 2022", noise.general));
  outlook.line("  unmasked",
               fmt::format("{:.4g}   for the same cells without a mask (zero-row; Ding et al.: {})",
                           noise.unmasked.analytic,
                           has_published_bounds(noise)
                               ? fmt::format("necessary {:.4g}, sufficient {:.4g}",
                                             noise.unmasked.necessary, noise.unmasked.sufficient)
                               : "not applicable"));
}

/// All noises a masked release could have, each with the relation it belongs to.
Result<PlanFacts> PseudoMethod::outlook(const Request& request, const AssumedTable& table) const {
  const auto smallest = request.options.value("smallest_block", std::int64_t{0});
  if (const Result<void> checked = check_no_private_center(request); !checked) {
    return error_of(checked);
  }
  if (table.spectrum.size() > 0) {
    return bad_request("the noise of mask does not depend on eigenvalues; leave out {spectrum}",
                       "spectrum");
  }
  if (smallest > table.rows) {
    return bad_request("{smallest_block} has more rows than {rows} says the table has",
                       "smallest_block");
  }
  const Result<RowBound> bound = table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  const MaskSettings made = settings(request, table.schema, *bound);
  const Result<MaskFacts> facts =
      mask_facts(mask_request(made), smallest > 0 ? smallest : table.rows);
  if (!facts) {
    return error_of(facts);
  }
  return pseudo_guarantee(made, table.rows).map([&](const Guarantee& guarantee) {
    Outlook outlook(request, info_.name, guarantee, table);
    outlook.json()["rows"] = table.rows;
    outlook.json()["dimension"] = bound->dimension() + (made.intercept ? 1 : 0);
    outlook.json()["row_norm"] = facts->row_norm;
    outlook.json()["neighbours"] = name_of(facts->relation);
    outlook.json()["group_size"] = facts->group_size;
    outlook.json()["gram_noise_sd_gauss"] = facts->gram_sd;
    outlook.json()["basis"] = name_of(facts->guarantee.basis);
    outlook.line("bounds", fmt::format("rows of norm at most {:.4g}", facts->row_norm));
    outlook.line("gauss", fmt::format("standard deviation {:.4g} on a diagonal entry of the Gram "
                                      "matrix (the default)",
                                      facts->gram_sd));
    if (facts->masked) {
      add_masked_numbers(outlook.json(), *facts->masked, table.rows);
      add_masked_lines(outlook, *facts->masked, table.rows);
    } else {
      outlook.json()["mask_refused"] = facts->mask_refusal;
      outlook.line("mask", fmt::format("({{method mask}}) refused: {}", facts->mask_refusal));
    }
    return std::move(outlook).finish();
  });
}

MethodInfo pseudo_info(std::string name, std::string sentence, std::string budgets) {
  return {.name = std::move(name),
          .sentence = std::move(sentence),
          .budgets = std::move(budgets),
          .tasks = {Task::Mask},
          .options = pseudo_options(),
          .takes_blocks = true,
          .streams = true};
}

}  // namespace

const Method& pseudo_gauss_method() {
  static const PseudoMethod method([] {
    MethodInfo info =
        pseudo_info("gauss", "noise on the second moment, then pseudo-data that has it",
                    "(epsilon, delta), rho, mu");
    info.entry_noise = NoiseOnEntries::Gaussian;
    info.is_default_for = DefaultFor::EveryBudget;
    info.papers = {cited::kAnalyzeGauss, cited::kAnalyticGauss};
    info.plain = "Noise on the sums, then rows that have them";
    return info;
  }());
  return method;
}

const Method& pseudo_mask_method() {
  static const PseudoMethod method([] {
    MethodInfo info = pseudo_info("mask",
                                  "noise on the rows, then a secret rotation (Ding, Wu, Miao, Chen "
                                  "2022); more noise at the same budget",
                                  "(epsilon, delta)");
    info.options.push_back(calibration_option());
    info.spends_pair = true;
    info.plain = "Rows mixed with noise, so that none is a person’s";
    info.papers = {
        "A. A. Ding, S. S. Wu, G. Miao, S. Chen. Reducing Noise Level in Differential Privacy "
        "through Matrix Masking. arXiv, 2022."};
    return info;
  }());
  return method;
}

}  // namespace eigenveil
