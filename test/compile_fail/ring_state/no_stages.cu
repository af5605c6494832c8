// A ring has a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ring_state<n>: a ring has at least one stage
// COMPILERS: nvrtc nvcc host
#include <cudasync/pipeline/ring_state.h>

static_assert(cudasync::ring_state<0>{}.index() == 0);  // wrong
static_assert(cudasync::ring_state<1>{}.index() == 0);  // right
