// What the checked build remembers beside the objects: what each thread called last, and who initialized and arrived.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_REGISTRY_DEVICE_H
#define CUDASYNC_CHECKED_REGISTRY_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/backend/elect.h>
#include <cudasync/checked/kind.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/ld_st.h>
#include <cudasync/ptx/special_registers.h>

// Two tables in global memory, for the module. None of them is shared memory, and nothing is kept in the objects.
//
// threads: a record for each warp that the GPU can hold, found by the multiprocessor and the warp's place there. A thread
// writes what it calls, by one store, and reads nothing; when it has waited for long, it writes what it waits for.
//
// objects: a record for each barrier in shared memory, found by a hash of the grid, the block and the address. init makes it;
// the oldest of four gives way if there is no room.
//
// Sizes: CUDASYNC_CHECKED_OBJECTS objects (a power of two, 8 KiB each), CUDASYNC_CHECKED_WARPS warps (1 KiB each).
#if !defined(CUDASYNC_CHECKED_OBJECTS)
#define CUDASYNC_CHECKED_OBJECTS 4096
#endif
#if !defined(CUDASYNC_CHECKED_WARPS)
#define CUDASYNC_CHECKED_WARPS 16384
#endif

// The longest wait without any progress that is not called a hang, in milliseconds, unless the host sets another.
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 15000
#endif

// Of functions that are declared before they are defined: there g++ does not accept the attribute, and has no use for it.
#if CUDASYNC_DEVICE_PASS
#define CUDASYNC_REPORT inline __device__ __noinline__
#else
#define CUDASYNC_REPORT inline __device__
#endif

// What is seldom run need not be fast: to unroll its loops would take registers, and time to compile.
#define CUDASYNC_NO_UNROLL _Pragma("unroll 1")

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

static_assert((CUDASYNC_CHECKED_OBJECTS & (CUDASYNC_CHECKED_OBJECTS - 1)) == 0 && CUDASYNC_CHECKED_OBJECTS >= 8,
              "CUDASYNC_CHECKED_OBJECTS: give a power of two, 8 or more");

enum class role : uint32 { none, producer, consumer };

// An object, and what about it: packed to one word.
struct subject {
  uint64 bits;

  CUDASYNC_DEVICE static subject of(kind what, uint64 address, bool parity = false, bool is_parity_known = false,
                                    role who = role::none, uint32 stage = 0) {
    return {(address & 0xffffffffffff) | uint64{static_cast<uint32>(what)} << 48 | uint64{parity} << 52 |
            uint64{is_parity_known} << 53 | uint64{static_cast<uint32>(who)} << 54 | uint64{stage & 0xff} << 56};
  }
  CUDASYNC_DEVICE uint64 address() const { return bits & 0xffffffffffff; }
  CUDASYNC_DEVICE kind what() const { return static_cast<kind>(bits >> 48 & 15); }
  CUDASYNC_DEVICE bool parity() const { return (bits >> 52 & 1) != 0; }
  CUDASYNC_DEVICE bool is_parity_known() const { return (bits >> 53 & 1) != 0; }
  CUDASYNC_DEVICE role who() const { return static_cast<role>(bits >> 54 & 3); }
  CUDASYNC_DEVICE uint32 stage() const { return static_cast<uint32>(bits >> 56); }
};

// A thread, by the warp that it is in for now: another takes the place later. The line of its last call in 16 bits, its rank
// in the block in 11, and a tag of its block and grid.
struct identity {
  uint64 bits;

  CUDASYNC_DEVICE uint32 line() const { return static_cast<uint32>(bits) & 0xffff; }
  CUDASYNC_DEVICE uint32 rank() const { return static_cast<uint32>(bits >> 16) & 0x7ff; }
  CUDASYNC_DEVICE uint64 tag() const { return bits >> 27; }
};

struct alignas(16) thread_record {
  const char* file;  // of its last call
  uint64 who;
};

struct alignas(16) wait_record {
  uint64 what;  // a subject
  uint64 who;   // zero: nobody waits
};

struct warp_record {
  thread_record threads[32];
  wait_record waits[32];
  uint32 waiting;  // threads
  uint32 lock;     // of lanes that arrive one by one although they have diverged
};

// Of one thread of the block, at one object.
struct alignas(8) attendance {
  uint32 arrivals;  // their number, and the bits below
  uint32 waits;  // by parity: their number in the upper half, then how many in a row were for the last parity, and it

  static constexpr uint32 number_of_arrivals = (1 << 24) - 1;
  static constexpr uint32 last_phase = 1 << 24;  // its parity
  static constexpr uint32 twice_in_a_phase = 1 << 25;
  static constexpr uint32 has_dropped = 1 << 26;
  static constexpr uint32 arrived_after_drop = 1 << 27;
};

inline constexpr uint32 most_threads = 1024;
inline constexpr uint32 not_counted = ~uint32{0};  // of object_record::remote

