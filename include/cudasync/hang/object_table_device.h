// The table of the checked build with a record for each barrier in shared memory: finds, makes and forgets records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_OBJECT_TABLE_DEVICE_H
#define CUDASYNC_HANG_OBJECT_TABLE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/special_registers.h>

// A record is found by its key: the grid, the block and the address. Any thread of the block writes it, and reads it
// with block scope, through the L1 cache of its multiprocessor. The thread that makes the record takes it with a
// compare-exchange on the key. Its fence then makes the multiprocessor forget old lines of earlier blocks. A key of
// another block is only compared: see "Records that two blocks use" in docs/design/decisions/checked_build.md.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The key of an object in this block's shared memory has the block, the grid and the address, so no other live object
// has the same key. Keys are odd. On sm_90, bits 27 to 24 of an address are the rank of the block in its cluster, which
// keys do not need. Named barriers have addresses from this one on, which are beyond the end of shared memory.
inline constexpr uint32 address_of_named_barriers = 0x1003ff00;

CUDASYNC_DEVICE uint64 key_of(uint32 address, uint64 block) {
  return block << 32 | (grid_number() << 16 | 1 | (address >> 2 & 0xfffe));
}
CUDASYNC_DEVICE uint64 key_of(uint32 address) {
  return key_of(address, block_number());
}

// A shorter key, for the fast path. Another object has the same one with a probability of 2^-32.
CUDASYNC_DEVICE uint32 check_of(uint32 address) {
  return owner_of_block() ^ address;
}

// Each multiprocessor has a part of the table, in which the objects of a block are next to each other.
CUDASYNC_DEVICE object_record* place_of(uint32 address, uint32 attempt) {
  constexpr uint32 part = CUDASYNC_CHECKED_OBJECTS / 176;
  const uint32 of_block = owner_of_block() >> 29 & 6;
  return &objects[(ptx::steady_smid() * part + of_block + (address >> 3) + attempt) % CUDASYNC_CHECKED_OBJECTS];
}

inline constexpr uint32 attempts = 16;
inline constexpr uint64 key_of_a_record_in_the_making = 2;  // other keys are odd

inline __device__ __noinline__ object_record* find_slowly(uint32 address) {
  const uint64 key = key_of(address);
  CUDASYNC_NO_UNROLL
  for (uint32 attempt = 0; attempt < attempts; ++attempt)
    if (read_near(place_of(address, attempt)->key) == key) return place_of(address, attempt);
  return nullptr;
}

// Returns a null pointer if there is no record.
CUDASYNC_DEVICE object_record* find(uint32 address) {
  object_record* const first = place_of(address, 0);
  return object_state{read_near(first->state)}.check() == check_of(address) ? first
                                                                            : pointer_to<find_slowly>()(address);
}

// Whether all threads have dropped out of the barrier, which then expects nobody.
CUDASYNC_DEVICE bool is_left_by_all(const object_record* record) {
  return record != nullptr && record->expected != 0 && read_near(record->drops) == record->expected;
}

// The state of a barrier for which threads wait. On sm_90, state_of completes a phase that expects nobody (H200).
inline __device__ __noinline__ barrier_state state_in_wait(ptx::shared_address bar) {
  if (!is_left_by_all(find(bar.value))) return state_of(barrier_target{}, bar);
  const bool parity = ptx::mbarrier_test_wait_parity(bar, 0);
  return {parity, 0, 0, 0, parity, 0, false, false};
}

// The record is no longer found by the shorter key.
CUDASYNC_DEVICE void forget_check(object_record& record) {
  write_near(record.state, static_cast<uint32>(read_near(record.state)));
}

// The record that a new object takes: a free one or one of another kernel, otherwise that of the oldest object.
struct vacancy {
  object_record* record;
  uint64 key;   // of the object that has the record
  uint64 born;  // when that object was made; 0: the record is free
};

// The time since which a record is taken, or 0 if it is free.
CUDASYNC_DEVICE uint64 taken_since(object_record& record, uint64 key) {
  if (key == 0 || shared_by_all(record.grid) != grid_number()) return 0;
  // A named barrier waits in its record, so a kernel would hang without it.
  return shared_by_all(record.address) >= address_of_named_barriers ? ~uint64{0} - 1 : shared_by_all(record.born);
}

// Takes this place if it is older. Returns false if the search must begin again: the object has, or may get, a record.
inline __device__ __noinline__ bool look_at_place(vacancy& found, uint32 address, uint32 attempt) {
  object_record& each = *place_of(address, attempt);
  const uint64 key = shared_by_all(each.key);
  __threadfence();  // a fresh record does not look like one of another kernel
  const uint64 born = taken_since(each, key);
  __threadfence();  // a record in the making may be for this object, also if that began after the key was read
  if (key == key_of(address) || key == key_of_a_record_in_the_making || shared_by_all(each.key) != key) return false;
  if (born < found.born) found = {&each, key, born};
  return true;
}

inline __device__ __noinline__ bool find_vacancy(vacancy& found, uint32 address) {
  found = {nullptr, 0, ~uint64{0}};
  CUDASYNC_NO_UNROLL
  for (uint32 attempt = 0; attempt < attempts && found.born != 0; ++attempt)
    if (!look_at_place(found, address, attempt)) return false;
  return true;
}

