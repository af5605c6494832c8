// The records of the checked build: the last call of each thread, and the inits and arrivals of barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_REGISTRY_DEVICE_H
#define CUDASYNC_HANG_REGISTRY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

// Each module has two tables in global memory. Shared memory and the objects themselves are the same as in the release
// build. record_words_device.h has the words of which the records consist.
// warps: a record for each warp that the GPU can hold, found by the multiprocessor and the place of the warp on it. It
// has the lines where the threads of the warp last called the library and, after they have waited for a long time, what
// they wait for. Its warp writes it, with volatile stores and atomics. The thread that writes a report reads the
// records of all warps, with volatile loads. It needs no order, because a hang no longer changes.
// objects: a record for each barrier in shared memory, found by the grid, the block and the address. init makes it, and
// replaces another one if there is no room (object_table_device.h). The threads of one block write and read it, all on
// the same multiprocessor, with relaxed accesses of block scope (read_near, write_near). A thread writes only its own
// words of a record, and lane 0 writes those of its warp. No order is needed between words, because each says whether
// it is of this barrier and this init.
// Most calls are made by all lanes of a warp together: one lane records the call for all of them, in a few bytes. Lanes
// that call separately each record their own call.
// Sizes: CUDASYNC_CHECKED_OBJECTS objects (a power of two, 17 KiB each), CUDASYNC_CHECKED_WARPS warps (4.4 KiB each).
// If the GPU can hold more warps, several have one record, and a report of a hang says nothing but that.
#if !defined(CUDASYNC_CHECKED_OBJECTS)
#define CUDASYNC_CHECKED_OBJECTS 4096
#endif
#if !defined(CUDASYNC_CHECKED_WARPS)
#define CUDASYNC_CHECKED_WARPS 16384
#endif

// If it is not 0, threads are delayed at random before they arrive and wait. The delays depend on the number.
#if !defined(CUDASYNC_SHAKE)
#define CUDASYNC_SHAKE 0
#endif

// For functions that are declared before they are defined, where g++ does not accept the attribute.
#if CUDASYNC_DEVICE_PASS
#define CUDASYNC_REPORT inline __device__ __noinline__
#else
#define CUDASYNC_REPORT inline __device__
#endif

// Rarely executed code need not be fast, and unrolled loops take registers and compile time.
#define CUDASYNC_NO_UNROLL _Pragma("unroll 1")

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

static_assert((CUDASYNC_CHECKED_OBJECTS & (CUDASYNC_CHECKED_OBJECTS - 1)) == 0 && CUDASYNC_CHECKED_OBJECTS >= 8,
              "CUDASYNC_CHECKED_OBJECTS must be a power of two, 8 or more");

CUDASYNC_DEVICE bool is_of_queue(role who) {
  return who == role::scheduler || who == role::queue_consumer;
}

// The line, the owner and the time of a call.
struct alignas(16) call_record {
  uint64 from;   // the site of the call
  uint64 stamp;  // upper half: the owner (tag of the block, rank of the warp); lower half: the multiprocessor's clock
};