struct object_record {
  uint64 key;
  uint64 born;
  const char* file;  // of init
  const char* name;
  uint32 line;
  uint32 grid;
  uint32 index;  // of the name
  uint32 expected;
  uint32 times;           // it was initialized
  uint32 arrived_before;  // of a phase that the last init interrupted
  uint32 is_readable;     // arriving zero times shows its state
  uint32 remote;          // arrivals of other blocks
  uint32 is_of_cluster;
  uint32 drops;
  uint32 early;  // arrivals before any init
  role who;      // of the threads that wait
  uint32 address;
  uint64 block;  // its tag
  uint64 expected_bytes;
  uint64 copied_bytes;
  uint32 times_expected;
  uint32 times_copied;
  const char* expected_file;
  const char* copied_file;
  uint32 expected_line;
  uint32 copied_line;
  attendance threads[most_threads];
};

CUDASYNC_DEVICE_VARIABLE warp_record warps[CUDASYNC_CHECKED_WARPS];
CUDASYNC_DEVICE_VARIABLE object_record objects[CUDASYNC_CHECKED_OBJECTS];

// --- Who runs ---

CUDASYNC_DEVICE uint64 block_number() {
  return blockIdx.x + uint64{gridDim.x} * (blockIdx.y + uint64{gridDim.y} * blockIdx.z);
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

CUDASYNC_DEVICE warp_record& record_of_warp() {
  return warps[(ptx::get_sreg_smid() * 64 + ptx::get_sreg_warpid()) % CUDASYNC_CHECKED_WARPS];
}

// --- What threads call, and wait for ---

CUDASYNC_DEVICE uint64 mixed(uint64 value) {
  value *= 0x9e3779b97f4a7c15;
  return value ^ value >> 29;
}

CUDASYNC_DEVICE uint64 tag_of_block() {
  return mixed(block_number() + (uint64{grid_number()} << 40) + 1) >> 27;
}

CUDASYNC_DEVICE identity identity_of_thread(uint32 line) {
  return {(line < 0xffff ? line : 0xffff) | backend::rank_in_block() << 16 | tag_of_block() << 27};
}

CUDASYNC_DEVICE void store_pair(void* place, uint64 first, uint64 second) {
  ptx::st_volatile(ptx::offset_in_global(place), first, second);
}

// At the beginning of each public function that arrives or waits.
CUDASYNC_DEVICE void note_call(caller where) {
  store_pair(&record_of_warp().threads[ptx::get_sreg_laneid()], reinterpret_cast<uintptr>(where.file),
             identity_of_thread(where.line).bits);
}
CUDASYNC_DEVICE void note_call(no_caller) {}

CUDASYNC_DEVICE void note_wait(warp_record& warp, subject what) {
  store_pair(&warp.waits[ptx::get_sreg_laneid()], what.bits, identity_of_thread(0).bits);
  atomicAdd(&warp.waiting, 1u);
}
CUDASYNC_DEVICE void note_end_of_wait(warp_record& warp) {
  store_pair(&warp.waits[ptx::get_sreg_laneid()], 0, 0);
  atomicSub(&warp.waiting, 1u);
}

// --- Objects ---

// Of a barrier in this block's shared memory. Not zero.
CUDASYNC_DEVICE uint64 key_of(uint32 address) {
  return mixed(mixed(block_number() + (uint64{grid_number()} << 40)) + address) | 1;
}

CUDASYNC_DEVICE object_record* place_of(uint64 key, uint32 attempt) {
  return &objects[(static_cast<uint32>(key >> 32) + attempt) % CUDASYNC_CHECKED_OBJECTS];
}

inline constexpr uint32 attempts = 4;
inline constexpr uint64 key_of_a_record_in_the_making = 2;  // other keys are odd

inline __device__ __noinline__ object_record* find_slowly(uint64 key) {
  CUDASYNC_NO_UNROLL
  for (uint32 attempt = 0; attempt < attempts; ++attempt)
    if (shared_by_all(place_of(key, attempt)->key) == key) return place_of(key, attempt);
  return nullptr;
}

// A null pointer where init has not been seen. The first looks are at lines that are in the cache, all at once.
CUDASYNC_DEVICE object_record* find(uint32 address) {
  const uint64 key = key_of(address);
  object_record* found = nullptr;
  for (uint32 attempt = 0; attempt < attempts; ++attempt)
    if (place_of(key, attempt)->key == key) found = place_of(key, attempt);
  return found != nullptr ? found : find_slowly(key);
}

// By the thread that initializes, or that arrives before.
inline __device__ __noinline__ object_record* find_or_make(uint32 address) {
  const uint64 key = key_of(address);
  const uint32 grid = grid_number();
  object_record* found = find_slowly(key);
  while (found == nullptr) {
    // A place that is free, or that a kernel launched earlier or beside this one has left, else that of the oldest object.
    object_record* oldest = nullptr;
    uint64 key_there = 0;
    uint64 born = ~uint64{0};
    CUDASYNC_NO_UNROLL
    for (uint32 attempt = 0; attempt < attempts && born != 0; ++attempt) {
      object_record* const each = place_of(key, attempt);
      const uint64 each_key = shared_by_all(each->key);
      if (each_key == key) return each;
      const uint64 each_born = each_key == 0 || shared_by_all(each->grid) != grid ? 0 : shared_by_all(each->born);
      if (each_key == key_of_a_record_in_the_making) {  // perhaps this object's
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
    shared_by_all(found->born) = ptx::get_sreg_globaltimer();
    shared_by_all(found->grid) = grid;
    shared_by_all(found->times) = 0;
    shared_by_all(found->arrived_before) = 0;
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

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
