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

class hang_guard {
 public:
  CUDASYNC_DEVICE hang_guard() : start_(ptx::globaltimer()) {}

  // Called between two polls of a barrier of 8 bytes.
  CUDASYNC_DEVICE void poll(const char* what, const void* object) const {
    const uint64 waited = (ptx::globaltimer() - start_) / 1000000;
    if (waited < CUDASYNC_HANG_TIMEOUT_MS) return;
    printf(
        "cudasync: hang: block (%u,%u,%u), thread (%u,%u,%u) has waited %llu ms for the %s at %p (value 0x%016llx). "
        "Compare the number of arrivals with the count given to init, the bytes expected with the bytes copied, and the "
        "parity waited for with the phase.\n",
        blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
        static_cast<unsigned long long>(waited), what, object,
        *static_cast<const volatile unsigned long long*>(object));
    __trap();
  }

 private:
  uint64 start_;
};

#else

class hang_guard {
 public:
  CUDASYNC_DEVICE void poll(const char*, const void*) const {}
};

#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