// In separate cache lines, because a store to one sector can make the next load of another one a miss.
struct alignas(128) warp_record {
  call_record calls[33];  // the last separate call of each lane, then the last call of all lanes together
#if CUDASYNC_SHAKE
  uint64 turns[32];  // for each lane: lower half: the number of shaken calls; upper half: the owner
#endif
  alignas(128) uint64 waits[32];  // subjects; 0: the lane does not wait
  uint64 held[2][32];             // the semaphores of which the lane has last taken a permit: see permits_device.h
  uint64 held_from[2][32];        // the sites of the calls that took them
  uint32 permits[2][32];          // how many of each it has taken and not given back
  uint64 given[3][32];            // the object to which the lane has last given something, and the last two to which
                                  // it has stored: see permits_device.h
  uint64 stored_from[2][32];      // the sites of these stores
  uint64 stored_at[2][32];        // noted_store::when
  uint32 found[2][32];            // of additions: the value that the first of them found
  uint32 awaited[32];             // the atomic for which the lane has waited since its last store
  uint32 owner;                   // of the waits: the tag of the block and the rank of the warp
  uint32 waiting;                 // the number of threads that poll, and of those that wait by an instruction
  uint32 lock;                    // for lanes that have diverged
  uint32 has_held;                // whether a lane has ever taken a permit; 2: more than it remembers
  uint32 has_given;               // the same of given
  uint64 met;                     // how many lanes have come to await_lanes; upper half: the owner
  uint32 grid;                    // of the waits
  uint32 arrival;                 // the token of the block's last arrival at a barrier of blocks
  uint64 arrived_at;              // that barrier: see permits_device.h
  uint64 round_at;                // the barrier of blocks at which the block has last arrived, as a note
  uint64 round_from;              // the site of that arrival
  uint64 other_from;              // of the last one that passed another number of participants
  uint32 rounds;                  // the block's arrivals at that barrier
  uint32 participants;            // as the last of them passed
  uint32 others;                  // as that at other_from passed; 0: none
  uint32 round_rank;              // of the block among the participants
  uint64 watched;                 // the subject of the last lane that waits, and the number that it watches
  uint64 number;
  uint32 changed_at;  // when a wait that polls last began or found another value
};

// What one warp writes of a barrier's record. Words of all lanes and of each lane are in separate cache lines.
struct alignas(128) warp_attendance {
  uint64 arrivals_together;  // attendance
  uint32 waits_together;     // wait_history
  uint64 at_named_barrier;   // the only word of a named barrier: warp_arrival in named_barrier_device.h
  alignas(128) uint64 arrivals[32];
  alignas(128) uint32 waits[32];
};

inline constexpr uint32 most_threads = 1024;
inline constexpr uint32 warps_of_multiprocessor = 64;
inline constexpr uint32 all_lanes = 0xffffffff;
inline constexpr uint32 most_blocks_of_cluster = 16;
inline constexpr uint32 not_counted = ~uint32{0};  // of object_record::remote and attendances::complete
inline constexpr uint32 by_stores = 1;             // of object_record::remote
inline constexpr uint32 by_copies = 2;
// Of object_record::stage: it is of a cuda::pipeline, whose producers commit, and whose threads call quit.
inline constexpr uint32 is_of_cuda_pipeline = 0x10000;

// The bytes that a barrier expects, or that the copies on it move.
struct byte_count {
  uint64 bytes;
  uint64 from;  // the site of the last call
  uint32 times;
  uint32 most_beyond;  // of copies: the most bytes at any time that were not expected
  uint64 beyond;       // the site of the copy that made them so many; of expected bytes: the last lone_expectation
};

struct alignas(128) object_record {
  uint64 key;    // key_of(address): written last, so that a record that is found is complete
  uint64 state;  // object_state
  uint64 born;
  uint64 from;         // the site of init
  uint64 unused_from;  // of the init before
  uint64 early_from;   // of the last arrival before any init
  const char* name;
  uint32 grid;
  uint32 index;  // of the name; ~0: none. Of a turn: 1024 times the stage, plus the group
  uint32 expected;
  uint32 times;           // the number of inits
  uint32 arrived_before;  // arrivals in the phase that the last init interrupted
  uint32 unused_count;    // the count of the init before, if no thread had arrived; else 0
  uint32 is_readable;     // whether the state of the mbarrier can be read
  uint32 remote;  // not_counted if other blocks arrive or copy; by_stores or by_copies if their bytes are counted
  uint32 is_of_cluster;
  uint32 drops;
  uint32 has_copies;  // whether memcpy_async or a commit of copies was called on it
  uint32 early;       // arrivals before any init
  uint32 early_rank;  // the thread that made the last of them
  uint32 lock;        // for the first arrivals, if few are expected
  role who;           // the role of the threads that wait
  uint32 stage;       // the stage that they wait for, if they have a role
  uint32 address;
  uint32 block;                               // the tag of the block
  uint32 sent[most_blocks_of_cluster];        // arrivals by this block at the same barrier of each block of its cluster
  uint32 bytes_sent[most_blocks_of_cluster];  // by its copies to other blocks
  alignas(128) byte_count expects;
  byte_count copied;
  uint32 inits;  // of an object that is no mbarrier, for which times is 0
  warp_attendance warps[most_threads / 32];

