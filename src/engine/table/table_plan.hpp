#pragma once

#include <string>

#include "engine/table/release_job.hpp"

namespace eigenveil {

/// The plan of a job as plan_table (eigenveil/engine/table_release.hpp) says it.
Result<std::string> plan_of_job(const ReleaseJob& job);

}  // namespace eigenveil
