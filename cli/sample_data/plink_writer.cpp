#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/sample_data/writers.hpp"
#include "core/atomic_output.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::int64_t kPeoplePerByte = 4;
constexpr std::int64_t kTileBytes = std::int64_t{1} << 22;
constexpr std::int64_t kShortestWrite = 64;  // bytes of one variant; shorter ones cost a call each

/// Two bits for 0, 1, 2 counted alleles: 11 none, 10 one, 00 two (01 would be missing).
constexpr std::array<unsigned, 3> kGenotypeBits{0b11, 0b10, 0b00};

std::string variant_lines(const SampleTable& table) {
  constexpr std::array<const char*, 4> kAlleles{"A\tG", "C\tT", "A\tC", "G\tT"};
  const std::size_t variants = table.columns().size();
  std::string text;
  for (std::size_t j = 0; j < variants; ++j) {
    text += fmt::format("{}\t{}\t0\t{}\t{}\n", 1 + j * 22 / variants, table.columns()[j].name,
                        1000 * (j + 1), kAlleles[j % kAlleles.size()]);
  }
  return text;
}

Outcome write_people(std::int64_t people, const std::string& path) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return error_of(file);
  }
  std::string text;
  for (std::int64_t person = 0; person < people; ++person) {
    text += fmt::format("population_{}\tperson_{}\t0\t0\t0\t-9\n",
                        population_of(person, people) + 1, person + 1);
    if (text.size() > (std::size_t{1} << 20U) || person + 1 == people) {
      if (Outcome written = file->append(text); !written) {
        return written;
      }
      text.clear();
    }
  }
  return file->publish();
}

/// People come row by row, the file is variant by variant: a tile of people is packed in memory
/// and each variant's part of it written in its place. Unused bits of the last byte stay zero.
class VariantMajorFile {
 public:
  VariantMajorFile(AtomicFile& file, std::int64_t people, std::int64_t variants)
      : file_(file),
        people_(people),
        variants_(variants),
        bytes_per_variant_((people + kPeoplePerByte - 1) / kPeoplePerByte),
        tile_width_(std::min(std::max(kTileBytes / variants, kShortestWrite), bytes_per_variant_)) {
  }

  Outcome write(SampleTable& table) {
    Outcome done = file_.append(std::string_view("\x6c\x1b\x01", 3));
    for (std::int64_t first = 0; done && first < bytes_per_variant_; first += tile_width_) {
      const std::int64_t width = std::min(tile_width_, bytes_per_variant_ - first);
      pack(table, first * kPeoplePerByte, width);
      for (std::int64_t j = 0; done && j < variants_; ++j) {
        const std::string_view part(tile_.data() + j * width, static_cast<std::size_t>(width));
        done = file_.write_at(3 + j * bytes_per_variant_ + first, part);
      }
    }
    return done;
  }

 private:
  void pack(SampleTable& table, std::int64_t first_person, std::int64_t width) {
    tile_.assign(static_cast<std::size_t>(variants_ * width), '\0');
    std::vector<double> counts(static_cast<std::size_t>(variants_));
    const std::int64_t people = std::min(width * kPeoplePerByte, people_ - first_person);
    for (std::int64_t person = 0; person < people; ++person) {
      table.next_row(counts);
      const auto shift = static_cast<unsigned>(2 * (person % kPeoplePerByte));
      for (std::int64_t j = 0; j < variants_; ++j) {
        const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(j)]);
        char& byte = tile_[static_cast<std::size_t>(j * width + person / kPeoplePerByte)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | kGenotypeBits[count] << shift);
      }
    }
  }

  AtomicFile& file_;
  std::int64_t people_;
  std::int64_t variants_;
  std::int64_t bytes_per_variant_;
  std::int64_t tile_width_;  ///< bytes of each variant held at a time
  std::string tile_;
};

}  // namespace

Outcome write_plink(SampleTable& table, std::int64_t people, const std::string& path) {
  const std::string stem = path.substr(0, path.size() - std::string_view(".bed").size());
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return error_of(file);
  }
  VariantMajorFile bed(*file, people, static_cast<std::int64_t>(table.columns().size()));
  return bed.write(table)
      .and_then([&] { return write_file_atomically(stem + ".bim", variant_lines(table)); })
      .and_then([&] { return write_people(people, stem + ".fam"); })
      .and_then([&] { return file->publish(); });
}

}  // namespace eigenveil::cli
