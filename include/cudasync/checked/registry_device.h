// The records of the checked build: the last call of each thread, and the inits and arrivals of barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_REGISTRY_DEVICE_H
#define CUDASYNC_CHECKED_REGISTRY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/backend/thread/elect.h>
#include <cudasync/checked/kind.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/bits.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#endif

// Each module has two tables in global memory. Shared memory and the objects themselves are the same as in the release
// build.
//
// warps: a record for each warp that the GPU can hold, found by the multiprocessor and the place of the warp on it. It
// has the lines where the threads of the warp last called the library and, after they have waited for a long time, what
// they wait for.
//
// objects: a record for each barrier in shared memory, found by the grid, the block and the address. init makes it. Each
// multiprocessor has a part of its own, so its L1 cache serves all threads that use the part. If the part has no room, the
// barrier is not recorded.
//
// Most calls are made by all lanes of a warp together. One lane then records the call for all of them, so that the
// checked build writes a few bytes per warp instead of a few hundred. Lanes that call separately each have tallies of
// their own, from a third table, lanes_of_warps, of which a warp gets an entry when its lanes first need one.
//
// Fast paths read only words that no fast path writes, because a load from a line that the multiprocessor has just
// stored to misses the L1 cache. They count by additions without a result.
//
// Sizes: CUDASYNC_CHECKED_OBJECTS objects (a power of two, 1 KiB each), CUDASYNC_CHECKED_WARPS warps (896 bytes each),
// CUDASYNC_CHECKED_LANES warps with separate lanes (512 bytes each, for each barrier).
#if !defined(CUDASYNC_CHECKED_OBJECTS)
#define CUDASYNC_CHECKED_OBJECTS 16384
#endif
#if !defined(CUDASYNC_CHECKED_LANES)
#define CUDASYNC_CHECKED_LANES 16384
#endif
#if !defined(CUDASYNC_CHECKED_WARPS)
#define CUDASYNC_CHECKED_WARPS 16384
#endif

// A wait without progress that is longer than this number of milliseconds is a hang. The host can set another value.
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 15000
#endif

// If it is not 0, threads are delayed at random before they arrive and wait. The delays depend on the number.
#if !defined(CUDASYNC_SHAKE)
#define CUDASYNC_SHAKE 0
#endif

// For functions that are declared before they are defined: g++ does not accept the attribute there, and does not need
// it.
#if CUDASYNC_DEVICE_PASS
#define CUDASYNC_REPORT inline __device__ __noinline__
#else
#define CUDASYNC_REPORT inline __device__
#endif

// Rarely executed code need not be fast, and unrolled loops take registers and compile time.
#define CUDASYNC_NO_UNROLL _Pragma("unroll 1")

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

static_assert((CUDASYNC_CHECKED_OBJECTS & (CUDASYNC_CHECKED_OBJECTS - 1)) == 0 && CUDASYNC_CHECKED_OBJECTS >= 256,
              "CUDASYNC_CHECKED_OBJECTS must be a power of two, 256 or more");
static_assert(2 <= CUDASYNC_CHECKED_LANES && CUDASYNC_CHECKED_LANES <= 65536,
              "CUDASYNC_CHECKED_LANES must be 2 to 65536");

// producer, consumer: of a pipeline. scheduler, taker: of a launch_queue, which waits for the release of an answer, or for
// the answer.
enum class role : uint32 { none, producer, consumer, scheduler, taker };

// What a thread waits for, packed into one word: the object, its kind, the parity, and the side and stage of a
// pipeline.
struct subject {
  uint64 bits;

