// Misuse with <cuda/atomic>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

// misuse: copied
// Two flags are never one.
// ERROR: deleted
__device__ void use(cuda::atomic_flag& flag) {
  cuda::atomic_flag other(flag);    // wrong
  cuda::atomic_flag& other = flag;  // right
  other.clear();
}

// misuse: test_release
// Reading a flag releases nothing.
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
__device__ bool use(cuda::atomic_flag& flag) {
  return flag.test(cuda::memory_order_release);  // wrong
  return flag.test(cuda::memory_order_acquire);  // right
}

// common:
__device__ void use(cuda::atomic_flag& flag) {
  // misuse: clear_acquire
  // Clearing a flag acquires nothing.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  flag.clear(cuda::memory_order_acquire);  // wrong
  flag.clear(cuda::memory_order_release);  // right

  // misuse: wait_acq_rel
  // Waiting for a flag reads alone.
  // ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
  flag.wait(false, cuda::memory_order_acq_rel);  // wrong
  flag.wait(false, cuda::memory_order_acquire);  // right
}
