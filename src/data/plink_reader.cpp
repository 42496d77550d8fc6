#include "data/plink_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/chunk_size.hpp"
#include "data/plink_tables.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::size_t kMagicBytes = 3;
constexpr std::size_t kPeoplePerByte = 4;
// The file holds one variant after the other: a wide band of people makes every read of a variant
// long, a page at least while memory allows, and chunks are cut from it in memory.
constexpr std::size_t kBandBytes = std::size_t{32} << 20;
constexpr std::size_t kMostBandBytes = std::size_t{1} << 30;
constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t bytes_for(std::size_t people) {
  return (people + kPeoplePerByte - 1) / kPeoplePerByte;
}

using FourGenotypes = std::array<double, kPeoplePerByte>;

/// Copies of allele 1 of the four people in a byte, the first in the lowest bits.
constexpr std::array<FourGenotypes, 256> genotypes_of_bytes() {
  // 00 two copies, 01 missing, 10 one copy, 11 none
  constexpr std::array<double, 4> kCopies = {2.0, std::numeric_limits<double>::quiet_NaN(), 1.0,
                                             0.0};
  std::array<FourGenotypes, 256> table = {};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned person = 0; person < kPeoplePerByte; ++person) {
      table[byte][person] = kCopies[(byte >> (2U * person)) & 3U];
    }
  }
  return table;
}

constexpr std::array<FourGenotypes, 256> kGenotypes = genotypes_of_bytes();

/// Variant-major bytes to row-major doubles, in tiles of variants whose bytes and rows stay in the
/// nearest cache. Padding bits after the last person are never looked at.
void unpack(const char* bytes, RawRows& block) {
  constexpr std::size_t kTile = 64;
  const std::size_t stride = bytes_for(block.rows);
  const std::size_t dimension = block.dimension;
  for (std::size_t first = 0; first < dimension; first += kTile) {
    const std::size_t last = std::min(first + kTile, dimension);
    for (std::size_t row = 0; row < block.rows; row += kPeoplePerByte) {
      const std::size_t people = std::min(kPeoplePerByte, block.rows - row);
      const char* packed = bytes + row / kPeoplePerByte;
      double* out = block.values.data() + row * dimension;
      if (people == kPeoplePerByte) {
        for (std::size_t j = first; j < last; ++j) {
          const FourGenotypes& four = kGenotypes[static_cast<unsigned char>(packed[j * stride])];
          out[j] = four[0];
          out[dimension + j] = four[1];
          out[2 * dimension + j] = four[2];
          out[3 * dimension + j] = four[3];
        }
        continue;
      }
      for (std::size_t j = first; j < last; ++j) {
        const FourGenotypes& four = kGenotypes[static_cast<unsigned char>(packed[j * stride])];
        for (std::size_t person = 0; person < people; ++person) {
          out[person * dimension + j] = four[person];
        }
      }
    }
  }
}

class PlinkReader final : public RowReader {
 public:
  PlinkReader(FileDescriptor file, PlinkVariants variants, std::size_t people,
              const ReadOptions& options)
      : file_(std::move(file)),
        variants_(std::move(variants)),
        people_(people),
        missing_(options.missing),
        rows_per_chunk_(rows_per_chunk(options.chunk_bytes)),
        rows_per_band_(rows_per_band(options.chunk_bytes)) {}

  const Schema& schema() const override { return variants_.schema; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t done = people_done_.load(std::memory_order_relaxed);
    chunk.sequence = done / rows_per_chunk_;
    chunk.first_record = done + 1;
    chunk.size = 0;
    chunk.records = 0;
    if (done == people_) {
      return false;
    }
    if (done == band_first_ + band_people_) {
      if (const Result<void> filled = read_band(done); !filled) {
        return error_of(filled);
      }
    }
    cut_chunk(done, chunk);
    people_done_.store(done + chunk.records, std::memory_order_relaxed);
    return true;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = dimension();
    block.values.resize(block.rows * block.dimension);
    unpack(chunk.bytes.data(), block);
    return missing_ == MissingCell::Refuse ? refuse_missing(chunk, block) : Result<void>();
  }

  std::optional<double> progress() const override {
    return people_ == 0 ? 1.0
                        : static_cast<double>(people_done_.load(std::memory_order_relaxed)) /
                              static_cast<double>(people_);
  }
  std::optional<std::int64_t> stated_rows() const override {
    return static_cast<std::int64_t>(people_);
  }

 private:
  std::size_t dimension() const { return variants_.positions.size(); }

  /// A multiple of four, so that no byte is cut.
  std::size_t rows_per_chunk(std::size_t chunk_bytes) const {
    return kPeoplePerByte * bytes_for(rows_in_chunk(dimension() * sizeof(double), chunk_bytes));
  }

