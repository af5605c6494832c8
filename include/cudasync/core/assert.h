// CUDASYNC_ASSERT: preconditions, checked when CUDASYNC_CHECKED is 1 and without any effect otherwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_ASSERT_H
#define CUDASYNC_CORE_ASSERT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/target.h>

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#include <stdlib.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// What a condition compares first: `compared->*a % b == 0` and `compared->*a <= b && c` keep a and b. A condition that
// begins with a bool or a pointer leaves zeros.
struct comparison {
  long long first = 0, second = 0;

  template <class Value>
  struct operand {
    comparison& compared;
    Value value;

    template <class Other>
    CUDASYNC_API constexpr auto keep(Other other) const {
      compared = {static_cast<long long>(value), static_cast<long long>(other)};
      return static_cast<decltype(value + other)>(value);
    }
#define CUDASYNC_OPERATOR(sign)                                  \
  template <class Other>                                         \
  CUDASYNC_API constexpr auto operator sign(Other other) const { \
    return keep(other) sign decltype(value + other)(other);      \
  }
    CUDASYNC_OPERATOR(%)
    CUDASYNC_OPERATOR(<)
    CUDASYNC_OPERATOR(<=)
    CUDASYNC_OPERATOR(>=)
    CUDASYNC_OPERATOR(==)
    CUDASYNC_OPERATOR(!=)
#undef CUDASYNC_OPERATOR
  };
  template <class Value>
  CUDASYNC_API constexpr operand<Value> operator->*(Value value) {
    return {*this, value};
  }
  template <class Value>
  CUDASYNC_API constexpr Value* operator->*(Value* address) {
    return address;
  }
  CUDASYNC_API constexpr bool operator->*(bool is_true) { return is_true; }

  // The second line, for printf. Large numbers are addresses.
  CUDASYNC_API const char* format() const {
    return first >> 32 > 0 ? "  compared at line %lld: 0x%llx, 0x%llx\n" : "  compared at line %lld: %lld, %lld\n";
  }
};

// Of two addresses, one that is not a multiple of the alignment, if there is one.
template <size_t Alignment>
CUDASYNC_API uintptr least_aligned(const void* one, const void* other) {
  return reinterpret_cast<uintptr>(reinterpret_cast<uintptr>(one) % Alignment != 0 ? one : other);
}

// Prints the broken rule and the thread, then ends the kernel (cudaErrorLaunchFailure) or aborts the host program. One
// thread prints for all that break the rule within about a millisecond.
#if CUDASYNC_CUDA
// A bit for each block whose assertion has been printed, or for each remainder of its number.
CUDASYNC_DEVICE_VARIABLE unsigned blocks_with_failure[128];
// The number of blocks that break a rule, for each remainder of the address of its text.
CUDASYNC_DEVICE_VARIABLE unsigned failures[64];
// A second line, if there is one: a format of printf, a file and three numbers.
CUDASYNC_DEVICE_VARIABLE volatile unsigned long long failure_note[5];

[[noreturn]] inline __device__ __noinline__ void assertion_failed(target::sm70, const char* text, const char* file,
                                                                  int line, comparison compared) {
  const unsigned lanes = __activemask();
  const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const bool is_first = (lanes & ((1u << rank % 32) - 1)) == 0;
  unsigned& blocks = failures[reinterpret_cast<unsigned long long>(text) / 4 % 64];
  const unsigned mine = 1u << block % 32;
  if (is_first && (atomicOr(&blocks_with_failure[block / 32 % 128], mine) & mine) == 0 && atomicAdd(&blocks, 1u) == 0) {
    if (compared.first != 0 || compared.second != 0) {
      failure_note[1] = static_cast<unsigned long long>(line);
      failure_note[2] = static_cast<unsigned long long>(compared.first);
      failure_note[3] = static_cast<unsigned long long>(compared.second);
      failure_note[0] = reinterpret_cast<unsigned long long>(compared.format());
    }
    for (unsigned naps = 0; naps < 10; ++naps)
      __nanosleep(100000);
    printf("%s:%d: cudasync: %s [block (%u,%u,%u), thread (%u,%u,%u), lanes 0x%08x of its warp; and %u more blocks]\n",
           file, line, text, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, lanes,
           atomicAdd(&blocks, 0u) - 1);
    if (const char* const format = reinterpret_cast<const char*>(failure_note[0]))
      printf(format, reinterpret_cast<const char*>(failure_note[1]), failure_note[2], failure_note[3], failure_note[4]);
  }
  for (unsigned naps = 0; naps < 100; ++naps)  // until the text is complete: a nap may end at once
    __nanosleep(100000);
  for (;;)
    __trap();
}
#endif
#if CUDASYNC_CUDA_CLANG && !CUDASYNC_DEVICE_PASS
// clang also checks device functions in the host pass, where target::here is target::host. Never called.
__device__ void assertion_failed(target::host, const char*, const char*, int, comparison);
#endif
#if CUDASYNC_HAS_HOST
inline void assertion_failed(target::host, const char* text, const char* file, int line, comparison compared) {
  fprintf(stderr, "%s:%d: cudasync: %s\n", file, line, text);
  if (compared.first != 0 || compared.second != 0)
    fprintf(stderr, compared.format(), static_cast<long long>(line), compared.first, compared.second);
  abort();
}
#endif

template <class Here>
CUDASYNC_API void assertion_failed(Here here, const char* text, caller where, const char*, int, comparison compared) {
  assertion_failed(here, text, where.file, static_cast<int>(where.line), compared);
}
template <class Here>
CUDASYNC_API void assertion_failed(Here here, const char* text, no_caller, const char* file, int line,
                                   comparison compared) {
  assertion_failed(here, text, file, line, compared);
}

}}  // namespace cudasync::CUDASYNC_ABI

// Reports the line of the user's call if the function has the parameter `caller where`, otherwise its own.
#define CUDASYNC_ASSERT(condition, text)                                                                   \
  do {                                                                                                     \
    ::cudasync::comparison compared;                                                                       \
    if (!(compared->*condition))                                                                           \
      ::cudasync::assertion_failed(::cudasync::target::here{}, text, where, __FILE__, __LINE__, compared); \
  } while (false)

#else

#define CUDASYNC_ASSERT(condition, text) static_cast<void>(0)

#endif

#endif
