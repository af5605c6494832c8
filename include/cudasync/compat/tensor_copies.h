// cuda::device::experimental: bulk copies of bytes and of tensors with a block's barrier, as in the CUDA guide.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_TENSOR_COPIES_H
#define CUDASYNC_COMPAT_TENSOR_COPIES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/phase/block_phase_device.h>
#include <cudasync/barrier.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/fence.h>

// Coordinates are in elements, the innermost dimension first. Copies to shared memory complete on the barrier, whose
// phase must expect the bytes (barrier_arrive_tx); copies to global memory complete with their group.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

using block_barrier = barrier<thread_scope_block>;

template <class Here>
CUDASYNC_DEVICE void check_bulk_copy() {
  static_assert(!target::lacks<Here, target::sm90>, "bulk copies need sm_90: compile with -arch=sm_90 or newer");
}

template <class Here, size_t Rank>
CUDASYNC_DEVICE void load_box(void* destination, const CUtensorMap* map, const int32 (&at)[Rank], block_barrier& bar) {
  check_bulk_copy<Here>();
  ptx::cp_async_bulk_tensor(ptx::to_shared(destination), map, at, backend::require_mbarrier(&bar));
}

template <class Here, size_t Rank>
CUDASYNC_DEVICE void store_box(const CUtensorMap* map, const int32 (&at)[Rank], const void* source) {
  check_bulk_copy<Here>();
  ptx::cp_async_bulk_tensor(map, at, ptx::to_shared(source));
}

namespace experimental {

// Makes a group of the bulk copies to global memory that this thread has begun since its last group. Does not block.
using ptx::cp_async_bulk_commit_group;

// Orders ordinary accesses to this block's shared memory and those of the copy engine. fence.proxy.async.shared::cta.
CUDASYNC_DEVICE void fence_proxy_async_shared_cta() {
  ptx::fence_proxy_async(ptx::space_shared_t{});
}

// Blocks until this thread's bulk groups but the last Pending have read their sources. cp.async.bulk.wait_group.read.
template <int Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group_read() {
  static_assert(Pending >= 0, "cp_async_bulk_wait_group_read<n>: n is a number of groups, 0 or more");
  ptx::cp_async_bulk_wait_group_read<Pending>();
}

// Begins a copy of size bytes from global to shared memory, which completes on the barrier. Does not block. Pointers
// and size must be multiples of 16. cp.async.bulk.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_global_to_shared(void* destination, const void* source, uint32 size,
                                                    block_barrier& bar) {
  check_bulk_copy<Here>();
  ptx::cp_async_bulk(ptx::to_shared(destination), source, size, backend::require_mbarrier(&bar));
}

// Begins a copy of size bytes from shared to global memory, which completes with its bulk group. Does not block.
// Pointers and size must be multiples of 16. cp.async.bulk.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_shared_to_global(void* destination, const void* source, uint32 size) {
  check_bulk_copy<Here>();
  ptx::cp_async_bulk(destination, ptx::to_shared(source), size);
}

// Of the box of a tensor map. cp.async.bulk.tensor.
// clang-format off
#define CUDASYNC_LIST(...) __VA_ARGS__
#define CUDASYNC_LOAD_BOX(RANK, COORDINATES, ...)                                              \
  template <class Here = target::here>                                                         \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_##RANK##_global_to_shared(                         \
      void* destination, const CUtensorMap* map, CUDASYNC_LIST COORDINATES, block_barrier& bar) { \
    load_box<Here>(destination, map, {__VA_ARGS__}, bar);                                      \
  }
#define CUDASYNC_STORE_BOX(RANK, COORDINATES, ...)                                             \
  template <class Here = target::here>                                                         \
  CUDASYNC_DEVICE void cp_async_bulk_tensor_##RANK##_shared_to_global(                         \
      const CUtensorMap* map, CUDASYNC_LIST COORDINATES, const void* source) {                 \
    store_box<Here>(map, {__VA_ARGS__}, source);                                               \
  }
// Begins a copy of a box of one dimension to shared memory, which completes on the barrier. Does not block.
CUDASYNC_LOAD_BOX(1d, (int c0), c0)
// Begins a copy of a box of two dimensions to shared memory, which completes on the barrier. Does not block.
CUDASYNC_LOAD_BOX(2d, (int c0, int c1), c0, c1)
// Begins a copy of a box of three dimensions to shared memory, which completes on the barrier. Does not block.
CUDASYNC_LOAD_BOX(3d, (int c0, int c1, int c2), c0, c1, c2)
// Begins a copy of a box of four dimensions to shared memory, which completes on the barrier. Does not block.
CUDASYNC_LOAD_BOX(4d, (int c0, int c1, int c2, int c3), c0, c1, c2, c3)
// Begins a copy of a box of five dimensions to shared memory, which completes on the barrier. Does not block.
CUDASYNC_LOAD_BOX(5d, (int c0, int c1, int c2, int c3, int c4), c0, c1, c2, c3, c4)
// Begins a copy of a box of one dimension from shared memory, which completes with its bulk group. Does not block.
CUDASYNC_STORE_BOX(1d, (int c0), c0)
// Begins a copy of a box of two dimensions from shared memory, which completes with its bulk group. Does not block.
CUDASYNC_STORE_BOX(2d, (int c0, int c1), c0, c1)
// Begins a copy of a box of three dimensions from shared memory, which completes with its bulk group. Does not block.
CUDASYNC_STORE_BOX(3d, (int c0, int c1, int c2), c0, c1, c2)
// Begins a copy of a box of four dimensions from shared memory, which completes with its bulk group. Does not block.
CUDASYNC_STORE_BOX(4d, (int c0, int c1, int c2, int c3), c0, c1, c2, c3)
// Begins a copy of a box of five dimensions from shared memory, which completes with its bulk group. Does not block.
CUDASYNC_STORE_BOX(5d, (int c0, int c1, int c2, int c3, int c4), c0, c1, c2, c3, c4)
#undef CUDASYNC_LIST
#undef CUDASYNC_LOAD_BOX
#undef CUDASYNC_STORE_BOX
// clang-format on

}  // namespace experimental
}}}  // namespace cudasync::CUDASYNC_ABI::compat

// CCCL's declarations hide these names: see the end of ptx.h.
namespace cuda::device::experimental { inline namespace __4 {
using namespace cudasync::compat::experimental;
}}  // namespace cuda::device::experimental::__4

#endif  // CUDASYNC_CUDA

#endif
