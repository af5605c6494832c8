// No instruction takes 3 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic types have 1, 2, 4, 8 or 16 bytes: pad the type, or keep it behind an atomic pointer
#include <cuda/atomic>

struct colour {
  unsigned char red;
  unsigned char green;
  unsigned char blue;
};
struct alignas(4) padded_colour {
  colour value;
  unsigned char rest;
};

__device__ void use(colour value) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic<colour> atomic(value);
#else
  cuda::atomic<padded_colour> atomic(padded_colour{value, 0});
#endif
  static_cast<void>(atomic);
}
