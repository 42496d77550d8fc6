#pragma once

#include <string>

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// "At most 8 of 100 people who took part can be recognised": of a private release, as markup.
std::string people_headline(const ReleaseDocument& document);
/// A hundred people, with those that the guarantee lets an attacker recognise. Nothing where none
/// holds.
std::string people_html(const ReleaseDocument& document);

/// Released components as pictures with a sentence each: spreads against the limit
/// of noise alone, weights beside them; components that cannot be told from noise lie faint in the
/// hatch. Empty for releases without them, and where no guarantee holds: those keep figures with a
/// watermark.
std::string components_html(const ReleaseDocument& document);
/// For a covariance: the directions that could be computed from it, against the noise; for one that
/// is cut to a rank, those it is made of; else nothing.
std::string directions_html(const ReleaseDocument& document);
/// That the answer is NULL, why, and what it means; else nothing.
std::string null_html(const ReleaseDocument& document);
/// For private bounds: the range of every column; else nothing.
std::string ranges_html(const ReleaseDocument& document);
/// For a subspace: a basis of it; else nothing.
std::string subspace_html(const ReleaseDocument& document);

}  // namespace eigenveil
