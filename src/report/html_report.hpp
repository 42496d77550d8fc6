#pragma once

#include <string>
#include <vector>

#include "eigenveil/report/document.hpp"
#include "eigenveil/report/release_writer.hpp"

namespace eigenveil {

/// The release as one page for people: guarantee, figures, parameters, assumptions, what is not
/// protected, a statement to paste, checksums of `arrays`. It loads nothing, runs no script, and
/// shows nothing that is not in the document. Names are escaped.
std::string report_html(const ReleaseDocument& document, const std::vector<ReleaseFile>& arrays);

/// The statement to paste into a publication or an application: plain text.
std::string disclosure_statement(const ReleaseDocument& document);

}  // namespace eigenveil
