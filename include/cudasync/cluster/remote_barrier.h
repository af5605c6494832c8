// remote_barrier: a barrier in another block of the cluster, to arrive on and to copy to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CLUSTER_REMOTE_BARRIER_H
#define CUDASYNC_CLUSTER_REMOTE_BARRIER_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/aligned_size.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/barrier.h>
#include <cudasync/barrier_tx.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/watch.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/st_async.h>
#include <cudasync/thread_block.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A handle to the barrier in another block of the cluster: the same __shared__ variable there. It provides what the
// hardware can do from another block: arrive, expect bytes, and send bytes or values. Only threads there can wait.
//
// That block must have initialized its barrier (init_barriers(this_cluster(), ...) ensures this) and must not have
// exited (cluster_exit_guard). sm_90 and newer.
//
// Ordering: arrivals release at cluster scope, and waits of a barrier<thread_scope_cluster> acquire there.
class remote_barrier {
 public:
  // A handle to the barrier at the location of bar in the block of this rank in the cluster. bar: this block's barrier,
  // in shared memory. block_rank: less than the number of blocks; the checked build reports others.
  template <thread_scope Scope>
  CUDASYNC_DEVICE remote_barrier(barrier<Scope>& bar, uint32 block_rank)
      : bar_(ptx::mapa(backend::require_mbarrier(&bar), block_rank)), block_rank_(block_rank) {
    static_assert(Scope == thread_scope_cluster,
                  "remote_barrier needs barrier<thread_scope_cluster>: a barrier of block scope orders nothing between "
                  "blocks");
    CUDASYNC_ASSERT(block_rank < this_cluster().num_blocks(), "remote_barrier: the cluster has no block of this rank");
  }

  // The rank in the cluster of the block that has the barrier.
  [[nodiscard]] CUDASYNC_DEVICE uint32 block_rank() const { return block_rank_; }

  // Arrives. Does not block. Releases at cluster scope. update: the arrivals, 1 to what the phase still expects.
  CUDASYNC_DEVICE void arrive(ptrdiff_t update = 1, caller where = caller::here()) const {
    const trace::span traced(trace::action::arrive, {bar_, static_cast<uint64>(update)}, where);
    constexpr ptrdiff_t most = barrier_traits<thread_scope_cluster, backend::empty_completion>::max_arrivals;
    static_cast<void>(most);
    CUDASYNC_ASSERT(update <= most && update > 0, "remote_barrier::arrive: update must be 1 to max()");
    const uint32 arrivals = static_cast<uint32>(update);
    checked::arrive_in_block(
        bar_, block_rank_, arrivals,
        [this, arrivals] { ptx::mbarrier_arrive(ptx::sem_release_t{}, ptx::scope_cluster_t{}, bar_, arrivals); },
        where);
  }

