#include "data/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "data/cell_word.hpp"
#include "data/deviations.hpp"
#include "data/forwarding_reader.hpp"
#include "data/text_cell.hpp"

namespace eigenveil {
namespace {

using PersonKey = std::array<std::uint64_t, kHashedCells>;

}  // namespace

struct SeenPeople {
  struct KeyHash {
    std::size_t operator()(const PersonKey& key) const {
      std::uint64_t mixed = 0;
      for (const std::uint64_t part : key) {
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 29U;
      }
      return mixed;
    }
  };
  std::unordered_map<PersonKey, std::uint32_t, KeyHash> taken;
};

std::shared_ptr<SeenPeople> nobody_seen() {
  return std::make_shared<SeenPeople>();
}

namespace {

class PersonReader final : public ForwardingReader {
 public:
  PersonReader(std::unique_ptr<RowReader> table, std::size_t key_cells, PeopleLimit limit,
               std::shared_ptr<SeenPeople> seen, BadCell untold, std::optional<PeopleShard> shard)
      : ForwardingReader(std::move(table)),
        key_cells_(key_cells),
        seen_(std::move(seen)),
        untold_(untold),
        shard_(std::move(shard)) {
    schema_.columns.resize(schema_.dimension() - key_cells);
    schema_.people = std::move(limit);
  }

  Result<bool> next_chunk(RawChunk& chunk) override {
    const Result<bool> more = table_->next_chunk(cut_);
    chunk.sequence = cut_.sequence;
    chunk.first_record = cut_.first_record;
    if (!more || !*more) {
      return more;
    }
    if (const Result<void> parsed = table_->parse(cut_, rows_); !parsed) {
      return error_of(parsed);
    }
    const std::size_t width = schema_.dimension();
    chunk.records = 0;
    chunk.bytes.resize(std::max(chunk.bytes.size(), rows_.rows * width * sizeof(double)));
    for (std::size_t row = 0; row < rows_.rows; ++row) {
      const double* cells = rows_.values.data() + row * rows_.dimension;
      if (untold_ == BadCell::Refuse && is_untold(cells + width)) {
        return bad_request(fmt::format("row {}: {}", chunk.first_record + row, kUntoldPerson));
      }
      if (is_ours(cells + width) && takes(cells + width)) {
        std::memcpy(chunk.bytes.data() + chunk.records * width * sizeof(double), cells,
                    width * sizeof(double));
        ++chunk.records;
      }
    }
    chunk.size = chunk.records * width * sizeof(double);
    return true;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = schema_.dimension();
    block.values.resize(block.rows * block.dimension);
    if (chunk.size > 0) {
      std::memcpy(block.values.data(), chunk.bytes.data(), chunk.size);
    }
    return {};
  }

 private:
  bool is_untold(const double* cells) const {
    return std::any_of(cells, cells + key_cells_,
                       [](double cell) { return std::fabs(cell) >= kLargestTold; });
  }

  /// Whether this shard has the person: by the hash of their word, which a number of an array file
  /// has not been replaced by yet.
  bool is_ours(const double* cells) const {
    if (!shard_) {
      return true;
    }
    std::array<double, kHashedCells> hash{};
    if (key_cells_ < kHashedCells) {
      hash_person(shard_->key, cells[0], hash.data());
      cells = hash.data();
    }
    return std::fabs(cells[0]) < kLargestTold &&
           shard_of_person(cells[0], shard_->count) == shard_->index;
  }

  /// Counts the row for its person.
  bool takes(const double* cells) {
    PersonKey key{};
    for (std::size_t i = 0; i < key_cells_; ++i) {
      if (!(std::fabs(cells[i]) < kLargestTold)) {
        return false;
      }
      key[i] = std::bit_cast<std::uint64_t>(cells[i] + 0.0);  // -0 and 0 are one person
    }
    std::uint32_t& taken = seen_->taken[key];
    return taken < schema_.people.rows && ++taken > 0;
  }

