#pragma once

#include "cli/outcome.hpp"
#include "cli/sample_data/sample_table.hpp"

namespace eigenveil::cli {

/// Draws `rows` rows and writes them as they come; memory does not grow with `rows`. Every file
/// appears complete or not at all.
Outcome write_csv(SampleTable& table, std::int64_t rows, const std::string& path, char delimiter);
/// Float64 in row-major order.
Outcome write_npy(SampleTable& table, std::int64_t rows, const std::string& path);
/// PLINK 1: `path` is the .bed file; .bim and .fam are written beside it. The table holds allele
/// counts; the counted allele is the first of the .bim file.
Outcome write_plink(SampleTable& table, std::int64_t people, const std::string& path);

/// column,low,high: what --bounds reads. Columns of .npy files have no names and are numbered.
Outcome write_bounds(const SampleTable& table, bool named, const std::string& path);
/// person,population: which of the five populations a row of the genotypes comes from.
Outcome write_populations(std::int64_t people, const std::string& path);

}  // namespace eigenveil::cli
