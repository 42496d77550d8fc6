#pragma once

#include <string_view>

namespace eigenveil {

/// What the name of a column suggests, in English, word by word and whatever joins them ("NHS
/// number", "date_of_birth", "patientId"). Names are public; no row is looked at.
///
/// A person is told by it, so that it has no place in a covariance.
bool names_an_identifier(std::string_view column);
/// A person is likely to have a row for each of it: visits, days, waves.
bool names_a_repeat(std::string_view column);

}  // namespace eigenveil
