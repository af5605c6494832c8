// Kernels of both halves run in one program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "parts.h"

static void check_rotation(void (*launch)(const int*, int*)) {
  int* values = nullptr;
  int* result = nullptr;
  CHECK(cudaMallocManaged(&values, threads_of_rotation * sizeof(int)) == cudaSuccess);
  CHECK(cudaMallocManaged(&result, threads_of_rotation * sizeof(int)) == cudaSuccess);
  for (unsigned i = 0; i < threads_of_rotation; ++i) {
    values[i] = static_cast<int>(3 * i + 1);
    result[i] = -1;
  }
  launch(values, result);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (unsigned i = 0; i < threads_of_rotation; ++i)
    CHECK(result[i] == values[(i + 1) % threads_of_rotation]);
  cudaFree(values);
  cudaFree(result);
}

TEST(our_half_rotates) {
  check_rotation(ours::launch_rotation);
}

TEST(their_half_rotates) {
  check_rotation(theirs::launch_rotation);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