  // Whether it is of an object of this block that was initialized.
  CUDASYNC_DEVICE bool is_made_in(uint32 tag) const { return key != 0 && block == tag && times != 0; }
  // An init with another count came before any arrival.
  CUDASYNC_DEVICE bool has_other_count() const { return unused_count != 0 && unused_count != expected; }
  CUDASYNC_DEVICE subject as_subject() const { return subject::of(kind::barrier, address); }
  CUDASYNC_DEVICE uint32 number_of_stage() const { return stage % is_of_cuda_pipeline; }
  CUDASYNC_DEVICE bool has_commits() const { return (stage & is_of_cuda_pipeline) != 0; }
  // Whether this block's threads alone arrive, as many in each phase.
  CUDASYNC_DEVICE bool is_simple() const { return remote == 0 && is_of_cluster == 0 && drops == 0; }
};

// The name of the barriers of turns, which users do not see.
CUDASYNC_DEVICE_VARIABLE const char turn_name[] = "turn of group ";
CUDASYNC_DEVICE bool is_of_turns(const object_record& record) {
  return record.name == turn_name;
}

CUDASYNC_DEVICE_VARIABLE warp_record warps[CUDASYNC_CHECKED_WARPS];
CUDASYNC_DEVICE_VARIABLE object_record objects[CUDASYNC_CHECKED_OBJECTS];
// The tag of the block that writes a report.
CUDASYNC_DEVICE_VARIABLE uint32 reporting_block;
// The tags of blocks of which another object has taken a record, by their remainders.
CUDASYNC_DEVICE_VARIABLE uint32 blocks_without_records[1024];

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

// The address of a function, from device memory. Kernels call through it, for two reasons. ptxas adds the registers of
// a function that is called directly to those of its callers. And ptxas 12.9 and 13.0 crash in a kernel with setmaxnreg
// if it calls a function directly that a function which is called through a pointer calls, too. So no function is
// called in both ways. The variable is local: ptxas compiles functions in global variables for each kernel.
template <auto Function>
CUDASYNC_DEVICE auto pointer_to() {
  static auto pointer = Function;
  return shared_by_all(pointer);
}

template <class Word>
CUDASYNC_DEVICE Word read_far(const Word& word) {
  return const_cast<const volatile Word&>(word);
}

// Accesses through the L1 cache, for words that only threads of one block share, and that one thread at a time writes.
template <class Word>
CUDASYNC_DEVICE Word read_near(const Word& word) {
  return ptx::ld(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word));
}
template <class Word>
CUDASYNC_DEVICE void write_near(Word& word, identity<Word> value) {
  ptx::st(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word), value);
}
template <class Word>
CUDASYNC_DEVICE void write_near_if(bool condition, Word& word, identity<Word> value) {
  ptx::st_if(condition, ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word), value);
}

// The compiler keeps the address: after a preemption, a thread continues to use its old record.
CUDASYNC_DEVICE warp_record& record_of_warp() {
  return warps[(ptx::steady_smid() * warps_of_multiprocessor + ptx::steady_warpid()) % CUDASYNC_CHECKED_WARPS];
}

CUDASYNC_DEVICE uint32 own_lane() {
  return backend::rank_in_block() % 32;
}

// --- Calls and waits ---