  CUDASYNC_DEVICE static subject of(kind what, uint64 address, bool parity = false, bool is_parity_known = false,
                                    role who = role::none, uint32 stage = 0) {
    return {(address & 0xffffffffffff) | uint64{static_cast<uint32>(what)} << 48 | uint64{parity} << 52 |
            uint64{is_parity_known} << 53 | uint64{static_cast<uint32>(who)} << 54 | uint64{stage & 0x7f} << 57};
  }
  CUDASYNC_DEVICE uint64 address() const { return bits & 0xffffffffffff; }
  CUDASYNC_DEVICE kind what() const { return static_cast<kind>(bits >> 48 & 15); }
  CUDASYNC_DEVICE bool parity() const { return (bits >> 52 & 1) != 0; }
  CUDASYNC_DEVICE bool is_parity_known() const { return (bits >> 53 & 1) != 0; }
  CUDASYNC_DEVICE role who() const { return static_cast<role>(bits >> 54 & 7); }
  CUDASYNC_DEVICE uint32 stage() const { return static_cast<uint32>(bits >> 57); }
};

// A line of the user's code, packed into one word: the address of the file's name in bits 47..0, the line in bits
// 63..48.
struct site {
  uint64 bits;

  CUDASYNC_DEVICE static site of(caller where) {
    return {reinterpret_cast<uintptr>(where.file) | uint64{where.line < 0xffff ? where.line : 0xffff} << 48};
  }
  CUDASYNC_DEVICE const char* file() const { return reinterpret_cast<const char*>(bits & 0xffffffffffff); }
  CUDASYNC_DEVICE uint32 line() const { return static_cast<uint32>(bits >> 48); }
};

// The line, the owner and the time of a call.
struct alignas(16) call_record {
  uint64 from;   // the site of the call
  uint64 stamp;  // upper half: the owner (tag of the block, rank of the warp); lower half: the multiprocessor's clock
};

struct alignas(128) warp_record {
  call_record calls[33];  // the last separate call of each lane, then the last call of all lanes together
#if CUDASYNC_SHAKE
  uint64 turns[32];  // for each lane: lower half: the number of shaken calls; upper half: the owner
#endif
  uint32 owner;                   // of the waits and of new records: the tag of the block and the rank of the warp
  uint32 waiting;                 // the number of waiting threads
  uint32 lock;                    // for lanes that have diverged
  alignas(128) uint64 waits[32];  // subjects; 0: the lane does not wait
};

// A tally of the arrivals, or of the waits, of a thread or of all threads of a warp together, at a barrier since its last
// init: the drift (bits 63..48), the count (bits 47..18), the epoch (bits 17..6) and the flags below. A tally of another
// epoch than the record's does not count.
//
// The drift is the number of phases of parity 0 minus the number of phases of parity 1. A thread that takes part once in
// each phase has a drift of 0 or 1, or of 0 or -1 if its first phase has parity 1.
struct tally {
  static constexpr uint64 twice_in_a_phase = 1;
  static constexpr uint64 has_dropped = 2;
  static constexpr uint64 arrived_after_drop = 4;
  static constexpr uint64 is_mixed = 8;    // of a warp: lanes have also arrived separately
  static constexpr uint64 began_odd = 16;  // the first phase had parity 1
  static constexpr uint32 epochs = 4096;
  static constexpr uint64 epoch_one = 64;
  static constexpr uint64 epoch = (epochs - 1) * epoch_one;
  static constexpr uint64 one = uint64{1} << 18;
  static constexpr uint64 drift_one = uint64{1} << 48;

  // The change by one call in a phase of this parity.
  CUDASYNC_DEVICE static uint64 change(bool parity, uint32 count = 1) {
    return count * one + (parity ? 0 - drift_one : drift_one);
  }
};

struct tallies {
  uint64 arrivals;
  uint64 waits;
};

struct lane_tallies {
  tallies of[32];
};

// Which warps and lanes can count their calls without another look. The tallies of the others are not of the current
// epoch yet, or their calls must be checked.
struct readiness {
  uint32 lanes[32];  // for each warp of the block, a bit for each lane
};

inline constexpr uint32 most_threads = 1024;
inline constexpr uint32 all_lanes = 0xffffffff;
inline constexpr uint32 not_counted = ~uint32{0};  // of object_record::remote and attendances::complete

