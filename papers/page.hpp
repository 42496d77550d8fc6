#pragma once

#include "papers/entry.hpp"

namespace eigenveil::papers {

/// One self-contained page: what the paper says, our numbers beside it, figures, tables, what
/// differs. No script, nothing loaded; the arrays are linked as files of the same folder.
std::string entry_page(const Entry& entry, const Reproduction& result);

/// The page of a folder that holds several entries: a line and a link for each.
std::string overview_page(const std::vector<std::pair<Entry, Reproduction>>& done);

/// "3 of 3 numbers and claims of the paper agree, 2 of 2 own checks hold", or why it was skipped.
std::string agreement_in_words(const Entry& entry, const Reproduction& result);

}  // namespace eigenveil::papers
