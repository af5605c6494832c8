// The PTX instructions that the hand-written contestants of bandwidth use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_BANDWIDTH_HAND_H
#define CUDASYNC_BENCHMARKS_BANDWIDTH_HAND_H

#include "ring.h"

namespace bench { namespace ptx {

__device__ __forceinline__ u32 shared(const void* object) {
  return static_cast<u32>(__cvta_generic_to_shared(object));
}

// --- mbarrier ---

__device__ __forceinline__ void init(u32 bar, u32 expected) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(expected) : "memory");
}
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arrive(u32 bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void arrive_after_copies(u32 bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void expect(u32 bar, u32 bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive_and_expect(u32 bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ bool try_wait(u32 bar, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(done)
               : "r"(bar), "r"(parity)
               : "memory");
  return done != 0;
}
__device__ __forceinline__ void wait(u32 bar, u32 parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\n"
               "bra again;\nthrough: }" ::"r"(bar),
               "r"(parity)
               : "memory");
}

// --- Copies from global to shared memory ---

__device__ __forceinline__ void copy_in_bulk(u32 destination, const void* source, u32 bytes, u32 bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
      "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(bar)
      : "memory");
}
template <u32 Bytes>
__device__ __forceinline__ void copy(u32 destination, const void* source) {
  static_assert(Bytes == 16 || Bytes == 4);
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(__cvta_generic_to_global(source))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(destination), "l"(__cvta_generic_to_global(source))
                 : "memory");
}
__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <u32 Pending>
__device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
__device__ __forceinline__ void wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ bool elect() {
  u32 elected;
  asm volatile("{ .reg .pred elected; elect.sync _|elected, 0xffffffff; selp.u32 %0, 1, 0, elected; }"
               : "=r"(elected)::"memory");
  return elected != 0;
}

}}  // namespace bench::ptx

#endif
