// What a trace records: the events of each warp, or of parts of it, in a ring that no other thread uses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !CUDASYNC_CHECKED
#define CUDASYNC_TRACE 1
#define CUDASYNC_TRACE_EVENTS 8
#endif
#include "kernel.h"

#include <cuda/barrier>
#include <cudasync/trace.h>

// More events than a ring has. A thread is the lowest lane of the events that it records: lane 0 always is, and lane 16 where
// only the upper half of the warp makes a call. The rings remain from launch to launch.
// run: grid=3 block=64 seeds=6
extern "C" __global__ void events(unsigned* failures, unsigned* scratch) {
#if !CUDASYNC_CHECKED
  namespace trace = cudasync::trace;
  namespace ptx = cudasync::ptx;
  constexpr unsigned rounds = 11;
  constexpr unsigned kept = CUDASYNC_TRACE_EVENTS;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = ptx::get_sreg_smid() * trace::warps_of_multiprocessor + ptx::get_sreg_warpid();
  const trace::owner& mine = trace::recorded.owners[warp % trace::most_warps][lane];
  const unsigned before = mine.count;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar, of_upper_halves;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    init(&of_upper_halves, blockDim.x / 2);
  }
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round)
    bar.arrive_and_wait();
  if (lane >= 16) of_upper_halves.arrive_and_wait();
  const unsigned count = mine.count - before;
  EXPECT(lane == 0 ? count == rounds : count <= rounds + (lane >= 16));
  EXPECT(lane != 16 || count > 0);
  if (count == 0) return;
  EXPECT(mine.ring > 0 && atomicExch(&scratch[mine.ring], 1u) == 0);
  unsigned long long last = 0;
  for (unsigned number = mine.count - (count < kept ? count : kept); number < mine.count; ++number) {
    const trace::event& found = trace::recorded.rings[mine.ring - 1][number % kept];
    EXPECT(found.what == trace::action::arrive_and_wait && found.is_shared);
    EXPECT(found.object == ptx::to_shared(&bar).value ||
           (lane >= 16 && found.object == ptx::to_shared(&of_upper_halves).value));
    EXPECT(found.block == blockIdx.x && found.warp == threadIdx.x / 32 && found.grid == ptx::get_sreg_gridid());
    EXPECT((found.lanes & (2u << lane) - 1) == 1u << lane);
    EXPECT(found.begin >= last);
    last = found.begin + found.nanoseconds;
    EXPECT(last <= ptx::get_sreg_globaltimer());
  }
#endif
}
