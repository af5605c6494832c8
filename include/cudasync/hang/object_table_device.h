// The table of the checked build with a record for each barrier in shared memory: finds, makes and forgets records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_OBJECT_TABLE_DEVICE_H
#define CUDASYNC_HANG_OBJECT_TABLE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>

// A record is found by its key: the grid, the block and the address. Any thread of the block writes it, and reads it
// with block scope, through the L1 cache of its multiprocessor. The thread that makes the record takes it with a
// compare-exchange on the key. Its fence then makes the multiprocessor forget old lines, so the block does not see what
// an earlier block has written there. A key of another block is only compared: see "Records that two blocks use" in
// docs/design/decisions/checked_build.md.
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

// The record is no longer found by the shorter key.
CUDASYNC_DEVICE void forget_check(object_record& record) {
  write_near(record.state, static_cast<uint32>(read_near(record.state)));
}

// Called by a thread that initializes the object, or that arrives before that.
inline __device__ __noinline__ object_record* find_or_make(uint32 address) {
  const uint64 key = key_of(address);
  const uint32 grid = grid_number();
  object_record* found = find_slowly(address);
  while (found == nullptr) {
    // Chooses a free record or a record of another kernel, otherwise the record of the oldest object.
    object_record* oldest = nullptr;
    uint64 key_there = 0;
    uint64 born = ~uint64{0};
    CUDASYNC_NO_UNROLL
    for (uint32 attempt = 0; attempt < attempts && born != 0; ++attempt) {
      object_record* const each = place_of(address, attempt);
      const uint64 each_key = shared_by_all(each->key);
      if (each_key == key) return each;
      const bool is_free = each_key == 0 || shared_by_all(each->grid) != grid;
      // A named barrier waits in its record, so a kernel would hang without it.
      const bool is_named = shared_by_all(each->address) >= address_of_named_barriers;
      const uint64 each_born = is_free ? 0 : is_named ? ~uint64{0} - 1 : shared_by_all(each->born);
      // A record in the making may be for this object, also if its making has begun after the first read of the key.
      __threadfence();
      if (each_key == key_of_a_record_in_the_making || shared_by_all(each->key) != each_key) {
        oldest = nullptr;
        break;
      }
      if (each_born >= born) continue;
      oldest = each;
      key_there = each_key;
      born = each_born;
    }
    auto* const word = reinterpret_cast<unsigned long long*>(&oldest->key);
    if (oldest == nullptr || atomicCAS(word, key_there, key_of_a_record_in_the_making) != key_there) {
      __nanosleep(0);
      continue;
    }
    found = oldest;
    __threadfence();  // whoever reads what follows sees that the record is in the making
    if (born != 0) shared_by_all(grid_that_lost_records) = 1 + grid;
    forget_check(*found);
    shared_by_all(found->born) = ptx::get_sreg_globaltimer();
    shared_by_all(found->grid) = grid;
    shared_by_all(found->times) = 0;
    shared_by_all(found->from) = 0;
    shared_by_all(found->arrived_before) = 0;
    shared_by_all(found->unused_count) = 0;
    shared_by_all(found->name) = nullptr;
    shared_by_all(found->is_readable) = 0;
    shared_by_all(found->early) = 0;
    shared_by_all(found->address) = address;
    shared_by_all(found->block) = tag_of_block();
    __threadfence();
    shared_by_all(found->key) = key;
  }
  return found;
}

CUDASYNC_DEVICE object_record* record_at(uint32 address) {
  return pointer_to<find_or_make>()(address);
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

// The number of threads of the block that have arrived at the barrier since its init.
inline __device__ __noinline__ uint32 arrivers_at(const object_record& record) {
  uint32 arrivers = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < threads_of_block(); ++rank)
    arrivers += arrivals_of(record, rank) != 0 ? 1 : 0;
  return arrivers;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
