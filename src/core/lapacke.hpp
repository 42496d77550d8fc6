#pragma once

#include <complex>

// LAPACKE takes std::complex when told so before its header, so everyone includes it through this
// one.
#define lapack_complex_double std::complex<double>
#define lapack_complex_float std::complex<float>
#include <lapacke.h>