// The bytes that a barrier expects, or that the copies on it move.
struct byte_count {
  uint64 bytes;
  uint64 from;  // the site of the last call
  uint32 times;
};

struct alignas(1024) object_record {
  uint64 key;
  uint64 ready_to_arrive;  // upper half: check_of(address), 0 before init; lower half: a bit for each warp of the block
  uint64 ready_to_wait;    // the same
  uint64 epoch;            // a new one at each init, in the bits of tally::epoch
  uint16 lanes[32];        // for each warp: the index of its lane_tallies, or 0
  uint64 from;             // the site of init
  const char* name;
  alignas(128) readiness arriving;
  alignas(128) readiness waiting;
  alignas(128) uint32 grid;
  uint32 index;  // of the name; ~0: none
  uint32 expected;
  uint32 times;           // the number of inits
  uint32 arrived_before;  // arrivals in the phase that the last init interrupted
  uint32 is_readable;     // whether the state of the mbarrier can be read
  uint32 remote;          // not_counted if other blocks arrive or copy, otherwise 0
  uint32 is_of_cluster;
  uint32 drops;
  uint32 early;  // arrivals before any init
  uint32 lock;   // for the first arrivals, if few are expected
  role who;      // the role of the threads that wait
  uint32 stage;  // the stage that they wait for, if they have a role
  uint32 address;
  uint32 block;  // the tag of the block
  uint32 warp;   // the index of the record of the warp that made this record
  uint32 lane;   // the place of its call there
  byte_count expects;
  byte_count copied;
  tallies warps[most_threads / 32];  // of the lanes of each warp together
};
static_assert(sizeof(object_record) == 1024, "the documentation states the size");

CUDASYNC_DEVICE_VARIABLE warp_record warps[CUDASYNC_CHECKED_WARPS];
CUDASYNC_DEVICE_VARIABLE object_record objects[CUDASYNC_CHECKED_OBJECTS];
CUDASYNC_DEVICE_VARIABLE lane_tallies lanes_of_warps[CUDASYNC_CHECKED_LANES];  // the first one is not used
CUDASYNC_DEVICE_VARIABLE uint32 used_lanes;  // the number of used entries of lanes_of_warps
CUDASYNC_DEVICE_VARIABLE uint32
    grid_without_room;  // 1 + the number of the last grid with a barrier that is not recorded

// --- The current thread ---

CUDASYNC_DEVICE uint64 block_number() {
  return ptx::get_sreg_ctaid_x() +
         uint64{gridDim.x} * (ptx::get_sreg_ctaid_y() + uint64{gridDim.y} * ptx::get_sreg_ctaid_z());
}
CUDASYNC_DEVICE uint32 threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}
CUDASYNC_DEVICE uint32 grid_number() {
  return static_cast<uint32>(ptx::get_sreg_gridid());
}

template <class Value>
CUDASYNC_DEVICE volatile Value& shared_by_all(Value& value) {
  return const_cast<volatile Value&>(value);
}

template <class Word>
CUDASYNC_DEVICE Word read_far(const Word& word) {
  return const_cast<const volatile Word&>(word);
}

// Accesses through the L1 cache, for words that only threads of one block share, and that one thread at a time writes.
template <class Word>
CUDASYNC_DEVICE Word read_near(const Word& word) {
  return ptx::ld(ptx::sem_relaxed, ptx::scope_cta, ptx::to_global_pointer(&word));
}
template <class Word>
CUDASYNC_DEVICE void write_near(Word& word, identity<Word> value) {
  ptx::st(ptx::sem_relaxed, ptx::scope_cta, ptx::to_global_pointer(&word), value);
}

