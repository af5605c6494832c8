// The checked build explains hangs of launch queues: a process each. It needs code for sm_100a, so only the model runs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <stdlib.h>

#include <cuda/barrier>
#include <cuda/work_stealing>

namespace {

const gpu_test::shape two_blocks_each{16, 64, 0, false, 2};
const gpu_test::shape one_block_each{8, 64};
const gpu_test::shape three_warps_each{24, 96};

using queue_of_clusters = cudasync::launch_queue<1, cudasync::consumer_warps<1>, 2>;
using queue_of_blocks = cudasync::launch_queue<1, cudasync::consumer_warps<1>>;

// Block 1 of each cluster takes one answer, then leaves.
__global__ void block_that_takes_no_answer(int) {
  __shared__ queue_of_clusters queue;
  const auto cluster = cudasync::this_cluster();
  queue.init(cluster);
  if (threadIdx.x == 32) queue.run_scheduler();  // <scheduler>
  if (threadIdx.x < 32) {
    queue_of_clusters::consumer_state at(16);
    for (unsigned round = 0; !at.is_done(); ++round) {
      if (cluster.block_rank() == 1 && round == 1) break;
      queue.next(at);  // <next>
    }
  }
  cluster.sync();
}

// The consumers wait, and no thread is a scheduler.
__global__ void queue_without_scheduler(int) {
  __shared__ queue_of_blocks queue;
  queue.init(cudasync::this_thread_block());
  if (threadIdx.x >= 32) return;
  queue_of_blocks::consumer_state at(8);
  while (!at.is_done())
    queue.next(at);  // <next>
}

// Of two consumers, warp 1 takes one answer or none, then leaves.
using queue_of_warps = cudasync::launch_queue<1, cudasync::consumer_warps<2>>;
__device__ void take_answers(unsigned most_of_warp_1) {
  __shared__ queue_of_warps queue;
  queue.init(cudasync::this_thread_block());
  if (threadIdx.x == 64) queue.run_scheduler();
  if (threadIdx.x >= 64) return;
  queue_of_warps::consumer_state at(24);
  for (unsigned round = 0; !at.is_done() && (threadIdx.x < 32 || round < most_of_warp_1); ++round)
    queue.next(at);
}
__global__ void warp_that_takes_no_more_answers(int) {
  take_answers(1);
}
__global__ void warp_that_takes_no_answer(int) {
  take_answers(0);
}

// The consumers wait for what the thread of the scheduler does after it.
__global__ void scheduler_for_which_its_consumers_wait(int) {
  __shared__ queue_of_warps queue;
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  if (threadIdx.x == 0) init(&full, 65);
  queue.init(cudasync::this_thread_block());
  if (threadIdx.x > 64) return;
  if (threadIdx.x == 64) queue.run_scheduler();  // <scheduler>
  full.arrive_and_wait();                        // <full>
  if (threadIdx.x == 64) return;
  for (queue_of_warps::consumer_state at(24); !at.is_done();)
    queue.next(at);
}

// The hang needs a block that gets several answers: if all blocks start at once, there are none, and the kernel ends.
template <void (*Kernel)(int)>
void run_until_a_hang(const gpu_test::shape& how) {
  for (unsigned launch = 0; launch < 16; ++launch)
    gpu_test::run(Kernel, how, 0);
}
#define MISUSE_OF_WORK(SHAPE, KERNEL, ...) \
  {#KERNEL, {__VA_ARGS__}, [] { run_until_a_hang<KERNEL>(SHAPE); }, __FILE__, KERNEL}

const misuse cases[] = {
    MISUSE_OF_WORK(three_warps_each, warp_that_takes_no_more_answers,
                   "have released answer 0: 1 of 2 has; warp 1 has not (last call of thread 32: ",
                   "remedy: let each consumer of every block call next until its state is done"),
    MISUSE_OF_WORK(three_warps_each, warp_that_takes_no_answer,
                   "have released answer 0: 1 of 2 has; warp 1 has not, and has never called next."),
    MISUSE_OF_WORK(
        two_blocks_each, block_that_takes_no_answer, "thread 32 waits at <scheduler>",
        "likely cause: the scheduler waits at <scheduler> until the consumers of all blocks have released answer 0",
        ",0,0) has released it 2 times, and block (", ",0,0) 1 time (last call of thread 0 of block (",
        ",0,0): <next>)", "remedy: let each consumer of every block call next until its state is done"),
    MISUSE_OF_WORK(three_warps_each, scheduler_for_which_its_consumers_wait,
                   "likely cause: the scheduler waits at <scheduler> until the consumers of all blocks have released",
                   "; threads 0-63 wait for barrier at 0x", " at <full>",
                   "remedy: if they wait for the thread of the scheduler, give it a thread of its own", "!consequence"),
    MISUSE_IN(one_block_each, queue_without_scheduler, "answer 0 of a launch_queue (to be requested by its scheduler)",
              "threads 0-31 wait at <next>", "likely cause: no thread has requested this answer",
              "remedy: let one thread of the first block of the cluster call run_scheduler"),
};

}  // namespace

int main(int argc, char** argv) {
  if (!is_on_machine()) return 77;
  return run_misuses(argc, argv, cases);
}
