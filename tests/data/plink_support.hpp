#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "table_support.hpp"

namespace eigenveil::test {

/// Three files of genotypes, gone at the end of the scope.
class PlinkFiles {
 public:
  PlinkFiles(std::string_view bed_bytes, std::string_view bim_text, std::string_view fam_text)
      : bed_(bed_bytes, ".bed") {
    write(".bim", bim_text);
    write(".fam", fam_text);
  }
  PlinkFiles(const PlinkFiles&) = delete;
  PlinkFiles& operator=(const PlinkFiles&) = delete;
  ~PlinkFiles() {
    for (const char* ending : {".bim", ".fam", ".frq", ".log", ".nosex", ".hh"}) {
      std::filesystem::remove(stem() + ending);
    }
  }
  std::string bed() const { return bed_.path(); }
  std::string stem() const { return bed().substr(0, bed().size() - 4); }

 private:
  void write(const char* ending, std::string_view text) const {
    std::ofstream(stem() + ending, std::ios::binary)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  TemporaryFile bed_;
};

/// Variant-major bytes of row-major two-bit codes; `padding` fills the bits after the last person.
inline std::string bed(const std::vector<unsigned>& codes, std::size_t variants,
                       unsigned padding = 0) {
  const std::size_t people = codes.size() / variants;
  std::string bytes("\x6C\x1B\x01", 3);
  for (std::size_t j = 0; j < variants; ++j) {
    for (std::size_t first = 0; first < people; first += 4) {
      unsigned byte = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const unsigned code = first + k < people ? codes[(first + k) * variants + j] : padding;
        byte |= code << (2 * k);
      }
      bytes += static_cast<char>(byte);
    }
  }
  return bytes;
}

inline std::vector<std::string> names(std::size_t variants) {
  std::vector<std::string> list;
  for (std::size_t j = 0; j < variants; ++j) {
    list.push_back("rs" + std::to_string(j));
  }
  return list;
}

inline std::string bim(const std::vector<std::string>& identifiers) {
  std::string text;
  for (std::size_t j = 0; j < identifiers.size(); ++j) {
    text += "1\t" + identifiers[j] + "\t0\t" + std::to_string(100 * (j + 1)) + "\tA\tG\n";
  }
  return text;
}

inline std::string fam(std::size_t people) {
  std::string text;
  for (std::size_t i = 1; i <= people; ++i) {
    const std::string name = "p" + std::to_string(i);
    text += name + " " + name + " 0 0 1 -9\n";
  }
  return text;
}

}  // namespace eigenveil::test
