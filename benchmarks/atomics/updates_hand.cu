// Hand-written updates of a table in L2: CUDA built-in functions, PTX, and loops for operations without an instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "updates.h"

namespace bench { namespace {

// --- Numbers ---

// The bits of a nonnegative float compare like a signed integer. Those of negative floats compare like unsigned
// integers in reverse order.
struct intrinsics {
  template <class Value>
  static __device__ __forceinline__ void add(Value& place, Value operand) {
    atomicAdd(&place, operand);
  }
  template <class Value>
  static __device__ __forceinline__ void bit_or(Value& place, Value operand) {
    atomicOr(&place, operand);
  }
  template <class Value>
  static __device__ __forceinline__ void max(Value& place, Value operand) {
    atomicMax(&place, operand);
  }
  static __device__ __forceinline__ void max(float& place, float operand) {
    const int bits = __float_as_int(operand);
    if (bits >= 0)
      atomicMax(reinterpret_cast<int*>(&place), bits);
    else
      atomicMin(reinterpret_cast<unsigned*>(&place), static_cast<unsigned>(bits));
  }
  static __device__ __forceinline__ void max(double& place, double operand) {
    const long long bits = __double_as_longlong(operand);
    if (bits >= 0)
      atomicMax(reinterpret_cast<long long*>(&place), bits);
    else
      atomicMin(reinterpret_cast<u64*>(&place), static_cast<u64>(bits));
  }
  template <class Vector>
  static __device__ __forceinline__ void add_elements(Vector& place, Vector operand) {
    atomicAdd(&place, operand);
  }
};

struct red {
#define BENCH_RED(FUNCTION, OPERATION, VALUE, REGISTER)                                                    \
  static __device__ __forceinline__ void FUNCTION(VALUE& place, VALUE operand) {                           \
    asm volatile("red.relaxed.gpu.global." OPERATION " [%0], %1;" ::"l"(__cvta_generic_to_global(&place)), \
                 REGISTER(operand)                                                                         \
                 : "memory");                                                                              \
  }
  // clang-format off
  //        function   operation  C++ type   register
  BENCH_RED(add,       "add.s32", int,       "r")
  BENCH_RED(add,       "add.u64", u64,       "l")
  BENCH_RED(add,       "add.f32", float,     "f")
  BENCH_RED(add,       "add.f64", double,    "d")
  BENCH_RED(max,       "max.s32", int,       "r")
  BENCH_RED(max,       "max.s64", long long, "l")
  BENCH_RED(max,       "max.u64", u64,       "l")
  BENCH_RED(min,       "min.u32", u32,       "r")
  BENCH_RED(min,       "min.u64", u64,       "l")
  BENCH_RED(bit_or,    "or.b32",  int,       "r")
  BENCH_RED(bit_or,    "or.b64",  u64,       "l")
  // clang-format on
#undef BENCH_RED
  static __device__ __forceinline__ void max(float& place, float operand) {
    const int bits = __float_as_int(operand);
    if (bits >= 0)
      max(reinterpret_cast<int&>(place), bits);
    else
      min(reinterpret_cast<u32&>(place), static_cast<u32>(bits));
  }
  static __device__ __forceinline__ void max(double& place, double operand) {
    const long long bits = __double_as_longlong(operand);
    if (bits >= 0)
      max(reinterpret_cast<long long&>(place), bits);
    else
      min(reinterpret_cast<u64&>(place), static_cast<u64>(bits));
  }

  static __device__ __forceinline__ void add_elements(float4& place, float4 operand) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(&place)),
                 "f"(operand.x), "f"(operand.y), "f"(operand.z), "f"(operand.w)
                 : "memory");
  }
  static __device__ __forceinline__ void add_elements(float2& place, float2 operand) {
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(&place)),
                 "f"(operand.x), "f"(operand.y)
                 : "memory");
  }
  static __device__ __forceinline__ void add_elements(__half2& place, __half2 operand) {
    asm volatile("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;" ::"l"(__cvta_generic_to_global(&place)),
                 "r"(reinterpret_cast<const u32&>(operand))
                 : "memory");
  }
};

struct intrinsic_an_element {
  static __device__ __forceinline__ void add_elements(float4& place, float4 operand) {
    atomicAdd(&place.x, operand.x);
    atomicAdd(&place.y, operand.y);
    atomicAdd(&place.z, operand.z);
    atomicAdd(&place.w, operand.w);
  }
  static __device__ __forceinline__ void add_elements(float2& place, float2 operand) {
    atomicAdd(&place.x, operand.x);
    atomicAdd(&place.y, operand.y);
  }
  static __device__ __forceinline__ void add_elements(__half2& place, __half2 operand) {
    atomicAdd(&place.x, operand.x);
    atomicAdd(&place.y, operand.y);
  }
};

// --- Small numbers ---

template <class Value>
struct alignas(4) padded {
  Value value;
};

