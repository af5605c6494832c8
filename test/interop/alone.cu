// What <cuda/barrier> alone brings along: the calls of cuda::ptx, the experimental copies, chrono and feature macros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/barrier/cp_async_bulk*, native_handle, expect_tx and arrive_tx
#include <cuda/barrier>

#include "ours.h"
#include "ptx_calls.h"

#if !defined(__cccl_lib_local_barrier_arrive_tx) || !defined(__cccl_lib_experimental_ctk12_cp_async_exposure) || \
    __cccl_lib_barrier != 201907L
#error "a feature macro is missing"
#endif

namespace cde = cuda::device::experimental;

__global__ void experimental_copies(const CUtensorMap* map, int* data) {
  __shared__ block_barrier bar;
  alignas(128) __shared__ int tile[32];
  cde::cp_async_bulk_global_to_shared(tile, data, sizeof(tile), bar);
  cde::cp_async_bulk_tensor_1d_global_to_shared(tile, map, 0, bar);
  cde::cp_async_bulk_tensor_2d_global_to_shared(tile, map, 0, 0, bar);
  cde::cp_async_bulk_tensor_3d_global_to_shared(tile, map, 0, 0, 0, bar);
  cde::cp_async_bulk_tensor_4d_global_to_shared(tile, map, 0, 0, 0, 0, bar);
  cde::cp_async_bulk_tensor_5d_global_to_shared(tile, map, 0, 0, 0, 0, 0, bar);
  cde::fence_proxy_async_shared_cta();
  cde::cp_async_bulk_shared_to_global(data, tile, sizeof(tile));
  cde::cp_async_bulk_tensor_1d_shared_to_global(map, 0, tile);
  cde::cp_async_bulk_tensor_2d_shared_to_global(map, 0, 0, tile);
  cde::cp_async_bulk_tensor_3d_shared_to_global(map, 0, 0, 0, tile);
  cde::cp_async_bulk_tensor_4d_shared_to_global(map, 0, 0, 0, 0, tile);
  cde::cp_async_bulk_tensor_5d_shared_to_global(map, 0, 0, 0, 0, 0, tile);
  cde::cp_async_bulk_commit_group();
  cde::cp_async_bulk_wait_group_read<0>();
}

// What converts to a block's barrier is taken for one.
struct holder_of_barrier {
  block_barrier* bar;
  __device__ operator block_barrier&() const { return *bar; }
};
__device__ void transactions_on_what_converts(holder_of_barrier holder, int4* tile, const int4* data) {
  static_cast<void>(cuda::device::barrier_arrive_tx(holder, 1, 16));
  cuda::device::barrier_expect_tx(holder, 16);
  cuda::device::memcpy_async_tx(tile, data, cuda::aligned_size_t<16>(16), holder);
  static_cast<void>(cuda::device::barrier_native_handle(holder));
}

namespace chrono = cuda::std::chrono;
static_assert(chrono::seconds(1) + chrono::milliseconds(500) == chrono::nanoseconds(1500000000), "");
static_assert(chrono::duration_cast<chrono::seconds>(chrono::milliseconds(1999)) == chrono::seconds(1), "");
// A quotient of periods that is too large for either count.
using microseconds_as_int = chrono::duration<int, chrono::microseconds::period>;
static_assert(chrono::duration_cast<chrono::hours>(microseconds_as_int(1000000000)).count() == 0, "");
static_assert(chrono::duration<double>(0.5) * 4 > chrono::seconds(1), "");
static_assert(-chrono::minutes(60) / 2 == chrono::minutes(-30), "");
static_assert(chrono::nanoseconds::max().count() == 0x7fffffffffffffff, "");
static_assert(chrono::duration<short>::min().count() == -0x8000 && chrono::duration<unsigned>::max().count() == ~0u,
              "");
static_assert(chrono::hours::zero() > chrono::hours::min(), "");
static_assert(chrono::system_clock::time_point::min().time_since_epoch() == chrono::nanoseconds::min(), "");

__host__ __device__ bool timed_waits(block_barrier& bar) {
  const auto start = chrono::system_clock::now();
  const chrono::steady_clock::time_point deadline = chrono::steady_clock::now() + chrono::seconds(1);
  return bar.try_wait_parity_until(true, chrono::high_resolution_clock::now() + chrono::milliseconds(1)) &&
         chrono::steady_clock::now() < deadline && chrono::system_clock::now() - start < chrono::seconds(1);
}
