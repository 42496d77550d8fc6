#pragma once

#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// `guarantee` as it must be stated for the stream that was really used: a seeded stream is not
/// private, whatever the plan says.
Guarantee as_run(Guarantee guarantee, const RandomStream& stream);

}  // namespace eigenveil
