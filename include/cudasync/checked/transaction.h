// Arrivals that expect bytes, and the bytes of copies: recorded in the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_TRANSACTION_H
#define CUDASYNC_CHECKED_TRANSACTION_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/checked/phase.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Whether the destination of a copy is in this block's shared memory, to its last byte, and not over the barrier. In a
// cluster, the upper bits of an address are the rank of the block. 1024: the part that is reserved for the system.
CUDASYNC_DEVICE bool is_place_for_copy(const void* destination, size_t bytes, ptx::shared_address bar) {
  const uint32 begin = ptx::to_shared(destination).value;
  return ptx::is_shared_to_assert(destination) &&
         (begin & 0xffffff) + bytes <= ptx::get_sreg_aggr_smem_size() + uint64{1024} && bar.value - begin >= bytes;
}

#if CUDASYNC_CHECKED
// Records that other blocks arrive on the barrier, or that their copies complete on it. They are not counted.
CUDASYNC_DEVICE void record_others(ptx::shared_address bar) {
  if (object_record* const record = find(bar.value)) shared_by_all(record->remote) = not_counted;
}
CUDASYNC_DEVICE void add(byte_count& count, uint32 bytes, uint64 from) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&count.bytes), bytes);
  atomicAdd(&count.times, 1u);
  shared_by_all(count.from) = from;
}
CUDASYNC_DEVICE void add_copied(object_record& record, uint32 bytes, uint64 from) {
  add(record.copied, bytes, from);
  const uint64 beyond = read_far(record.copied.bytes) - read_far(record.expects.bytes);
  if (static_cast<int64>(beyond) <= static_cast<int64>(read_far(record.copied.most_beyond))) return;
  shared_by_all(record.copied.most_beyond) = static_cast<uint32>(beyond);
  shared_by_all(record.copied.beyond) = from;
}
CUDASYNC_DEVICE void record_expected_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  if (bytes == 0) return;
  if (object_record* const record = find(bar.value)) add(record->expects, bytes, site::of(where).bits);
}
CUDASYNC_DEVICE void record_copied_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  if (object_record* const record = find(bar.value)) add_copied(*record, bytes, site::of(where).bits);
}

inline __device__ __noinline__ void record_lone_expectation(ptx::shared_address bar, uint32 bytes, uint64 from) {
  object_record* const record = find(bar.value);
  if (record == nullptr || bytes == 0) return;
  add(record->expects, bytes, from);
  const uint32 rank = backend::rank_in_block();
  shared_by_all(record->expects.beyond) =
      lone_expectation::of(bytes, arrivals_of(*record, rank), rank, state_of(barrier_target{}, bar).parity).bits;
}
CUDASYNC_DEVICE void record_expected_alone(ptx::shared_address bar, uint32 bytes, caller where) {
  pointer_to<record_lone_expectation>()(bar, bytes, site::of(where).bits);
}

// Records bytes that go to the barriers at the same address in blocks of the cluster. blocks: one bit for each rank.
inline __device__ __noinline__ void record_bytes_to(ptx::shared_address own, uint32 bytes, uint64 from, uint32 own_rank,
                                                    uint32 blocks, uint32 how) {
  object_record* const record = find(own.value);
  if (record == nullptr) return;
  if ((blocks >> own_rank & 1) != 0) add_copied(*record, bytes, from);
  shared_by_all(record->copied.from) = from;
  const uint32 others = blocks & ~(uint32{1} << own_rank);
  if (others != 0) atomicMax(&record->remote, how);
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < most_blocks_of_cluster; ++rank)
    if ((others >> rank & 1) != 0) atomicAdd(&record->bytes_sent[rank], bytes);
}

// Records a copy, or a store, to the barriers at the same address in blocks of the cluster: one bit for each rank.
CUDASYNC_DEVICE void record_to_blocks(ptx::shared_address own, uint32 bytes, caller where, uint32 blocks,
                                      bool is_store = false) {
  record_call(where);
  pointer_to<record_bytes_to>()(own, bytes, site::of(where).bits, ptx::get_sreg_cluster_ctarank(), blocks,
                                is_store ? by_stores : by_copies);
}
#else
CUDASYNC_DEVICE void record_to_blocks(ptx::shared_address, uint32, caller, uint32, bool = false) {}
CUDASYNC_DEVICE void record_call(caller) {}
CUDASYNC_DEVICE void record_expected_bytes(ptx::shared_address, uint32, caller) {}
CUDASYNC_DEVICE void record_expected_alone(ptx::shared_address, uint32, caller) {}
CUDASYNC_DEVICE void record_copied_bytes(ptx::shared_address, uint32, caller) {}
CUDASYNC_DEVICE void record_others(ptx::shared_address) {}
CUDASYNC_DEVICE void record_arrival(ptx::shared_address) {}
CUDASYNC_DEVICE void record_sent(ptx::shared_address, uint32, uint32) {}
template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_on(ptx::shared_address, uint32, bool, caller, Arrive arrive) {
  return arrive();
}
template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_alone_on(ptx::shared_address, uint32, Arrive arrive) {
  return arrive();
}
#endif