  // Arrives once, and lowers the expected count of all later phases by one. Does not block. Releases at cluster scope.
  CUDASYNC_DEVICE void arrive_and_drop(caller where = caller::here()) const {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::arrive_and_drop, {bar_}, where);
    ptx::mbarrier_arrive_drop(ptx::sem_release_t{}, ptx::scope_cluster_t{}, bar_, 1);
  }

  // Expects transaction_count bytes in the current phase, then arrives once. Does not block. Releases at cluster scope.
  // transaction_count: 0 to 2^20 - 1.
  CUDASYNC_DEVICE void arrive_tx(ptrdiff_t transaction_count, caller where = caller::here()) const {
    const trace::span traced(trace::action::arrive_tx, {bar_, static_cast<uint64>(transaction_count)}, where);
    check_bytes(transaction_count, where);
    const uint32 bytes = static_cast<uint32>(transaction_count);
    checked::arrive_in_block(
        bar_, block_rank_, 1,
        [this, bytes] { ptx::mbarrier_arrive_expect_tx(ptx::sem_release_t{}, ptx::scope_cluster_t{}, bar_, bytes); },
        where);
  }

  // Expects transaction_count bytes in the current phase. Does not arrive, does not block, and orders nothing.
  // transaction_count: 0 to 2^20 - 1.
  CUDASYNC_DEVICE void expect_tx(ptrdiff_t transaction_count, caller where = caller::here()) const {
    const trace::span traced(trace::action::expect_tx, {bar_, static_cast<uint64>(transaction_count)}, where);
    check_bytes(transaction_count, where);
    ptx::mbarrier_expect_tx(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{}, bar_, static_cast<uint32>(transaction_count));
  }

  // Begins a copy from this block's shared memory to the same location in the block of the barrier. The copy completes
  // on that barrier. Both pointers are aligned to 16 bytes. If threads have written the source by assignment, call
  // fence_before_bulk_copy before. The kernel must be launched in clusters; otherwise the instruction is illegal.
  // Ordering: the bytes are visible to every thread that has waited for the phase that expected them.
  template <class Value, size_t Alignment>
  CUDASYNC_DEVICE void memcpy_async_tx(Value* destination, const Value* source, aligned_size_t<Alignment> size,
                                       caller where = caller::here()) const {
    static_assert(is_trivially_copyable<Value>,
                  "remote_barrier::memcpy_async_tx needs a trivially copyable type, because it copies bytes");
    static_assert(
        Alignment >= 16,
        "remote_barrier::memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; "
        "align both buffers and the size to 16 bytes");
    CUDASYNC_ASSERT(ptx::is_shared_to_assert(destination) && ptx::is_shared_to_assert(source),
                    "remote_barrier::memcpy_async_tx: give addresses in this block's shared memory");
    CUDASYNC_ASSERT(
        least_aligned<Alignment>(destination, source) % Alignment == 0,
        "remote_barrier::memcpy_async_tx: destination and source must be aligned as aligned_size_t promises");
    checked::record_stored(bar_, static_cast<uint32>(size), block_rank_, where);
    ptx::cp_async_bulk(ptx::mapa(ptx::to_shared(destination), block_rank_), ptx::to_shared(source),
                       static_cast<uint32>(size), bar_);
  }

  // Begins to store a value at the same location in the block of the barrier. Does not block. sizeof(Value) bytes
  // complete on that barrier, whose phase must expect them. destination: in this block's shared memory, aligned to
  // sizeof(Value). Value: trivially copyable, of 4, 8 or 16 bytes, and aligned to its size. The cluster must have more
  // than one block.
  // Ordering: the value is visible to every thread that has waited for the phase that expected it. Nothing else that
  // this thread did is ordered. st.async.
  template <class Value>
  CUDASYNC_DEVICE void store_async(Value* destination, const identity<Value>& value,
                                   caller where = caller::here()) const {
    static_assert(is_same<Value, remove_cv<Value>>,
                  "remote_barrier::store_async writes to the destination, which is const");
    static_assert(is_trivially_copyable<Value>,
                  "remote_barrier::store_async needs a trivially copyable type, because it copies bytes");
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16,
                  "remote_barrier::store_async stores 4, 8 or 16 bytes: st.async has no other sizes; use a type of one "
                  "of these sizes, or memcpy_async_tx for a multiple of 16 bytes");
    static_assert(alignof(Value) >= sizeof(Value) || sizeof(Value) > 16,
                  "remote_barrier::store_async needs a type that is aligned to its size; declare it with alignas(8) or "
                  "alignas(16)");
    CUDASYNC_ASSERT(this_cluster().num_blocks() >= 2,
                    "remote_barrier::store_async: st.async needs a cluster of more than one block");
    const ptx::cluster_address there = begin_async(destination, where);
    if constexpr (sizeof(Value) == 16) {
      const uint128 bits = to_bits<uint128>(value);
      const uint64 halves[2] = {bits.low, bits.high};
      ptx::st_async(there, halves, bar_);
    } else if constexpr (sizeof(Value) == 8) {
      ptx::st_async(there, to_bits<uint64>(value), bar_);
    } else if constexpr (sizeof(Value) == 4) {
      ptx::st_async(there, to_bits<uint32>(value), bar_);
    }
  }

  // Begins to add a value to the integer at the same location in the block of the barrier: atomically, relaxed, at
  // cluster scope. Does not block. sizeof(Integer) bytes complete on that barrier, whose phase must expect them.
  // destination: in this block's shared memory. Integer: of 4 or 8 bytes. The result is visible to every thread that
  // has waited for the phase. The block of the barrier must not be this one, and the same holds for the other
  // reductions; the checked build reports it. red.async.add.
  template <class Integer>
  CUDASYNC_DEVICE void add_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4 || sizeof(Integer) == 8>();
    reduce(ptx::op_add_t{}, destination, static_cast<word_of<Integer>>(value), where);
  }
  // Begins to replace the integer at the same location in the block of the barrier by the lesser of it and the value:
  // atomically, relaxed, at cluster scope. Does not block. 4 bytes complete on that barrier, whose phase must expect
  // them. destination: in this block's shared memory. Integer: of 4 bytes. red.async.min.
  template <class Integer>
  CUDASYNC_DEVICE void min_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4>();
    reduce(ptx::op_min_t{}, destination, as_ordered(value), where);
  }
  // Begins to replace the integer there by the greater of it and the value, as min_async does. red.async.max.
  template <class Integer>
  CUDASYNC_DEVICE void max_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4>();
    reduce(ptx::op_max_t{}, destination, as_ordered(value), where);
  }
  // Begins to clear the bits that are not set in the value in the integer at the same location in the block of the
  // barrier: atomically, relaxed, at cluster scope. Does not block. 4 bytes complete on that barrier, whose phase must
  // expect them. destination: in this block's shared memory. Integer: of 4 bytes. red.async.and.
  template <class Integer>
  CUDASYNC_DEVICE void and_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4>();
    reduce(ptx::op_and_op_t{}, destination, static_cast<uint32>(value), where);
  }
  // Begins to set the bits of the value in the integer there, as and_async clears them. red.async.or.
  template <class Integer>
  CUDASYNC_DEVICE void or_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4>();
    reduce(ptx::op_or_op_t{}, destination, static_cast<uint32>(value), where);
  }
  // Begins to invert the bits of the value in the integer there, as and_async clears them. red.async.xor.
  template <class Integer>
  CUDASYNC_DEVICE void xor_async(Integer* destination, identity<Integer> value, caller where = caller::here()) const {
    require_integer<Integer, sizeof(Integer) == 4>();
    reduce(ptx::op_xor_op_t{}, destination, static_cast<uint32>(value), where);
  }
  // Begins to increment the integer at the same location in the block of the barrier; if it is last or more, it becomes
  // 0. Atomic, relaxed, at cluster scope. Does not block. 4 bytes complete on that barrier, whose phase must expect
  // them. destination: in this block's shared memory. red.async.inc.
  CUDASYNC_DEVICE void increment_async(uint32* destination, uint32 last, caller where = caller::here()) const {
    reduce(ptx::op_inc_t{}, destination, last, where);
  }
  // Begins to decrement the integer there; if it is 0 or more than last, it becomes last. red.async.dec.
  CUDASYNC_DEVICE void decrement_async(uint32* destination, uint32 last, caller where = caller::here()) const {
    reduce(ptx::op_dec_t{}, destination, last, where);
  }

 private:
  template <class Integer, bool HasSize>
  CUDASYNC_DEVICE static constexpr void require_integer() {
    static_assert(
        is_integer<Integer> && HasSize && is_same<Integer, remove_cv<Integer>>,
        "remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes; use one "
        "of these types, or an atomic_ref to the mapped address");
  }

  // min and max compare as signed or unsigned numbers.
  template <class Integer>
  CUDASYNC_DEVICE static auto as_ordered(Integer value) {
    return static_cast<conditional<is_signed_integer<Integer>, int32, uint32>>(value);
  }

  template <class Operation, class Integer, class Word>
  CUDASYNC_DEVICE void reduce(Operation operation, Integer* destination, Word value,
                              caller where = caller::here()) const {
    CUDASYNC_ASSERT(block_rank_ != ptx::get_sreg_cluster_ctarank(),
                    "remote_barrier: red.async is for another block; in this block, use an atomic_ref and arrive");
    ptx::red_async(operation, begin_async(destination, where), value, bar_);
  }

  // The address in the block of the barrier.
  template <class Value>
  CUDASYNC_DEVICE ptx::cluster_address begin_async(Value* destination, caller where = caller::here()) const {
    CUDASYNC_ASSERT(ptx::is_shared_to_assert(destination),
                    "remote_barrier: give the address of the destination in this block's shared memory");
    CUDASYNC_ASSERT(reinterpret_cast<uintptr>(destination) % sizeof(Value) == 0,
                    "remote_barrier: the destination must be aligned to its size; align the object");
    checked::record_stored(bar_, sizeof(Value), block_rank_, where);
    return ptx::mapa(ptx::to_shared(destination), block_rank_);
  }

  CUDASYNC_DEVICE static void check_bytes(ptrdiff_t transaction_count, [[maybe_unused]] caller where = caller::here()) {
    CUDASYNC_ASSERT(transaction_count <= device::max_transaction_count && transaction_count >= 0,
                    "remote_barrier: transaction_count must be 0 to 2^20 - 1; split the copy between several phases");
    static_cast<void>(transaction_count);
  }

  ptx::cluster_address bar_;
  uint32 block_rank_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