// The values of the registers are assumed not to change, so that the compiler can keep the address. After a preemption,
// a thread continues to use its old record.
CUDASYNC_DEVICE warp_record& record_of_warp() {
  return warps[(ptx::steady_smid() * 64 + ptx::steady_warpid()) % CUDASYNC_CHECKED_WARPS];
}

CUDASYNC_DEVICE uint32 own_lane() {
  return backend::rank_in_block() % 32;
}

// --- Calls and waits ---

// block: the number of a block of this grid.
CUDASYNC_DEVICE uint32 owner_of(uint64 block) {
  return static_cast<uint32>(block) * 0x9e3779b1 + grid_number() * 0x85ebca77;
}
CUDASYNC_DEVICE uint32 owner_of_block() {
  return owner_of(block_number());
}
// 27 bits, not zero.
CUDASYNC_DEVICE uint32 tag_of(uint64 block) {
  return (owner_of(block) >> 5) | 1;
}
CUDASYNC_DEVICE uint32 tag_of_block() {
  return tag_of(block_number());
}

CUDASYNC_DEVICE uint32 owner_of_warp() {
  return tag_of_block() << 5 | (backend::rank_in_block() / 32 & 31);
}

// Delays one call in four by up to 8 us. In every run, the same calls of the same thread are delayed.
#if CUDASYNC_SHAKE
inline __device__ __noinline__ void shake() {
  const uint64 owner = uint64{owner_of_block() ^ backend::rank_in_block()} << 32;
  uint64& turn = record_of_warp().turns[own_lane()];
  const uint64 before = read_far(turn);
  shared_by_all(turn) = (before >> 32 << 32 == owner ? before : owner) + 1;
  uint64 dice = (static_cast<uint32>(read_far(turn)) + uint64{CUDASYNC_SHAKE} * 0x9e3779b97f4a7c15) ^
                (block_number() << 10 | backend::rank_in_block()) * 0xbf58476d1ce4e5b9;
  dice = (dice ^ dice >> 29) * 0x94d049bb133111eb;
  if (dice >> 62 == 0) __nanosleep(static_cast<uint32>(dice >> 40) % 8192);
}
#else
CUDASYNC_DEVICE void shake() {}
#endif

CUDASYNC_DEVICE uint64 stamp_now() {
  return uint64{owner_of_warp()} << 32 | ptx::get_sreg_clock();
}

// A call of all active lanes of the warp.
struct noted_call {
  bool is_together;  // of all 32 lanes
  uint32 active;
  uint64 stamp;

  CUDASYNC_DEVICE static noted_call now(uint32 lanes) { return {lanes == all_lanes, lanes, stamp_now()}; }
  CUDASYNC_DEVICE uint32 lanes() const { return ptx::popc(active); }
  CUDASYNC_DEVICE void note(caller where) const {
    if (is_together && own_lane() != 0) return;
    const call_record* const mine = &record_of_warp().calls[is_together ? 32 : own_lane()];
    ptx::st_volatile(ptx::offset_in_global(mine), site::of(where).bits, stamp);
  }
};

// Called at the beginning of each public function that arrives or waits.
CUDASYNC_DEVICE void note_call(caller where) {
  shake();
  noted_call::now(__activemask()).note(where);
}
CUDASYNC_DEVICE void note_call(no_caller) {}

// The last call of a lane of the warp, or 0 if it is not known.
CUDASYNC_DEVICE site last_call(const warp_record& warp, uint32 owner, uint32 lane) {
  const call_record& apart = warp.calls[lane];
  const call_record& together = warp.calls[32];
  const uint64 time_apart = read_far(apart.stamp);
  const uint64 time_together = read_far(together.stamp);
  const bool is_mine_apart = time_apart >> 32 == owner;
  const bool is_mine_together = time_together >> 32 == owner;
  // Correct if the two calls are less than a second apart, because the clock wraps around.
  const bool is_later = static_cast<int32>(static_cast<uint32>(time_together) - static_cast<uint32>(time_apart)) > 0;
  if (is_mine_apart && !(is_mine_together && is_later)) return {read_far(apart.from)};
  return {is_mine_together ? read_far(together.from) : 0};
}

