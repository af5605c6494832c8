// Two copies of different kinds in one stage or phase: every ordered pair of kinds, by everything that tracks copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/mixed_copies.h"
#include "kernel.h"

using mixed_copies::memory, mixed_copies::source_bytes;

constexpr unsigned sources = 24;

__device__ const unsigned char* filled(int* scratch) {
  for (unsigned word = threadIdx.x; word < sources * source_bytes / 4; word += blockDim.x)
    scratch[word] = static_cast<int>(mixed_copies::word_at(word));
  __syncthreads();
  return reinterpret_cast<const unsigned char*>(scratch);
}

template <cuda::thread_scope Scope>
__device__ bool by_unified_pipeline(cuda::pipeline_shared_state<Scope, 2>& state, memory& own, int* scratch) {
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  return mixed_copies::by_pipeline(pipe, false, own, filled(scratch), sources);
}

// run: block=3 seeds=1
extern "C" __global__ void in_stages(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ memory own;
  EXPECT(by_unified_pipeline(state, own, scratch));
}

// run: block=5 seeds=1
extern "C" __global__ void in_stages_of_producers(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ memory own;
  const auto role = threadIdx.x < 2 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, role);
  EXPECT(mixed_copies::by_pipeline(pipe, true, own, filled(scratch), sources));
}

// run: block=3 seeds=1
extern "C" __global__ void in_stages_of_the_device(unsigned* failures, int* scratch) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;
  __shared__ memory own;
  EXPECT(by_unified_pipeline(state, own, scratch));
}

// run: block=3 seeds=1
extern "C" __global__ void in_stages_in_global_memory(unsigned* failures, int* scratch) {
  __shared__ memory own;
  auto& state = *reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_block, 2>*>(scratch + 8192);
  EXPECT(by_unified_pipeline(state, own, scratch));
}

// run: block=3 seeds=1
extern "C" __global__ void in_stages_of_each_thread(unsigned* failures, int* scratch) {
  __shared__ memory own;
  EXPECT(mixed_copies::by_pipeline_of_thread(own, filled(scratch), sources));
}

// run: block=3 seeds=1
extern "C" __global__ void held_by_a_barrier(unsigned* failures, int* scratch) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ memory own;
  EXPECT(mixed_copies::by_pipeline_for(bar, own, filled(scratch), sources));
}

// run: block=3 seeds=1
extern "C" __global__ void in_phases(unsigned* failures, int* scratch) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ memory own;
  EXPECT(mixed_copies::by_barrier(bar, own, filled(scratch), sources));
}

// run: block=3 seeds=1
extern "C" __global__ void in_phases_of_the_device(unsigned* failures, int* scratch) {
  __shared__ cuda::barrier<cuda::thread_scope_device> bar;
  __shared__ memory own;
  EXPECT(mixed_copies::by_barrier(bar, own, filled(scratch), sources));
}
