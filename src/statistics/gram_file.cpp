#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "core/atomic_output.hpp"
#include "core/bytes.hpp"
#include "core/plain_text.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/gram_head.hpp"
#include "statistics/shards.hpp"

namespace eigenveil {
namespace {

// A .gram file: this line with its version, then little-endian fields, then the SHA-256 of
// everything before it. Fields: dimension, column names; from version 2 counted alleles and allele
// frequencies, each none or one per column; from version 3 whether missing cells were filled (0 or
// 1), from version 5 the column that says whose a row is and how many rows of a person were kept
// (empty and 0: all rows), and which shards are inside (version 3: one, its run, empty for none,
// index and count; version 4: the number of runs, and of each its name, its number of shards and
// the indices of those inside; version 5: and the mark of the key of its people, empty where rows
// were not limited); bound, count, shard fingerprints, sums, products. Older versions are read.
constexpr std::string_view kFormat = "EIGENVEIL-GRAM ";
constexpr std::string_view kWarning =
    " PRIVATE DATA: do not publish or share; these are exact totals over the rows of a table, "
    "without noise\n";
constexpr char kOldest = '1';
constexpr char kNewest = '5';
constexpr std::size_t kFirstLineBytes = kFormat.size() + 1 + kWarning.size();
constexpr std::size_t kDigestBytes = std::tuple_size_v<Digest>;
constexpr std::size_t kEntryBytes = 16;

std::string_view as_text(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

tl::unexpected<Error> damaged(std::string_view what) {
  return bad_request(fmt::format("the .gram file is damaged: {}", what));
}

Result<std::string> read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  std::error_code ignored;
  if (size < 0 || std::filesystem::is_directory(path, ignored)) {
    return input_output_error(fmt::format("cannot read {}", path.string()));
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) {
    return input_output_error(fmt::format("cannot read {}", path.string()));
  }
  return bytes;
}

struct GramFields {
  char version;
  std::string_view bytes;
};

/// The version of the first line.
Result<char> version_of(std::string_view bytes) {
  if (!bytes.starts_with(kFormat)) {
    return bad_request("the file is not a .gram file: it does not start with EIGENVEIL-GRAM");
  }
  const char version = bytes.size() > kFormat.size() ? bytes[kFormat.size()] : '\0';
  if (version < kOldest || version > kNewest ||
      !bytes.substr(kFormat.size() + 1).starts_with(kWarning)) {
    return bad_request(fmt::format(
        "the .gram file is damaged or of another version; this program reads versions {} to {}",
        kOldest, kNewest));
  }
  return version;
}

/// The fields between first line and checksum, once both are right.
Result<GramFields> checked_fields(std::string_view bytes) {
  const Result<char> version = version_of(bytes);
  if (!version) {
    return error_of(version);
  }
  if (bytes.size() < kFirstLineBytes + kDigestBytes) {
    return damaged("it ends too early");
  }
  const std::string_view content = bytes.substr(0, bytes.size() - kDigestBytes);
  if (as_text(sha256(content)) != bytes.substr(content.size())) {
    return damaged("its checksum does not match its content");
  }
  return GramFields{*version, content.substr(kFirstLineBytes)};
}

void write_genotypes(const Schema& schema, ByteWriter& bytes) {
  bytes.integer(schema.counted_alleles.size());
  for (const std::string& allele : schema.counted_alleles) {
    bytes.text(allele);
  }
  bytes.integer(schema.allele_frequencies.size());
  for (const double frequency : schema.allele_frequencies) {
    bytes.real(frequency);
  }
}

/// False unless there is none or one of each per column.
bool read_genotypes(ByteReader& reader, Schema& schema) {
  const std::uint64_t alleles = reader.integer();
  if (alleles != 0 && alleles != schema.dimension()) {
    return false;
  }
  for (std::uint64_t j = 0; j < alleles && reader.complete(); ++j) {
    schema.counted_alleles.emplace_back(reader.text());
  }
  const std::uint64_t frequencies = reader.integer();
  if (frequencies != 0 && frequencies != schema.dimension()) {
    return false;
  }
  for (std::uint64_t j = 0; j < frequencies && reader.complete(); ++j) {
    schema.allele_frequencies.push_back(reader.real());
  }
  return std::ranges::all_of(schema.allele_frequencies, [](double f) { return f > 0 && f < 1; });
}

void write_origin(const Schema& schema, const std::vector<ShardSet>& parts, ByteWriter& bytes) {
  bytes.integer(schema.fills_gaps ? 1 : 0);
  bytes.text(schema.people.column);
  bytes.integer(schema.people.rows);
  bytes.integer(parts.size());
  for (const ShardSet& set : parts) {
    bytes.text(set.run);
    bytes.integer(set.count);
    bytes.integer(set.indices.size());
    for (const std::uint64_t index : set.indices) {
      bytes.integer(index);
    }
    bytes.text(set.people_mark);
  }
}

bool is_sound(const ShardSet& set) {
  return !set.run.empty() && is_plain_text(set.run) && !set.indices.empty() &&
         std::ranges::adjacent_find(set.indices, std::greater_equal<>()) == set.indices.end() &&
         set.indices.back() < set.count;
}

/// One shard, as version 3 has it; an empty run is none.
void read_identity(ByteReader& reader, std::vector<ShardSet>& parts) {
  ShardSet set{std::string(reader.text()), 0, {reader.integer()}};
  set.count = reader.integer();
  if (!set.run.empty() || set.count != 0 || set.indices[0] != 0) {
    parts.push_back(std::move(set));
  }
}

void read_parts(ByteReader& reader, char version, std::vector<ShardSet>& parts) {
  const std::uint64_t runs = reader.integer();
  for (std::uint64_t i = 0; i < runs && reader.complete(); ++i) {
    ShardSet set{std::string(reader.text()), reader.integer(), {}};
    const std::uint64_t inside = reader.integer();
    for (std::uint64_t j = 0; j < inside && reader.complete(); ++j) {
      set.indices.push_back(reader.integer());
    }
    if (version >= '5') {
      set.people_mark = reader.text();
    }
    parts.push_back(std::move(set));
  }
}

/// Whose rows these are; false unless a column and a number of rows go together.
bool read_people(ByteReader& reader, PeopleLimit& people) {
  people.column = reader.text();
  const std::uint64_t rows = reader.integer();
  people.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, PeopleLimit::kMostRows));
  return rows == people.rows && people.given() != people.column.empty();
}

