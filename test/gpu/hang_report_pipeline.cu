// The checked build explains pipelines that hang or are misused: each case is a process of its own, which must fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
#include "../support/misuse.h"

#include <cuda/pipeline>

using cuda::pipeline_role;
using block_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
using device_state = cuda::pipeline_shared_state<cuda::thread_scope_device, 2>;

__device__ device_state in_global_memory;
__device__ alignas(16) unsigned char source[256];

// The argument is 0. It hides wrong values from the compiler.

// --- Hangs ---

// Two threads: the first produces, and never commits.
__global__ void stage_that_nobody_commits(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 1);
  if (threadIdx.x == 0)
    pipe.producer_acquire();
  else
    pipe.consumer_wait();
}
__global__ void stage_that_nobody_commits_at_device_scope(int) {
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &in_global_memory, 1);
  if (threadIdx.x == 0)
    pipe.producer_acquire();
  else
    pipe.consumer_wait();
}
__global__ void stage_that_one_of_two_commits(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  pipe.producer_acquire();
  if (threadIdx.x == 1) return;
  pipe.producer_commit();
  pipe.consumer_wait();
}
__global__ void stage_that_nobody_releases(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state,
                                  threadIdx.x == 0 ? pipeline_role::producer : pipeline_role::consumer);
  if (threadIdx.x != 0) return;
  for (int stage = 0; stage < 3; ++stage) {
    pipe.producer_acquire();
    pipe.producer_commit();
  }
}

// --- Preconditions ---

__global__ void consumer_that_commits(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 1);
  pipe.producer_commit();
}
__global__ void producer_that_waits(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 1);
  pipe.consumer_wait();
}
__global__ void more_producers_than_threads(int zero) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, static_cast<unsigned>(3 + zero));
  pipe.producer_acquire();
}
__global__ void misaligned_copy(int zero) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 2);
  static_cast<void>(cuda::memcpy_async(tile + 4 + zero, source, cuda::aligned_size_t<16>(32), bar));
}
__global__ void overlapping_copy(int zero) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  init(&bar, 2);
  static_cast<void>(cuda::memcpy_async(source + zero, source + 31, 32, bar));
}
__global__ void more_valid_bytes_than_bytes(int zero) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  alignas(16) __shared__ unsigned char tile[64];
  init(&bar, 2);
  static_cast<void>(
      cuda::memcpy_async(tile, source, cudasync::zero_filled_size(size_t{32}, static_cast<size_t>(33 + zero)), bar));
}

#if !defined(CUDASYNC_FORCE_TARGET)
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_threads<1>>;

__global__ void bytes_that_are_not_copied(int) {
  alignas(16) __shared__ unsigned char stage[64];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x != 0) return;
  pipe.producer_acquire(ring::producer_state(), 64);
  pipe.copy(ring::producer_state(), stage, source, cuda::aligned_size_t<16>(48));
  pipe.consumer_wait(ring::consumer_state());
}
__global__ void pipeline_that_is_made_behind_a_wait(int) {
  __shared__ block_state state;
  __shared__ cuda::barrier<cuda::thread_scope_block> loaded;
  if (threadIdx.x == 0) init(&loaded, 1);
  __syncthreads();
  if (threadIdx.x == 1) loaded.wait_parity(false);                            // <wait>
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 1);  // <made>
  if (threadIdx.x == 0) static_cast<void>(loaded.arrive());
  if (threadIdx.x == 0) pipe.producer_acquire();
}
// Every thread produces and consumes. The second tile is not loaded, but waited for.
__global__ void tile_that_is_not_committed_but_awaited(int) {
  __shared__ block_state state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  for (int tile = 0; tile < 4; ++tile) {
    if (tile != 1) {
      pipe.producer_acquire();
      pipe.producer_commit();
    }
    pipe.consumer_wait();  // <wait>
    if (tile < 3) pipe.consumer_release();
  }
  pipe.consumer_wait();
}
// One thread is on both sides, and releases too late.
__global__ void thread_that_fills_before_it_releases(int) {
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x != 0) return;
  ring::producer_state at;
  ring::consumer_state from;
  for (int tile = 0; tile < 3; ++tile, at.advance(), from.advance()) {
    pipe.producer_acquire(at, 0);  // <acquire>
    pipe.consumer_wait(from);
    if (tile > 2) pipe.consumer_release(from);
  }
}
__global__ void bulk_stage_that_nobody_releases(int) {
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x != 0) return;
  ring::producer_state at;
  pipe.producer_acquire(at, 0);
  at.advance();
  pipe.producer_tail(at);
}
__global__ void misaligned_bulk_copy(int zero) {
  alignas(16) __shared__ unsigned char stage[64];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  pipe.copy(ring::producer_state(), stage, source + 8 + zero, cuda::aligned_size_t<16>(32));
}
__global__ void bulk_copy_to_global_memory(int zero) {
  alignas(16) __shared__ unsigned char stage[64];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  pipe.copy(ring::producer_state(), zero == 0 ? source : stage, source + 128, cuda::aligned_size_t<16>(32));
}
__global__ void bulk_store_to_shared_memory(int zero) {
  alignas(16) __shared__ unsigned char stage[64];
  cudasync::device::bulk_store(zero == 0 ? stage + 32 : source, stage, cuda::aligned_size_t<16>(32));
}
__global__ void bulk_store_from_global_memory(int zero) {
  alignas(16) __shared__ unsigned char stage[64];
  cudasync::device::bulk_store(source, zero == 0 ? source + 32 : stage, cuda::aligned_size_t<16>(32));
}
#endif

