// Transactions: bytes that a phase waits for, beside its arrivals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ barrier::arrival_token begin_copy(barrier& bar, float* tile, const float* source, bool elected) {
  // [token]
  constexpr int bytes = 4096;
  barrier::arrival_token token;
  if (elected) {
    cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(bytes), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, bytes);  // one arrival, 4096 bytes
  } else {
    token = bar.arrive();  // one arrival
  }
  // [end token]
  return token;
}

__device__ void two_parts(barrier& bar, float* tile, const float* first, const float* second) {
  // [expect]
  cuda::device::barrier_expect_tx(bar, 4096);
  cuda::device::memcpy_async_tx(tile, first, cuda::aligned_size_t<16>(2048), bar);
  cuda::device::memcpy_async_tx(tile + 512, second, cuda::aligned_size_t<16>(2048), bar);
  barrier::arrival_token token = bar.arrive();  // barrier_expect_tx does not arrive
  bar.wait(std::move(token));
  // [end expect]
}

__device__ void keep_in_l2(barrier& bar, float* tile, const float* source) {
  // [hint]
  const auto hint = cudasync::l2_cache_hint::evict_last();
  cuda::device::memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(4096), bar, hint);
  // [end hint]
}
