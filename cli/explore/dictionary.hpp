#pragma once

#include <string>
#include <vector>

#include "cli/explore/question.hpp"

namespace eigenveil::cli {

/// What the curator said of the first line (a word of --header, and with "absent" how many columns
/// there are), and then the names: nothing is read or shown before it is said.
Result<ExploreSource> with_header(ExploreSource source, const std::string& word, std::size_t width);

/// Ranges that were typed on the page, {"ranges": {column: [low, high]}}: one for every column, or
/// a sentence about the first that is missing or no range.
Result<std::vector<NamedRange>> typed_ranges(const std::string& body,
                                             const std::vector<std::string>& columns);

/// Writes them as the file that --bounds reads, and reads it back: what a later command reads is
/// what was typed. A file that is there already is kept, unless `again`.
Result<void> write_dictionary(const std::string& file, const std::vector<NamedRange>& ranges,
                              bool again);

/// The dictionary on disk is still the one that the plans on the page rest on.
Result<void> dictionary_is_unchanged(const ExploreSource& source);

}  // namespace eigenveil::cli
