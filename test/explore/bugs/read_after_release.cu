// A stage of a pipeline is read once more after its release: the producer may already fill it again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cudasync/make_pipeline.h>

extern "C" __global__ void read_after_release(int* data) {
  constexpr unsigned stages = 2, steps = 4;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int stage[stages][32];
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (unsigned step = 0; step < steps; ++step) {
    int* const now = stage[step % stages] + threadIdx.x % 32;
    if (produces) {
      pipe.producer_acquire();
      *now = data[step];  // reported
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      // right: sum += *now;
      pipe.consumer_release();
      sum += *now;  // wrong, reported
    }
  }
  data[64 + threadIdx.x] = sum;
}

int main() {
  return launch(read_after_release, 1, 64);
}
