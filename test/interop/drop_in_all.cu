// With CUDASYNC_DROP_IN, one header brings what libcu++'s header of that name brings: types, atomics, the host's headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/std/thread/*/version, thread.semaphore/max, thread.barrier/try_wait_for
// passes: both
#define CUDASYNC_DROP_IN 1
#include <cuda/latch>

#if !defined(_CUDA_STD_VERSION) || !defined(CCCL_VERSION) || !defined(NV_IS_DEVICE)
#error "a macro is missing"
#endif

static_assert(cuda::std::numeric_limits<float>::max() > 0 && cuda::std::is_integral_v<int>, "");

__host__ __device__ int add(cuda::std::atomic<int>* left, cuda::atomic<int, cuda::thread_scope_device>* right) {
  cuda::std::byte byte{};
  cuda::std::memcpy(&byte, left, 1);
  return left->load(cuda::std::memory_order_relaxed) + *right;
}

#if !defined(__CUDA_ARCH__)
inline std::string host_names(const char* text) {
  if (text == nullptr) throw std::runtime_error("no text");
  const auto start = std::chrono::steady_clock::now();
  return std::string(text) + (std::chrono::steady_clock::now() - start > std::chrono::seconds(1) ? "slow" : "");
}
#endif