/// Shards of people have one key, and are those of one run: two runs may hold the same people.
bool hold_people_once(const PeopleLimit& people, const std::vector<ShardSet>& parts) {
  return (!people.given() || parts.size() <= 1) &&
         std::ranges::all_of(parts, [&](const ShardSet& set) {
           return is_plain_text(set.people_mark) && set.people_mark.empty() != people.given();
         });
}

/// False unless the rule is one of two and every shard one of its run.
bool read_origin(ByteReader& reader, char version, Schema& schema, std::vector<ShardSet>& parts) {
  const std::uint64_t fills_gaps = reader.integer();
  schema.fills_gaps = fills_gaps == 1;
  const bool people_told = version < '5' || read_people(reader, schema.people);
  version >= '4' ? read_parts(reader, version, parts) : read_identity(reader, parts);
  return fills_gaps <= 1 && people_told && hold_people_once(schema.people, parts) &&
         std::ranges::all_of(parts, is_sound) &&
         std::ranges::adjacent_find(parts, std::greater_equal<>(), &ShardSet::run) == parts.end();
}

/// Columns, origin and bound: everything before the count.
Result<GramHead> read_head(ByteReader& reader, char version, std::vector<ShardSet>& parts) {
  const std::uint64_t dimension = reader.integer();
  if (dimension < 1 || dimension > ExactGram::kLargestDimension) {
    return damaged("its number of columns is out of range");
  }
  Schema schema;
  for (std::uint64_t j = 0; j < dimension && reader.complete(); ++j) {
    schema.columns.emplace_back(reader.text());
  }
  if (version >= '2' && !read_genotypes(reader, schema)) {
    return damaged("its counted alleles or allele frequencies cannot be read");
  }
  if (version >= '3' && !read_origin(reader, version, schema, parts)) {
    return damaged("its rule for missing cells or its place among the shards cannot be read");
  }
  Result<RowBound> bound = RowBound::decode(reader.text());
  if (!reader.complete() || !bound || bound->dimension() != dimension) {
    return damaged("its column names or its row bound cannot be read");
  }
  if (!std::ranges::all_of(schema.columns, is_plain_text) ||
      !std::ranges::all_of(schema.counted_alleles, is_plain_text)) {
    return damaged("its column names are not plain UTF-8 text");
  }
  return GramHead{std::move(schema), *std::move(bound)};
}