// Makes a record that this thread has taken. Its key is written last.
inline __device__ __noinline__ void make_record(object_record& record, uint32 address) {
  __threadfence();  // whoever reads what follows sees that the record is in the making
  forget_check(record);
  shared_by_all(record.born) = ptx::get_sreg_globaltimer();
  shared_by_all(record.grid) = grid_number();
  shared_by_all(record.times) = 0;
  shared_by_all(record.inits) = 0;
  shared_by_all(record.from) = 0;
  shared_by_all(record.expected) = 0;
  shared_by_all(record.arrived_before) = 0;
  shared_by_all(record.unused_count) = 0;
  shared_by_all(record.name) = nullptr;
  shared_by_all(record.is_readable) = 0;
  shared_by_all(record.early) = 0;
  shared_by_all(record.address) = address;
  shared_by_all(record.block) = tag_of_block();
  __threadfence();
  shared_by_all(record.key) = key_of(address);
}

// Takes the record for a new object. The block that had it, if it still runs, knows before that.
inline __device__ __noinline__ bool take_place(const vacancy& place) {
  const uint32 block = shared_by_all(place.record->block);
  if (place.key != 0) shared_by_all(blocks_without_records[block % 1024]) = block;
  __threadfence();
  return atomicCAS(reinterpret_cast<unsigned long long*>(&place.record->key), place.key,
                   key_of_a_record_in_the_making) == place.key;
}

// Finds a record, or makes one: for a thread that initializes the object, or that arrives before that.
inline __device__ __noinline__ object_record* record_at(uint32 address) {
  for (;;) {
    if (object_record* const found = find_slowly(address)) return found;
    vacancy place;
    if (find_vacancy(place, address) && take_place(place)) {
      make_record(*place.record, address);
      return place.record;
    }
    __nanosleep(0);
  }
}

// The first initialized object of the block that writes the report that a function selects. Null if there is none.
template <class Function>
CUDASYNC_DEVICE const object_record* find_record(Function is_wanted) {
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (each.is_made_in(read_far(reporting_block)) && is_wanted(each)) return &each;
  return nullptr;
}

template <class Function>
CUDASYNC_DEVICE bool has_record(Function is_wanted) {
  return find_record(is_wanted) != nullptr;
}
template <class Function>
CUDASYNC_DEVICE void for_each_record(Function function) {
  static_cast<void>(find_record([&](const object_record& each) { return function(each), false; }));
}

// The record for which a function returns the least number. Null if it returns not_counted for all.
template <class Function>
CUDASYNC_DEVICE const object_record* record_with_least(Function number_of_record) {
  const object_record* found = nullptr;
  uint32 least = not_counted;
  for_each_record([&](const object_record& each) {
    const uint32 number = number_of_record(each);
    if (number >= least) return;
    least = number;
    found = &each;
  });
  return found;
}

template <class Function>
CUDASYNC_DEVICE void for_each_thread(Function function) {
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    function(rank);
}
template <class Function>
CUDASYNC_DEVICE uint32 sum_over_threads(Function number_of_thread) {
  uint32 sum = 0;
  for_each_thread([&](uint32 rank) { sum += number_of_thread(rank); });
  return sum;
}

// Whether a function selects a thread of the block.
template <class Function>
CUDASYNC_DEVICE bool is_any_thread(Function is_wanted) {
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    if (is_wanted(rank)) return true;
  return false;
}

// Whether the same init made both barriers. find_sibling: the first such barrier that a function selects, or null.
CUDASYNC_DEVICE bool is_sibling(const object_record& other, const object_record& record) {
  return &other != &record && other.is_made_in(record.block) && other.from == record.from &&
         other.expected == record.expected;
}
template <class Function>
CUDASYNC_DEVICE const object_record* find_sibling(const object_record& record, Function is_wanted) {
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (is_sibling(each, record) && is_wanted(each)) return &each;
  return nullptr;
}

// --- The words of arrivals in a record ---

// The word if it is of the barrier's current epoch, otherwise an empty word of that epoch.
CUDASYNC_DEVICE attendance in_epoch(const object_record& record, uint64 word) {
  const uint32 epoch = object_state{read_near(record.state)}.epoch();
  return {(static_cast<uint32>(word) & attendance::epoch) == epoch ? word : epoch};
}

// The two words of a thread: the word of all lanes of its warp together, and its own.
CUDASYNC_DEVICE attendance word_together(const object_record& record, uint32 rank) {
  return in_epoch(record, read_far(record.warps[rank / 32 % 32].arrivals_together));
}
CUDASYNC_DEVICE attendance word_apart(const object_record& record, uint32 rank) {
  return in_epoch(record, read_far(record.warps[rank / 32 % 32].arrivals[rank % 32]));
}

inline __device__ __noinline__ uint32 arrivals_of(const object_record& record, uint32 rank) {
  return word_together(record, rank).arrivals() + word_apart(record, rank).arrivals();
}

CUDASYNC_DEVICE bool has_arrived(const object_record& record, uint32 rank) {
  return arrivals_of(record, rank) != 0;
}

// The arrivals of a thread at the barriers that a function selects.
template <class Function>
CUDASYNC_DEVICE uint32 sum_of_arrivals(uint32 rank, Function is_wanted) {
  uint32 total = 0;
  CUDASYNC_NO_UNROLL
  for (const object_record& each : objects)
    if (is_wanted(each) && each.is_made_in(read_far(reporting_block))) total += arrivals_of(each, rank);
  return total;
}

// The number of threads of the block that have arrived at the barrier since its init.
inline __device__ __noinline__ uint32 arrivers_at(const object_record& record) {
  return sum_over_threads([&record](uint32 rank) { return has_arrived(record, rank); });
}

// In unused_count, of an object that has been in use when an init begins.
inline constexpr uint32 used_count = ~uint32{0};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
