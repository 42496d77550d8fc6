#include "random/rounded_wishart.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "random/lazy_normal.hpp"

namespace eigenveil::detail {
namespace {

/// Words that one task draws.
constexpr std::size_t kWordsPerBlock = 1U << 16U;
/// Doubles that are multiplied at once.
constexpr std::size_t kDoublesPerPanel = 1U << 21U;
constexpr unsigned kFirstPrecision = 96;

/// Both matrices of normals, column by column (G's columns, then H's), as the words that open them.
/// Few words are kept; many are drawn again when a row of them is asked for.
class NormalWords {
 public:
  NormalWords(RandomStream& stream, std::size_t dimension)
      : dimension_(dimension),
        columns_per_block_(std::max<std::size_t>(1, kWordsPerBlock / dimension)),
        family_key_(stream.bits64()),
        source_(stream) {
    if (blocks() == 1) {
      kept_.resize(dimension_ * columns());
      stream.fill(kept_);
    } else {
      // A fresh family per call: two releases from one stream must never share their noise.
      family_.emplace(trusted::substream(stream, family_key_));
    }
  }

  std::size_t columns() const { return 2 * (dimension_ + 1); }
  std::size_t columns_per_block() const { return columns_per_block_; }
  std::size_t blocks() const { return (columns() + columns_per_block_ - 1) / columns_per_block_; }
  std::size_t first_column(std::size_t block) const { return block * columns_per_block_; }
  std::size_t end_column(std::size_t block) const {
    return std::min(columns(), (block + 1) * columns_per_block_);
  }

  std::vector<std::uint64_t> block(std::size_t index) const {
    if (family_) {
      std::vector<std::uint64_t> words(dimension_ * (end_column(index) - first_column(index)));
      trusted::substream(*family_, 2 * index).fill(words);
      return words;
    }
    return kept_;
  }

  /// Digits beyond the first word for the normals of a row: `rounds` words for each, round by
  /// round.
  std::vector<std::uint64_t> further_digits(std::size_t row, std::size_t rounds) const {
    std::vector<std::uint64_t> words(rounds * columns());
    const RandomStream& family = family_ ? *family_ : late_family();
    trusted::substream(family, 2 * row + 1).fill(words);
    return words;
  }

 private:
  const RandomStream& late_family() const {
    if (!late_family_) {
      late_family_.emplace(trusted::substream(source_, family_key_));
    }
    return *late_family_;
  }

  std::size_t dimension_;
  std::size_t columns_per_block_;
  std::uint64_t family_key_;
  const RandomStream& source_;
  std::vector<std::uint64_t> kept_;
  std::optional<RandomStream> family_;
  mutable std::optional<RandomStream> late_family_;  ///< rarely needed where words are kept
};

/// A row of both matrices: every normal is one real number, whoever asks and however often.
class NormalRow {
 public:
  NormalRow(const NormalWords& words, std::size_t row)
      : words_(words), row_(row), first_(words.columns()) {}
  void set_word(std::size_t column, std::uint64_t word) { first_[column] = word; }

  NormalEnclosure enclosure(std::size_t column, unsigned precision) {
    return enclose_normal(first_[column], digits_of(column), precision);
  }
  double precise(std::size_t column) { return precise_normal(first_[column], digits_of(column)); }

 private:
  NextWord digits_of(std::size_t column) {
    return [this, column, round = std::size_t{0}]() mutable {
      const std::size_t columns = words_.columns();
      while ((round + 1) * columns > further_.size()) {
        further_ = words_.further_digits(row_, 2 * further_.size() / columns + 1);
      }
      return further_[round++ * columns + column];
    };
  }

  const NormalWords& words_;
  std::size_t row_;
  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> further_;
};

/// G Gᵀ and H Hᵀ in one array of dimension + 1 rows: the first on and above the diagonal, the
/// second one step below it.
class TwoProducts {
 public:
  explicit TwoProducts(std::size_t dimension)
      : dimension_(dimension), values_((dimension + 1) * dimension, 0.0) {}

  /// Adds `count` columns, which stand in `normals` from the global column `first` on.
  void add(const double* normals, std::size_t first, std::size_t count) {
    const std::size_t of_first =
        first < dimension_ + 1 ? std::min(count, dimension_ + 1 - first) : 0;
    const std::size_t rows = dimension_ + 1;
    if (of_first > 0) {
      add_outer_products(Triangle::Upper, normals, dimension_, of_first, values_.data(), rows);
    }
    if (count > of_first) {
      add_outer_products(Triangle::Lower, normals + of_first * dimension_, dimension_,
                         count - of_first, values_.data() + 1, rows);
    }
  }
  double first(std::size_t row, std::size_t column) const {
    return values_[row + column * (dimension_ + 1)];
  }
  double second(std::size_t row, std::size_t column) const {
    return values_[column + 1 + row * (dimension_ + 1)];
  }

