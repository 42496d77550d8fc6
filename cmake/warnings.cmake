# Warnings and flags of our own code. Never -ffast-math: it breaks directed rounding and NaN handling.
# -ffp-contract=off: every instruction set computes the same doubles.
# -fno-math-errno, -fno-trapping-math: nobody reads errno or the exception flags, and loops with sqrt
# vectorise; no result changes.
add_library(eigenveil_warnings INTERFACE)
target_compile_options(eigenveil_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror -ffp-contract=off
  -fno-math-errno -fno-trapping-math)
# g++ 12 derives these from its optimiser and is often wrong inside std::string, std::regex and std::vector
# (GCC bugs 105329, 105562, 105651); which of them appear changes with inlining. Shown, not fatal.
foreach(flag restrict array-bounds maybe-uninitialized stringop-overflow stringop-overread)
  target_compile_options(eigenveil_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-error=${flag}>)
endforeach()
# Assertions state what a caller must ensure; they stay on outside of release builds.
if(EIGENVEIL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(EIGENVEIL_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(EIGENVEIL_SANITIZE)
endif()
