#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/report/document.hpp"
#include "report/figure.hpp"

namespace eigenveil {

/// The trade-off curve of a guarantee beside pure epsilon = 1 and 3: what an adversary must miss at
/// every rate of false alarms.
Figure trade_off_figure(const Guarantee& guarantee);
/// What its reference curves are: one sentence, from the list they are drawn from.
std::string reference_curves_in_words();

/// Eigenvalues of a covariance, largest first, and what they are judged by: where columns have
/// several units, those with each column over half its public range.
struct Directions {
  std::vector<double> variances;
  std::optional<double> floor;
  bool scaled = false;
  std::optional<std::int64_t> told = {};  ///< that stand out of those after them; since 0.2.0
  std::optional<double> edge = {};        ///< what each of those exceeds
};
std::optional<Directions> directions_of(const ReleaseDocument& document);

/// For components without a verdict (directions that were drawn, all of them kept): what their
/// variances do not say, one sentence. Empty for all others.
std::string undecided_in_words(const ReleaseDocument& document);

/// One of the released tables, or of those that are drawn alone; null where it has no values.
const ReleasedTable* table_named(const ReleaseDocument& document, std::string_view name);

/// Noisy explained variances or eigenvalues with the noise floor, if the release has them.
std::optional<Figure> scree_figure(const ReleaseDocument& document);

/// Heat map of the table "loadings"; of a long one, the rows with the largest released loadings.
std::optional<Figure> loadings_figure(const ReleaseDocument& document);

/// Heat map of the table "covariance" or "lowrank"; of a large one, the columns of largest released
/// variance. Columns in several units are drawn as correlations.
std::optional<Figure> covariance_figure(const ReleaseDocument& document);

/// Heat map of the table "correlations", which pseudo-data has.
std::optional<Figure> correlations_figure(const ReleaseDocument& document);

/// For a release that answers NULL: that, and why.
std::optional<Figure> null_figure(const ReleaseDocument& document);

/// Parameter in place of axis_shares where the axes lie in a public basis: their shares are of the
/// variance inside it.
inline constexpr const char* kSharesInside = "axis_shares_inside_basis";
/// People on two released axes: counts that stand out of the noise as marks, levels by colour and
/// shape. One limit for the whole picture, which noise alone passes anywhere with probability 5%.
std::optional<Figure> scores_figure(const ReleaseDocument& document);
/// The limit: `cells` counts whose noise has this deviation.
double score_limit(double noise_sd, double cells, bool laplace);
/// Where several levels stand out: one panel for each, on the same axes.
std::optional<Figure> score_levels_figure(const ReleaseDocument& document);

/// What weakens a guarantee, on the figure itself.
void add_basis_note(Figure& figure, Basis basis);

/// All figures of a release that follow from its result, each stamped with what weakens it.
std::vector<Figure> result_figures(const ReleaseDocument& document);

}  // namespace eigenveil
