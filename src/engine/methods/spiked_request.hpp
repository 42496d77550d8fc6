#pragma once

#include "eigenveil/engine/request.hpp"
#include "mechanism/spiked/spiked.hpp"

namespace eigenveil {

/// Public facts about the spiked model, as options.
std::vector<OptionSpec> spiked_options();

/// What Algorithm 1 of Cai, Xia and Zha needs, for a table of this size.
Result<SpikedRequest> spiked_request(const Request& request, Eigen::Index rows,
                                     Eigen::Index dimension, double row_radius);

/// A radius from the model, when no bound was given and the model is known.
Result<double> spiked_radius(const Request& request, Eigen::Index dimension,
                             std::optional<std::int64_t> rows);

}  // namespace eigenveil
