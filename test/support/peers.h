// Memory of several GPUs that have access to each other, for tests that also run with one GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_PEERS_H
#define CUDASYNC_TEST_SUPPORT_PEERS_H

#include "gpu_test.h"

#include <vector>

inline void use_gpu(int gpu) {
  gpu_test::expect_success(cudaSetDevice(gpu), "cudaSetDevice");
}

// The number of GPUs, from the first on, that all have access to one another, which is then enabled.
inline int connected_gpus(int most) {
  int gpus = 0;
  gpu_test::expect_success(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  if (gpus > most) gpus = most;
  for (int first = 0; first < gpus; ++first)
    for (int second = 0; second < gpus; ++second) {
      int access = first == second;
      if (first != second)
        gpu_test::expect_success(cudaDeviceCanAccessPeer(&access, first, second), "cudaDeviceCanAccessPeer");
      if (access == 0) gpus = first > second ? first : second;
    }
  for (int first = 0; first < gpus; ++first) {
    use_gpu(first);
    for (int second = 0; second < gpus; ++second) {
      if (first == second) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(second, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled)
        static_cast<void>(cudaGetLastError());
      else
        gpu_test::expect_success(status, "cudaDeviceEnablePeerAccess");
    }
  }
  use_gpu(0);
  return gpus;
}

// Zeros for each rank in the memory of its GPU, and their addresses, by rank, in the memory of each GPU.
template <class Value>
class peer_memory {
 public:
  peer_memory(unsigned ranks, unsigned ranks_of_gpu, size_t size) : gpus_((ranks + ranks_of_gpu - 1) / ranks_of_gpu) {
    for (unsigned rank = 0; rank < ranks; ++rank) {
      use_gpu(static_cast<int>(rank / ranks_of_gpu));
      Value* memory = nullptr;
      gpu_test::expect_success(cudaMalloc(&memory, size * sizeof(Value)), "cudaMalloc");
      gpu_test::expect_success(cudaMemset(memory, 0, size * sizeof(Value)), "cudaMemset");
      gpu_test::expect_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      memory_.push_back(memory);
    }
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
      use_gpu(static_cast<int>(gpu));
      Value** addresses = nullptr;
      gpu_test::expect_success(cudaMalloc(&addresses, ranks * sizeof(Value*)), "cudaMalloc");
      gpu_test::expect_success(cudaMemcpy(addresses, memory_.data(), ranks * sizeof(Value*), cudaMemcpyHostToDevice),
                               "cudaMemcpy");
      addresses_.push_back(addresses);
    }
    use_gpu(0);
  }
  peer_memory(const peer_memory&) = delete;
  peer_memory& operator=(const peer_memory&) = delete;
  ~peer_memory() {
    for (Value** addresses : addresses_)
      cudaFree(addresses);
    for (Value* memory : memory_)
      cudaFree(memory);
  }

  Value* const* addresses(int gpu) const { return addresses_[static_cast<size_t>(gpu)]; }

 private:
  unsigned gpus_;
  std::vector<Value*> memory_;
  std::vector<Value**> addresses_;
};

#endif
