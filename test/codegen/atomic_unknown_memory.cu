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
// LIMIT: load_in_block sm_70+ 28
// LIMIT: load_in_cluster sm_70+ 28
// LIMIT: fetch_add_in_block sm_70 45
// LIMIT: fetch_add_in_block sm_80 46
// LIMIT: fetch_add_in_block sm_90+ 63
// The test for the likely space comes first.
// SASS-LABEL: fetch_add:
// SASS: QSPC.E.G
// SASS: QSPC.E.S
// SASS-LABEL: fetch_add_in_block:
// SASS: QSPC.E.S
// SASS: QSPC.E.G
// SASS-LABEL: load:
// SASS: QSPC.E.G
// SASS: QSPC.E.S
// SASS-LABEL: load_in_block:
// SASS: QSPC.E.S
// SASS: QSPC.E.G
// SASS-LABEL: load_in_cluster:
// SASS-SM90+: QSPC.E.S
// SASS-SM90+: QSPC.E.G
// SASS-LABEL: store:
#include <cuda/atomic>

using device_atomic = cuda::atomic<unsigned, cuda::thread_scope_device>;
using block_atomic = cuda::atomic<unsigned, cuda::thread_scope_block>;
using cluster_atomic = cuda::atomic<unsigned, cudasync::thread_scope_cluster>;

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

extern "C" __global__ void load_in_block(block_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}

extern "C" __global__ void load_in_cluster(cluster_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}

extern "C" __global__ void fetch_add_in_block(block_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->fetch_add(1, cuda::memory_order_relaxed);
}
