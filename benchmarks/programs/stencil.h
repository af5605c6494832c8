// A stencil of five points in one launch: 100 steps with a barrier of the grid after each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_PROGRAMS_STENCIL_H
#define CUDASYNC_BENCHMARKS_PROGRAMS_STENCIL_H

#include "../harness.h"

namespace bench {

inline constexpr const char* stencil_name = "stencil, 1024 x 1024 floats, 100 steps";
inline constexpr int stencil_size = 1024;
inline constexpr int stencil_steps = 100;
inline constexpr int stencil_threads = 512;

// A contestant is a class whose object is the barrier in global memory, whose bytes are zero at first:
//   void init(unsigned blocks)      void arrive_and_wait()      for all threads of all blocks
template <class Way>
__global__ void prepare_stencil(Way* way, unsigned blocks) {
  way->init(blocks);
}

template <class Way>
__global__ void __launch_bounds__(stencil_threads) stencil(Way* way, float* from, float* to) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
#pragma unroll 1
  for (int step = 0; step < stencil_steps; ++step) {
    for (int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); cell < stencil_size * stencil_size;
         cell += threads) {
      const int x = cell % stencil_size;
      const int y = cell / stencil_size;
      if (x > 0 && y > 0 && x < stencil_size - 1 && y < stencil_size - 1)
        to[cell] = 0.25f * (__ldcg(from + cell - 1) + __ldcg(from + cell + 1) + __ldcg(from + cell - stencil_size) +
                            __ldcg(from + cell + stencil_size));
    }
    way->arrive_and_wait();
    float* const next = from;
    from = to;
    to = next;
  }
}

template <class Way>
void enroll_stencil(const std::string& name, const std::string& kind) {
  static_assert(sizeof(Way) <= 256);
  const void* const kernel = reinterpret_cast<const void*>(&stencil<Way>);
  const void* const prepare = reinterpret_cast<const void*>(&prepare_stencil<Way>);
  contestants().push_back({"programs", stencil_name, name, kind, "native", kernel, prepare});
}

}  // namespace bench

#endif
