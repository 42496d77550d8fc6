#pragma once

#include <string>
#include <vector>

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// "Private principal components"; "Principal components (NOT PRIVATE)".
std::string report_title(const ReleaseDocument& document);

/// A field's name for people: "row_norm" -> "bound on the norm of a row".
std::string field_title(const std::string& name);
/// "not converged after 2 passes: PC1"; empty where every component was found.
std::string convergence_in_words(const ReleaseDocument& document);

/// Why a release that is not private is not.
std::string not_private_reason(const Guarantee& guarantee);

/// A sentence with a capital and a full stop.
std::string sentence(std::string words);

/// The papers the method and its guarantee rest on.
std::vector<std::string> references_of(const ReleaseDocument& document);

}  // namespace eigenveil
