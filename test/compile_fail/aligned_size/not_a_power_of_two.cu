// An alignment is a power of two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: aligned_size_t needs an alignment that is a power of two, in bytes: for example aligned_size_t<16>
// COMPILERS: nvrtc nvcc host
#include <cudasync/aligned_size.h>

static_assert(cudasync::aligned_size_t<24>::align == 24);  // wrong
static_assert(cudasync::aligned_size_t<16>::align == 16);  // right
