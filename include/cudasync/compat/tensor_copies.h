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
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {

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

// Blocks until the copies of all bulk groups of this thread except the latest Pending have read their sources.
// cp.async.bulk.wait_group.read.
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

// Begins a copy of the box of a tensor map of one dimension to shared memory, which completes on the barrier. Does not
// block. cp.async.bulk.tensor.1d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_1d_global_to_shared(void* destination, const CUtensorMap* map, int c0,
                                                              block_barrier& bar) {
  load_box<Here>(destination, map, {c0}, bar);
}

// Begins a copy of the box of a tensor map of two dimensions to shared memory, which completes on the barrier. Does not
// block. cp.async.bulk.tensor.2d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_2d_global_to_shared(void* destination, const CUtensorMap* map, int c0, int c1,
                                                              block_barrier& bar) {
  load_box<Here>(destination, map, {c0, c1}, bar);
}

// Begins a copy of the box of a tensor map of three dimensions to shared memory, which completes on the barrier. Does
// not block. cp.async.bulk.tensor.3d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_3d_global_to_shared(void* destination, const CUtensorMap* map, int c0, int c1,
                                                              int c2, block_barrier& bar) {
  load_box<Here>(destination, map, {c0, c1, c2}, bar);
}

// Begins a copy of the box of a tensor map of four dimensions to shared memory, which completes on the barrier. Does
// not block. cp.async.bulk.tensor.4d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_4d_global_to_shared(void* destination, const CUtensorMap* map, int c0, int c1,
                                                              int c2, int c3, block_barrier& bar) {
  load_box<Here>(destination, map, {c0, c1, c2, c3}, bar);
}

// Begins a copy of the box of a tensor map of five dimensions to shared memory, which completes on the barrier. Does
// not block. cp.async.bulk.tensor.5d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_5d_global_to_shared(void* destination, const CUtensorMap* map, int c0, int c1,
                                                              int c2, int c3, int c4, block_barrier& bar) {
  load_box<Here>(destination, map, {c0, c1, c2, c3, c4}, bar);
}

// Begins a copy from shared memory to the box of a tensor map of one dimension, which completes with its bulk group.
// Does not block. cp.async.bulk.tensor.1d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap* map, int c0, const void* source) {
  store_box<Here>(map, {c0}, source);
}

// Begins a copy from shared memory to the box of a tensor map of two dimensions, which completes with its bulk group.
// Does not block. cp.async.bulk.tensor.2d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap* map, int c0, int c1,
                                                              const void* source) {
  store_box<Here>(map, {c0, c1}, source);
}

// Begins a copy from shared memory to the box of a tensor map of three dimensions, which completes with its bulk group.
// Does not block. cp.async.bulk.tensor.3d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2,
                                                              const void* source) {
  store_box<Here>(map, {c0, c1, c2}, source);
}

// Begins a copy from shared memory to the box of a tensor map of four dimensions, which completes with its bulk group.
// Does not block. cp.async.bulk.tensor.4d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2, int c3,
                                                              const void* source) {
  store_box<Here>(map, {c0, c1, c2, c3}, source);
}

// Begins a copy from shared memory to the box of a tensor map of five dimensions, which completes with its bulk group.
// Does not block. cp.async.bulk.tensor.5d.
template <class Here = target::here>
CUDASYNC_DEVICE void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap* map, int c0, int c1, int c2, int c3,
                                                              int c4, const void* source) {
  store_box<Here>(map, {c0, c1, c2, c3, c4}, source);
}

}  // namespace experimental
}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

// CCCL's declarations hide these names: see the end of ptx.h.
namespace cuda::device::experimental {
inline namespace __4 {
using namespace cudasync::compat::experimental;
}  // namespace __4
}  // namespace cuda::device::experimental

#endif  // CUDASYNC_CUDA

#endif
