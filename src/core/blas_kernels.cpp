#include "core/blas_kernels.hpp"

#include <cblas.h>

#include <cstdlib>
#include <string_view>

// OpenBLAS's own start and end of the choice, exported but in no header; weak, because a build for
// one processor has neither.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();  // NOLINT(readability-identifier-naming)
[[gnu::weak]] void gotoblas_dynamic_quit();  // NOLINT(readability-identifier-naming)
}

namespace eigenveil {
namespace {

constexpr const char* kChoice = "OPENBLAS_CORETYPE";
constexpr std::string_view kFallback = "Prescott";  // what OpenBLAS takes for a model it never met

}  // namespace

std::string best_blas_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return "Haswell";
  }
#endif
  return {};
}

bool correct_blas_kernels() {
  const std::string best = best_blas_kernels();
  if (best.empty() || gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr ||
      std::getenv(kChoice) != nullptr || openblas_get_corename() != kFallback) {
    return false;
  }
  setenv(kChoice, best.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kChoice);  // children decide for themselves
  return true;
}

}  // namespace eigenveil
