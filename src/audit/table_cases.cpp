#include "audit/table_cases.hpp"

#include <array>
#include <cmath>
#include <memory>

#include "audit/moment_pair.hpp"
#include "data/array_rows.hpp"
#include "data/counted_rows.hpp"
#include "data/people.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/histogram/noisy_counts.hpp"

namespace eigenveil {
namespace {

constexpr std::uint32_t kRowsKept = 3;
constexpr std::size_t kRowsOfVictim = 5;
constexpr double kConstant = 0.5;  ///< of rows that are counted inside, R = 1
constexpr std::size_t kHistograms = 4;

/// Two columns in the unit disc, and whose a row is.
using Rows = std::vector<double>;

void add_person(Rows& rows, double who, double x, double y, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    rows.insert(rows.end(), {x, y, who});
  }
}

/// The exact pass of a table of people as a release makes it, or of one shard of them.
ExactGram gram_of(const Rows& rows, std::uint32_t kept, bool counts_inside,
                  std::optional<PeopleShard> shard = {}) {
  const RowBound bound = *RowBound::row_norm(2, 1.0);
  std::unique_ptr<RowReader> reader = limit_rows_per_person(
      *read_array({rows.data(), rows.size() / 3, 3, 24, 8}, Schema{{"x", "y", "who"}},
                  BadCell::Refuse, MissingCell::Midpoint),
      1, {"who", kept}, nobody_seen(), BadCell::Refuse, shard);
  if (counts_inside) {
    reader = count_rows_inside(std::move(reader), bound, {.constant = kConstant});
  }
  GramAccumulator totals(
      reader->schema(),
      counts_inside ? *RowBound::row_norm(3, std::nextafter(std::hypot(1.0, kConstant), 2.0))
                    : bound,
      1);
  (void)totals.add(*reader);
  ExactGram gram = *totals.finish();
  if (shard) {
    gram.set_identity({"run", shard->index, shard->count, "mark"});
  }
  return gram;
}

/// The same in shards, each made from all rows by a machine with its own idea of the key.
ExactGram sharded(const Rows& rows, bool counts_inside, const std::vector<HashKey>& keys) {
  const std::uint64_t count = keys.size();
  ExactGram total = gram_of(rows, kRowsKept, counts_inside, PeopleShard{keys[0], 0, count});
  for (std::uint64_t index = 1; index < count; ++index) {
    (void)total.merge(
        gram_of(rows, kRowsKept, counts_inside, PeopleShard{keys[index], index, count}));
  }
  return total;
}

/// Under the first key the victim is in the first shard of two, under the second in the second.
std::vector<HashKey> keys_that_differ() {
  std::vector<HashKey> keys;
  for (unsigned char byte = 0; keys.size() < 2; ++byte) {
    const HashKey key = {byte};
    std::array<double, kHashedCells> hash{};
    hash_person(key, 0.0, hash.data());
    if (shard_of_person(hash[0], 2) == keys.size()) {
      keys.push_back(key);
    }
  }
  return keys;
}

Result<MomentPlan> people_plan(const Budget& budget, Relation relation, int group) {
  const bool inside = relation != Relation::AddRemove;
  return plan_gauss({inside
                         ? *RowBound::row_norm(3, std::nextafter(std::hypot(1.0, kConstant), 2.0))
                         : *RowBound::row_norm(2, 1.0),
                     budget, relation, inside ? Extension::None : Extension::Full, group});
}

}  // namespace

