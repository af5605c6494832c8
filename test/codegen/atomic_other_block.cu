// An atomic operation on an element in the shared memory of another block compiles, and asks at most whether the block is this one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// SASS-LABEL: add:
// SASS: ATOM.E.ADD.STRONG.{{SM|GPU}}
// SASS-LABEL: read:
// SASS: LD.E.STRONG.{{SM|GPU}}
#include <cuda/atomic>

using element = cuda::atomic_ref<unsigned, cuda::thread_scope_cluster>;

extern "C" __global__ void add(unsigned rank) {
  __shared__ unsigned cells[64];
  unsigned* const there = static_cast<unsigned*>(__cluster_map_shared_rank(cells, rank));
  element(there[threadIdx.x]).fetch_add(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void read(unsigned rank, unsigned* found) {
  __shared__ unsigned cells[64];
  unsigned* const there = static_cast<unsigned*>(__cluster_map_shared_rank(cells, rank));
  *found = element(there[threadIdx.x]).load(cuda::memory_order_relaxed);
}