 private:
  std::size_t dimension_;
  std::vector<double> values_;
};

/// Normals of a block in doubles, each within kNormalError.
void fill_normals(const NormalWords& words, std::size_t dimension, std::size_t block,
                  double* normals) {
  const std::vector<std::uint64_t> drawn = words.block(block);
  approximate_normals(drawn, {normals, drawn.size()});
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (has_short_tail(drawn[i])) {
      NormalRow row(words, i % dimension);
      const std::size_t column = words.first_column(block) + i / dimension;
      row.set_word(column, drawn[i]);
      normals[i] = row.precise(column);
    }
  }
}

TwoProducts products_of(const NormalWords& words, std::size_t dimension) {
  TwoProducts products(dimension);
  const std::size_t block_size = dimension * words.columns_per_block();
  const std::size_t at_once = std::max<std::size_t>(1, kDoublesPerPanel / block_size);
  std::vector<double> panel(std::min(at_once, words.blocks()) * block_size);
  for (std::size_t begin = 0; begin < words.blocks(); begin += at_once) {
    const std::size_t end = std::min(words.blocks(), begin + at_once);
    const int threads = end - begin > 1 ? default_threads() : 1;
    parallel_for(end - begin, threads, [&](std::size_t i) {
      fill_normals(words, dimension, begin + i, panel.data() + i * block_size);
    });
    products.add(panel.data(), words.first_column(begin),
                 words.end_column(end - 1) - words.first_column(begin));
  }
  return products;
}

/// Bounds |s (G Gᵀ - H Hᵀ)_ij - computed|. With m = dimension + 1 normals in a row, g^ a row in
/// doubles, e = kNormalError, u = 2^-53:
///   |g - g^| <= e (sqrt m + |g^|),  so  |g_i.g_j - g^_i.g^_j| <= e (2 + 3 e) a_i a_j', see below,
///   |fl(g^_i.g^_j) - g^_i.g^_j| <= gamma_m |g^_i| |g^_j| in any order, fused or not,
/// and four roundings for the difference, the factor s and the offset.
class ErrorBound {
 public:
  ErrorBound(const TwoProducts& products, std::size_t dimension, double s)
      : s_(s), root_(std::sqrt(static_cast<double>(dimension) + 1.0) * kUp) {
    const double m = static_cast<double>(dimension) + 1.0;
    rounding_ = (m + 8.0) * 0x1p-53 * kUp;
    for (std::size_t i = 0; i < dimension; ++i) {
      // The computed square of a norm is off by a relative gamma_m, far below kUp - 1.
      first_.push_back(std::sqrt(products.first(i, i)) * kUp);
      second_.push_back(std::sqrt(products.second(i, i)) * kUp);
    }
  }
  double of(std::size_t i, std::size_t j) const {
    return (s_ * (part(first_[i], first_[j]) + part(second_[i], second_[j])) + 0x1p-50) * kUp;
  }

 private:
  static constexpr double kUp = 1.0 + 0x1p-20;

  /// |d_i.g_j| + |g_i.d_j| + |d_i.d_j| with |d| <= e (root + |g|), and the rounding of the product.
  double part(double a, double b) const {
    constexpr double kError = kNormalError * (1.0 + 0x1p-20);
    return kError * (2.0 * a * b + root_ * (a + b)) + kError * kError * (root_ + a) * (root_ + b) +
           rounding_ * a * b;
  }

