// Measures latency: cycles per operation of one thread, in which each operation depends on the previous one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chain.h"

namespace bench {
namespace {

using u32 = unsigned int;
using u64 = unsigned long long;

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 1024;
constexpr int repetitions = 9;

__device__ __forceinline__ u32 address(in_shared, const void* place) {
  return static_cast<u32>(__cvta_generic_to_shared(place));
}
__device__ __forceinline__ u64 address(in_global, const void* place) {
  return __cvta_generic_to_global(place);
}
__device__ __forceinline__ u64 address(anywhere, const void* place) {
  return reinterpret_cast<u64>(place);
}

// The instructions, each for three kinds of memory.
struct ptx {
#define BENCH_LOAD(SPACE, PLACE, AT, TYPE, VALUE, REGISTER)                                                          \
  static __device__ __forceinline__ VALUE load(SPACE space, const VALUE* place) {                                    \
    VALUE value;                                                                                                     \
    asm volatile("ld.relaxed" PLACE TYPE " %0, [%1];" : "=" REGISTER(value) : AT(address(space, place)) : "memory"); \
    return value;                                                                                                    \
  }
#define BENCH_STORE(SPACE, PLACE, AT, TYPE, VALUE, REGISTER)                                                      \
  static __device__ __forceinline__ void store(SPACE space, VALUE* place, VALUE operand) {                        \
    asm volatile("st.relaxed" PLACE TYPE " [%0], %1;" ::AT(address(space, place)), REGISTER(operand) : "memory"); \
  }
#define BENCH_ATOM(SPACE, PLACE, AT, FUNCTION, OPERATION, VALUE, REGISTER)                     \
  static __device__ __forceinline__ VALUE FUNCTION(SPACE space, VALUE* place, VALUE operand) { \
    VALUE before;                                                                              \
    asm volatile("atom.relaxed" PLACE OPERATION " %0, [%1], %2;"                               \
                 : "=" REGISTER(before)                                                        \
                 : AT(address(space, place)), REGISTER(operand)                                \
                 : "memory");                                                                  \
    return before;                                                                             \
  }
#define BENCH_CAS(SPACE, PLACE, AT, OPERATION, VALUE, REGISTER)                                                        \
  static __device__ __forceinline__ bool compare_exchange(SPACE space, VALUE* place, VALUE& expected, VALUE desired) { \
    VALUE before;                                                                                                      \
    asm volatile("atom.relaxed" PLACE OPERATION " %0, [%1], %2, %3;"                                                   \
                 : "=" REGISTER(before)                                                                                \
                 : AT(address(space, place)), REGISTER(expected), REGISTER(desired)                                    \
                 : "memory");                                                                                          \
    const bool is_done = before == expected;                                                                           \
    expected = before;                                                                                                 \
    return is_done;                                                                                                    \
  }
#define BENCH_WIDE(SPACE, PLACE, AT)                                                                                \
  static __device__ __forceinline__ wide load(SPACE space, const wide* place) {                                     \
    wide value;                                                                                                     \
    asm volatile("{ .reg .b128 value; ld.relaxed" PLACE ".b128 value, [%2]; mov.b128 {%0, %1}, value; }"            \
                 : "=l"(value.low), "=l"(value.high)                                                                \
                 : AT(address(space, place))                                                                        \
                 : "memory");                                                                                       \
    return value;                                                                                                   \
  }                                                                                                                 \
  static __device__ __forceinline__ wide exchange(SPACE space, wide* place, wide operand) {                         \
    wide before;                                                                                                    \
    asm volatile("{ .reg .b128 before, operand; mov.b128 operand, {%3, %4}; atom.relaxed" PLACE                     \
                 ".exch.b128 before, [%2], operand; mov.b128 {%0, %1}, before; }"                                   \
                 : "=l"(before.low), "=l"(before.high)                                                              \
                 : AT(address(space, place)), "l"(operand.low), "l"(operand.high)                                   \
                 : "memory");                                                                                       \
    return before;                                                                                                  \
  }                                                                                                                 \
  static __device__ __forceinline__ bool compare_exchange(SPACE space, wide* place, wide& expected, wide desired) { \
    wide before;                                                                                                    \
    asm volatile("{ .reg .b128 before, expected, desired; mov.b128 expected, {%3, %4}; "                            \
                 "mov.b128 desired, {%5, %6}; atom.relaxed" PLACE                                                   \
                 ".cas.b128 before, [%2], expected, desired; mov.b128 {%0, %1}, before; }"                          \
                 : "=l"(before.low), "=l"(before.high)                                                              \
                 : AT(address(space, place)), "l"(expected.low), "l"(expected.high), "l"(desired.low),              \
                   "l"(desired.high)                                                                                \
                 : "memory");                                                                                       \
    const bool is_done = before.low == expected.low && before.high == expected.high;                                \
    expected = before;                                                                                              \
    return is_done;                                                                                                 \
  }
#define BENCH_ALL(...)                                     \
  BENCH_LOAD(__VA_ARGS__, ".u32", u32, "r")                \
  BENCH_LOAD(__VA_ARGS__, ".u64", u64, "l")                \
  BENCH_STORE(__VA_ARGS__, ".u32", u32, "r")               \
  BENCH_STORE(__VA_ARGS__, ".u64", u64, "l")               \
  BENCH_ATOM(__VA_ARGS__, fetch_add, ".add.u32", u32, "r") \
  BENCH_ATOM(__VA_ARGS__, fetch_add, ".add.u64", u64, "l") \
  BENCH_ATOM(__VA_ARGS__, exchange, ".exch.b32", u32, "r") \
  BENCH_ATOM(__VA_ARGS__, exchange, ".exch.b64", u64, "l") \
  BENCH_CAS(__VA_ARGS__, ".cas.b32", u32, "r")             \
  BENCH_CAS(__VA_ARGS__, ".cas.b64", u64, "l")             \
  BENCH_WIDE(__VA_ARGS__)
  // clang-format off
  BENCH_ALL(in_shared, ".cta.shared", "r")
  BENCH_ALL(in_global, ".gpu.global", "l")
  BENCH_ALL(anywhere,  ".gpu",        "l")
  // clang-format on
#undef BENCH_LOAD
#undef BENCH_STORE
#undef BENCH_ATOM
#undef BENCH_CAS
#undef BENCH_WIDE
#undef BENCH_ALL
};

struct intrinsics {
  template <class Space, class Value>
  static __device__ __forceinline__ Value fetch_add(Space, Value* place, Value operand) {
    return atomicAdd(place, operand);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ Value exchange(Space, Value* place, Value operand) {
    return atomicExch(place, operand);
  }
  template <class Space, class Value>
  static __device__ __forceinline__ bool compare_exchange(Space, Value* place, Value& expected, Value desired) {
    const Value before = atomicCAS(place, expected, desired);
    const bool is_done = before == expected;
    expected = before;
    return is_done;
  }
};

const bool is_enrolled = [] {
  enroll_updating_steps<ptx>("PTX", hand);
  enroll_updating_steps<intrinsics>("intrinsics", "reference");
  enroll_loading_steps<ptx>("PTX", hand);
  enroll_wide_steps<ptx>("PTX", hand);
  return true;
}();

// The mean over the blocks.
chain_outcome run(const contestant& who, std::size_t place) {
  static const device_array<wide> words(chain_blocks * words_of_block);
  const device_array<chain_outcome> outcome(chain_blocks);
  wide* global = words.data();
  check(cudaMemset(global, 0, chain_blocks * words_of_block * sizeof(wide)), who.name);
  unsigned where = static_cast<unsigned>(place);
  unsigned before = warm_up;
  unsigned count = measured;
  chain_outcome* out = outcome.data();
  void* arguments[] = {&global, &where, &before, &count, &out};
  launch(who.kernel, chain_blocks, 1, arguments, 0, false, who.operation + ", " + who.name);
  const std::vector<chain_outcome> all = outcome.copy();
  chain_outcome result = all.front();
  result.cycles = 0;
  for (const chain_outcome& each : all) {
    result.cycles += each.cycles / static_cast<long long>(chain_blocks);
    if (each.left != all.front().left) result.left = ~0ull;  // different from every correct result
  }
  return result;
}

}  // namespace

void run_chain(report& results) {
  for (const char* bits : {"32", "64", "128"})
    for (const char* step :
         {load_step::name, store_step::name, fetch_add_step::name, exchange_step::name, compare_exchange_step::name}) {
      const std::string operation = std::string(step) + ", " + bits + " bits";
      const std::vector<contestant> all = enrolled("chain", operation);
      if (all.empty()) continue;
      std::vector<chain_outcome> expected;
      for (std::size_t place = 0; place < places.size(); ++place)
        expected.push_back(run(first_by_hand(all), place));
      const auto sample = [&](const contestant& who, std::size_t place) {
        const chain_outcome found = run(who, place);
        const double cycles = static_cast<double>(found.cycles) / measured;
        return checked(cycles, std::pair(found.last, found.left), std::pair(expected[place].last, expected[place].left),
                       who);
      };
      results.add(measure(all, places.size(), repetitions, sample), places, "one thread, relaxed: " + operation,
                  "cycles an operation");
    }
}

}  // namespace bench
