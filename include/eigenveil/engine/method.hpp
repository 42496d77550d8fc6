#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/engine/request.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/document.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

struct ExactRows;  // rows as whole numbers (data/exact_rows.hpp)

// For comparisons of the library's own methods (mechanism/comparison).
struct AssumedSetting;
struct PredictedError;

/// The law of the noise on the entries of a second moment, where a release is that and what follows
/// from it. Intervals, rounded margins and pictures go by it.
enum class NoiseOnEntries : std::uint8_t { None, Gaussian, Laplace, Wishart };

/// For which budgets a method is taken where none is named.
enum class DefaultFor : std::uint8_t { Nothing, PureBudgets, OtherBudgets, EveryBudget };

/// What every face shows of a method, and all that other code may ask of one: nothing goes by its
/// name.
struct MethodInfo {
  std::string name;
  std::string sentence;  ///< what it does, for lists
  std::string budgets;   ///< which it takes: "(epsilon, delta), rho, mu"
  std::vector<Task> tasks;
  std::vector<OptionSpec> options = {};
  bool takes_ranks = false;           ///< its guarantee covers that one row shifts all ranks
  bool plans_without_budget = false;  ///< sharp: a noise level instead, sizes from its spectrum
  bool subtracts_mean = false;        ///< releases a mean, so it can work about a private one
  bool needs_row_count = false;       ///< the plan depends on the public number of rows
  bool reads_rows = false;            ///< sees rows, so a .gram file does not do
  bool reads_exact_rows = false;      ///< whole numbers and fractions as they stand in the table
  bool takes_blocks = false;          ///< a table in shards, each treated by itself
  bool streams = false;               ///< the result is an array that may not fit into memory
  bool takes_counted_rows = false;    ///< knows what to do with a CountedTable
  bool takes_wide_rows = false;       ///< refuses by itself a table too wide for a Gram matrix
  NoiseOnEntries entry_noise = NoiseOnEntries::None;
  DefaultFor is_default_for = DefaultFor::Nothing;
  Basis basis = Basis::Proved;  ///< of a release, at best
  bool shows_variances = true;  ///< along the directions that it releases
  bool spends_pair = false;     ///< an (epsilon, delta) budget as that pair, not as the mu in it
  std::vector<std::string_view> papers = {};  ///< that it rests on, for the report; literals
  std::string plain = {};  ///< the sentence for somebody who knows no method; empty: the same
  bool serves(Task task) const;
  const OptionSpec* option(std::string_view name) const;
};

/// What a release would cost and give, from public numbers alone.
struct PlanFacts {
  std::string json;  ///< an object, the numbers in their order
  std::string title;
  std::vector<FactLine> lines;
  std::string warning = {};  ///< what a user should know about the result; may be empty
  std::optional<Guarantee> guarantee = {};  ///< of the release; absent where theory gives none
};

/// One release under way: rows come in, a document comes out. Refuses nothing that depends on rows
/// beyond what a reader refuses. What does not belong to the table that the plan was made for is
/// refused here, so that no method has to remember it: noise is scaled to that table's bound.
class Run {
 public:
  virtual ~Run() = default;
  /// All rows of the table, or of the next of its blocks; as many columns as the plan's.
  [[nodiscard]] Result<void> add(RowReader& rows);
  /// Totals that were made before, in place of rows: of the plan's columns, bound and people.
  /// Refused by methods that need the rows themselves.
  [[nodiscard]] Result<void> add(const ExactGram& totals);
  /// Rows as they stand, for methods that read them exactly.
  [[nodiscard]] Result<void> add(const ExactRows& rows);
  /// After all rows: whether the method wants to see them once more, from the start.
  [[nodiscard]] virtual Result<bool> wants_rows_again() { return false; }
  [[nodiscard]] virtual Result<ReleaseDocument> finish() = 0;
  /// The exact sums so far, for a .gram file instead of a release; the run starts again empty.
  /// Private data. Refused by methods that keep none.
  [[nodiscard]] virtual Result<ExactGram> take_sums();

 protected:
  [[nodiscard]] virtual Result<void> take_rows(RowReader& rows) = 0;
  [[nodiscard]] virtual Result<void> take_totals(const ExactGram& totals);
  [[nodiscard]] virtual Result<void> take_points(const ExactRows& rows);

 private:
  friend class Plan;
  const PublicFacts* facts_ = nullptr;  ///< of the plan that started it, which outlives it
};

/// A checked request with its noise. Made from public facts alone, so every refusal comes before a
/// row is read.
class Plan {
 public:
  virtual ~Plan() = default;
  /// What a release carries when its randomness is secure.
  virtual const Guarantee& guarantee() const = 0;
  /// Other losses that are proved for the same release, for ledgers that keep accounts in them.
  virtual std::vector<Loss> further_losses() const { return {}; }
  /// Of draws that are computed in doubles: how far their law may be from one that the guarantee
  /// holds for, in total variation (docs/proofs/double_precision.md); 0 where there are none.
  virtual double draw_error() const { return 0.0; }
  /// The public number of rows, unknown yet, lets a release state a smaller loss than
  /// `guarantee()`, and more of what it supposes. Otherwise a document states the plan's guarantee
  /// and nothing else.
  virtual bool tightens_with_rows() const { return false; }
  /// What it was made from.
  virtual const PublicFacts& facts() const = 0;
  /// How long the draw after the last row may take; 0 where it is a moment.
  virtual double draw_seconds() const { return 0.0; }
  std::unique_ptr<Run> start(RandomStream& stream, int threads) const;
  /// Tables that lie beside a streamed array, by name.
  virtual std::vector<std::string> table_names() const { return {}; }

  /// What was asked for; set by `make_plan` (engine/release.hpp).
  const Request& request() const { return request_; }
  void remember(Request request) { request_ = std::move(request); }

 protected:
  virtual std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const = 0;

 private:
  Request request_;
};

/// One way to make the release of a task. A new method is one file in engine/methods.
class Method {
 public:
  virtual ~Method() = default;
  virtual const MethodInfo& info() const = 0;
  /// The request can only mean this method, even when none is named.
  virtual bool asked_for(const Request& /*request*/) const { return false; }
  /// A row norm that the method's own public model gives where no bound was given; by default none.
  virtual std::optional<Result<double>> model_radius(const Request& /*request*/,
                                                     Eigen::Index /*dimension*/,
                                                     std::optional<std::int64_t> /*rows*/) const {
    return std::nullopt;
  }
  [[nodiscard]] virtual Result<std::unique_ptr<Plan>> plan(const Request& request,
                                                           const PublicFacts& facts) const = 0;
  /// Where the plan needs the number of rows: the guarantee that every plan for the request states,
  /// whatever that number is, so that a ledger is charged before they are counted. By default
  /// refused.
  [[nodiscard]] virtual Result<Guarantee> stated(const Request& request) const;
  [[nodiscard]] virtual Result<PlanFacts> outlook(const Request& request,
                                                  const AssumedTable& table) const = 0;
  /// For comparisons; by default none.
  virtual std::optional<PredictedError> predicted_error(const Request& request,
                                                        const AssumedSetting& setting) const;
};

}  // namespace eigenveil
