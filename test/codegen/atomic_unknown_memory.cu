// Where the compiler cannot see which memory an atomic is in, tests of its address decide.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// LIMIT: load sm_70 23
// LIMIT: load sm_80 24
// LIMIT: load sm_90+ 28
// LIMIT: store sm_70+ 31
// LIMIT: fetch_add sm_70 45
// LIMIT: fetch_add sm_80 46
// LIMIT: fetch_add sm_90+ 63
// LIMIT: store_add sm_70 33
// LIMIT: store_add sm_80 28
// LIMIT: store_add sm_90+ 41
// SASS: QSPC
#include <cuda/atomic>

using device_atomic = cuda::atomic<unsigned, cuda::thread_scope_device>;

extern "C" __global__ void load(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}

extern "C" __global__ void store(device_atomic** counters, unsigned value) {
  counters[blockIdx.x]->store(value, cuda::memory_order_relaxed);
}

extern "C" __global__ void fetch_add(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->fetch_add(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void store_add(device_atomic** counters) {
  counters[blockIdx.x]->store_add(1, cuda::memory_order_relaxed);
}
