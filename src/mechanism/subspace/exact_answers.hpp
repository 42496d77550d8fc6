#pragma once

#include "mechanism/subspace/exact_subspace.hpp"

namespace eigenveil::detail {

/// A planned run; public.
struct ExactRun {
  const ExactSubspaceRequest& request;
  std::int64_t exceptions;
  std::int64_t floor;
  std::uint64_t trials;
  ApproxDp noise_budget;
  bool by_votes;
};

/// The answer by arithmetic modulo 2^61 - 1, 2^127 - 1, 2^521 - 1.
ExactSubspace answer_61(const ExactRun& run, const ExactPoints& points, RandomStream& stream);
ExactSubspace answer_127(const ExactRun& run, const ExactPoints& points, RandomStream& stream);
ExactSubspace answer_521(const ExactRun& run, const ExactPoints& points, RandomStream& stream);

}  // namespace eigenveil::detail