/// What every table of bounded rows satisfies; keeps later sums inside 128 bits.
bool possible_totals(const RowBound& bound, const GramTotals& totals) {
  const auto count = static_cast<Int128>(totals.count);
  const Int128 largest_sum = count * bound.max_abs();
  const Int128 largest_product = largest_sum * bound.max_abs();  // below 2^101
  const auto within = [](Int128 value, Int128 limit) { return value <= limit && value >= -limit; };
  Int128 trace = 0;
  for (std::size_t j = 0; j < bound.dimension(); ++j) {
    const Int128 diagonal = totals.products[triangle_index(j, j)];
    if (diagonal < 0 || diagonal > largest_product || !within(totals.sums[j], largest_sum) ||
        !within(totals.sums[j], diagonal)) {  // |v| <= v^2 for integers
      return false;
    }
    for (std::size_t i = 0; i < j; ++i) {
      const Int128 product = totals.products[triangle_index(i, j)];
      if (!within(product, largest_product) ||
          !within(2 * product, diagonal + totals.products[triangle_index(i, i)])) {
        return false;
      }
    }
    trace += diagonal;
  }
  return trace <= count * bound.norm2_bound();
}

}  // namespace

/// Friend of ExactGram: its binary form.
class GramFile {
 public:
  static std::string encode(const ExactGram& gram);
  static Result<ExactGram> decode(std::string_view bytes);

 private:
  static Result<std::vector<Digest>> read_shards(ByteReader& reader, char version);
  static Result<GramTotals> read_totals(ByteReader& reader, std::uint64_t count,
                                        std::size_t dimension);
};

std::string GramFile::encode(const ExactGram& gram) {
  ByteWriter bytes;
  bytes.reserve(kEntryBytes * (gram.totals_.products.size() + gram.totals_.sums.size()) + 65536);
  bytes.raw(kFormat);
  bytes.raw({&kNewest, 1});
  bytes.raw(kWarning);
  bytes.integer(gram.dimension());
  for (const std::string& name : gram.schema_.columns) {
    bytes.text(name);
  }
  write_genotypes(gram.schema_, bytes);
  write_origin(gram.schema_, gram.parts_, bytes);
  bytes.text(gram.bound_.encode());
  bytes.integer(gram.totals_.count);
  const std::vector<Digest> shards = gram.shards();
  bytes.integer(shards.size());
  for (const Digest& shard : shards) {
    bytes.raw(as_text(shard));
  }
  for (const Int128 entry : gram.totals_.sums) {
    bytes.wide(entry);
  }
  for (const Int128 entry : gram.totals_.products) {
    bytes.wide(entry);
  }
  bytes.raw(as_text(sha256(bytes.view())));
  return std::move(bytes).take();
}

Result<std::vector<Digest>> GramFile::read_shards(ByteReader& reader, char version) {
  const std::uint64_t number = reader.integer();
  if (number > reader.remaining() / kDigestBytes) {
    return damaged("its list of shards is longer than the file");
  }
  std::vector<Digest> shards(number);
  for (Digest& shard : shards) {
    std::memcpy(shard.data(), reader.raw(kDigestBytes).data(), kDigestBytes);
  }
  const bool twice = std::ranges::adjacent_find(shards) != shards.end();  // by name, or on request
  if (!std::ranges::is_sorted(shards) || (twice && version < '4')) {
    return damaged("its list of shards is not in order");
  }
  return shards;
}

