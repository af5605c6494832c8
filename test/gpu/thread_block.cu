// this_thread_block and elect_one for blocks of one, two and three dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cuda/barrier>

using gpu_test::device_array;

__global__ void elect(int* elected_by_block) {
  __shared__ int elected, elected_again;
  const auto block = cudasync::this_thread_block();
  DEVICE_CHECK(block.thread_rank() == gpu_test::thread_rank());
  DEVICE_CHECK(block.size() == blockDim.x * blockDim.y * blockDim.z);
  if (block.thread_rank() == 0) elected = elected_again = 0;
  block.sync();
  if (cudasync::elect_one()) {
    atomicAdd(&elected, 1);
    DEVICE_CHECK(block.thread_rank() < 32);
  }
  if (cudasync::elect_one()) atomicAdd(&elected_again, 1);
  block.sync();
  DEVICE_CHECK(elected == 1 && elected_again == 1);
  if (block.thread_rank() == 0) atomicAdd(&elected_by_block[blockIdx.x], elected);
}
TEST(elect_one_elects_one_thread_of_warp_0) {
  const device_array<int> elected(4);
  int launches = 0;
  for (const dim3 block : {dim3(32), dim3(64), dim3(1024), dim3(33), dim3(8, 8), dim3(4, 4, 8), dim3(3, 5, 7),
                           dim3(1, 96), dim3(1, 1, 64), dim3(5), dim3(2, 2, 2)}) {
    gpu_test::run(elect, {4, block}, elected.get());
    ++launches;
  }
  for (const int of_block : elected.values())
    CHECK(of_block == launches);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
