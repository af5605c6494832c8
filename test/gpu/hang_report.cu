// The checked build explains misuse: each case runs in a process of its own, which must print the reason and fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
#include "../support/misuse.h"

#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

__device__ device_barrier in_global_memory;
__device__ unsigned char source[64];

// The argument is 0. It hides wrong values from the compiler, and memory spaces, of which some make nvcc 13.0 crash.

// --- Hangs: a thread waits for an arrival that never comes ---

__global__ void one_arrival_short(int) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait();
}
__global__ void one_arrival_short_in_global_memory(int) {
  if (threadIdx.x == 0) init(&in_global_memory, blockDim.x + 1);
  __syncthreads();
  in_global_memory.wait(in_global_memory.arrive());
}
__global__ void wrong_parity(int) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(bar.arrive());
  bar.wait_parity(true);
}

// --- Preconditions ---

__global__ void update_of_zero(int zero) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(bar.arrive(zero));
}
__global__ void update_too_large(int zero) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(bar.arrive((block_barrier::max)() + 1 + zero));
}
__global__ void negative_expected(int zero) {
  init(&in_global_memory, zero - 1);
}
__global__ void expected_too_large(int zero) {
  __shared__ block_barrier bar;
  init(&bar, (block_barrier::max)() + 1 + zero);
}

#if !defined(CUDASYNC_FORCE_TARGET)
__global__ void bytes_that_never_come(int) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  bar.wait(cuda::device::barrier_arrive_tx(bar, 1, 16));
}
__global__ void transaction_on_a_barrier_in_global_memory(int zero) {
  __shared__ block_barrier bar;
  block_barrier& global = reinterpret_cast<block_barrier&>(in_global_memory);
  cuda::device::barrier_expect_tx(zero == 0 ? global : bar, 16);
}
__global__ void negative_transaction_count(int zero) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, zero - 1));
}
__global__ void copy_from_shared_memory(int) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  cuda::device::memcpy_async_tx(tile, tile + 32, cuda::aligned_size_t<16>(32), bar);
}
__global__ void copy_to_global_memory(int zero) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  cuda::device::memcpy_async_tx(zero == 0 ? source : tile, source + 32, cuda::aligned_size_t<16>(32), bar);
}
__global__ void copy_beyond_shared_memory(int zero) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  cuda::device::memcpy_async_tx(tile + (0x40000 << zero), source, cuda::aligned_size_t<16>(32), bar);
}
__global__ void copy_over_its_barrier(int zero) {
  __shared__ struct {
    alignas(16) unsigned char tile[32];
    block_barrier bar;
    unsigned char end[32];
  } all;
  init(&all.bar, 1);
  cuda::device::memcpy_async_tx(all.tile + zero, source, cuda::aligned_size_t<16>(48), all.bar);
}
__global__ void misaligned_copy(int zero) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  cuda::device::memcpy_async_tx(tile + 4 + zero, source, cuda::aligned_size_t<16>(32), bar);
}
__global__ void misaligned_size(int zero) {
  __shared__ block_barrier bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 1);
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(static_cast<size_t>(24 + zero)), bar);  // <size>
}
__global__ void barrier_of_another_block(int zero) {
  __shared__ block_barrier bar;
  init(&bar, 1);
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  unsigned rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(1 - rank + zero));
  unsigned long long remote = 0;
  asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(remote) : "l"(static_cast<unsigned long long>(address)));
  reinterpret_cast<block_barrier*>(remote)->arrive();
}
__global__ void reduction_in_its_own_block(int) {
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  __shared__ unsigned sum;
  init(&bar, 1);
  cudasync::remote_barrier(bar, cudasync::this_cluster().block_rank()).add_async(&sum, 1);
}
__global__ void remote_store_without_a_cluster(int) {
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  __shared__ unsigned value;
  init(&bar, 1);
  cudasync::remote_barrier(bar, 0).store_async(&value, 1);
}
#endif

// --- The cases, and what each must print ---

#define MISUSE(KERNEL, ...) MISUSE_IN((gpu_test::shape{1, 1}), KERNEL, __VA_ARGS__)

const misuse cases[] = {
    MISUSE(one_arrival_short, "cudasync: hang: no progress for 100 ms. In block (0,0,0) of 1 threads",
           "thread 0 waits at", "likely cause: ", "init"),
    MISUSE(one_arrival_short_in_global_memory, "barrier (kept as a counter)", "1 arrival of the phase is missing"),
    MISUSE(wrong_parity, "thread 0 waits at", "for parity 1", "likely cause: ", "parity"),
    MISUSE(update_of_zero, "barrier::arrive: update must be 1 to max()", "compared at line ", ": 0, 1048575"),
    MISUSE(update_too_large, "barrier::arrive: update must be 1 to max()"),
    MISUSE(negative_expected, "init: expected must be 0 to max()", "compared at line ", ": -1, "),
    MISUSE(expected_too_large, "init: expected must be 0 to max()"),
#if !defined(CUDASYNC_FORCE_TARGET)
    MISUSE(bytes_that_never_come, "1 arrival of 1, 16 bytes outstanding", "16 bytes were expected",
           "no copy was started on this barrier"),
    MISUSE(transaction_on_a_barrier_in_global_memory,
           "transactions and remote arrivals need a barrier in shared memory"),
    MISUSE(negative_transaction_count, "barrier_tx: transaction_count must be 0 to 2^20 - 1"),
    MISUSE(copy_from_shared_memory, "memcpy_async_tx: the source must be in global memory"),
    MISUSE(copy_to_global_memory, "memcpy_async_tx: the destination must be in this block's shared memory"),
    MISUSE(copy_beyond_shared_memory, "this block's shared memory, as a whole and not over bar"),
    MISUSE(copy_over_its_barrier, "this block's shared memory, as a whole and not over bar"),
    MISUSE(misaligned_copy, "memcpy_async_tx: destination and source must be aligned"),
    MISUSE_IN((gpu_test::shape{2, 1, 0, false, 2}), barrier_of_another_block,
              "barrier<thread_scope_block> of another block: use barrier<thread_scope_cluster> and remote_barrier"),
    MISUSE_IN((gpu_test::shape{2, 1, 0, false, 2}), reduction_in_its_own_block,
              "remote_barrier: red.async is for another block; in this block, use an atomic_ref and arrive"),
    MISUSE(remote_store_without_a_cluster,
           "remote_barrier::store_async: st.async needs a cluster of more than one block"),
    MISUSE(misaligned_size, "<size>: cudasync: aligned_size_t: the size must be a multiple of the alignment",
           "compared at line ", ": 24, 16"),
#endif
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
