#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/open.hpp"
#include "data/people.hpp"
#include "data/projection.hpp"
#include "data/public_files.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

struct NamedRange {
  std::string column;
  ColumnRange range;
};

struct NamedValue {
  std::string column;
  double value = 0.0;
};

/// A column of words or codes and its public list, as a user writes it (data/one_hot.hpp).
struct WordList {
  std::string column;
  std::vector<std::string> words;
};

/// How the rows of a table become bounded rows: which columns, what is known of them without
/// looking, and the stages in between. All of it is public. Every face fills it in; what follows
/// from it stands once, in PreparedTable.
struct TableSpec {
  std::vector<std::string> columns = {};  ///< in this order; empty: all
  std::vector<std::string> exclude = {};  ///< of those, left out
  MissingCell missing = MissingCell::Midpoint;
  BadCell bad_cell = BadCell::Refuse;
  /// Columns whose missing cells are left out pair by pair instead (an empty list: of all);
  /// `missing` says what becomes of the others.
  std::optional<std::vector<std::string>> pairwise = {};
  std::vector<WordList> one_hot = {};  ///< columns that become one 0/1 column per level

  // What is known without looking.
  std::optional<ColumnRange> range = {};               ///< of every column
  std::optional<std::vector<NamedRange>> bounds = {};  ///< by column
  std::optional<double> row_norm = {};                 ///< after ranges in scaled units
  std::int64_t grid = RowBound::kDefaultMaxAbs;        ///< steps from zero to the bound
  std::optional<std::vector<NamedValue>> center = {};  ///< a public one
  bool rank_transform = false;                         ///< columns become their centred ranks
  /// Genotypes are standardised by public frequencies (data/genotypes.hpp).
  std::optional<std::vector<AlleleFrequency>> allele_frequencies = {};

  // Stages between the columns and the bound.
  /// Rows become their coordinates in a public basis, scaled down to `projected_norm` when longer.
  std::optional<PublicBasis> project = {};
  std::optional<double> projected_norm = {};
  /// The length of what lies outside of the basis becomes a column, clipped to this norm: what
  /// share of the variance is inside.
  std::optional<double> outside_norm = {};
  bool normalise_rows = false;  ///< every row scaled to norm 1 about the centre
  bool scaled = false;          ///< both of them see columns scaled from their range to [-1, 1]

  // Tables of people.
  std::string person = {};            ///< the column that says whose a row is
  std::uint32_t rows_per_person = 0;  ///< the first so many of each are kept
  std::string weights = {};           ///< a column of public-design weights
  double weight_bound = 0.0;          ///< weights are clipped to [0, it]
  /// Counts are entries with noise: with weights, and for people under every relation but
  /// add-remove, since a person takes their rows along.
  bool noisy_count = false;
  HashKey person_key = {};  ///< of the names of people; secret, and no part of the JSON
  /// The rows of the people of one shard alone: its index, and how many shards there are. No part
  /// of the JSON: only parts of sums are made so (statistics/shards.hpp).
  std::optional<std::pair<std::uint64_t, std::uint64_t>> shard = {};

  /// Whether anything bounds a row; a method's own model may give a radius where nothing does.
  bool bounded() const {
    return row_norm || range || bounds || rank_transform || project || normalise_rows;
  }
  PeopleLimit people() const {
    return person.empty() ? PeopleLimit() : PeopleLimit{person, rows_per_person};
  }
  std::optional<PeopleShard> people_shard() const {
    return shard ? std::optional(PeopleShard{person_key, shard->first, shard->second})
                 : std::nullopt;
  }
  bool counts_inside() const { return noisy_count || !weights.empty() || pairwise; }
  /// Cells come about a public frequency, or as ranks about zero: there is no mean to speak of.
  bool arrives_centred() const { return allele_frequencies || rank_transform; }
  /// The columns that `bounds` speaks of.
  std::vector<std::string> bounded_columns() const;
  /// Refuses what contradicts itself, before a table is opened.
  Result<void> check() const;
};

/// How a file with this preparation is to be read: `format` with the columns, words and rules for
/// cells of the spec. People are hashed, but for those of
/// an array file, which are numbers.
Result<ReadOptions> read_options(const TableSpec& spec, ReadOptions format = {},
                                 bool is_text = true);

/// One canonical object, and back; the keys are those of the command line and of Python. What may
/// stand in a file of public numbers may be the path of one, which is read.
std::string table_json(const TableSpec& spec);
Result<TableSpec> table_from_json(const std::string& text);

}  // namespace eigenveil