  double s_;
  double root_;
  double rounding_ = 0.0;
  std::vector<double> first_;
  std::vector<double> second_;
};

/// An entry that doubles do not decide.
struct OpenEntry {
  std::size_t row;
  std::size_t column;
  double offset;
};

/// round(value / 2^denominator), halves up.
BigInteger rounded(const BigInteger& value, unsigned denominator) {
  const BigInteger doubled = 2 * value + (BigInteger(1) << denominator);
  const BigInteger divisor = BigInteger(1) << (denominator + 1);
  BigInteger quotient = doubled / divisor;  // towards zero
  return quotient * divisor > doubled ? quotient - 1 : quotient;
}

/// The entry from normals with `precision` digits; nothing where a half step is still too close.
std::optional<std::int64_t> round_entry(const OpenEntry& entry, double s, NormalRow& row,
                                        NormalRow& column, std::size_t columns,
                                        unsigned precision) {
  BigInteger centre = 0;
  BigInteger radius = 0;
  const bool diagonal = entry.row == entry.column;
  for (std::size_t k = 0; k < columns; ++k) {
    const NormalEnclosure a = row.enclosure(k, precision);
    const NormalEnclosure b = diagonal ? a : column.enclosure(k, precision);
    const BigInteger product = a.centre * b.centre;
    centre += k < columns / 2 ? product : BigInteger(-product);
    radius += abs(a.centre) * b.radius + abs(b.centre) * a.radius + a.radius * b.radius;
  }
  // All over 2^denominator: s >= 2^-100 and offsets above 2^-1075 leave no digit behind.
  constexpr int kSpare = 1200;
  const unsigned denominator = 2 * precision + kSpare;
  const Dyadic scale = to_dyadic(s);
  const Dyadic offset = to_dyadic(entry.offset);
  const auto scale_shift = static_cast<unsigned>(kSpare + scale.exponent);
  const auto offset_shift = denominator - static_cast<unsigned>(-offset.exponent);
  const BigInteger middle =
      ((centre * scale.mantissa) << scale_shift) + (BigInteger(offset.mantissa) << offset_shift);
  const BigInteger width = (radius * scale.mantissa) << scale_shift;
  const BigInteger low = rounded(middle - width, denominator);
  if (low != rounded(middle + width, denominator)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(low);
}

std::int64_t round_open_entry(const OpenEntry& entry, double s, NormalRow& row, NormalRow& column,
                              std::size_t columns) {
  for (unsigned precision = kFirstPrecision;; precision += 64) {
    if (const auto value = round_entry(entry, s, row, column, columns, precision)) {
      return *value;
    }
  }
}

/// The rows that open entries ask for, found in one pass over all words.
std::vector<std::vector<std::uint64_t>> words_of_rows(const NormalWords& words,
                                                      std::size_t dimension,
                                                      const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::uint64_t>> found(rows.size(),
                                                std::vector<std::uint64_t>(words.columns()));
  parallel_for(words.blocks(), words.blocks() > 1 ? default_threads() : 1, [&](std::size_t block) {
    const std::vector<std::uint64_t> drawn = words.block(block);
    for (std::size_t column = words.first_column(block); column < words.end_column(block);
         ++column) {
      const std::size_t start = (column - words.first_column(block)) * dimension;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        found[i][column] = drawn[start + rows[i]];
      }
    }
  });
  return found;
}

void round_open_entries(const std::vector<OpenEntry>& open, double s, const NormalWords& words,
                        std::size_t dimension, const EntryResult& put) {
  std::vector<std::size_t> rows;
  for (const OpenEntry& entry : open) {
    rows.push_back(entry.row);
    rows.push_back(entry.column);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const auto first_words = words_of_rows(words, dimension, rows);
  const auto row_of = [&](std::size_t wanted) {
    const auto at = std::lower_bound(rows.begin(), rows.end(), wanted) - rows.begin();
    NormalRow row(words, wanted);
    for (std::size_t column = 0; column < words.columns(); ++column) {
      row.set_word(column, first_words[static_cast<std::size_t>(at)][column]);
    }
    return row;
  };
  std::vector<std::int64_t> values(open.size());
  const int threads = words.blocks() > 1 ? default_threads() : 1;
  parallel_for(open.size(), threads, [&](std::size_t i) {
    NormalRow row = row_of(open[i].row);
    NormalRow column = row_of(open[i].column);
    values[i] = round_open_entry(open[i], s, row, column, words.columns());
  });
  for (std::size_t i = 0; i < open.size(); ++i) {
    put(open[i].row, open[i].column, values[i]);
  }
}

}  // namespace

std::size_t round_with_wishart(RandomStream& stream, double s, std::size_t dimension,
                               const EntryOffset& offset, const EntryResult& put, double trust) {
  assert(s >= 0x1p-100 && s <= 0x1p100 && "the noise scale must be a sensible number of steps");
  const NormalWords words(stream, dimension);
  const TwoProducts products = products_of(words, dimension);
  const ErrorBound bound(products, dimension, s);
  std::vector<OpenEntry> open;
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t row = 0; row <= column; ++row) {
      const double start = offset(row, column);
      const double centre =
          start + s * (products.first(row, column) - products.second(row, column));
      const double nearest = std::nearbyint(centre);
      // Doubles below 2^51 leave the distance exact.
      const double radius = trust * bound.of(row, column);
      if (std::abs(centre) < 0x1p51 && std::abs(centre - nearest) + radius < 0.5) {
        put(row, column, static_cast<std::int64_t>(nearest));
      } else {
        open.push_back({row, column, start});
      }
    }
  }
  if (!open.empty()) {
    round_open_entries(open, s, words, dimension, put);
  }
  return open.size();
}

}  // namespace eigenveil::detail

namespace eigenveil {

void round_with_wishart(RandomStream& stream, double s, std::size_t dimension,
                        const EntryOffset& offset, const EntryResult& put) {
  detail::round_with_wishart(stream, s, dimension, offset, put, 1.0);
}

}  // namespace eigenveil
