#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/engine/option.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// What second moments are about.
enum class CenterChoice : std::uint8_t {
  Unsaid,   ///< a private mean where the method releases one, else the public midpoint
  None,     ///< the public midpoint
  Public,   ///< a public centre that was given with the bound
  Private,  ///< a privately released mean
};

/// Whether a task asks for a number of components, or dimensions.
bool takes_rank(Task task);
/// Neighbours where nothing is said: pseudo-data and subspaces have a public number of rows.
Relation default_relation(Task task);

/// What is asked for, whether it is run on rows or only planned. All of it is public, and every
/// face fills it in the same way.
struct Request {
  Task task = Task::Components;
  std::string method = {};       ///< empty: the default of task and budget
  std::optional<Budget> budget;  ///< absent: a plan of a method that can do without
  Relation relation = Relation::AddRemove;
  int group_size = 1;
  Eigen::Index components = 1;  ///< pca and lowrank: how many; otherwise unused
  bool components_given = false;
  CenterChoice center = CenterChoice::Unsaid;
  bool arrives_centred = false;  ///< cells come about a public centre: frequencies, ranks
  bool rank_transform = false;   ///< columns are their average ranks
  Units units = Units::Original;
  Options options = {};    ///< of the methods, by name
  std::string table = {};  ///< fingerprint of columns and bound, once they are known

  bool wants_components() const { return task == Task::Components; }
  bool takes_rank() const { return eigenveil::takes_rank(task); }
  bool private_mean() const { return center == CenterChoice::Private; }
  double variance_share() const;  ///< of the budget, for variances inside a drawn subspace
  bool published() const;         ///< the source's own constants instead of the tight ones
  /// The number of components against the number of columns.
  [[nodiscard]] Result<void> check_components(std::size_t dimension) const;
};

/// Rows r (c, e r^2, c m, x) with r = sqrt(w / W), m the presence of the columns `indicated`: their
/// Gram matrix holds counts and sums, with noise as its other entries (data/counted_rows.hpp). The
/// table that results speak of is `schema` and `bound`.
struct CountedTable {
  Schema schema;
  RowBound bound;
  double constant = 0.0;                    ///< c, scaled units
  double weight_bound = 1.0;                ///< W
  double square_constant = 0.0;             ///< e, of the sum of squared weights; 0: not counted
  std::vector<std::size_t> indicated = {};  ///< columns of `schema` that may be missing
};

/// Rows (y, c e) inside of a public basis: coordinates y, and the length e of what lies outside of
/// it, clipped to a norm of its own. Results speak of `schema` and `bound`, those of y.
struct OutsideTable {
  Schema schema;
  RowBound bound;
  double constant = 0.0;  ///< c
};

/// What is public about a table before a row is read.
struct PublicFacts {
  Schema schema;
  RowBound bound;                            ///< tasks without one never look at it (`unbounded`)
  std::optional<std::int64_t> rows = {};     ///< where the relation makes it public and it is known
  std::optional<CountedTable> counted = {};  ///< where counts are entries of the statistic
  std::optional<OutsideTable> outside = {};  ///< where what a basis leaves out is a last column
  std::string preparation = {};  ///< what stages did to the rows, where any did (TableSpec's JSON)
  bool keeps_columns = true;     ///< no stage put directions or rows of norm 1 in their place
  bool read_again = false;       ///< the rows can be read more than once: a file, a matrix
};

/// The facts of a table whose rows may have any length.
[[nodiscard]] Result<PublicFacts> unbounded(Schema schema);

/// A table nobody has read: sizes are assumed, and the eigenvalues of its covariance may be.
struct AssumedTable {
  Schema schema;
  std::int64_t rows = 0;
  Vector spectrum = {};                 ///< largest first; empty when none were given
  std::optional<double> row_norm = {};  ///< as it was given
  /// What is known of the rows; a model may give a radius where nothing else does.
  std::function<Result<RowBound>(const std::optional<double>& model_radius)> bound;
  std::optional<PublicFacts> prepared = {};  ///< where stages stand in front of the rows
  std::string person = {};                   ///< the column that says whose a row is
  std::vector<std::pair<std::string, std::string>> remarks = {};  ///< what the stages mean
};

/// The shared options, said once.
OptionSpec variance_share_option();
OptionSpec calibration_option();
OptionSpec correlation_option();

}  // namespace eigenveil
