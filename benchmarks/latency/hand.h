// Hand-written barriers of a block, as in typical kernels: mbarriers with different wait loops, and counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_HAND_H
#define CUDASYNC_BENCHMARKS_LATENCY_HAND_H

namespace bench {

using u32 = unsigned int;
using u64 = unsigned long long;

// Forms of a wait, each with a token (u64, "l") or a parity (u32, "r").

// One test of the mbarrier.
#define BENCH_TEST(INSTRUCTION, TYPE, REGISTER, HINT)                                                               \
  static __device__ __forceinline__ bool test(u32 address, TYPE which) {                                            \
    u32 done;                                                                                                       \
    asm volatile("{ .reg .pred done; " INSTRUCTION ".shared.b64 done, [%1], %2" HINT "; selp.u32 %0, 1, 0, done; }" \
                 : "=r"(done)                                                                                       \
                 : "r"(address), REGISTER(which)                                                                    \
                 : "memory");                                                                                       \
    return done != 0;                                                                                               \
  }
// The whole wait in one asm block.
#define BENCH_WAIT(INSTRUCTION, TYPE, REGISTER, HINT)                                       \
  static __device__ __forceinline__ void wait(u32 address, TYPE which) {                    \
    asm volatile("{ .reg .pred done; again: " INSTRUCTION ".shared.b64 done, [%0], %1" HINT \
                 "; @!done bra again; }" ::"r"(address),                                    \
                 REGISTER(which)                                                            \
                 : "memory");                                                               \
  }
// The same, with a branch out of the loop before the branch back, which ptxas does not change. AGAIN: a second test in each
// iteration.
#define BENCH_THROUGH(INSTRUCTION, TYPE, REGISTER, AGAIN)                                  \
  static __device__ __forceinline__ void wait(u32 address, TYPE which) {                   \
    asm volatile("{ .reg .pred done;\nagain: " INSTRUCTION ".shared.b64 done, [%0], %1;\n" \
                 "@done bra through;\n" AGAIN "bra again;\nthrough: }" ::"r"(address),     \
                 REGISTER(which)                                                           \
                 : "memory");                                                              \
  }
#define BENCH_TWICE(INSTRUCTION, TYPE, REGISTER, NONE) \
  BENCH_THROUGH(INSTRUCTION, TYPE, REGISTER, INSTRUCTION ".shared.b64 done, [%0], %1;\n@done bra through;\n")
#define BENCH_FORM(NAME, HOW, INSTRUCTION, HINT) \
  struct NAME {                                  \
    HOW(INSTRUCTION, u64, "l", HINT)             \
    HOW(INSTRUCTION ".parity", u32, "r", HINT)   \
  };
// clang-format off
//         name                     what           instruction            hint
BENCH_FORM(one_try_wait,            BENCH_TEST,    "mbarrier.try_wait",   "")
BENCH_FORM(one_hint_wait,           BENCH_TEST,    "mbarrier.try_wait",   ", 0x989680")  // the hint is from CUTLASS
BENCH_FORM(one_test_wait,           BENCH_TEST,    "mbarrier.test_wait",  "")
BENCH_FORM(block_try_wait,          BENCH_WAIT,    "mbarrier.try_wait",   "")
BENCH_FORM(block_hint_wait,         BENCH_WAIT,    "mbarrier.try_wait",   ", 0x989680")
BENCH_FORM(block_test_wait,         BENCH_WAIT,    "mbarrier.test_wait",  "")
BENCH_FORM(block_through_try_wait,  BENCH_THROUGH, "mbarrier.try_wait",   "")
BENCH_FORM(block_through_test_wait, BENCH_THROUGH, "mbarrier.test_wait",  "")
BENCH_FORM(block_twice_try_wait,    BENCH_TWICE,   "mbarrier.try_wait",   "")
BENCH_FORM(block_twice_test_wait,   BENCH_TWICE,   "mbarrier.test_wait",  "")
// clang-format on
#undef BENCH_TEST
#undef BENCH_WAIT
#undef BENCH_THROUGH
#undef BENCH_TWICE
#undef BENCH_FORM

// A loop that the compiler sees, with a pause after each failed test if Nanoseconds is not 0.
template <class One, unsigned Nanoseconds = 0>
struct loop {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    while (!One::test(address, which))
      if constexpr (Nanoseconds != 0) __nanosleep(Nanoseconds);
  }
};
// One test that the compiler sees, and then another form.
template <class One, class Then>
struct first {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    if (!One::test(address, which)) Then::wait(address, which);
  }
};
using loop_try_wait = loop<one_try_wait>;
using loop_test_wait = loop<one_test_wait>;

// An mbarrier in shared memory.
template <class Wait>
struct hand_mbarrier {
  u64 word;

  __device__ __forceinline__ u32 address() { return static_cast<u32>(__cvta_generic_to_shared(&word)); }
  __device__ __forceinline__ void init(unsigned expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(expected) : "memory");
  }
  __device__ __forceinline__ u64 arrive(unsigned = 0) {
    u64 token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address()) : "memory");
    return token;
  }
  __device__ __forceinline__ void arrive_only(unsigned = 0) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void wait(u64 token, unsigned) { Wait::wait(address(), token); }
  __device__ __forceinline__ void wait_parity(unsigned phase) { Wait::wait(address(), phase & 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned) { Wait::wait(address(), arrive()); }
};

// Counters in shared memory that are never reset: phase p is complete after (p + 1) * expected arrivals. The thread
// knows p.
__device__ __forceinline__ u32 add_release_shared(u32* counter, u32 value) {
  u32 before;
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(counter));
  asm volatile("atom.add.release.cta.shared.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(value) : "memory");
  return before;
}
__device__ __forceinline__ u32 load_acquire_shared(const u32* counter) {
  u32 value;
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(counter));
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

// IsAggregated: one lane arrives for all lanes of its warp, which must be converged.
template <bool IsAggregated>
struct hand_shared_counter {
  u32 count;
  u32 expected;

  __device__ __forceinline__ void init(unsigned arrivals) {
    count = 0;
    expected = arrivals;
  }
  __device__ __forceinline__ int arrive(unsigned = 0) {
    arrive_only();
    return 0;
  }
  __device__ __forceinline__ void arrive_only(unsigned = 0) {
    if constexpr (IsAggregated) {
      __syncwarp();
      if (threadIdx.x % 32 == 0) add_release_shared(&count, 32);
    } else {
      add_release_shared(&count, 1);
    }
  }
  __device__ __forceinline__ void wait(int, unsigned phase) { wait_parity(phase); }
  __device__ __forceinline__ void wait_parity(unsigned phase) {
    const u32 target = (phase + 1) * expected;
    while (static_cast<int>(load_acquire_shared(&count) - target) < 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    arrive_only();
    wait_parity(phase);
  }
};

}  // namespace bench

#endif
