// A matrix product of floats, tiled in shared memory: each block computes 64 x 64 elements, 16 steps of k at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_PROGRAMS_MATRIX_PRODUCT_H
#define CUDASYNC_BENCHMARKS_PROGRAMS_MATRIX_PRODUCT_H

#include "../harness.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

inline constexpr const char* product_name = "matrix product, 2048 x 2048 floats";
inline constexpr int product_size = 2048;
inline constexpr int product_tile = 64;
inline constexpr int product_depth = 16;
inline constexpr int product_stages = 4;
inline constexpr int product_threads = 256;  // each computes 4 x 4 elements

struct product_stage {
  alignas(16) float left[product_tile][product_depth];
  alignas(16) float right[product_depth][product_tile];
};

// A contestant is a class that all threads construct from its struct shared, which is in shared memory:
//   void acquire()      void copy(float4* to, const float4* from)      void commit()      begin to fill a stage
//   void wait()         void release()                                                    use the oldest stage
// Every stage is committed, the last ones without copies.
template <class Way>
__global__ void __launch_bounds__(product_threads)
    matrix_product(const float* left, const float* right, float* product) {
  __shared__ product_stage stages[product_stages];
  __shared__ typename Way::shared shared;
  Way way(shared);
  const int row = static_cast<int>(blockIdx.y) * product_tile;
  const int column = static_cast<int>(blockIdx.x) * product_tile;
  const int thread = static_cast<int>(threadIdx.x);
  const auto fetch = [&](int step) {
    product_stage& stage = stages[step % product_stages];
    way.acquire();
    if (step < product_size / product_depth) {
      const int first = step * product_depth;
      const int left_row = thread / 4;
      const int left_column = thread % 4 * 4;
      way.copy(reinterpret_cast<float4*>(&stage.left[left_row][left_column]),
               reinterpret_cast<const float4*>(left + (row + left_row) * product_size + first + left_column));
      const int right_row = thread / 16;
      const int right_column = thread % 16 * 4;
      way.copy(reinterpret_cast<float4*>(&stage.right[right_row][right_column]),
               reinterpret_cast<const float4*>(right + (first + right_row) * product_size + column + right_column));
    }
    way.commit();
  };
  float sums[4][4] = {};
  const int top = thread / 16 * 4;
  const int start = thread % 16 * 4;
  for (int step = 0; step < product_stages - 1; ++step)
    fetch(step);
#pragma unroll 1
  for (int step = 0; step < product_size / product_depth; ++step) {
    way.wait();
    const product_stage& stage = stages[step % product_stages];
#pragma unroll
    for (int k = 0; k < product_depth; ++k) {
      const float4 b = *reinterpret_cast<const float4*>(&stage.right[k][start]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float a = stage.left[top + i][k];
        sums[i][0] += a * b.x;
        sums[i][1] += a * b.y;
        sums[i][2] += a * b.z;
        sums[i][3] += a * b.w;
      }
    }
    way.release();
    fetch(step + product_stages - 1);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(product + (row + top + i) * product_size + column + start) = {sums[i][0], sums[i][1],
                                                                                             sums[i][2], sums[i][3]};
}

template <class Way>
void enroll_matrix_product(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&matrix_product<Way>);
  contestants().push_back({"programs", product_name, name, kind, "native", kernel, nullptr});
}

}  // namespace bench

#endif
