#pragma once

/// What a mechanism of one's own needs beside eigenveil/eigenveil.hpp: the private totals, noise
/// that is rounded exactly to a grid, and a plan that makes the one pass over the rows. Its author
/// promises what the library proves of its own: that the noise fits the sensitivity.
/// `register_method` (engine/registry.hpp) puts it beside the others. See
/// examples/own_mechanism.cpp.

#include "eigenveil/engine/gram_plan.hpp"
#include "eigenveil/mechanism/as_run.hpp"
#include "eigenveil/privacy/bounded.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/random/rounded_noise.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
