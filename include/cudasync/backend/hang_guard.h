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

template <class Waited>
__device__ void report_hang(uint64 milliseconds, const Waited& waited) {
  printf(
      "cudasync: hang: block (%u,%u,%u), thread (%u,%u,%u) has waited %llu ms for the %s at 0x%llx. Unless a line about "
      "missing arrivals follows, all have come but bytes have not: compare those expected with those copied.\n",
      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
      static_cast<unsigned long long>(milliseconds), waited.kind(), static_cast<unsigned long long>(waited.address()));
  __nanosleep(1000000);  // lets the other waiters of the warp say the same before one of them ends the kernel
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

  CUDASYNC_DEVICE hang_guard() : start_(ptx::get_sreg_globaltimer()) {}

  // Called between two polls. Waited: has kind(), address() and missing_arrivals().
  template <class Waited>
  CUDASYNC_DEVICE void poll(const Waited& waited) const {
    poll(waited, nullptr);
  }
  // Which: how the wait names its phase.
  template <class Waited, class Which>
  CUDASYNC_DEVICE void poll(const Waited& waited, const Which& which) const {
    const uint64 milliseconds = (ptx::get_sreg_globaltimer() - start_) / 1000000;
    if (milliseconds < CUDASYNC_HANG_TIMEOUT_MS) return;
    explain_wait(which);
    report_hang(milliseconds, waited);
  }

 private:
  uint64 start_;
};

#else

class hang_guard {
 public:
  static constexpr bool is_active = false;

  template <class Waited>
  CUDASYNC_DEVICE void poll(const Waited&) const {}
  template <class Waited, class Which>
  CUDASYNC_DEVICE void poll(const Waited&, const Which&) const {}
};

#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
