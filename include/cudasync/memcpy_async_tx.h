// cuda::device::memcpy_async_tx: bulk copies to shared memory that complete on a block's or a cluster's barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MEMCPY_ASYNC_TX_H
#define CUDASYNC_MEMCPY_ASYNC_TX_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/aligned_size.h>
#include <cudasync/backend/phase/block_phase_device.h>
#include <cudasync/barrier.h>
#include <cudasync/barrier_tx.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/l2_cache_hint.h>
#include <cudasync/memcpy_async.h>
#include <cudasync/ptx/cp_async_bulk.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace device {

template <class Here, class Value, size_t Alignment>
CUDASYNC_DEVICE void check_memcpy_async_tx([[maybe_unused]] Value* destination, [[maybe_unused]] const Value* source,
                                           [[maybe_unused]] size_t size, [[maybe_unused]] ptx::shared_address bar,
                                           [[maybe_unused]] caller where = caller::here()) {
  static_assert(
      !target::lacks<Here, target::sm90>,
      "memcpy_async_tx needs sm_90: older architectures have no bulk copies; copy by assignment there, or compile "
      "with -arch=sm_90");
  static_assert(
      is_trivially_copyable<Value>,
      "memcpy_async_tx needs a trivially copyable type, because it copies bytes; copy other types by assignment");
  static_assert(
      Alignment >= 16,
      "memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers "
      "and the size to 16 bytes");
  CUDASYNC_ASSERT(
      checked::is_place_for_copy(destination, size, bar),
      "memcpy_async_tx: the destination must be in this block's shared memory, as a whole and not over bar");
  CUDASYNC_ASSERT(ptx::is_global(source), "memcpy_async_tx: the source must be in global memory");
  CUDASYNC_ASSERT(least_aligned<Alignment>(destination, source) % Alignment == 0,
                  "memcpy_async_tx: destination and source must be aligned as aligned_size_t promises");
}

// Begins a copy from global to shared memory. Does not block. One thread calls it. The bytes complete on the barrier,
// whose phase must expect them (barrier_arrive_tx or barrier_expect_tx). The barrier and the destination must be in
// this block's shared memory. Both pointers must be aligned to 16 bytes. The checked build reports wrong pointers.
// hint: an l2_cache_hint, if the cache should not do what it does by default. Ordering: the bytes are visible to every
// thread that has waited for that phase. If threads have read or written the destination, or have stored to the source,
// call fence_before_bulk_copy() in this thread before the copy, after it has synchronized with them.
template <class Here = target::here, class Value, size_t Alignment, thread_scope Scope, class Hint = no_cache_hint>
CUDASYNC_DEVICE async_contract_fulfillment memcpy_async_tx(Value* destination, const Value* source,
                                                           aligned_size_t<Alignment> size, barrier<Scope>& bar,
                                                           Hint hint = Hint(), caller where = caller::here()) {
  check_scope_of_transactions<Scope>();
  const ptx::shared_address phase = backend::require_mbarrier(&bar);
  check_memcpy_async_tx<Here, Value, Alignment>(destination, source, size, phase, where);
  checked::record_copied(phase, static_cast<uint32>(size), where);
  bulk_copy(hint, ptx::to_shared(destination), source, static_cast<uint32>(size), phase);
  return async;
}
// Begins the copy on a block's barrier, or on what converts to one (barrier_tx.h). Does not block. Ordering: the bytes
// are visible to every thread that has waited for that phase.
template <class Here = target::here, class Value, size_t Alignment, class Hint = no_cache_hint>
CUDASYNC_DEVICE async_contract_fulfillment memcpy_async_tx(Value* destination, const Value* source,
                                                           aligned_size_t<Alignment> size,
                                                           barrier<thread_scope_block>& bar, Hint hint = Hint(),
                                                           caller where = caller::here()) {
  return memcpy_async_tx<Here, Value, Alignment, thread_scope_block>(destination, source, size, bar, hint, where);
}
// Fails to compile: the size must be an aligned_size_t. The message has the remedy.
template <class Value, class Integer, thread_scope Scope>
CUDASYNC_DEVICE void memcpy_async_tx(Value*, const Value*, Integer, barrier<Scope>&) {
  static_assert(!is_same<Integer, Integer>,
                "memcpy_async_tx needs a size that is a multiple of 16 bytes, as aligned_size_t<16>(bytes): "
                "cp.async.bulk moves 16-byte units");
}

// Begins a copy from global memory to the shared memory of several blocks of the cluster (multicast). Does not block.
// One thread calls it. blocks: one bit for each block, by its rank. The bytes go to the same location in each of the
// blocks, and complete on the barrier at the same location there. Each block must expect them itself. Both pointers
// must be aligned to 16 bytes. Ordering: the bytes are visible to every thread that waits for it in its block.
template <class Here = target::here, class Value, size_t Alignment>
CUDASYNC_DEVICE async_contract_fulfillment memcpy_async_tx_to_blocks(Value* destination, const Value* source,
                                                                     aligned_size_t<Alignment> size,
                                                                     barrier<thread_scope_cluster>& bar, uint16 blocks,
                                                                     caller where = caller::here()) {
  // The operator & would have clang instantiate the barrier, which no architecture before sm_90 has.
  const ptx::shared_address phase = backend::require_mbarrier(__builtin_addressof(bar));
  check_memcpy_async_tx<Here, Value, Alignment>(destination, source, size, phase, where);
  checked::record_copied_to_others(phase, static_cast<uint32>(size), where, blocks);
  ptx::cp_async_bulk(ptx::cluster_address(ptx::to_shared(destination)), source, static_cast<uint32>(size),
                     ptx::cluster_address(phase), blocks);
  return async;
}

}}}  // namespace cudasync::CUDASYNC_ABI::device

#endif  // CUDASYNC_CUDA

#endif
