#pragma once

#include <features.h>
#include <spawn.h>

namespace eigenveil::cli {

/// What this program has open stays its own: sockets above all, which a program started by it would
/// hold for as long as it lives.
inline void keep_descriptors([[maybe_unused]] posix_spawn_file_actions_t& files) {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
#endif
#endif
}

}  // namespace eigenveil::cli
