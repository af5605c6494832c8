// In the checked build, ends a wait that takes too long with a report of who waits for what.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_HANG_GUARD_H
#define CUDASYNC_BACKEND_HANG_GUARD_H

#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>

#if CUDASYNC_CUDA

#include <cudasync/ptx/special_registers.h>

// The longest wait that is not called a hang, in milliseconds.
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 10000
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

#if CUDASYNC_CHECKED

// Overloaded where there is more to say about a wait than for what it is.
template <class Which>
__device__ void explain_wait(const Which&) {}

template <class Waited, class Which>
__device__ __noinline__ void report_hang(uint64 milliseconds, Waited waited, Which which) {
  explain_wait(which);
  printf(
      "cudasync: hang: block (%u,%u,%u), thread (%u,%u,%u) has waited %llu ms for the %s at 0x%llx. Unless a line about "
      "missing arrivals follows, all have come but bytes have not: compare those expected with those copied.\n",
      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
      static_cast<unsigned long long>(milliseconds), waited.kind(), static_cast<unsigned long long>(waited.address()));
  __nanosleep(1000000);  // lets the other waiters of the warp say the same before one of them ends the kernel
  if ((ptx::get_sreg_lanemask_lt() & __activemask()) != 0)
    __nanosleep(1000000);  // one of the warp asks: to ask is to arrive, and all together might be too many
  else
    printf(
        "cudasync: hang: block (%u,%u,%u), thread (%u,%u,%u): %llu arrivals are missing. Compare the arrivals made with "
        "the count given to init, and the parity waited for with the phase.\n",
        blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
        static_cast<unsigned long long>(waited.missing_arrivals()));
  __trap();
}

class hang_guard {
 public:
  static constexpr bool is_active = true;
  static constexpr uint64 limit = uint64{CUDASYNC_HANG_TIMEOUT_MS} * 1000000;  // nanoseconds

  CUDASYNC_DEVICE hang_guard() : start_(ptx::get_sreg_globaltimer()) {}

  // Called between two polls. Waited: has kind(), address() and missing_arrivals(). Which: how the wait names what it waits
  // for.
  template <class Waited, class Which>
  CUDASYNC_DEVICE void poll(const Waited& waited, const Which& which) const {
    if (ptx::get_sreg_globaltimer() - start_ >= limit) report(waited, which);
  }

  template <class Waited, class Which>
  CUDASYNC_DEVICE static void report(const Waited& waited, const Which& which) {
    report_hang(CUDASYNC_HANG_TIMEOUT_MS, waited, which);
  }

 private:
  uint64 start_;
};

#else

class hang_guard {
 public:
  static constexpr bool is_active = false;
  static constexpr uint64 limit = 0;

  template <class Waited, class Which>
  CUDASYNC_DEVICE void poll(const Waited&, const Which&) const {}
  template <class Waited, class Which>
  CUDASYNC_DEVICE static void report(const Waited&, const Which&) {}
};

#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