// A hash of the block and the grid. It is linear, because each arrival computes it.
CUDASYNC_DEVICE uint32 owner_of(uint32 column, uint32 row, uint32 layer) {
  return column * 0x9e3779b1 + row * 0xc2b2ae3d + layer * 0x27d4eb2f + grid_number() * 0x85ebca77;
}
CUDASYNC_DEVICE uint32 owner_of_block() {
  return owner_of(ptx::get_sreg_ctaid_x(), ptx::get_sreg_ctaid_y(), ptx::get_sreg_ctaid_z());
}
// block: the number of a block of this grid.
CUDASYNC_DEVICE uint32 owner_of(uint64 block) {
  const uint64 row = block / gridDim.x;
  return owner_of(static_cast<uint32>(block % gridDim.x), static_cast<uint32>(row % gridDim.y),
                  static_cast<uint32>(row / gridDim.y));
}
// 27 bits, not zero.
CUDASYNC_DEVICE uint32 tag_of(uint32 owner) {
  return (owner >> 5) | 1;
}
CUDASYNC_DEVICE uint32 tag_of_block() {
  return tag_of(owner_of_block());
}
CUDASYNC_DEVICE bool has_lost_records() {
  return read_far(blocks_without_records[tag_of_block() % 1024]) == tag_of_block();
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

// Records a call of all lanes of a warp together, without a branch.
CUDASYNC_DEVICE void record_call_together_if(bool condition, uint64 stamp, caller where) {
  ptx::st_volatile_if(condition && own_lane() == 0, ptx::offset_in_global(&record_of_warp().calls[32]),
                      site::of(where).bits, stamp);
}

// Called at the beginning of each public function that arrives or waits.
CUDASYNC_DEVICE void record_call(caller where) {
  shake();
  CUDASYNC_LANES_HERE(lanes);
  const bool is_together = lanes == all_lanes;
  const uint32 lane = own_lane();
  const call_record* const mine = &record_of_warp().calls[is_together ? 32 : lane];
  ptx::st_volatile_if(!is_together || lane == 0, ptx::offset_in_global(mine), site::of(where).bits, stamp_now());
}
CUDASYNC_DEVICE void record_call(no_caller) {}

// The last call of a lane of the warp, or 0 if it is not known.
inline __device__ __noinline__ site last_call(const warp_record& warp, uint32 owner, uint32 lane) {
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

// What a lane of a warp waits for, or no bits, and the site of its call.
inline __device__ __noinline__ subject wait_of_lane(const warp_record& warp, uint32 lane, uint64& from) {
  subject what{read_far(warp.waits[lane])};
  from = take_site(what).bits;
  if (from == 0) from = last_call(warp, read_far(warp.owner), lane).bits;
  return what;
}

// Times of changes are in units of about a millisecond.
CUDASYNC_DEVICE uint32 time_of_change(uint64 nanoseconds) {
  return static_cast<uint32>(nanoseconds >> 20);
}
// The last change of any warp, with the number of its grid in the upper half.
CUDASYNC_DEVICE_VARIABLE uint64 last_change;
// During a report, if waits still change: the time after which the waits that count have not. Otherwise 0.
CUDASYNC_DEVICE_VARIABLE uint32 unchanged_since;

CUDASYNC_DEVICE void record_change(warp_record& warp, uint64 now) {
  shared_by_all(warp.changed_at) = time_of_change(now);
  shared_by_all(last_change) = uint64{grid_number()} << 32 | time_of_change(now);
}
CUDASYNC_DEVICE bool moves(const warp_record& warp) {
  return unchanged_since != 0 && static_cast<int32>(read_far(warp.changed_at) - unchanged_since) > 0;
}

// What follows "waits for nothing ".
CUDASYNC_DEVICE const char* idle_word() {
  return unchanged_since != 0 ? "that lasts" : "in this library";
}

// Of warp_record::waiting: a wait that polls, or one by an instruction.
inline constexpr uint32 by_polling = 1;
inline constexpr uint32 by_instruction = 0x10000;
CUDASYNC_DEVICE bool polls(const warp_record& warp) {
  return static_cast<uint16>(read_far(warp.waiting)) != 0 && !moves(warp) && read_far(warp.grid) == grid_number();
}

CUDASYNC_DEVICE void record_wait(warp_record& warp, subject what, uint32 how = by_polling) {
  shared_by_all(warp.owner) = owner_of_warp();
  shared_by_all(warp.grid) = grid_number();
  shared_by_all(warp.waits[own_lane()]) = what.bits;
  atomicAdd(&warp.waiting, how);
}
CUDASYNC_DEVICE void record_end_of_wait(warp_record& warp, uint32 how = by_polling) {
  shared_by_all(warp.waits[own_lane()]) = 0;
  atomicSub(&warp.waiting, how);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
