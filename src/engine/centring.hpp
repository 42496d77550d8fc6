#pragma once

#include <string>
#include <string_view>

namespace eigenveil {

/// What the program and the Python package do where nothing is said about a centre: whoever asks
/// for components or a covariance means about the mean, and a method that releases noisy column
/// sums can subtract one.

/// gauss, wishart and laplace.
bool subtracts_mean(std::string_view method);

/// One sentence for a method that cannot: what its result is about, and what to do. Depends on
/// public options alone, so it says nothing about the rows.
std::string uncentred_warning(std::string_view method);

}  // namespace eigenveil