CUDASYNC_DEVICE void note_wait(warp_record& warp, subject what) {
  shared_by_all(warp.owner) = owner_of_warp();
  shared_by_all(warp.waits[own_lane()]) = what.bits;
  atomicAdd(&warp.waiting, 1u);
}
CUDASYNC_DEVICE void note_end_of_wait(warp_record& warp) {
  shared_by_all(warp.waits[own_lane()]) = 0;
  atomicSub(&warp.waiting, 1u);
}

// --- Objects ---

// The key of an object in this block's shared memory has the block, the grid and the address, so no other live object
// has the same key. Keys are odd.
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

// The objects of a block are next to each other. The records of eight blocks of a multiprocessor begin at different
// places.
inline constexpr uint32 places = CUDASYNC_CHECKED_OBJECTS / 256;  // of each multiprocessor

// If the part of a multiprocessor is full, its blocks also use another part, which most GPUs have no multiprocessor for.
inline constexpr uint32 attempts = 2 * places;

CUDASYNC_DEVICE object_record* place_of(uint32 address, uint32 attempt) {
  const uint32 of_block = (owner_of_block() >> 29) * (places / 8);
  const uint32 part = (ptx::steady_smid() + attempt / places * 128) % 256 * places;
  return &objects[part + (of_block + (address >> 3) + attempt) % places];
}

// The records of this block, and others: those at all places that its barriers can have.
CUDASYNC_DEVICE const object_record& nearby(uint32 index) {
  return *place_of(0, index);
}

inline constexpr uint64 key_of_a_record_in_the_making = 2;  // other keys are odd

// Other blocks of the multiprocessor may take the places that this block does not own.
inline __device__ __noinline__ object_record* find_slowly(uint32 address) {
  const uint64 key = key_of(address);
  CUDASYNC_NO_UNROLL
  for (uint32 attempt = 0; attempt < attempts; ++attempt)
    if (read_far(place_of(address, attempt)->key) == key) return place_of(address, attempt);
  return nullptr;
}

CUDASYNC_DEVICE bool is_without_room() {
  return shared_by_all(grid_without_room) == 1 + grid_number();
}

// Returns a null pointer if there is no record. After a barrier has got no record, only first places are searched, so
// that the arrivals at such barriers are not slow.
CUDASYNC_DEVICE object_record* find(uint32 address) {
  object_record* const first = place_of(address, 0);
  if (read_near(first->key) == key_of(address)) return first;
  return is_without_room() ? nullptr : find_slowly(address);
}

// Says once for each launch that barriers, or arrivals of single lanes, are not recorded.
inline __device__ __noinline__ void complain_about_room() {
  const uint32 grid = 1 + grid_number();
  if (atomicExch(&grid_without_room, grid) == grid) return;
  printf(
      "cudasync: the checked build has no room to record more barriers: it detects no misuse of the others, and cannot "
      "explain their hangs. Define CUDASYNC_CHECKED_OBJECTS and CUDASYNC_CHECKED_LANES as greater numbers than %u and "
      "%u.\n",
      uint32{CUDASYNC_CHECKED_OBJECTS}, uint32{CUDASYNC_CHECKED_LANES});
}

// Whether the block of a record has ended: 1 if another block has its warp, 2 if its warp has made no call for about
// 2 ms and belongs to another kernel, which is probable if the records of a kernel that has ended are left. 0 if the
// block may still run.
inline __device__ __noinline__ uint32 is_over(const object_record& record) {
  const warp_record& warp = warps[read_far(record.warp) % CUDASYNC_CHECKED_WARPS];
  const uint32 block = read_far(record.block);
  if (read_far(warp.owner) >> 5 != block) return 1;
  if (read_far(record.grid) == grid_number()) return 0;
  const uint32 now = ptx::get_sreg_clock();
  const uint64 apart = read_far(warp.calls[read_far(record.lane) % 32].stamp);
  const uint64 together = read_far(warp.calls[32].stamp);
  const bool is_recent = (apart >> 37 == block && now - static_cast<uint32>(apart) < 4000000) ||
                         (together >> 37 == block && now - static_cast<uint32>(together) < 4000000);
  return is_recent ? 0 : 2;
}

