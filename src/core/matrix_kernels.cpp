#include "core/matrix_kernels.hpp"

EIGENVEIL_MATRIX_KERNELS(template);
