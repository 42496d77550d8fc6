# Eigen, fmt and GoogleTest are parsed once per target instead of once per file: about a third of the build time.
# Every file still includes what it uses; `-DEIGENVEIL_PRECOMPILED_HEADERS=OFF` (and make lint) checks that.
option(EIGENVEIL_PRECOMPILED_HEADERS "Parse heavy library headers once per target" ON)

function(eigenveil_precompile target)  # more headers...
  if(EIGENVEIL_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <functional> <memory> <optional> <string> <vector>
      <fmt/format.h> <Eigen/Dense> ${CMAKE_SOURCE_DIR}/src/core/matrix_kernels.hpp <tl/expected.hpp> ${ARGN})
  endif()
endfunction()

# For code that only calls the library: most of its compile time is the optimiser on other people's headers.
function(eigenveil_light_optimisation target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
