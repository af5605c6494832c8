// Alternative designs of cudasync's device-scope barrier: which lanes arrive together, which fence, and how to poll.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_barrier.h"

namespace bench { namespace {

using u32 = unsigned int;
using u64 = unsigned long long;

// The layout of cudasync's counter: bits 30..0 are the expected count E, bits 62..32 are a count that starts at 2^31 -
// E, and bit 63 is the parity.
constexpr u64 one_arrival = u64{1} << 32;

__device__ __forceinline__ u64 refill(u64 expected) {
  return ((u64{1} << 31) - expected) << 32;
}
__device__ __forceinline__ bool has_flipped(u64 before, u64 now) {
  return static_cast<long long>(before ^ now) < 0;
}
__device__ __forceinline__ u64 load_acquire_gpu(const u64* word) {
  u64 value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
  return value;
}
__device__ __forceinline__ u32 lane() {
  return threadIdx.x % 32;
}

struct fence_then_add {
  static __device__ __forceinline__ u64 add(u64* word, u64 value) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    return atomicAdd(word, value);
  }
};
struct add_release {
  static __device__ __forceinline__ u64 add(u64* word, u64 value) {
    u64 before;
    asm volatile("atom.add.release.gpu.global.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(word)), "l"(value)
                 : "memory");
    return before;
  }
};

struct arrival {
  u64 token;
  bool completed;
};

template <class Add>
__device__ __forceinline__ arrival arrive_alone(u64* word, u64 addend) {
  const u64 before = Add::add(word, addend);
  u64 value = before + addend;
  const bool completed = has_flipped(before, value);
  while (completed) {
    const u64 more = refill(value & 0x7fffffff);
    const u64 then = atomicAdd(word, more);
    load_acquire_gpu(word);
    value = then + more;
    if (!has_flipped(then, value)) break;
  }
  return {before, completed};
}

template <class Add>
__device__ __forceinline__ arrival arrive_as_one(u64* word, u64 addend, u32 peers) {
  const int leader = __ffs(static_cast<int>(peers)) - 1;
  arrival arrived{0, false};
  __syncwarp(peers);
  if (lane() == static_cast<u32>(leader))
    arrived = arrive_alone<Add>(word, addend * static_cast<u32>(__popc(static_cast<int>(peers))));
  const u32 upper = __shfl_sync(peers, static_cast<u32>(arrived.token >> 32), leader);
  return {static_cast<u64>(upper) << 32, arrived.completed};
}

struct each_alone {
  template <class Add>
  static __device__ __forceinline__ arrival arrive(u64* word, u64 addend) {
    return arrive_alone<Add>(word, addend);
  }
};
struct by_match_any {
  template <class Add>
  static __device__ __forceinline__ arrival arrive(u64* word, u64 addend) {
    const u32 active = __activemask();
    if ((active & (active - 1)) == 0) return arrive_alone<Add>(word, addend);
    return arrive_as_one<Add>(word, addend, __match_any_sync(active, reinterpret_cast<u64>(word) ^ addend));
  }
};
// Polls at full speed at first, and then with a sleep between two polls.
template <int Spins, unsigned Nanoseconds>
struct poll {
  static __device__ __forceinline__ void wait(const u64* word, arrival arrived) {
    if (arrived.completed) return;
    for (int polls = 0; !has_flipped(arrived.token, load_acquire_gpu(word)); ++polls)
      if (polls >= Spins) __nanosleep(Nanoseconds);
  }
};
struct spin {
  static __device__ __forceinline__ void wait(const u64* word, arrival arrived) {
    if (arrived.completed) return;
    while (!has_flipped(arrived.token, load_acquire_gpu(word))) {
    }
  }
};
// Derives the duration of the sleep from the number of missing arrivals: many arrivals take longer than a few.
template <int Shift, unsigned Longest, unsigned Spins>
struct by_remaining {
  static __device__ __forceinline__ void wait(const u64* word, arrival arrived) {
    if (arrived.completed) return;
    for (u32 polls = 0;; ++polls) {
      const u64 value = load_acquire_gpu(word);
      if (has_flipped(arrived.token, value)) return;
      const u32 remaining = (0u - (static_cast<u32>(value >> 32) << 1)) >> 1;
      u32 pause = remaining >> Shift;
      if (polls >= Spins && pause < 64) pause = 64;
      __nanosleep(pause < Longest ? pause : Longest);
    }
  }
};
template <unsigned Step, unsigned Longest>
struct growing {
  static __device__ __forceinline__ void wait(const u64* word, arrival arrived) {
    if (arrived.completed) return;
    for (u32 pause = 0; !has_flipped(arrived.token, load_acquire_gpu(word)); pause += pause < Longest ? Step : 0)
      if (pause) __nanosleep(pause);
  }
};
// Refills without a check whether the next phase is already complete. This is not correct in all programs, and only
// shows the limit.
struct unchecked_refill {
  template <class Add>
  static __device__ __forceinline__ arrival arrive(u64* word, u64 addend) {
    const u64 before = Add::add(word, addend);
    const u64 value = before + addend;
    const bool completed = has_flipped(before, value);
    if (completed) {
      atomicAdd(word, refill(value & 0x7fffffff));
      load_acquire_gpu(word);
    }
    return {before, completed};
  }
};

// Lower bounds for barriers at which all threads of whole warps arrive: one lane per warp adds 32, and the phase is
// known. WithReturn: the addition is an ATOM instead of a RED. AllPoll: all warps poll, instead of one warp per block
// that is followed by a block barrier.
template <bool WithReturn, bool AllPoll>
struct floor_of_all {
  unsigned count;
  unsigned expected;

