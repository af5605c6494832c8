// Two copies of different kinds in one stage or phase: every ordered pair of kinds, by everything that tracks copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/mixed_copies.h"

using gpu_test::device_array;
using mixed_copies::memory;

constexpr unsigned blocks = 64, rounds = 8;
constexpr unsigned sources = 2 * mixed_copies::kinds * mixed_copies::kinds;

// Each block has sources of its own, so that the copies take as long as they do from global memory.
__device__ const unsigned char* sources_of_block(const unsigned char* all) {
  return all + size_t{blockIdx.x} * sources * mixed_copies::source_bytes;
}

template <cuda::thread_scope Scope>
__global__ void copy_to_stages(const unsigned char* all) {
  __shared__ cuda::pipeline_shared_state<Scope, 2> state;
  __shared__ memory own;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  DEVICE_CHECK(mixed_copies::by_pipeline(pipe, false, own, sources_of_block(all), sources));
}

__global__ void copy_to_stages_of_producers(const unsigned char* all) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ memory own;
  const auto role = threadIdx.x < blockDim.x / 2 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, role);
  DEVICE_CHECK(mixed_copies::by_pipeline(pipe, true, own, sources_of_block(all), sources));
}

__global__ void copy_to_stages_of_each_thread(const unsigned char* all) {
  __shared__ memory own;
  DEVICE_CHECK(mixed_copies::by_pipeline_of_thread(own, sources_of_block(all), sources));
}

template <cuda::thread_scope Scope>
__global__ void copy_for_phases(const unsigned char* all) {
  __shared__ cuda::barrier<Scope> bar;
  __shared__ memory own;
  DEVICE_CHECK(mixed_copies::by_barrier(bar, own, sources_of_block(all), sources));
}

__global__ void copy_for_a_barrier(const unsigned char* all) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ memory own;
  DEVICE_CHECK(mixed_copies::by_pipeline_for(bar, own, sources_of_block(all), sources));
}

__global__ void fill(unsigned* words) {
  const unsigned count = sources * mixed_copies::source_bytes / 4;
  for (unsigned word = threadIdx.x; word < count; word += blockDim.x)
    words[blockIdx.x * count + word] = mixed_copies::word_at(word);
}

const unsigned char* filled() {
  static const device_array<unsigned char>* const bytes =
      new device_array<unsigned char>(size_t{blocks} * sources * mixed_copies::source_bytes);
  gpu_test::run(fill, {blocks, 256}, reinterpret_cast<unsigned*>(bytes->get()));
  return bytes->get();
}

template <class Kernel>
void repeat(Kernel* kernel) {
  const unsigned char* const all = filled();
  for (unsigned round = 0; round < rounds; ++round)
    gpu_test::run(kernel, {blocks, 64}, all);
}

TEST(stages) {
  repeat(copy_to_stages<cuda::thread_scope_block>);
}
TEST(stages_of_the_device) {
  repeat(copy_to_stages<cuda::thread_scope_device>);
}
TEST(stages_of_producers) {
  repeat(copy_to_stages_of_producers);
}
TEST(stages_of_each_thread) {
  repeat(copy_to_stages_of_each_thread);
}
TEST(phases) {
  repeat(copy_for_phases<cuda::thread_scope_block>);
}
TEST(phases_of_the_device) {
  repeat(copy_for_phases<cuda::thread_scope_device>);
}
TEST(a_barrier_holds_copies_of_threads) {
  repeat(copy_for_a_barrier);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
