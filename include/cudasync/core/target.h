// The target of this compilation pass as a type, on which backends overload their functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_TARGET_H
#define CUDASYNC_CORE_TARGET_H

#include <cudasync/core/config.h>

// 1 in a pass that generates device code. Use it only where an overload on target::here is not possible.
#if defined(__CUDA_ARCH__)
#define CUDASYNC_DEVICE_PASS 1
#else
#define CUDASYNC_DEVICE_PASS 0
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace target {

struct any {};           // code for every target
struct host : any {};    // compiler built-ins, futex
struct sm70 : any {};    // barriers are counters in memory
struct sm80 : sm70 {};   // mbarrier, cp.async
struct sm90 : sm80 {};   // counted arrive, try_wait, transactions, bulk copies, clusters
struct sm100 : sm90 {};  // requests to cancel launches

// CUDASYNC_FORCE_TARGET=sm80 makes a newer GPU run the code for sm80, for tests.
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

// Whether the pass is for one architecture (sm_90a) or family (sm_100f): only these have setmaxnreg.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) ||                                     \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_SPECIFIC__) || \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
enum : bool { has_setmaxnreg = true };
#else
enum : bool { has_setmaxnreg = false };
#endif

// Of these targets, sm_90a has wgmma.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
enum : bool { has_wgmma = has_setmaxnreg };
#else
enum : bool { has_wgmma = false };
#endif

// Of these targets, sm_100a, sm_103a, sm_110a and their families have tcgen05.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
enum : bool { has_tcgen05 = has_setmaxnreg };
#else
enum : bool { has_tcgen05 = false };
#endif

// Whether the toolkit assembles PTX of this version of the ISA, major * 10 + minor.
template <int Version>
inline constexpr bool has_isa = CUDASYNC_PTX_ISA >= Version;

template <class Derived, class Base>
inline constexpr bool is_at_least = __is_base_of(Base, Derived);

// The target for code that every pass parses but that runs only on Minimum and newer: here, or Minimum if newer.
template <class Minimum, bool IsNewer = is_at_least<here, Minimum>>
struct here_or_minimum {
  using type = here;
};
template <class Minimum>
struct here_or_minimum<Minimum, false> {
  using type = Minimum;
};

// Whether a device pass is for a target older than Minimum. False in the host pass, which also parses device functions.
template <class Here, class Minimum>
inline constexpr bool lacks = !is_at_least<Here, Minimum> && !is_at_least<Here, host>;

}}}  // namespace cudasync::CUDASYNC_ABI::target

#endif