Result<GramTotals> GramFile::read_totals(ByteReader& reader, std::uint64_t count,
                                         std::size_t dimension) {
  if (reader.remaining() != kEntryBytes * (dimension + triangle_size(dimension))) {
    return damaged("its size does not fit its number of columns");
  }
  GramTotals totals;
  totals.count = count;
  totals.sums.resize(dimension);
  totals.products.resize(triangle_size(dimension));
  for (Int128& entry : totals.sums) {
    entry = reader.wide();
  }
  for (Int128& entry : totals.products) {
    entry = reader.wide();
  }
  return totals;
}

Result<ExactGram> GramFile::decode(std::string_view bytes) {
  const Result<GramFields> fields = checked_fields(bytes);
  if (!fields) {
    return error_of(fields);
  }
  ByteReader reader(fields->bytes);
  std::vector<ShardSet> parts;
  Result<GramHead> head = read_head(reader, fields->version, parts);
  if (!head) {
    return error_of(head);
  }
  const std::uint64_t count = reader.integer();
  Result<std::vector<Digest>> shards = read_shards(reader, fields->version);
  if (!reader.complete()) {
    return damaged("it ends too early");
  }
  if (!shards) {
    return error_of(shards);
  }
  Result<GramTotals> totals = read_totals(reader, count, head->schema.dimension());
  if (!totals) {
    return error_of(totals);
  }
  if (count > ExactGram::kLargestCount || shards->empty() != (count == 0) ||
      !possible_totals(head->bound, *totals)) {
    return damaged("its totals cannot come from rows within its bound");
  }
  ExactGram gram(std::move(head->schema), std::move(head->bound), *std::move(totals));
  if (shards->size() == 1 && shards->front() != gram.statistic_digest()) {
    return damaged("its shard fingerprint does not match its totals");
  }
  gram.merged_shards_ = *std::move(shards);
  gram.parts_ = std::move(parts);
  return gram;
}

Result<GramHead> read_gram_head(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    return input_output_error(fmt::format("cannot read {}", path.string()));
  }
  // Names of columns have any length: as much is read as they take.
  std::string bytes;
  for (std::size_t size = std::size_t{1} << 16U;; size *= 4) {
    const std::size_t had = bytes.size();
    bytes.resize(size);
    file.read(bytes.data() + had, static_cast<std::streamsize>(size - had));
    bytes.resize(had + static_cast<std::size_t>(file.gcount()));
    const Result<char> version = version_of(bytes);
    if (!version) {
      return error_of(version);
    }
    const bool whole = bytes.size() < size;
    ByteReader reader(std::string_view(bytes).substr(std::min(kFirstLineBytes, bytes.size())));
    std::vector<ShardSet> parts;
    Result<GramHead> head = read_head(reader, *version, parts);
    if (const Result<void> all = head ? check_complete(parts) : Result<void>(); !all) {
      return bad_request(all.error().message + "; merge the others with it first");
    }
    if (head && !whole && reader.remaining() < sizeof(std::uint64_t)) {
      continue;
    }
    if (head) {
      head->rows = static_cast<std::int64_t>(reader.integer());
    }
    if (head || whole) {
      return head;
    }
  }
}

Result<void> ExactGram::save(const std::filesystem::path& path) const {
  return write_file_atomically(path, GramFile::encode(*this), FileAccess::OwnerOnly);
}

std::string ExactGram::to_bytes() const {
  return GramFile::encode(*this);
}

Result<ExactGram> ExactGram::from_bytes(std::string_view bytes) {
  return GramFile::decode(bytes);
}

Result<ExactGram> ExactGram::load(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_whole(path);
  if (!bytes) {
    return error_of(bytes);
  }
  return GramFile::decode(*bytes);
}

}  // namespace eigenveil
