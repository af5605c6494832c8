// With little optimization, the accesses of an atomic are right in known and unknown memory, and none is lost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 90
// OPTIONS: -Ofc=min
// SASS-LABEL: store_in_global:
// SASS-NOT: EXIT
// SASS: {{STG?.E.STRONG.GPU}}
// SASS: EXIT
// SASS-LABEL: store_in_shared:
// SASS-NOT: BAR
// SASS: {{STS|ST.E.STRONG.SM}}
// SASS: BAR
// SASS-LABEL: store_through_pointer:
// SASS-NOT: EXIT
// SASS: ST.E.STRONG.GPU
// SASS: EXIT
#include <cuda/atomic>

extern "C" {

__global__ void store_in_global(unsigned* place) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*place).store(7, cuda::memory_order_relaxed);
}

__global__ void store_in_shared(unsigned* out, unsigned index) {
  __shared__ unsigned numbers[32];
  cuda::atomic_ref<unsigned, cuda::thread_scope_block>(numbers[index]).store(7, cuda::memory_order_relaxed);
  __syncthreads();
  *out = numbers[threadIdx.x];
}

__global__ void store_through_pointer(unsigned** places) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*places[threadIdx.x]).store(7, cuda::memory_order_relaxed);
}

}  // extern "C"