Result<std::vector<Attack>> people_attacks(const AuditRequest& request) {
  const Relation relation = request.setting.relation;
  const bool inside = relation != Relation::AddRemove;
  const Result<GaussianDp> budget = gaussian_budget(request.budget);
  if (!budget) {
    return error_of(budget);
  }
  Rows others;
  add_person(others, 1, 0.3, 0.1, 2);
  Rows with = others;
  add_person(with, 0, 1.0, 0.0, kRowsOfVictim);
  Rows without = others;
  if (inside) {  // another person, whose rows (c, y) are orthogonal to (c, x)
    const double cosine = -kConstant * kConstant;
    add_person(without, 0, cosine, std::sqrt(1.0 - cosine * cosine), kRowsOfVictim);
  }
  const ExactGram first = gram_of(with, kRowsKept, inside);
  const ExactGram second = gram_of(without, kRowsKept, inside);
  const Loss claim = *budget;
  const auto plan = [&](double factor, int group) {
    return people_plan(GaussianDp{factor * budget->mu}, relation, group);
  };
  const Result<MomentPlan> shipped = plan(1.0, kRowsKept);
  if (!shipped) {
    return error_of(shipped);
  }
  const std::vector<HashKey> keys = keys_that_differ();
  const std::vector<HashKey> one_key(2, keys[0]);
  std::vector<Attack> attacks = {
      {moment_pair("people", claim, *shipped, first, second), AttackKind::Shipped, {}},
      {moment_pair("people in shards", claim, *shipped, sharded(with, inside, one_key),
                   sharded(without, inside, one_key)),
       AttackKind::Shipped,
       {}}};
  if (!request.mutants) {
    return attacks;
  }
  const auto mutant = [&](const std::string& name, const MomentPlan& made, const ExactGram& one,
                          const ExactGram& two) {
    attacks.push_back({moment_pair(name, claim, made, one, two), AttackKind::Mutant, {}});
  };
  mutant("noise x 0.9", *plan(1.0 / 0.9, kRowsKept), first, second);
  mutant("rows of a person not limited", *shipped, gram_of(with, 1000, inside),
         gram_of(without, 1000, inside));
  mutant("noise for one row of a person", *plan(1.0, 1), first, second);
  mutant("shards with different keys", *shipped, sharded(with, inside, keys),
         sharded(without, inside, keys));
  return attacks;
}

namespace {

/// Cells of all histograms of a table of two rows; the second is in cell `place` of each.
std::vector<std::uint64_t> counts_of(std::optional<std::size_t> place) {
  std::vector<std::uint64_t> counts(3 * kHistograms);
  for (std::size_t h = 0; h < kHistograms; ++h) {
    ++counts[3 * h];
    if (place) {
      ++counts[3 * h + *place];
    }
  }
  return counts;
}

AuditCase histogram_case(const std::string& name, const Loss& claim, const CountsPlan& plan,
                         const std::vector<std::uint64_t>& first,
                         const std::vector<std::uint64_t>& second) {
  const auto statistic = [plan, first, second](const std::vector<std::uint64_t>& counts,
                                               RandomStream& stream) {
    const Vector noisy = plan.run(counts, stream).value();
    double ratio = 0.0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      ratio += (static_cast<double>(first[i]) - static_cast<double>(second[i])) *
               noisy[static_cast<Eigen::Index>(i)];
    }
    return ratio;
  };
  double middle = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto one = static_cast<double>(first[i]);
    const auto two = static_cast<double>(second[i]);
    middle += 0.5 * (one - two) * (one + two);
  }
  return {name, claim, [=](RandomStream& stream) { return statistic(first, stream); },
          [=](RandomStream& stream) { return statistic(second, stream); },
          AuditRule{middle, 1.0, false}};
}

}  // namespace

Result<std::vector<Attack>> histogram_attacks(const AuditRequest& request) {
  const Relation relation = request.setting.relation;
  const Result<GaussianDp> budget = gaussian_budget(request.budget);
  if (!budget) {
    return error_of(budget);
  }
  const std::vector<std::uint64_t> first = counts_of(1);
  const std::vector<std::uint64_t> second =
      counts_of(relation == Relation::AddRemove ? std::nullopt : std::optional<std::size_t>(2));
  const Loss claim = *budget;
  const auto plan = [&](double factor, std::size_t histograms, Relation made_for) {
    return CountsPlan::make({histograms, GaussianDp{factor * budget->mu}, made_for});
  };
  const Result<CountsPlan> shipped = plan(1.0, kHistograms, relation);
  if (!shipped) {
    return error_of(shipped);
  }
  std::vector<Attack> attacks = {
      {histogram_case("histogram", claim, *shipped, first, second), AttackKind::Shipped, {}}};
  if (!request.mutants) {
    return attacks;
  }
  const auto mutant = [&](const std::string& name, const CountsPlan& made) {
    attacks.push_back({histogram_case(name, claim, made, first, second), AttackKind::Mutant, {}});
  };
  mutant("noise x 0.9", *plan(1.0 / 0.9, kHistograms, relation));
  mutant("noise for one histogram", *plan(1.0, 1, relation));
  if (relation != Relation::AddRemove) {
    mutant("relation factor missing", *plan(1.0, kHistograms, Relation::AddRemove));
  }
  return attacks;
}

}  // namespace eigenveil
