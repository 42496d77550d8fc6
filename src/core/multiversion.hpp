#pragma once

/// Compiles a hot function once per instruction set and picks the best at load time, so that one
/// binary runs everywhere and fast. The build sets -ffp-contract=off: every version computes the
/// same doubles. Sanitizers and clang's fuzzer cannot start from an ifunc resolver, so they get
/// the plain version.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(EIGENVEIL_SANITIZE)
#define EIGENVEIL_MULTIVERSION \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EIGENVEIL_MULTIVERSION
#endif
