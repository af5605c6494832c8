// What a lock protects: plain numbers, which show it when two threads were inside at once, or one saw old ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_LOCKED_H
#define CUDASYNC_TEST_SUPPORT_LOCKED_H

#include "gpu_test.h"

struct alignas(128) locked_numbers {
  unsigned counter;
  unsigned copies[4];
};

// For the one thread that is inside.
__device__ inline void count_inside(locked_numbers& numbers) {
  const unsigned before = numbers.counter;
  for (unsigned& copy : numbers.copies)
    DEVICE_CHECK(copy++ == before);
  numbers.counter = before + 1;
}

#endif