// A function of its own, so that find_or_make needs fewer registers.
inline __device__ __noinline__ void fill(object_record& record, uint32 address) {
  shared_by_all(record.ready_to_arrive) = 0;
  shared_by_all(record.ready_to_wait) = 0;
  shared_by_all(record.grid) = grid_number();
  shared_by_all(record.times) = 0;
  shared_by_all(record.arrived_before) = 0;
  shared_by_all(record.name) = nullptr;
  shared_by_all(record.is_readable) = 0;
  shared_by_all(record.early) = 0;
  shared_by_all(record.remote) = 0;
  shared_by_all(record.expected) = 0;
  shared_by_all(record.lock) = 0;
  shared_by_all(record.address) = address;
  shared_by_all(record.block) = tag_of_block();
  shared_by_all(record.warp) = static_cast<uint32>(&record_of_warp() - warps);
  shared_by_all(record.lane) = own_lane();
  __threadfence();
}

// A place for a new record: a free one, otherwise one of a block that has ended.
struct vacancy {
  object_record* place;  // null if there is none
  uint64 key;            // that is there
};

// Returns false if there is a record for this object now, or one in the making, which may be for it.
inline __device__ __noinline__ bool find_vacancy(uint32 address, vacancy& best) {
  uint32 rank = 0;
  best = {};
  CUDASYNC_NO_UNROLL
  for (uint32 attempt = 0; attempt < attempts && rank < 3; ++attempt) {
    object_record* const each = place_of(address, attempt);
    const uint64 key = read_far(each->key);
    if (key == key_of_a_record_in_the_making || key == key_of(address)) return false;
    const uint32 over = key == 0 ? 3 : is_over(*each);
    const uint32 each_rank = over == 1 ? 2 : over == 2 ? 1 : over;
    if (each_rank <= rank) continue;
    best = {each, key};
    rank = each_rank;
  }
  return true;
}

// Called by a thread that initializes the object, or that arrives before that. Returns a null pointer if there is no
// place for a record.
inline __device__ __noinline__ object_record* find_or_make(uint32 address) {
  shared_by_all(record_of_warp().owner) = owner_of_warp();  // shows that a block which had this warp has ended
  while (true) {
    object_record* const found = find_slowly(address);
    if (found != nullptr) return found;
    vacancy at;
    if (!find_vacancy(address, at)) {
      __nanosleep(0);
      continue;
    }
    if (at.place == nullptr) {
      complain_about_room();
      return nullptr;
    }
    auto* const word = reinterpret_cast<unsigned long long*>(&at.place->key);
    if (atomicCAS(word, at.key, key_of_a_record_in_the_making) != at.key) continue;
    fill(*at.place, address);
    shared_by_all(at.place->key) = key_of(address);
    return at.place;
  }
}

// Called through a pointer, so that ptxas does not add its registers to those of its callers.
using record_maker = object_record* (*)(uint32 address);
CUDASYNC_DEVICE_VARIABLE record_maker maker_of_records = find_or_make;

CUDASYNC_DEVICE object_record* record_at(uint32 address) {
  return shared_by_all(maker_of_records)(address);
}

// --- Tallies ---

// The word if it is of the current epoch, otherwise an empty word of that epoch.
CUDASYNC_DEVICE uint64 in_epoch(const object_record& record, uint64 word) {
  const uint64 epoch = read_near(record.epoch);
  return (word & tally::epoch) == epoch ? word : epoch;
}
CUDASYNC_DEVICE uint32 number_of(uint64 word) {
  return static_cast<uint32>(word / tally::one) & 0x3fffffff;
}

