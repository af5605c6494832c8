// Beside Thrust.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: thrust/testing, as far as Thrust includes headers for synchronization
#include "ours_first.h"

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#if __has_include(<thrust/async/reduce.h>)  // until CCCL 2.8
#include <thrust/async/reduce.h>
#endif

#include "ours_atomic.h"

void sort(thrust::device_vector<int>& values) {
  thrust::sort(values.begin(), values.end());
}

int sum(const thrust::device_vector<int>& values) {
  return thrust::reduce(values.begin(), values.end());
}

#if __has_include(<thrust/async/reduce.h>)  // until CCCL 2.8
auto begin_sum(const thrust::device_vector<int>& values) {
  return thrust::async::reduce(values.begin(), values.end());
}
#endif
