#include "eigenveil/statistics/exact_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string_view>

#include "core/bytes.hpp"
#include "data/column_names.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "statistics/shards.hpp"

namespace eigenveil {
namespace {

Result<void> check_same_columns(const Schema& a, const Schema& b) {
  if (a.dimension() != b.dimension()) {
    return bad_request(fmt::format("the tables cannot be merged: one has {} columns, the other {}",
                                   a.dimension(), b.dimension()));
  }
  for (std::size_t j = 0; j < a.dimension(); ++j) {
    if (a.columns[j] != b.columns[j]) {
      return bad_request(fmt::format(
          "the tables cannot be merged: column {} is called \"{}\" in one and \"{}\" in the other",
          j + 1, a.columns[j], b.columns[j]));
    }
  }
  return {};
}

/// Cohorts often count different alleles of a variant: their sums must not be added.
Result<void> check_same_genotypes(const Schema& a, const Schema& b) {
  if (a.counted_alleles.size() != b.counted_alleles.size()) {
    return bad_request(
        "the tables cannot be merged: only one of them says which alleles are counted");
  }
  for (std::size_t j = 0; j < a.counted_alleles.size(); ++j) {
    if (a.counted_alleles[j] != b.counted_alleles[j]) {
      return bad_request(fmt::format(
          "the tables cannot be merged: column \"{}\" counts allele {} in one and {} in the other",
          a.columns[j], a.counted_alleles[j], b.counted_alleles[j]));
    }
  }
  if (a.allele_frequencies != b.allele_frequencies) {
    return bad_request(
        "the tables cannot be merged: they were standardised by different allele frequencies");
  }
  return {};
}

/// Bounds are public, so the message may say what differs.
Result<void> check_same_bound(const RowBound& a, const RowBound& b) {
  constexpr std::string_view kRefusal = "the tables cannot be merged: ";
  if (a == b) {
    return {};
  }
  if (a.has_ranges() != b.has_ranges()) {
    return bad_request(
        fmt::format("{}one is bounded by column ranges, the other by a row norm alone", kRefusal));
  }
  if (a.max_abs() != b.max_abs()) {
    return bad_request(fmt::format("{}the grid's max_abs is {} in one and {} in the other",
                                   kRefusal, a.max_abs(), b.max_abs()));
  }
  for (std::size_t j = 0; j < a.dimension(); ++j) {
    if (a.midpoint(j) != b.midpoint(j) || a.half_width(j) != b.half_width(j)) {
      return bad_request(fmt::format("{}the {} of column {} differs", kRefusal,
                                     a.has_ranges() ? "public range" : "public center", j + 1));
    }
  }
  return bad_request(fmt::format("{}the row norm bound is {:.17g} in one and {:.17g} in the other",
                                 kRefusal, a.radius(), b.radius()));
}

void add_entries(const std::vector<Int128>& from, std::vector<Int128>& to) {
  std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
}

void hash_entries(const std::vector<Int128>& entries, Sha256& hash) {
  constexpr std::size_t kAtOnce = 4096;
  for (std::size_t start = 0; start < entries.size(); start += kAtOnce) {
    ByteWriter bytes;
    const std::size_t stop = std::min(entries.size(), start + kAtOnce);
    for (std::size_t i = start; i < stop; ++i) {
      bytes.wide(entries[i]);
    }
    hash.update(bytes.view());
  }
}

}  // namespace

Result<void> ExactGram::check_shape(const Schema& schema, const RowBound& bound) {
  if (schema.dimension() != bound.dimension()) {
    return bad_request(fmt::format("the table has {} columns but the bound was made for {}",
                                   schema.dimension(), bound.dimension()));
  }
  if (bound.dimension() > kLargestDimension) {
    return bad_request(
        fmt::format("the exact second moment supports at most {} columns, not {}; select fewer "
                    "columns",
                    kLargestDimension, bound.dimension()));
  }
  return check_names(schema);
}

ExactGram::ExactGram(Schema schema, RowBound bound)
    : schema_(std::move(schema)), bound_(std::move(bound)) {
  assert(check_shape(schema_, bound_).has_value() && "the schema fits the bound");
  totals_.sums.resize(dimension());
  totals_.products.resize(triangle_size(dimension()));
}

ExactGram::ExactGram(Schema schema, RowBound bound, GramTotals totals)
    : schema_(std::move(schema)), bound_(std::move(bound)), totals_(std::move(totals)) {}

std::vector<Digest> ExactGram::shards() const {
  if (merged_shards_.empty() && totals_.count > 0) {
    return {statistic_digest()};  // only now: hashing takes longer than a small pass
  }
  return merged_shards_;
}

bool ExactGram::shares_rows_with(const ExactGram& other) const {
  const std::vector<Digest> ours = shards();
  const std::vector<Digest> theirs = other.shards();
  std::vector<Digest> shared;
  std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                        std::back_inserter(shared));
  // Equal totals: one pass over rows that are also here in shards.
  return !shared.empty() || (totals_.count > 0 && totals_ == other.totals_);
}

