#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/privacy/release.hpp"

namespace eigenveil {

using FieldValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                                std::vector<std::string>>;
/// A named value of a release document; order is kept.
using Fields = std::vector<std::pair<std::string, FieldValue>>;

/// A released array with the names of its rows and columns.
struct ReleasedTable {
  std::string name;         ///< file name without ending: "loadings"
  std::string description;  ///< one sentence, in the document
  std::string corner;       ///< header of the column of row names: "column"
  std::vector<std::string> row_names;
  std::vector<std::string> column_names;
  Matrix values;
  std::vector<std::string> counted_alleles = {};  ///< genotypes: one per row, else empty
};

/// An array too large for memory, written while it was made; listed with its checksum.
struct StreamedArray {
  std::string name;  ///< file name
  std::string description;
  std::string sha256;  ///< hexadecimal
  std::int64_t rows = 0;
  std::vector<std::string> column_names;
};

/// How an array of its own is written down.
enum class ArrayFormat : std::uint8_t { Csv, CsvGzip, Npy };
class AtomicFile;

/// An array too large for memory that is made while it is written: the sink of a release that
/// streams. `write` is called once, with threads to use, and gives the SHA-256 of what it wrote.
struct PendingArray {
  std::string name;  ///< file name without ending
  std::string description;
  std::int64_t rows = 0;
  std::vector<std::string> column_names;
  std::function<Result<std::string>(ArrayFormat format, int threads, AtomicFile& file)> write;
};

/// A line for people: a label and words.
struct FactLine {
  std::string label;
  std::string text;
};

/// Where the spending of a release stands in a ledger.
struct LedgerEntry {
  std::string id;           ///< of the ledger
  std::int64_t index = 0;   ///< of the reservation in it
  std::string reservation;  ///< SHA-256 of the reservation, hexadecimal
};

struct ReleaseDocument;

namespace trusted {
/// The guarantee that a document states. The caller promises that everything in the document was
/// drawn under what is written there.
Guarantee& guarantee_of(ReleaseDocument& document);
}  // namespace trusted

/// Everything that is published about one release, and nothing else: no paths, no times, no row
/// count under add-remove, nothing that was not drawn under the guarantee.
struct ReleaseDocument {
  ReleaseDocument() = default;  ///< states nothing: not private
  /// States what a mechanism's release was drawn under, and its name.
  template <class T>
  explicit ReleaseDocument(const Release<T>& release)
      : method(release.mechanism()), guarantee_(release.guarantee()) {}

  std::string task;    ///< "pca"
  std::string method;  ///< "gauss"
  Budget requested;    ///< what the user asked for; the guarantee may be tighter
  Fields parameters;
  Fields result;
  std::vector<ReleasedTable> tables;
  std::vector<StreamedArray> streamed = {};
  std::vector<PendingArray> pending = {};  ///< become `streamed` when the release is written
  /// Computed from what is released, for the figures of the report alone; no file of its own.
  std::vector<ReleasedTable> drawn = {};
  std::string request = {};  ///< what was asked for, as canonical JSON (engine/request_json.hpp)
  std::optional<LedgerEntry> ledger = {};
  std::vector<std::string> builds_on = {};  ///< checksums of releases this one was made with
  std::string data_set = {};                ///< a public name, where the curator gives one
  std::string date = {};                    ///< likewise
  std::vector<std::string> papers = {};     ///< that its method rests on
  std::string prefix = {};  ///< of the file names, for releases that share a directory
  /// What the fields say, in a method's own words; shown to the curator, not written.
  std::vector<FactLine> remarks = {};

  /// What it was drawn under. It cannot be edited: what is published later says what was proved.
  const Guarantee& guarantee() const { return guarantee_; }
  bool is_private() const { return guarantee_.basis != Basis::NotPrivate; }
  /// A table's numbers with the guarantee they were drawn under; nothing for another name.
  std::optional<Release<Matrix>> array(std::string_view table) const;

 private:
  friend Guarantee& trusted::guarantee_of(ReleaseDocument& document);
  friend std::string kept_document(const ReleaseDocument& document);  // keeps every field
  Guarantee guarantee_;
};

inline Guarantee& trusted::guarantee_of(ReleaseDocument& document) {
  return document.guarantee_;
}

/// Why the method answered NULL, a legal outcome that spends its budget; empty when it did not.
std::string null_reason(const ReleaseDocument& document);

/// What no release of ours protects; printed in every report. `person` is the column that says
/// whose a row is, where a person is protected with several.
std::vector<std::string> not_protected(Relation relation, const std::string& person = {});

/// "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)": the requested
/// budget, which the guarantee implies.
std::string headline(const Guarantee& guarantee, const Budget& requested);

}  // namespace eigenveil
