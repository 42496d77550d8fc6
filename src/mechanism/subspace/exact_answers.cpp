#include "mechanism/subspace/exact_answers.hpp"

#include <cmath>
#include <numeric>

#include "core/decompositions.hpp"
#include "core/parallel.hpp"
#include "mechanism/subspace/fractions.hpp"
#include "mechanism/subspace/published_gap_max.hpp"
#include "mechanism/subspace/stability_histogram.hpp"

namespace eigenveil::detail {
namespace {

using BigInteger = boost::multiprecision::cpp_int;

BigInteger widen(std::uint64_t value) {
  return value;
}
BigInteger widen(UInt128 value) {
  return (BigInteger(static_cast<std::uint64_t>(value >> 64U)) << 64U) +
         static_cast<std::uint64_t>(value);
}
BigInteger widen(const Field521::Element& value) {
  return BigInteger(value);
}

void hash_element(Sha256& hash, std::uint64_t value) {
  hash.update(&value, sizeof value);
}
void hash_element(Sha256& hash, UInt128 value) {
  hash.update(&value, sizeof value);
}
void hash_element(Sha256& hash, const Field521::Element& value) {
  const std::size_t limbs = value.backend().size();
  hash.update(&limbs, sizeof limbs);
  hash.update(value.backend().limbs(), limbs * sizeof(*value.backend().limbs()));
}

template <class Field>
Digest key_of(const Echelon<Field>& form) {
  Sha256 hash;
  for (const std::size_t pivot : form.pivots) {
    hash.update(&pivot, sizeof pivot);
  }
  for (const FieldRow<Field>& row : form.rows) {
    for (const auto& value : row) {
      hash_element(hash, value);
    }
  }
  return hash.finish();
}

template <class Field>
Echelon<Field> span_of(const ExactPoints& points, const std::vector<std::size_t>& indices) {
  std::vector<FieldRow<Field>> rows;
  for (const std::size_t index : indices) {
    rows.push_back(field_row<Field>(points, index));
  }
  return reduced_echelon<Field>(std::move(rows));
}

/// A function of the echelon form alone; NULL if some entry is no fraction of the bounded size.
template <class Field>
ExactSubspace in_fractions(const Echelon<Field>& form) {
  ExactSubspace answer;
  const BigInteger prime = (BigInteger(1) << Field::kBits) - 1;
  const auto k = static_cast<Eigen::Index>(form.rank());
  const auto d = static_cast<Eigen::Index>(form.rows.front().size());
  Matrix basis(d, k);
  for (Eigen::Index r = 0; r < k; ++r) {
    std::vector<std::string> texts;
    for (Eigen::Index c = 0; c < d; ++c) {
      const auto& value = form.rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      const std::optional<Fraction> fraction = reconstruct(widen(value), prime);
      if (!fraction) {
        return {};
      }
      basis(c, r) = fraction->value();
      texts.push_back(fraction->text());
    }
    answer.echelon.push_back(std::move(texts));
  }
  answer.found = true;
  answer.frame = detail::orthonormal_frame(basis);
  return answer;
}

template <class Field>
ExactSubspace answer_by_votes(const ExactRun& run, const ExactPoints& points,
                              RandomStream& stream) {
  const std::size_t k = run.request.subspace;
  const auto members = [k](std::size_t group) {
    std::vector<std::size_t> indices(k);
    std::iota(indices.begin(), indices.end(), group * k);
    return indices;
  };
  std::vector<Vote> votes(points.rows() / k);
  parallel_for(votes.size(), default_threads(), [&](std::size_t group) {
    const Echelon<Field> form = span_of<Field>(points, members(group));
    if (form.rank() == k) {
      votes[group] = key_of<Field>(form);
    }
  });
  const StabilityHistogram histogram = *StabilityHistogram::make(run.noise_budget);
  const std::optional<NoisyWinner> winner = histogram.winner(votes, stream);
  return winner ? in_fractions<Field>(span_of<Field>(points, members(winner->group)))
                : ExactSubspace{};
}

template <class Field>
ExactSubspace answer_by_gap(const ExactRun& run, const ExactPoints& points, RandomStream& stream) {
  const std::size_t k = run.request.subspace;
  const std::vector<FieldRow<Field>> images = compress<Field>(points, k, stream);
  FlatSearch<Field> search(images, {k, run.exceptions, run.floor, run.trials});
  const GapMaxScore score = search.run(stream);
  const TruncatedLaplace noise =
      *TruncatedLaplace::make(2, run.noise_budget.epsilon, run.noise_budget.delta);
  const bool passes = score.gap + noise.draw(stream) > noise.bound();
  // A gap of zero never passes; the flat is not looked at otherwise.
  return passes ? in_fractions<Field>(span_of<Field>(points, score.spanning)) : ExactSubspace{};
}

template <class Field>
ExactSubspace answer_as_published(const ExactRun& run, const ExactPoints& points,
                                  RandomStream& stream) {
  const std::size_t k = run.request.subspace;
  const ApproxDp& budget = run.request.budget;
  const TruncatedLaplace noise = *TruncatedLaplace::make(2, budget.epsilon, budget.delta);
  const std::vector<FieldRow<Field>> images = compress<Field>(points, k, stream);
  const double null_score = static_cast<double>(run.exceptions) +
                            4.0 * std::log(1.0 / budget.delta) / budget.epsilon + 1.0;
  const std::vector<std::size_t> spanning =
      published_gap_max<Field>(images, k, null_score, noise, stream);
  return spanning.empty() ? ExactSubspace{} : in_fractions<Field>(span_of<Field>(points, spanning));
}

template <class Field>
ExactSubspace answer(const ExactRun& run, const ExactPoints& points, RandomStream& stream) {
  if (run.request.published) {
    return answer_as_published<Field>(run, points, stream);
  }
  return run.by_votes ? answer_by_votes<Field>(run, points, stream)
                      : answer_by_gap<Field>(run, points, stream);
}

}  // namespace

ExactSubspace answer_61(const ExactRun& run, const ExactPoints& points, RandomStream& stream) {
  return answer<Field61>(run, points, stream);
}
ExactSubspace answer_127(const ExactRun& run, const ExactPoints& points, RandomStream& stream) {
  return answer<Field127>(run, points, stream);
}
ExactSubspace answer_521(const ExactRun& run, const ExactPoints& points, RandomStream& stream) {
  return answer<Field521>(run, points, stream);
}

}  // namespace eigenveil::detail