// The calls of a thread: its own tally, and that of all lanes of its warp together. If both have calls and begin with
// different parities, the parity of the first call is not known.
struct calls_of_thread {
  uint32 number;
  int32 drift;  // as if the first phase had parity 0
  bool began_odd;
  bool is_beginning_known;

  CUDASYNC_DEVICE static calls_of_thread of(uint64 one, uint64 other) {
    const uint32 number = number_of(one) + number_of(other);
    const int32 drift = drift_of(one) + drift_of(other);
    const bool are_odd[2] = {(one & tally::began_odd) != 0, (other & tally::began_odd) != 0};
    const bool is_known = number_of(one) == 0 || number_of(other) == 0 || are_odd[0] == are_odd[1];
    const bool began_odd = !is_known ? drift < 0 : number_of(one) != 0 ? are_odd[0] : are_odd[1];
    return {number, began_odd ? -drift : drift, began_odd, is_known};
  }
  // Whether the last call was in a phase of this parity, as far as it is known.
  CUDASYNC_DEVICE bool has_last(bool parity) const {
    if (number == 0 || (!is_beginning_known && drift == 0)) return false;
    return (began_odd != (drift <= 0)) == parity;
  }
  // Whether it has not taken part once in each phase since the first one.
  CUDASYNC_DEVICE bool has_drifted() const { return number != 0 && (drift < 0 || drift > 1); }

 private:
  CUDASYNC_DEVICE static int32 drift_of(uint64 word) {
    return static_cast<int32>(static_cast<uint32>(word >> 32)) >> 16;
  }
};

// The tallies of the lanes of a warp of the block, or a null pointer.
CUDASYNC_DEVICE lane_tallies* lanes_of(const object_record& record, uint32 warp) {
  const uint32 index = read_near(record.lanes[warp % 32]);
  return index != 0 ? &lanes_of_warps[index] : nullptr;
}

// The tallies of a thread: that of all lanes of its warp together, and its own.
CUDASYNC_DEVICE uint64 word_together(const object_record& record, uint32 rank) {
  return in_epoch(record, read_far(record.warps[rank / 32 % 32].arrivals));
}
CUDASYNC_DEVICE uint64 word_apart(const object_record& record, uint32 rank) {
  const lane_tallies* const lanes = lanes_of(record, rank / 32);
  return lanes != nullptr ? in_epoch(record, read_far(lanes->of[rank % 32].arrivals)) : 0;
}
inline __device__ __noinline__ uint32 arrivals_of(const object_record& record, uint32 rank) {
  return number_of(word_together(record, rank)) + number_of(word_apart(record, rank));
}

// The same, made if there is room. The converged peers, which have the same record, call it together.
inline __device__ __noinline__ lane_tallies* lanes_of_own_warp(object_record& record, uint32 peers) {
  const uint32 warp = backend::rank_in_block() / 32 % 32;
  if ((peers & ptx::get_sreg_lanemask_lt()) == 0 && read_near(record.lanes[warp]) == 0) {
    const uint32 index = shared_by_all(used_lanes) < CUDASYNC_CHECKED_LANES - 1 ? 1 + atomicAdd(&used_lanes, 1u) : 0;
    if (index != 0 && index < CUDASYNC_CHECKED_LANES) {
      // Lanes that have diverged may call it at the same time.
      ptx::atom(ptx::sem_relaxed, ptx::scope_gpu, ptx::op_cas_t{}, ptx::to_global_pointer(&record.lanes[warp]),
                uint16{0}, static_cast<uint16>(index));
    } else {
      shared_by_all(record.remote) = not_counted;
      complain_about_room();
    }
  }
  __syncwarp(peers);
  const uint32 index = read_far(record.lanes[warp]);
  return index != 0 ? &lanes_of_warps[index] : nullptr;
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
