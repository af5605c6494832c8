// Transactions and bulk copies on a block's barrier are the instructions that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// PTX: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint
// SASS: UBLKCP
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

extern "C" {

__global__ void ours_arrive_tx() {
  extern __shared__ block_barrier bars[];
  cuda::device::barrier_arrive_tx(bars[0], 1, 4096);
}
__global__ void hand_arrive_tx() {
  extern __shared__ block_barrier bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 4096;" : "=l"(state) : "r"(address_of(bars)) : "memory");
}

__global__ void ours_arrive_tx_three() {
  extern __shared__ block_barrier bars[];
  cuda::device::barrier_arrive_tx(bars[0], 3, 4096);
}
__global__ void hand_arrive_tx_three() {
  extern __shared__ block_barrier bars[];
  const unsigned bar = address_of(bars);
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 4096;" ::"r"(bar) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 3;" : "=l"(state) : "r"(bar) : "memory");
}

__global__ void ours_expect_tx() {
  extern __shared__ block_barrier bars[];
  cuda::device::barrier_expect_tx(bars[0], 4096);
}
__global__ void hand_expect_tx() {
  extern __shared__ block_barrier bars[];
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 4096;" ::"r"(address_of(bars)) : "memory");
}

__global__ void ours_complete_tx() {
  extern __shared__ block_barrier bars[];
  cudasync::device::barrier_complete_tx(bars[0], 4096);
}
__global__ void hand_complete_tx() {
  extern __shared__ block_barrier bars[];
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4096;" ::"r"(address_of(bars)) : "memory");
}

__global__ void ours_arrive_and_drop_tx() {
  extern __shared__ block_barrier bars[];
  cudasync::device::barrier_arrive_and_drop_tx(bars[0], 64);
}
__global__ void hand_arrive_and_drop_tx() {
  extern __shared__ block_barrier bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive_drop.expect_tx.shared.b64 %0, [%1], 64;"
               : "=l"(state)
               : "r"(address_of(bars))
               : "memory");
}

__global__ void ours_copy(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ block_barrier bars[];
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(sizeof(tile)), bars[0]);
}
__global__ void hand_copy(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ block_barrier bars[];
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(address_of(tile)),
      "l"(__cvta_generic_to_global(source)), "r"(address_of(bars))
      : "memory");
}

__global__ void ours_copy_evict_first(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ block_barrier bars[];
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(sizeof(tile)), bars[0],
                                cudasync::l2_cache_hint::evict_first());
}
__global__ void hand_copy_evict_first(const int* source) {
  alignas(16) __shared__ int tile[1024];
  extern __shared__ block_barrier bars[];
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 4096, [%2], %3;" ::"r"(
          address_of(tile)),
      "l"(__cvta_generic_to_global(source)), "r"(address_of(bars)), "l"(policy)
      : "memory");
}

__global__ void ours_pending_count(unsigned* count) {
  extern __shared__ block_barrier bars[];
  *count = cudasync::device::barrier_pending_count(bars[0].arrive());
}
__global__ void hand_pending_count(unsigned* count) {
  extern __shared__ block_barrier bars[];
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address_of(bars)) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(*count) : "l"(state));
}

}  // extern "C"
