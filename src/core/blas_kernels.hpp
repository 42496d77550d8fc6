#pragma once

#include <string>

namespace eigenveil {

/// The OpenBLAS kernels this processor can run at best, by the features it reports: "SkylakeX"
/// (AVX-512), "Haswell" (AVX2 and FMA), or empty where OpenBLAS is to decide.
std::string best_blas_kernels();

/// OpenBLAS chooses its kernels by the processor's model number. A release older than the processor
/// (Debian 12 ships one of 2022) does not know it and falls back to those of 2004, three to four
/// times slower. Before the first product, this has it choose again by what the processor can do.
/// OPENBLAS_CORETYPE set by the user, and a choice that is not the fallback, stay. Returns whether
/// it changed anything.
bool correct_blas_kernels();

}  // namespace eigenveil
