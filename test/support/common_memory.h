// Memory of the host and the device in which read-modify-writes of both are atomic to one another, where there is such.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_COMMON_MEMORY_H
#define CUDASYNC_TEST_SUPPORT_COMMON_MEMORY_H

#include "gpu_test.h"

#include <stddef.h>

inline bool is_pinned_memory_common() {
  return gpu_test::attribute(cudaDevAttrHostNativeAtomicSupported) != 0;
}
inline bool has_common_memory() {
  return is_pinned_memory_common() || gpu_test::attribute(cudaDevAttrConcurrentManagedAccess) != 0;
}

// Pages of managed memory wander between host and device, which takes its time.
inline int rounds_in_common_memory(int rounds) {
  return is_pinned_memory_common() ? rounds : rounds / 20;
}

enum class host_memory { pinned, common };

// Zero bytes. Pinned memory is there for loads and stores, which are atomic in any case.
template <class Value, host_memory Kind = host_memory::common>
class host_array {
 public:
  explicit host_array(size_t size) : is_pinned_(Kind == host_memory::pinned || is_pinned_memory_common()) {
    if (is_pinned_)
      gpu_test::expect_success(cudaHostAlloc(&data_, size * sizeof(Value), cudaHostAllocMapped), "cudaHostAlloc");
    else
      gpu_test::expect_success(cudaMallocManaged(&data_, size * sizeof(Value)), "cudaMallocManaged");
    memset(static_cast<void*>(data_), 0, size * sizeof(Value));
  }
  host_array(const host_array&) = delete;
  host_array& operator=(const host_array&) = delete;
  ~host_array() { is_pinned_ ? cudaFreeHost(data_) : cudaFree(data_); }

  Value* get() const { return data_; }
  Value& operator[](size_t index) const { return data_[index]; }

 private:
  bool is_pinned_;
  Value* data_ = nullptr;
};

#endif
