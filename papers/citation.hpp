#pragma once

#include <string>
#include <vector>

namespace eigenveil::papers {

/// A source paper. docs/papers.md says what of ours comes from where.
struct Paper {
  std::string name;          ///< what its entries begin with: "yun-dudeja"
  std::string first_number;  ///< what they began with before 0.2.0: "000"
  std::string authors;
  std::string title;
  std::string published;  ///< where, and the year
};

/// The five, in the order of `reproduce list`.
const std::vector<Paper>& all_papers();

/// The paper an entry is of; null for our own checks.
const Paper* paper_of(const std::string& entry_id);

/// "Youngjoo Yun, Rishabh Dudeja. High-Dimensional Asymptotics ... arXiv 2511.07270, 2025"
std::string citation(const Paper& paper);

/// The citation and the place in the paper; for our own checks what they are.
std::string cited_place(const std::string& entry_id, const std::string& place);

/// The id an entry had before 0.2.0: its random numbers are still seeded from it, so that the
/// measurements in the docs stay as they were printed.
std::string first_id(const std::string& entry_id);

}  // namespace eigenveil::papers
