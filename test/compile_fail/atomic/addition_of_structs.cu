// Only numbers and pointers are added.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop
#include <cuda/atomic>

struct point {
  int x;
  int y;
};

__device__ void use(cuda::atomic<point>& atomic) {
#if defined(CUDASYNC_EXPECT_ERROR)
  atomic.fetch_add(point{1, 1});
#else
  point old = atomic.load();
  while (!atomic.compare_exchange_weak(old, point{old.x + 1, old.y + 1}))
    continue;
#endif
}
