#pragma once

#include <string>

#include "collection/study.hpp"

namespace eigenveil {

/// The form of a study as one HTML file: the manifest, our own script, nothing from elsewhere. Its
/// content security policy lets it run that script and speak to the two aggregators.
Result<std::string> form_page(const Study& study);

}  // namespace eigenveil
