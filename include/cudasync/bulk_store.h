// Bulk copies and additions from shared to global memory, which complete in groups, and the prefetch into L2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BULK_STORE_H
#define CUDASYNC_BULK_STORE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/aligned_size.h>
#include <cudasync/bulk_fence.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/l2_cache_hint.h>
#include <cudasync/memcpy_async_tx.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/cp_reduce_async_bulk.h>

// sm_90 and newer. The order is always the same: threads write shared memory by assignment and synchronize. Then one
// thread calls fence_before_bulk_copy, bulk_store or bulk_store_add, and bulk_commit. Before the memory is written
// again, the same thread calls bulk_wait_read, and the threads synchronize.
namespace cudasync { inline namespace CUDASYNC_ABI {
namespace device {

template <class Here, size_t Alignment>
CUDASYNC_DEVICE void check_bulk_store([[maybe_unused]] const void* destination, [[maybe_unused]] const void* source) {
  require_bulk_copies<Here>();
  static_assert(
      Alignment >= 16,
      "bulk_store needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and "
      "the size to 16 bytes");
  CUDASYNC_ASSERT(ptx::is_global(destination), "bulk_store: the destination must be in global memory");
  CUDASYNC_ASSERT(ptx::is_shared_to_assert(source), "bulk_store: the source must be in this block's shared memory");
  CUDASYNC_ASSERT(least_aligned<Alignment>(destination, source) % Alignment == 0,
                  "bulk_store: destination and source must be aligned as aligned_size_t promises");
}

// Begins a copy from this block's shared memory to global memory. Does not block. It completes with the group of the
// next bulk_commit. Both pointers must be aligned to 16 bytes; the checked build reports others. size: in bytes, a
// multiple of 16. hint: an l2_cache_hint, or none. Call fence_before_bulk_copy first if threads wrote the source.
template <class Here = target::here, size_t Alignment, class Hint = no_cache_hint>
CUDASYNC_DEVICE void bulk_store(void* destination, const void* source, aligned_size_t<Alignment> size,
                                Hint hint = Hint()) {
  check_bulk_store<Here, Alignment>(destination, source);
  bulk_copy(hint, destination, ptx::to_shared(source), static_cast<uint32>(size));
}

// Fails to compile: the size must be an aligned_size_t. The message has the remedy.
template <class Integer>
CUDASYNC_DEVICE void bulk_store(void*, const void*, Integer) {
  static_assert(
      !is_same<Integer, Integer>,
      "bulk_store needs a size that is a multiple of 16 bytes, as aligned_size_t<16>(bytes): cp.async.bulk moves "
      "16-byte units");
}

// Begins a copy from this block's shared memory to the box of a tensor map at these coordinates, in elements, the
// innermost dimension first. Does not block. It completes with the group of the next bulk_commit. The source must be
// aligned to 128 bytes; the checked build reports others.
template <class Here = target::here, size_t Rank>
CUDASYNC_DEVICE void bulk_store(const CUtensorMap* map, const int32 (&box)[Rank], const void* source) {
  require_bulk_copies<Here>();
  static_assert(Rank <= 5, "bulk_store: a tensor map has 1 to 5 dimensions; give as many coordinates");
  CUDASYNC_ASSERT(ptx::is_shared_to_assert(source), "bulk_store: the source must be in this block's shared memory");
  CUDASYNC_ASSERT(reinterpret_cast<uintptr>(source) % 128 == 0,
                  "bulk_store: a box's source must be aligned to 128 bytes; declare it alignas(128)");
  if constexpr (Rank <= 5) ptx::cp_async_bulk_tensor(map, box, ptx::to_shared(source));
}

// Begins to add each element of an array in this block's shared memory to the element in global memory: relaxed, at
// device scope. Does not block. It completes with the group of the next bulk_commit. Value: an integer of 4 or 8 bytes,
// float, double, __half or __nv_bfloat16; other types fail to compile. Both pointers must be aligned to 16 bytes.
template <class Here = target::here, class Value, size_t Alignment>
CUDASYNC_DEVICE void bulk_store_add(Value* destination, const Value* source, aligned_size_t<Alignment> size) {
  check_bulk_store<Here, Alignment>(destination, source);
  constexpr number_kind kind = kind_of<Value>;
  static_assert((kind == number_kind::integer && sizeof(Value) >= 4 && sizeof(Value) <= 8) || is_float<Value>,
                "bulk_store_add needs elements that the copy engine can add: integers of 4 or 8 bytes, float, double, "
                "__half or __nv_bfloat16");
  using wide = conditional<sizeof(Value) == 8, uint64, uint32>;
  using element = conditional<kind == number_kind::half, ptx::f16_element,
                              conditional<kind == number_kind::bfloat, ptx::bf16_element,
                                          conditional<kind == number_kind::integer, wide, Value>>>;
  ptx::cp_reduce_async_bulk_add(reinterpret_cast<element*>(destination), ptx::to_shared(source),
                                static_cast<uint32>(size));
}

// Makes a group of the stores that this thread has begun since its last commit. Does not block.
template <class Here = target::here>
CUDASYNC_DEVICE void bulk_commit() {
  require_bulk_copies<Here>();
  ptx::cp_async_bulk_commit_group();
}

// Blocks until all groups of this thread except the latest Pending are complete. Threads that synchronize with this
// thread afterwards see what was stored.
template <int Pending = 0, class Here = target::here>
CUDASYNC_DEVICE void bulk_wait() {
  require_bulk_copies<Here>();
  ptx::cp_async_bulk_wait_group<Pending>();
}

// Blocks until the stores of all groups of this thread except the latest Pending have read their shared memory, which
// may then be written again. The data may not be in global memory yet.
template <int Pending = 0, class Here = target::here>
CUDASYNC_DEVICE void bulk_wait_read() {
  require_bulk_copies<Here>();
  ptx::cp_async_bulk_wait_group_read<Pending>();
}

// Begins to load global memory into the L2 cache. Does not block, and there is no wait for it. The source must be in
// global memory and aligned to 16 bytes; the checked build reports others.
template <class Here = target::here, size_t Alignment>
CUDASYNC_DEVICE void prefetch_to_l2(const void* source, aligned_size_t<Alignment> size) {
  require_bulk_copies<Here>();
  static_assert(Alignment >= 16,
                "prefetch_to_l2 needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align the buffer "
                "and the size to 16 bytes");
  CUDASYNC_ASSERT(ptx::is_global(source), "prefetch_to_l2: the source must be in global memory");
  CUDASYNC_ASSERT(reinterpret_cast<uintptr>(source) % Alignment == 0,
                  "prefetch_to_l2: the source must be aligned as aligned_size_t promises; align it, or promise less");
  ptx::cp_async_bulk_prefetch_L2(source, static_cast<uint32>(size));
}

}  // namespace device

// One thread's ring of stages on the way from shared to global memory. In each round, the storing thread calls acquire,
// and the threads synchronize. Then all threads write stage index(), and synchronize. Then the storing thread calls
// device::fence_before_bulk_copy, device::bulk_store or bulk_store_add, and commit. All threads may keep a copy of the
// ring. Only the storing thread calls acquire, commit and drain; the other threads call skip.
template <uint32 Stages>
class bulk_store_ring {
 public:
  // The stage that is written and stored next.
  [[nodiscard]] CUDASYNC_DEVICE uint32 index() const { return at_.index(); }

  // Blocks until what this thread last stored from the stage has been read.
  CUDASYNC_DEVICE void acquire() const { device::bulk_wait_read<static_cast<int>(Stages) - 1>(); }

  // Commits what this thread has begun to store from the stage, and goes to the next stage.
  CUDASYNC_DEVICE void commit() {
    device::bulk_commit();
    at_.advance();
  }

  // Goes to the next stage, in a thread that stores nothing.
  CUDASYNC_DEVICE void skip() { at_.advance(); }

  // Blocks until everything is stored.
  CUDASYNC_DEVICE void drain() const { device::bulk_wait(); }

 private:
  ring_state<Stages> at_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