CUDASYNC_DEVICE void record_expected(ptx::shared_address bar, uint32 bytes, caller where = caller::here()) {
  const trace::span traced(trace::action::expect_tx, {bar, bytes}, where);
  record_call(where);
  record_expected_alone(bar, bytes, where);
}

// IsRecorded: an earlier part of the same call has recorded it.
template <bool IsRecorded = false>
CUDASYNC_DEVICE void record_copied(ptx::shared_address bar, uint32 bytes, caller where = caller::here()) {
  const trace::span traced(trace::action::copy, {bar, bytes}, where);
  if constexpr (!IsRecorded) record_call(where);
  record_copied_bytes(bar, bytes, where);
}

// arrive: makes the arrival, and returns the token.
template <bool IsRecorded = false, class Arrive>
CUDASYNC_DEVICE uint64 arrive_with_bytes(ptx::shared_address bar, uint32 arrivals, uint32 bytes, Arrive arrive,
                                         caller where = caller::here()) {
  const trace::span traced(trace::action::arrive_tx, {bar, bytes}, where);
  if constexpr (!IsRecorded) record_call(where);
  const uint64 token = arrive_alone_on(bar, arrivals, arrive);
  record_expected_bytes(bar, bytes, where);
  return token;
}

// The barrier of this block at the address of that of a block of the cluster.
CUDASYNC_DEVICE ptx::shared_address in_own_block(ptx::cluster_address bar) {
  return {ptx::mapa(ptx::shared_address{bar.value}, ptx::get_sreg_cluster_ctarank()).value};
}

// An arrival at the barrier of a block of the cluster. bar: the mapped address.
template <class Arrive>
CUDASYNC_DEVICE void arrive_in_block([[maybe_unused]] ptx::cluster_address bar, [[maybe_unused]] uint32 block_rank,
                                     [[maybe_unused]] uint32 arrivals, Arrive arrive,
                                     [[maybe_unused]] caller where = caller::here()) {
  if constexpr (is_checked) {
    const ptx::shared_address own = in_own_block(bar);
    if (block_rank == ptx::get_sreg_cluster_ctarank()) {
      static_cast<void>(arrive_on(own, arrivals, false, where, [&] { return arrive(), uint64{0}; }));
      return;
    }
    record_call(where);
    record_sent(own, block_rank, arrivals);
  }
  arrive();
}

template <class Arrive>
CUDASYNC_DEVICE uint64 drop_with_bytes(ptx::shared_address bar, uint32 bytes, Arrive arrive,
                                       caller where = caller::here()) {
  const trace::span traced(trace::action::arrive_and_drop, {bar}, where);
  const uint64 token = arrive_on(bar, 1, true, where, arrive);
  record_expected_bytes(bar, bytes, where);
  return token;
}

// Records a store to the barrier of a block of the cluster. bar: the mapped address.
CUDASYNC_DEVICE void record_stored(ptx::cluster_address bar, uint32 bytes, [[maybe_unused]] uint32 block_rank,
                                   caller where) {
  const trace::span traced(trace::action::copy, {bar, bytes}, where);
  if constexpr (is_checked) record_to_blocks(in_own_block(bar), bytes, where, uint32{1} << block_rank, true);
}

// Records the start of a copy to blocks of the cluster, or of a box. bytes: 0: not known. blocks: a bit for each rank.
CUDASYNC_DEVICE void record_copied_to_others(ptx::shared_address bar, uint32 bytes, caller where = caller::here(),
                                             [[maybe_unused]] uint32 blocks = ~uint32{0}) {
  const trace::span traced(trace::action::copy, {bar, bytes}, where);
  if (bytes != 0 && blocks != ~uint32{0}) return record_to_blocks(bar, bytes, where, blocks);
  record_call(where);
  record_others(bar);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA

#endif
