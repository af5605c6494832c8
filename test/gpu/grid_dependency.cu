// Programmatic dependent launch: a grid that waits sees all that the one before it wrote, though it began earlier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"

#include <cudasync/grid_dependency.h>

using gpu_test::device_array;

constexpr unsigned blocks = 64, threads = 128;

// Launches its dependents at once, and writes late.
__global__ void write_late(int* cells, int value) {
  cudasync::wait_for_prerequisite_grids();
  cudasync::launch_dependent_grids();
  gpu_test::pause(100000);
  cells[blockIdx.x * threads + threadIdx.x] = value;
}

__global__ void read_after_wait(int* cells, int* sums, int value, unsigned long long* begun) {
  if (threadIdx.x == 0) begun[blockIdx.x] = gpu_test::nanoseconds();
  cudasync::wait_for_prerequisite_grids();
  cudasync::launch_dependent_grids();
  const unsigned other = (blockIdx.x + 1) % gridDim.x * threads + threadIdx.x;
  if (cells[other] == value) atomicAdd(sums, 1);
}

// The legacy stream lets no grids overlap.
cudaStream_t stream() {
  static const cudaStream_t created = [] {
    cudaStream_t result{};
    gpu_test::expect_success(cudaStreamCreateWithFlags(&result, cudaStreamNonBlocking), "stream");
    return result;
  }();
  return created;
}

template <class... Parameters, class... Arguments>
void start_dependent(void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  gpu_test::expect_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launch");
}

// The kernels are bounded by their pauses.
void finish() {
  gpu_test::expect_success(cudaStreamSynchronize(stream()), "kernel");
  gpu_test::finish();
}

TEST(a_dependent_grid_sees_what_was_written_after_its_launch) {
  const bool may_overlap = gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
  const device_array<int> cells(blocks * threads), sums(1);
  const device_array<unsigned long long> begun(blocks);
  for (int round = 1; round <= 20; ++round) {
    if (may_overlap) {
      start_dependent(write_late, cells.get(), round);
      start_dependent(read_after_wait, cells.get(), sums.get(), round, begun.get());
    } else {
      gpu_test::start(write_late, {blocks, threads}, cells.get(), round);
      gpu_test::start(read_after_wait, {blocks, threads}, cells.get(), sums.get(), round, begun.get());
    }
  }
  finish();
  CHECK(sums.values()[0] == static_cast<int>(20 * blocks * threads));
}

// Says when it ended: so the test above is one of waiting, and not of a stream's order.
__global__ void end_late(unsigned long long* ended) {
  cudasync::launch_dependent_grids();
  gpu_test::pause(2000000);
  if (threadIdx.x == 0) atomicMax(ended, gpu_test::nanoseconds());
}
__global__ void begin_early(unsigned long long* begun) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *begun = gpu_test::nanoseconds();
  cudasync::wait_for_prerequisite_grids();
}
TEST(a_dependent_grid_begins_before_the_other_has_ended) {
  SKIP_IF(gpu_test::attribute(cudaDevAttrComputeCapabilityMajor) < 9, "grids of a stream overlap from sm_90 on");
#if defined(CUDASYNC_FORCE_TARGET)
  SKIP_IF(true, "older targets do not launch dependents early");
#endif
  const device_array<unsigned long long> ended(1), begun(1);
  for (int round = 0; round < 2; ++round) {  // the first loads the kernels, which may wait for those that run
    start_dependent(end_late, ended.get());
    start_dependent(begin_early, begun.get());
    finish();
  }
  CHECK(begun.values()[0] < ended.values()[0]);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
