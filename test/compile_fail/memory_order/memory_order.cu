// Misuse with <cuda/atomic>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

// misuse: load_release_on_host
// A load releases nothing, on the host neither.
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
// COMPILERS: host
inline int use(cuda::atomic<int>& counter) {
  return counter.load(cuda::memory_order_release);  // wrong
  return counter.load(cuda::memory_order_acquire);  // right
}

// misuse: number_for_fence
// A number is no order.
// ERROR: the order of a fence is a cuda::memory_order
__device__ void use() {
  cuda::atomic_thread_fence(2);                           // wrong
  cuda::atomic_thread_fence(cuda::memory_order_acquire);  // right
}

// common:
__device__ bool use(int& expected, cuda::atomic<int>& counter) {
  // misuse: failure_acq_rel
  // A failed compare-exchange stores nothing.
  // ERROR: a failed compare-exchange stores nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst on failure
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel, cuda::memory_order_acq_rel);  // wrong
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel, cuda::memory_order_acquire);  // right

  // misuse: failure_release
  // A failed compare-exchange stores nothing.
  // ERROR: a failed compare-exchange stores nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst on failure
  return counter.compare_exchange_weak(expected, 1, cuda::memory_order_release, cuda::memory_order_release);  // wrong
  return counter.compare_exchange_weak(expected, 1, cuda::memory_order_release, cuda::memory_order_relaxed);  // right

  // misuse: number_for_compare_exchange
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  return counter.compare_exchange_strong(expected, 1, 0);                           // wrong
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed);  // right

  // misuse: number_for_failure
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed, 0);                           // wrong
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed);  // right
}

// common:
__device__ int use(cuda::atomic<int>& counter) {
  // misuse: load_acq_rel
  // A load releases nothing.
  // ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
  return counter.load(cuda::memory_order_acq_rel);  // wrong
  return counter.load(cuda::memory_order_acquire);  // right

  // misuse: load_release
  // A load releases nothing.
  // ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
  // COMPILERS: nvrtc nvcc
  return counter.load(cuda::memory_order_release);  // wrong
  return counter.load(cuda::memory_order_acquire);  // right

  // misuse: number_for_addition
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  return counter.fetch_add(1, 0);                           // wrong
  return counter.fetch_add(1, cuda::memory_order_relaxed);  // right

  // misuse: number_for_load
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  return counter.load(2);                           // wrong
  return counter.load(cuda::memory_order_acquire);  // right

  // misuse: wait_for_predicate_acq_rel
  // Waiting reads alone.
  // ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
  return counter.wait([](int value) { return value > 0; }, cuda::memory_order_acq_rel);  // wrong
  return counter.wait([](int value) { return value > 0; }, cuda::memory_order_acquire);  // right
}

// common:
__device__ void use(cuda::atomic<int>& counter) {
  // misuse: number_for_store
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  counter.store(1, 3);                           // wrong
  counter.store(1, cuda::memory_order_release);  // right

  // misuse: number_for_wait
  // A number is no order.
  // ERROR: the order of an atomic operation is a cuda::memory_order
  counter.wait(0, 2);                           // wrong
  counter.wait(0, cuda::memory_order_acquire);  // right

  // misuse: store_acq_rel
  // A store acquires nothing.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  counter.store(1, cuda::memory_order_acq_rel);  // wrong
  counter.store(1, cuda::memory_order_release);  // right

  // misuse: store_acquire
  // A store acquires nothing.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  counter.store(1, cuda::memory_order_acquire);  // wrong
  counter.store(1, cuda::memory_order_release);  // right

  // misuse: store_add_acq_rel
  // An addition without a result acquires nothing.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  counter.store_add(1, cuda::memory_order_acq_rel);  // wrong
  counter.store_add(1, cuda::memory_order_release);  // right

  // misuse: store_add_acquire
  // An addition without a result acquires nothing.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  counter.store_add(1, cuda::memory_order_acquire);  // wrong
  counter.store_add(1, cuda::memory_order_relaxed);  // right

  // misuse: store_consume
  // A store acquires nothing, and consume is an acquire.
  // ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
  counter.store(1, cuda::memory_order_consume);  // wrong
  counter.store(1, cuda::memory_order_relaxed);  // right

  // misuse: wait_release
  // Waiting reads alone.
  // ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
  counter.wait(0, cuda::memory_order_release);  // wrong
  counter.wait(0, cuda::memory_order_acquire);  // right
}
