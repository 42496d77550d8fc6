#include "papers/citation.hpp"

#include <fmt/format.h>

namespace eigenveil::papers {
namespace {

constexpr const char* kOwnPrefix = "own-";
constexpr const char* kOwnFirstNumber = "004";  ///< our checks of the spiked methods stood there

}  // namespace

const std::vector<Paper>& all_papers() {
  static const std::vector<Paper> kPapers = {
      {"yun-dudeja", "000", "Youngjoo Yun, Rishabh Dudeja",
       "High-Dimensional Asymptotics of Differentially Private PCA", "arXiv 2511.07270, 2025"},
      {"mangoubi", "001",
       "Oren Mangoubi, Yikai Wu, Satyen Kale, Abhradeep Guha Thakurta, Nisheeth K. Vishnoi",
       "Private Matrix Approximation and Geometry of Unitary Orbits", "COLT 2022"},
      {"ding", "002", "A. Adam Ding, Samuel S. Wu, Guanhong Miao, Shigang Chen",
       "Reducing Noise Level in Differential Privacy through Matrix Masking", "arXiv, 2022"},
      {"singhal-steinke", "003", "Vikrant Singhal, Thomas Steinke", "Privately Learning Subspaces",
       "NeurIPS 2021"},
      {"cai", "004", "T. Tony Cai, Dong Xia, Mengyue Zha",
       "Optimal Differentially Private PCA and Estimation for Spiked Covariance Matrices",
       "arXiv, 2024"}};
  return kPapers;
}

const Paper* paper_of(const std::string& entry_id) {
  for (const Paper& paper : all_papers()) {
    if (entry_id.starts_with(paper.name + "-")) {
      return &paper;
    }
  }
  return nullptr;
}

std::string citation(const Paper& paper) {
  return fmt::format("{}. {}. {}", paper.authors, paper.title, paper.published);
}

std::string cited_place(const std::string& entry_id, const std::string& place) {
  const Paper* paper = paper_of(entry_id);
  return paper == nullptr ? place : fmt::format("{}; {}", citation(*paper), place);
}

std::string first_id(const std::string& entry_id) {
  if (const Paper* paper = paper_of(entry_id)) {
    return paper->first_number + entry_id.substr(paper->name.size());
  }
  return kOwnFirstNumber + entry_id.substr(std::string(kOwnPrefix).size() - 1);
}

}  // namespace eigenveil::papers