// --- The cases, and what each must print ---

#define MISUSE(KERNEL, ...) MISUSE_IN((gpu_test::shape{1, 2}), KERNEL, __VA_ARGS__)

const misuse cases[] = {
    MISUSE(stage_that_nobody_commits, "stage 0 (to be filled by its producers)", "thread 1 waits at",
           "committed stage 0"),
    MISUSE(stage_that_nobody_commits_at_device_scope, "stage 0 (to be filled by its producers)", "thread 1 waits at",
           "1 producer has not committed stage 0"),
    MISUSE(stage_that_one_of_two_commits, "thread 0 waits at", "committed stage 0"),
    MISUSE(stage_that_nobody_releases, "stage 0 (to be released by its consumers)", "thread 0 waits at",
           "released stage 0"),
    MISUSE(consumer_that_commits, "pipeline::producer_commit: this thread is a consumer", "thread (1,0,0)",
           "the pipeline was made at ", " for 1 producers and 1 consumers: give make_pipeline the number of threads"),
    MISUSE(producer_that_waits, "pipeline::consumer_wait: this thread is a producer", "thread (0,0,0)"),
    MISUSE(more_producers_than_threads, "make_pipeline: more producers than threads"),
    MISUSE(misaligned_copy, "memcpy_async: destination and source must be aligned"),
    MISUSE(overlapping_copy, "memcpy_async: destination and source must not overlap"),
    MISUSE(more_valid_bytes_than_bytes, "zero_filled_size: there can be no more valid bytes than bytes"),
#if !defined(CUDASYNC_FORCE_TARGET)
    MISUSE(bytes_that_are_not_copied, "thread 0 waits at", "1 arrival of 1, 16 bytes outstanding",
           "64 bytes were expected", "copies of 48 bytes were started"),
    MISUSE(
        pipeline_that_is_made_behind_a_wait, "thread 1 waits at <wait>", "thread 0 waits at <made>",
        "no thread has arrived since init; thread 0 waits for the rest of the group, in a call that all of its "
        "threads make at <made>, but threads that wait here cannot make it",
        "remedy: let the threads that are counted arrive before that call, or let all threads of the group make it, in "
        "no branch, before any of them waits for another one"),
    MISUSE(tile_that_is_not_committed_but_awaited, "threads 0-1 wait at <wait>",
           "likely cause: no producer has committed stage 1 in this round: its producers are threads 0-1, which wait "
           "here; thread 0 has committed 1 stage, and waits for one more",
           "remedy: let each thread commit every stage for which it waits", "!exited"),
    MISUSE(
        thread_that_fills_before_it_releases, "thread 0 waits at <acquire>",
        "no consumer has released stage 0 or any other stage since init: its consumers are thread 0, which waits here",
        "remedy: let each thread release the stages for which it has waited", "!exited"),
    MISUSE(bulk_stage_that_nobody_releases, "stage 0 (to be released by its consumers)",
           "no consumer has released stage 0"),
    MISUSE(misaligned_bulk_copy, "bulk_pipeline::copy: destination and source must be aligned"),
    MISUSE(bulk_copy_to_global_memory, "bulk_pipeline::copy: the destination must be in shared memory"),
    MISUSE(bulk_store_to_shared_memory, "bulk_store: the destination must be in global memory"),
    MISUSE(bulk_store_from_global_memory, "bulk_store: the source must be in this block's shared memory"),
#endif
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
