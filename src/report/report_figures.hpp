#pragma once

#include <optional>
#include <vector>

#include "eigenveil/report/document.hpp"
#include "report/figure.hpp"

namespace eigenveil {

/// The trade-off curve of a guarantee beside pure epsilon = 1 and 3: what an adversary must miss at
/// every rate of false alarms.
Figure trade_off_figure(const Guarantee& guarantee);
/// What its reference curves are: one sentence, from the list they are drawn from.
std::string reference_curves_in_words();

/// Noisy explained variances or eigenvalues with the noise floor, if the release has them.
std::optional<Figure> scree_figure(const ReleaseDocument& document);

/// Heat map of the table "loadings"; of a long one, the rows with the largest released loadings.
std::optional<Figure> loadings_figure(const ReleaseDocument& document);

/// Heat map of the table "covariance"; of a large one, the columns of largest released variance.
std::optional<Figure> covariance_figure(const ReleaseDocument& document);

/// Heat map of the table "correlations", which pseudo-data has.
std::optional<Figure> correlations_figure(const ReleaseDocument& document);

/// For a release that answers NULL: that, and why.
std::optional<Figure> null_figure(const ReleaseDocument& document);

/// People on two released axes: counts that stand out of the noise, one map for each level.
std::optional<Figure> scores_figure(const ReleaseDocument& document);

/// All figures of a release that follow from its result, each stamped with what weakens it.
std::vector<Figure> result_figures(const ReleaseDocument& document);

}  // namespace eigenveil