Result<void> ExactGram::merge(const ExactGram& other, EqualTotals equal) {
  if (Result<void> same = check_same_columns(schema_, other.schema_); !same) {
    return same;
  }
  if (Result<void> same = check_same_genotypes(schema_, other.schema_); !same) {
    return same;
  }
  if (Result<void> same = check_same_bound(bound_, other.bound_); !same) {
    return same;
  }
  if (schema_.people != other.schema_.people) {
    return bad_request(
        "the tables cannot be merged: rows were limited by person in one of them alone, or by "
        "another column or to another number of rows");
  }
  Result<MergedParts> parts = merge_parts(parts_, other.parts_);
  if (!parts) {
    return error_of(parts);
  }
  if (schema_.people.given() && !parts->told_apart) {
    return bad_request(
        "the tables cannot be merged: a person may be in both, with more rows than were promised; "
        "shards of people are made with one {person_key}, as one run",
        "person_key");
  }
  if (!parts->told_apart && equal == EqualTotals::Refuse && shares_rows_with(other)) {
    return bad_request(
        "the tables cannot be merged: by their totals both contain the same shard, and counting "
        "its rows twice would break the privacy guarantee; are they different rows with equal "
        "totals? Then say {equal_totals}",
        "equal_totals");
  }
  if (other.totals_.count > kLargestCount - totals_.count) {
    return bad_request("the tables cannot be merged: together they have 2^53 rows or more");
  }
  const std::vector<Digest> ours = shards();
  const std::vector<Digest> theirs = other.shards();
  totals_.count += other.totals_.count;
  add_entries(other.totals_.sums, totals_.sums);
  add_entries(other.totals_.products, totals_.products);
  schema_.fills_gaps = schema_.fills_gaps || other.schema_.fills_gaps;
  parts_ = std::move(parts->parts);
  merged_shards_.clear();
  std::merge(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
             std::back_inserter(merged_shards_));
  return {};
}

Digest ExactGram::statistic_digest() const {
  ByteWriter facts;
  facts.text("eigenveil exact gram 1");
  facts.integer(schema_.dimension());
  for (const std::string& name : schema_.columns) {
    facts.text(name);
  }
  for (const std::string& allele : schema_.counted_alleles) {
    facts.text(allele);
  }
  for (const double frequency : schema_.allele_frequencies) {
    facts.real(frequency);
  }
  if (schema_.people.given()) {
    facts.text(schema_.people.column);
    facts.integer(schema_.people.rows);
  }
  facts.text(bound_.encode());
  facts.integer(totals_.count);
  Sha256 hash;
  hash.update(facts.view());
  hash_entries(totals_.sums, hash);
  hash_entries(totals_.products, hash);
  return hash.finish();
}

bool operator==(const ExactGram& a, const ExactGram& b) {
  return a.schema_ == b.schema_ && a.bound_ == b.bound_ && a.totals_ == b.totals_;
}

/// The one door to the private totals.
class GramAccess {
 public:
  static const GramTotals& totals(const ExactGram& gram) { return gram.totals_; }
};

const GramTotals& trusted::totals(const ExactGram& gram) {
  return GramAccess::totals(gram);
}

}  // namespace eigenveil