  __device__ __forceinline__ void init(unsigned arrivals) {
    count = 0;
    expected = arrivals;
  }
  __device__ __forceinline__ unsigned load() {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(__cvta_generic_to_global(&count))
                 : "memory");
    return value;
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    unsigned before = 0;
    if (lane() == 0) {
      if constexpr (WithReturn)
        asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 32;"
                     : "=r"(before)
                     : "l"(__cvta_generic_to_global(&count))
                     : "memory");
      else
        asm volatile("red.release.gpu.global.add.u32 [%0], 32;" ::"l"(__cvta_generic_to_global(&count)) : "memory");
    }
    const unsigned target = (phase + 1) * expected;
    before = __shfl_sync(0xffffffff, before, 0);  // waits for the old value
    if constexpr (WithReturn && AllPoll) __nanosleep(min((target - before) / 64, 4000u));
    if (before == 0xffffffff) return;  // never true
    if (AllPoll || threadIdx.x < 32) {
      for (int polls = 0; static_cast<int>(load() - target) < 0; ++polls)
        if (AllPoll && polls >= 16) __nanosleep(64);
    }
    if constexpr (!AllPoll) __syncthreads();
  }
};
using floor_with_red = floor_of_all<false, false>;
using floor_with_atom = floor_of_all<true, false>;
using floor_all_poll = floor_of_all<false, true>;
using floor_all_poll_late = floor_of_all<true, true>;

// One lane polls for all lanes that wait at the same time. The other lanes wait for this lane.
struct one_lane_polls {
  static __device__ __forceinline__ void wait(const u64* word, arrival arrived) {
    const u32 active = __activemask();
    if (lane() == static_cast<u32>(__ffs(static_cast<int>(active)) - 1)) spin::wait(word, {arrived.token, false});
    __syncwarp(active);
  }
};

template <class Lanes, class Add, class Wait>
struct design {
  u64 word;

  __device__ __forceinline__ void init(unsigned expected) { word = refill(expected) | expected; }
  __device__ __forceinline__ void arrive_and_wait(unsigned) {
    Wait::wait(&word, Lanes::template arrive<Add>(&word, one_arrival));
  }
};

const bool is_enrolled = [] {
  enroll_device_barrier<design<each_alone, add_release, poll<16, 64>>>("each alone, 16 spins, sleep 64", "design");
  enroll_device_barrier<design<each_alone, fence_then_add, poll<16, 64>>>("each alone, fence + add, 16 spins, sleep 64",
                                                                          "design");
  enroll_device_barrier<design<each_alone, add_release, poll<0, 256>>>("each alone, sleep 256", "design");
  enroll_device_barrier<design<each_alone, add_release, spin>>("each alone, spin", "design");
  enroll_device_barrier<design<each_alone, add_release, growing<16, 256>>>("each alone, growing 16 to 256", "design");
  enroll_device_barrier<design<each_alone, add_release, by_remaining<4, 1024, 16>>>(
      "each alone, remaining / 16 to 1024", "design");
  enroll_device_barrier<design<by_match_any, add_release, by_remaining<2, 1024, 16>>>(
      "match_any, remaining / 4 to 1024", "design");
  enroll_device_barrier<design<unchecked_refill, add_release, poll<16, 64>>>("unchecked refill, 16 spins, sleep 64",
                                                                             "design");
  enroll_device_barrier<design<each_alone, add_release, one_lane_polls>>("each alone, one lane spins", "design");
  enroll_device_barrier<floor_with_red>("one RED a warp, one warp a block polls", "reference", false);
  enroll_device_barrier<floor_with_atom>("one ATOM a warp, one warp a block polls", "reference", false);
  enroll_device_barrier<floor_all_poll>("one RED a warp, all poll, sleep 64", "reference", false);
  enroll_device_barrier<floor_all_poll_late>("one ATOM a warp, all poll after missing / 64", "reference", false);
  return true;
}();

}}  // namespace bench
