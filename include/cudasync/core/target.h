// What this compilation pass generates code for, as a type: backends overload on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_TARGET_H
#define CUDASYNC_CORE_TARGET_H

#include <cudasync/core/config.h>

// 1 in a pass that generates device code. For tables of instructions alone: everything else overloads on target::here.
#if defined(__CUDA_ARCH__)
#define CUDASYNC_DEVICE_PASS 1
#else
#define CUDASYNC_DEVICE_PASS 0
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace target {

struct any {};           // what works everywhere
struct host : any {};    // compiler built-ins, futex
struct sm70 : any {};    // barriers are counters in memory
struct sm80 : sm70 {};   // mbarrier, cp.async
struct sm90 : sm80 {};   // counted arrive, try_wait, transactions, bulk copies, clusters
struct sm100 : sm90 {};  // nothing of ours differs yet: overload resolution takes the sm90 functions

// CUDASYNC_FORCE_TARGET=sm80 makes one GPU run the path of an older one: for tests.
#if !defined(__CUDA_ARCH__)
using here = host;
#elif defined(CUDASYNC_FORCE_TARGET)
using here = CUDASYNC_FORCE_TARGET;
#elif __CUDA_ARCH__ >= 1000
using here = sm100;
#elif __CUDA_ARCH__ >= 900
using here = sm90;
#elif __CUDA_ARCH__ >= 800
using here = sm80;
#elif __CUDA_ARCH__ >= 700
using here = sm70;
#else
#error "cudasync: independent thread scheduling is needed; compile for sm_70 or newer"
#endif

// Whether the code is for one architecture (sm_90a) or one family (sm_100f) alone, which have setmaxnreg.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) ||                                     \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_SPECIFIC__) || \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr bool has_setmaxnreg = true;
#else
inline constexpr bool has_setmaxnreg = false;
#endif

template <class Derived, class Base>
inline constexpr bool is_at_least = __is_base_of(Base, Derived);

// The target of code that only passes for Minimum and newer run, though every pass parses it.
template <class Minimum, bool IsNewer = is_at_least<here, Minimum>>
struct here_or_minimum {
  using type = here;
};
template <class Minimum>
struct here_or_minimum<Minimum, false> {
  using type = Minimum;
};

// For functions that exist on the device alone: nvcc's host pass parses their bodies too and must find every overload.
template <class Here, class Minimum>
inline constexpr bool lacks = !is_at_least<Here, Minimum> && !is_at_least<Here, host>;

}  // namespace target
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
