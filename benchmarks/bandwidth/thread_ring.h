// The kernel in which every thread copies elements through its own ring, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_BANDWIDTH_THREAD_RING_H
#define CUDASYNC_BENCHMARKS_BANDWIDTH_THREAD_RING_H

#include "ring.h"

namespace bench {

inline constexpr const char* steady_name = "steady loop";
inline constexpr const char* prefetch_name = "conditional prefetch";
inline constexpr u32 thread_ring_stages[] = {2, 3, 4, 5, 6, 7, 8};
inline constexpr u32 thread_ring_rows = 8;  // each thread reads this many elements repeatedly, so they stay in L2

struct thread_ring_shape {
  const char* name;
  int blocks;  // per multiprocessor
  int threads;
  u32 count;  // elements per thread
};
inline constexpr thread_ring_shape thread_ring_shapes[] = {{"a warp", 1, 32, 8192}, {"4 x 256 threads", 4, 256, 1024}};

inline std::string thread_ring_name(const char* loop, std::size_t bytes, const thread_ring_shape& shape) {
  return std::string(loop) + ", " + std::to_string(bytes) + " bytes, " + shape.name;
}

// A thread's stages in shared memory and its elements in global memory.
template <class Element>
struct thread_stages {
  Element* first;
  const Element* source;
  u32 step;

  __device__ __forceinline__ Element* place(u32 stage) const { return first + stage * step; }
  __device__ __forceinline__ const Element* element(u32 number) const {
    return source + number % thread_ring_rows * step;
  }
};

__device__ __forceinline__ u32 sum_of(u32 element) {
  return element;
}
__device__ __forceinline__ u32 sum_of(const uint4& element) {
  return element.x + element.y + element.z + element.w;
}

// A contestant is a class with template <class Element, u32 Stages> static u32 run(thread_stages<Element>, u32 count).
template <class Way, class Element, u32 Stages>
__global__ void __launch_bounds__(256) thread_ring(const char* source, u32 count, u64* total) {
  extern __shared__ __align__(128) char stages[];
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * thread_ring_rows + threadIdx.x;
  const thread_stages<Element> mine{reinterpret_cast<Element*>(stages) + threadIdx.x,
                                    reinterpret_cast<const Element*>(source) + first, blockDim.x};
  const u32 sum = Way::template run<Element, Stages>(mine, count);
  __syncwarp();
  const u32 of_warp = __reduce_add_sync(0xffffffff, sum);
  if (threadIdx.x % warp_size == 0) atomicAdd(total, u64{of_warp});
}

template <class Way, class Element, std::size_t... Index>
void enroll_thread_ring(const std::string& name, const std::string& kind, const char* loop,
                        std::index_sequence<Index...>) {
  const std::vector<const void*> kernels{
      reinterpret_cast<const void*>(&thread_ring<Way, Element, thread_ring_stages[Index]>)...};
  for (const thread_ring_shape& shape : thread_ring_shapes)
    contestants().push_back({"thread_ring", thread_ring_name(loop, sizeof(Element), shape), name, kind, "sm90", nullptr,
                             nullptr, nullptr, kernels});
}

template <class Way>
void enroll_thread_ring(const std::string& name, const std::string& kind, const char* loop) {
  enroll_thread_ring<Way, uint4>(name, kind, loop, std::make_index_sequence<std::size(thread_ring_stages)>{});
  enroll_thread_ring<Way, u32>(name, kind, loop, std::make_index_sequence<std::size(thread_ring_stages)>{});
}

}  // namespace bench

#endif
