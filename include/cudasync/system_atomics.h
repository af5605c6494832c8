// system_atomics_error: why read-modify-writes of several GPUs, or of a GPU and the host, on an object are not atomic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_SYSTEM_ATOMICS_H
#define CUDASYNC_SYSTEM_ATOMICS_H

#include <cudasync/compat/include_order.h>

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && __has_include(<cuda_runtime_api.h>)

#include <cuda_runtime_api.h>

#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Why read-modify-writes of system scope on this object are not atomic, if these GPUs access it at the same time, and
// the host also does if it is in memory of the host: the sentence ends with a remedy. nullptr if they are atomic.
// object: in memory of cudaMalloc, cudaMallocManaged, cudaHostAlloc or malloc. gpus: the numbers of count GPUs.
//
// Source: the conditions for atomicity in the memory model of CUDA C++.
[[nodiscard]] inline const char* system_atomics_error(const void* object, const int* gpus, int count) {
  cudaPointerAttributes memory{};
  if (cudaPointerGetAttributes(&memory, object) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return "the CUDA runtime does not know the object's memory: run the program on a machine with a GPU and its driver";
  }
  for (int index = 0; index < count; ++index) {
    const int gpu = gpus[index];
    int has_atomics = 0;
    if (memory.type == cudaMemoryTypeDevice) {
      if (gpu == memory.device) continue;
      cudaDeviceGetP2PAttribute(&has_atomics, cudaDevP2PAttrNativeAtomicSupported, gpu, memory.device);
      if (has_atomics == 0)
        return "the object is in the memory of another GPU, and the link has no native atomics "
               "(cudaDevP2PAttrNativeAtomicSupported): use loads and stores between these GPUs, as peer_barrier and "
               "peer_signal do";
      continue;
    }
    const bool is_pinned = memory.type == cudaMemoryTypeHost;
    const bool is_managed = memory.type == cudaMemoryTypeManaged;
    cudaDeviceGetAttribute(&has_atomics,
                           is_pinned    ? cudaDevAttrHostNativeAtomicSupported
                           : is_managed ? cudaDevAttrConcurrentManagedAccess
                                        : cudaDevAttrPageableMemoryAccess,
                           gpu);
    if (has_atomics != 0) continue;
    if (is_pinned)
      return "the object is in pinned memory of the host, and the GPU has no native atomics there "
             "(cudaDevAttrHostNativeAtomicSupported): put the object into the memory of a GPU, or use loads and "
             "stores, as peer_barrier and peer_signal do";
    if (is_managed)
      return "the object is in managed memory, which the GPU and others cannot access at the same time "
             "(cudaDevAttrConcurrentManagedAccess): put the object into the memory of a GPU";
    return "the object is in pageable memory of the host, which the GPU cannot access "
           "(cudaDevAttrPageableMemoryAccess): put the object into the memory of a GPU";
  }
  return nullptr;
}

// Why read-modify-writes of system scope on this object are not atomic, if all GPUs of the process access it at the
// same time, and the host also does if it is in memory of the host. nullptr if they are atomic.
[[nodiscard]] inline const char* system_atomics_error(const void* object) {
  constexpr int most = 128;
  int gpus[most];
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return "there is no GPU: run the program on a machine with a GPU and its driver";
  }
  if (count > most) count = most;
  for (int gpu = 0; gpu < count; ++gpu)
    gpus[gpu] = gpu;
  return system_atomics_error(object, gpus, count);
}

// In the checked build, aborts with the sentence of system_atomics_error if read-modify-writes on this object are not
// atomic for these GPUs. In other builds, it does nothing.
inline void check_system_atomics([[maybe_unused]] const void* object, [[maybe_unused]] const int* gpus,
                                 [[maybe_unused]] int count, [[maybe_unused]] caller where = caller::here()) {
  if constexpr (is_checked) {
    [[maybe_unused]] const char* const error = system_atomics_error(object, gpus, count);
    CUDASYNC_ASSERT(error == nullptr, error);
  }
}

// In the checked build, aborts if read-modify-writes on this object are not atomic for all GPUs of the process.
inline void check_system_atomics([[maybe_unused]] const void* object, [[maybe_unused]] caller where = caller::here()) {
  if constexpr (is_checked) {
    [[maybe_unused]] const char* const error = system_atomics_error(object);
    CUDASYNC_ASSERT(error == nullptr, error);
  }
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
