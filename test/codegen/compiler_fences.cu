// What is no instruction is still a fence for the compiler: it neither drops nor combines accesses across it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 90
#include <cuda/atomic>
#include <cudasync/grid_dependency.h>

extern "C" {

// PTX-LABEL: .entry fence_of_a_thread(
// PTX-COUNT-2: st.global.u32
// PTX-LABEL: .entry fence_for_signals(
__global__ void fence_of_a_thread(int* word) {
  *word = 1;
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_thread);
  *word = 2;
}

// PTX-COUNT-2: st.global.u32
// PTX-LABEL: .entry wait_for_grids(
__global__ void fence_for_signals(int* word) {
  *word = 1;
  cuda::atomic_signal_fence(cuda::memory_order_acq_rel);
  *word = 2;
}

// PTX-COUNT-2: ld.global.u32
__global__ void wait_for_grids(const int* word, int* result) {
  const int before = *word;
  cudasync::wait_for_prerequisite_grids();
  *result = before + *word;
}
}