// Word: the type that the loop compares and exchanges. It contains the number.
template <class Word>
struct cas_loop {
  template <class Value>
  using object = padded<Value>;

  static __device__ __forceinline__ Word load(const Word* word);
  static __device__ __forceinline__ Word compare_exchange(Word* word, Word expected, Word desired);

  template <class Value>
  static __device__ __forceinline__ Value fetch_add(Value& place, Value operand) {
    const u64 address = reinterpret_cast<u64>(&place);
    Word* const word = reinterpret_cast<Word*>(address & ~(sizeof(Word) - 1));
    const u32 shift = static_cast<u32>(8 * (address & (sizeof(Word) - 1)));
    const u32 mask = ((1u << 8 * sizeof(Value)) - 1) << shift;
    const u32 addend = static_cast<u32>(operand) << shift;
    Word before = load(word);
    while (true) {
      const Word after = static_cast<Word>((before & ~mask) | ((before + addend) & mask));
      const Word seen = compare_exchange(word, before, after);
      if (seen == before) return static_cast<Value>(before >> shift);
      before = seen;
    }
  }
  template <class Value>
  static __device__ __forceinline__ Value fetch_add(padded<Value>& place, Value operand) {
    return fetch_add(place.value, operand);
  }
  template <class Place, class Value>
  static __device__ __forceinline__ void add(Place& place, Value operand) {
    static_cast<void>(fetch_add(place, operand));
  }
};

#define BENCH_WORD(WORD, LOAD, CAS, REGISTER)                                                                 \
  template <>                                                                                                 \
  __device__ __forceinline__ WORD cas_loop<WORD>::load(const WORD* word) {                                    \
    WORD value;                                                                                               \
    asm volatile(LOAD " %0, [%1];" : "=" REGISTER(value) : "l"(__cvta_generic_to_global(word)) : "memory");   \
    return value;                                                                                             \
  }                                                                                                           \
  template <>                                                                                                 \
  __device__ __forceinline__ WORD cas_loop<WORD>::compare_exchange(WORD* word, WORD expected, WORD desired) { \
    WORD seen;                                                                                                \
    asm volatile(CAS " %0, [%1], %2, %3;"                                                                     \
                 : "=" REGISTER(seen)                                                                         \
                 : "l"(__cvta_generic_to_global(word)), REGISTER(expected), REGISTER(desired)                 \
                 : "memory");                                                                                 \
    return seen;                                                                                              \
  }
// clang-format off
BENCH_WORD(unsigned short, "ld.relaxed.gpu.global.u16", "atom.relaxed.gpu.global.cas.b16", "h")
BENCH_WORD(unsigned,       "ld.relaxed.gpu.global.u32", "atom.relaxed.gpu.global.cas.b32", "r")
// clang-format on
#undef BENCH_WORD

// The number owns four bytes, so one instruction is sufficient. A carry goes to the other bytes.
struct whole_word {
  template <class Value>
  using object = padded<Value>;

  template <class Value>
  static __device__ __forceinline__ Value fetch_add(padded<Value>& place, Value operand) {
    return static_cast<Value>(atomicAdd(reinterpret_cast<u32*>(&place), static_cast<u32>(operand)));
  }
  template <class Value>
  static __device__ __forceinline__ void add(padded<Value>& place, Value operand) {
    atomicAdd(reinterpret_cast<u32*>(&place), static_cast<u32>(operand));
  }
};

template <class Way>
void enroll_small_loop(const std::string& name, const std::string& kind) {
  enroll_small_objects<Way, false>(name, kind);
  enroll_small_objects<Way, true>(name, kind);
  enroll_small_references<Way, false>(name, kind);
  enroll_small_references<Way, true>(name, kind);
}

const bool is_enrolled = [] {
  enroll_numbers<intrinsics>("intrinsics", hand);
  enroll_numbers_anywhere<intrinsics>("intrinsics", hand);
  enroll_numbers<red>("red", hand);
  enroll_small_loop<cas_loop<unsigned short>>("a loop on atom.cas.b16", hand);
  enroll_small_loop<cas_loop<unsigned>>("a loop on atom.cas.b32", hand);
  enroll_small_objects<whole_word, false>("atomicAdd to all four bytes", hand);
  enroll_small_objects<whole_word, true>("atomicAdd to all four bytes", hand);
  enroll_float_vectors<intrinsics>("atomicAdd of the vector", hand);
  enroll_float_vectors<red>("red of the vector", hand);
  enroll_float_vectors<intrinsic_an_element>("atomicAdd an element", "reference");
  enroll_half_vectors<intrinsics>("atomicAdd of the vector", hand);
  enroll_half_vectors<red>("red of the vector", hand);
  enroll_half_vectors<intrinsic_an_element>("atomicAdd an element", "reference");
  return true;
}();

}}  // namespace bench