  std::size_t rows_per_band(std::size_t chunk_bytes) const {
    constexpr std::size_t kSmallChunks = 3;  // tests move these boundaries too
    const std::size_t band = std::clamp(dimension() * kPageBytes, kBandBytes, kMostBandBytes);
    const std::size_t chunks =
        chunk_bytes > 0 ? kSmallChunks : band / (dimension() * bytes_for(rows_per_chunk_));
    return rows_per_chunk_ * std::max<std::size_t>(chunks, 1);
  }

  Result<void> read_band(std::size_t first) {
    const std::size_t people = std::min(rows_per_band_, people_ - first);
    const std::size_t count = bytes_for(people);
    band_.resize(std::max(band_.size(), count * dimension()));
    char* into = band_.data();
    for (const std::size_t variant : variants_.positions) {
      const std::size_t offset =
          kMagicBytes + variant * bytes_for(people_) + first / kPeoplePerByte;
      const Result<std::size_t> got = file_.read_at(offset, into, count);
      if (!got) {
        return error_of(got);
      }
      if (*got < count) {
        return input_output_error(
            fmt::format("{} became shorter while it was read.", shown(file_.path())));
      }
      into += count;
    }
    band_first_ = first;
    band_people_ = people;
    return {};
  }

  void cut_chunk(std::size_t first, RawChunk& chunk) const {
    const std::size_t offset = first - band_first_;
    chunk.records = std::min(rows_per_chunk_, band_people_ - offset);
    const std::size_t count = bytes_for(chunk.records);
    chunk.size = count * dimension();
    chunk.bytes.resize(std::max(chunk.bytes.size(), chunk.size));
    const std::size_t stride = bytes_for(band_people_);
    const char* from = band_.data() + offset / kPeoplePerByte;
    for (std::size_t j = 0; j < dimension(); ++j) {
      std::memcpy(chunk.bytes.data() + j * count, from + j * stride, count);
    }
  }

  Result<void> refuse_missing(const RawChunk& chunk, const RawRows& block) const {
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      if (std::isnan(block.values[i])) {
        return bad_request(fmt::format("row {}, column {}: the value is missing.",
                                       chunk.first_record + i / block.dimension,
                                       shown(schema().columns[i % block.dimension])));
      }
    }
    return {};
  }

  FileDescriptor file_;
  PlinkVariants variants_;
  std::size_t people_;
  MissingCell missing_;
  std::size_t rows_per_chunk_;
  std::size_t rows_per_band_;
  std::vector<char> band_;
  std::size_t band_first_ = 0;
  std::size_t band_people_ = 0;
  std::atomic<std::size_t> people_done_ = 0;
};

Result<void> check_magic(const FileDescriptor& file) {
  std::array<unsigned char, kMagicBytes> magic = {};
  const Result<std::size_t> got =
      file.read_at(0, reinterpret_cast<char*>(magic.data()), magic.size());
  if (!got) {
    return error_of(got);
  }
  if (*got < magic.size() || magic[0] != 0x6C || magic[1] != 0x1B || magic[2] > 1) {
    return bad_request(fmt::format("{} is not a PLINK 1 .bed file.", shown(file.path())));
  }
  if (magic[2] == 0) {
    return bad_request(fmt::format(
        "{} is in the old individual-major order; convert it with plink (option make-bed).",
        shown(file.path())));
  }
  return {};
}

Result<void> check_size(const FileDescriptor& file, std::size_t variants, std::size_t people) {
  std::size_t wanted = 0;
  const bool overflow = __builtin_mul_overflow(variants, bytes_for(people), &wanted) ||
                        __builtin_add_overflow(wanted, kMagicBytes, &wanted);
  if (overflow || wanted != *file.size()) {
    return bad_request(fmt::format(
        "{} is {} than {} variants (.bim) of {} people (.fam) take; the three files do not belong "
        "together or one is damaged.",
        shown(file.path()), overflow || wanted > *file.size() ? "shorter" : "longer", variants,
        people));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RowReader>> open_plink(FileDescriptor file, const ReadOptions& options) {
  if (!file.size()) {
    return bad_request(
        fmt::format("{} is not a regular file, which .bed needs.", shown(file.path())));
  }
  if (const Result<void> done = check_magic(file); !done) {
    return error_of(done);
  }
  const std::string stem = file.path().substr(0, file.path().size() - 4);
  Result<PlinkVariants> variants = read_variants(stem + ".bim", options.columns, options.exclude);
  if (!variants) {
    return error_of(variants);
  }
  const Result<std::size_t> people = count_people(stem + ".fam");
  if (!people) {
    return error_of(people);
  }
  if (const Result<void> done = check_size(file, variants->total, *people); !done) {
    return error_of(done);
  }
  variants->schema.fills_gaps = options.missing == MissingCell::Midpoint;  // no genotype is bad
  return std::make_unique<PlinkReader>(std::move(file), *std::move(variants), *people, options);
}

}  // namespace eigenveil::detail