  std::size_t key_cells_;
  std::shared_ptr<SeenPeople> seen_;
  BadCell untold_;
  std::optional<PeopleShard> shard_;
  RawChunk cut_;
  RawRows rows_;
};

class NormalisedReader final : public ForwardingReader {
 public:
  NormalisedReader(std::unique_ptr<RowReader> table, const RowBound& bound, bool scaled)
      : ForwardingReader(std::move(table)), deviations_(bound, scaled) {}

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    if (Result<void> parsed = table_->parse(chunk, block); !parsed) {
      return parsed;
    }
    const std::size_t columns = deviations_.columns();  // weights may follow
    for (std::size_t row = 0; row < block.rows; ++row) {
      double* cells = block.values.data() + row * block.dimension;
      deviations_.take(cells);
      double largest = 0.0;
      for (std::size_t j = 0; j < columns; ++j) {
        largest = std::max(largest, std::fabs(cells[j]));
      }
      if (largest == 0.0) {
        continue;
      }
      double norm2 = 0.0;
      for (std::size_t j = 0; j < columns; ++j) {  // by the largest first: no square overflows
        cells[j] /= largest;
        norm2 += cells[j] * cells[j];
      }
      for (std::size_t j = 0; j < columns; ++j) {
        cells[j] /= std::sqrt(norm2);
      }
    }
    return {};
  }

 private:
  Deviations deviations_;
};

}  // namespace

std::vector<std::string> hashed_names(const std::string& person) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= kHashedCells; ++i) {
    names.push_back(person + "#" + std::to_string(i));
  }
  return names;
}

namespace {

void hash_word(const HashKey& key, std::string_view word, double* cells) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 43U) - 1;  // exact in a double
  const std::array<std::uint64_t, 2> hash = keyed_hash(key, word);
  cells[0] = static_cast<double>(hash[0] & kMask);
  cells[1] = static_cast<double>(hash[1] & kMask);
  cells[2] = static_cast<double>(((hash[0] >> 43U) << 21U) | (hash[1] >> 43U));
}

}  // namespace

void hash_person(const HashKey& key, std::string_view person, double* cells) {
  if (detail::is_missing_token(detail::trimmed(person))) {
    std::fill_n(cells, kHashedCells, std::numeric_limits<double>::quiet_NaN());
  } else {
    hash_word(key, cell_word(person), cells);
  }
}

void hash_person(const HashKey& key, double person, double* cells) {
  if (std::fabs(person) < kLargestTold) {
    hash_word(key, cell_word(person), cells);
  } else {
    std::fill_n(cells, kHashedCells,
                std::isnan(person) ? person : std::numeric_limits<double>::infinity());
  }
}

std::array<std::uint64_t, 2> hash_row(const HashKey& key, std::span<const double> cells) {
  std::string bytes = "row";
  for (const double cell : cells) {
    // One form of every value: -0 and 0 are equal, and all NaN are a missing cell.
    const double one = std::isnan(cell) ? std::numeric_limits<double>::quiet_NaN() : cell + 0.0;
    const auto bits = std::bit_cast<std::array<char, sizeof(double)>>(one);
    bytes.append(bits.data(), bits.size());
  }
  return keyed_hash(key, bytes);
}

std::unique_ptr<RowReader> normalise_rows(std::unique_ptr<RowReader> table, const RowBound& bound,
                                          bool scaled) {
  return std::make_unique<NormalisedReader>(std::move(table), bound, scaled);
}

std::uint64_t shard_of_person(double first_cell, std::uint64_t count) {
  return static_cast<std::uint64_t>(first_cell) % count;
}

std::string mark_of_key(const HashKey& key) {
  const std::array<std::uint64_t, 2> mark = keyed_hash(key, "eigenveil shards of people 1");
  return fmt::format("{:016x}{:016x}", mark[0], mark[1]);
}

std::unique_ptr<RowReader> limit_rows_per_person(std::unique_ptr<RowReader> table,
                                                 std::size_t key_cells, PeopleLimit limit,
                                                 std::shared_ptr<SeenPeople> seen, BadCell untold,
                                                 std::optional<PeopleShard> shard) {
  return std::make_unique<PersonReader>(std::move(table), key_cells, std::move(limit),
                                        std::move(seen), untold, std::move(shard));
}

}  // namespace eigenveil
