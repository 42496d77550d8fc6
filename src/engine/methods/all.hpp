#pragma once

#include <vector>

#include "eigenveil/engine/method.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {

const Method& gauss_method();
const Method& laplace_method();
const Method& wishart_method();
const Method& exponential_method();
const Method& orbit_method();
const Method& spiked_method();
const Method& spiked_robust_method();
const Method& oja_method();
const Method& sharp_method();
const Method& subspace_method();
const Method& pseudo_gauss_method();
const Method& pseudo_mask_method();
const Method& near_subspace_method();
const Method& exact_subspace_method();

/// The methods of the library, in the order of the help text. A new one is its file and its line
/// here.
inline std::vector<const Method*> all_methods() {
  return {&gauss_method(),         &wishart_method(),       &laplace_method(),
          &exponential_method(),   &orbit_method(),         &spiked_method(),
          &spiked_robust_method(), &oja_method(),           &sharp_method(),
          &subspace_method(),      &pseudo_gauss_method(),  &pseudo_mask_method(),
          &near_subspace_method(), &exact_subspace_method()};
}

}  // namespace eigenveil
