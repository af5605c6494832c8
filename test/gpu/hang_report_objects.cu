// The report of a hang names the mistake: latches, semaphores, atomics, named barriers and grid barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

using block_latch = cuda::latch<cuda::thread_scope_block>;
using counting = cuda::counting_semaphore<cuda::thread_scope_device>;
using binary = cuda::binary_semaphore<cuda::thread_scope_device>;
using cudasync::participant;

__device__ counting permits(1);
__device__ binary lock(1);
__device__ cudasync::grid_barrier<> of_grid;
__device__ cuda::latch<cuda::thread_scope_device> of_blocks(4);
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> flag;
__device__ unsigned results[1024];

// The argument is 0. It hides wrong values from the compiler.

// --- More waits than a report lists ---

__global__ void more_flags_than_lines(int) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flags[9];
  if (threadIdx.x % 32 == 0) flags[threadIdx.x / 32].store(0);
  __syncthreads();
  flags[threadIdx.x / 32].wait(0);  // <wait>
}
__global__ void flags_of_more_blocks_than_lines(int) {
  results[blockIdx.x] = 0;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[blockIdx.x / 2]).wait(0);  // <wait>
}

// --- Latches ---

__global__ void latch_for_one_thread_more(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, blockDim.x + 1);
  __syncthreads();
  done.arrive_and_wait();  // <wait>
}
__global__ void latch_for_threads_counted_down_by_warps(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, blockDim.x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) done.count_down();  // <down>
  done.wait();                                   // <wait>
}
// The first warp stands at the block's barrier, at which the second one waits only after the latch.
__global__ void latch_behind_a_barrier(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, 32);
  __syncthreads();
  if (threadIdx.x >= 32) done.wait();  // <wait>
  __syncthreads();
  if (threadIdx.x < 32) done.count_down();
}
__global__ void latch_of_blocks_of_which_one_returns(int) {
  if (blockIdx.x == 2) return;
  if (threadIdx.x == 0) of_blocks.count_down();
  of_blocks.wait();  // <wait>
}
using latch_of_grid = cuda::latch<cuda::thread_scope_device>;
__device__ latch_of_grid of_tasks[2]{latch_of_grid{1}, latch_of_grid{1}};
__global__ void latches_of_blocks_in_a_circle(int) {
  of_tasks[blockIdx.x].wait();  // <wait>
  of_tasks[1 - blockIdx.x].count_down();
}
__device__ cuda::latch<cuda::thread_scope_system> of_host(2);
__global__ void latch_of_host_threads(int) {
  of_host.wait();  // <wait>
}
__global__ void latch_that_is_used_again(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, blockDim.x);
  __syncthreads();
  for (unsigned round = 0; round < 2; ++round)
    done.arrive_and_wait();  // <again>
}

__global__ void latch_that_is_used_before_init(int zero) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) *reinterpret_cast<unsigned*>(&done) = static_cast<unsigned>(zero);
  __syncthreads();
  if (threadIdx.x >= 32) done.count_down();  // <early>
  __syncthreads();
  if (threadIdx.x == 0) init(&done, 32);
  __syncthreads();
  done.wait();
}
__global__ void latch_without_init(int zero) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) *reinterpret_cast<unsigned*>(&done) = static_cast<unsigned>(zero) + 70;
  __syncthreads();
  done.arrive_and_wait();  // <wait>
}
__device__ unsigned count_left(block_latch& done) {
  return cuda::atomic_ref<unsigned, cuda::thread_scope_block>(reinterpret_cast<unsigned&>(done)).load();
}
// The first lane of each warp makes the latch of both. The second one is late.
__global__ void latch_that_each_warp_makes(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, 64);
  __syncthreads();
  if (threadIdx.x == 32) {
    while (count_left(done) != 32) {
    }
    init(&done, 64);  // <again>
  }
  __syncwarp();
  done.arrive_and_wait();  // <wait>
}
// The second warp makes the table of the next row before the first one waits for this row's.
__global__ void latch_of_the_next_row(int) {
  __shared__ block_latch is_made;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> rows;
  if (threadIdx.x == 32) init(&is_made, 32), rows.store(0);
  __syncthreads();
  if (threadIdx.x >= 32) {
    is_made.arrive_and_wait();
    if (threadIdx.x == 32) new (&is_made) block_latch(32), rows.store(1);  // <again>
  } else {
    while (rows.load() == 0) {
    }
    is_made.wait();  // <wait>
  }
  __syncthreads();
}
// All threads have left the latch when it is made again, and then half of a warp does not count it down.
__global__ void latch_of_two_rounds(int) {
  __shared__ block_latch done;
  for (unsigned round = 0; round < 2; ++round) {
    if (threadIdx.x == 0) init(&done, 32);
    __syncthreads();
    if (threadIdx.x >= 32 && (round == 0 || threadIdx.x >= 48)) done.count_down();
    if (threadIdx.x < 32) done.wait();  // <wait>
    __syncthreads();
  }
}
// The permit that is released after the init is for the first thread in the queue of that init.
__global__ void semaphore_that_is_made_again(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> slots;
  if (threadIdx.x == 0) init(&slots, 2);
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned taken = 0; taken < 3; ++taken)
      slots.acquire();  // <wait>
  if (threadIdx.x != 32) return;
  while (cuda::atomic_ref<unsigned, cuda::thread_scope_block>(reinterpret_cast<unsigned&>(slots)).load() != ~0u) {
  }
  init(&slots, 0);  // <again>
  slots.release();
}
__global__ void counter_barrier_that_each_warp_makes(int) {
  __shared__ cuda::barrier<cuda::thread_scope_device> bar;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&bar, 64), arrived.store(0);
  __syncthreads();
  if (threadIdx.x == 32) {
    while (arrived.load() != 32) {
    }
    init(&bar, 64);  // <again>
  }
  __syncwarp();
  auto token = bar.arrive();
  arrived.fetch_add(1);
  bar.wait(static_cast<decltype(token)&&>(token));  // <wait>
}

// What is in its memory hides the early uses.
__global__ void latch_whose_init_comes_late(int zero) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) *reinterpret_cast<unsigned*>(&done) = static_cast<unsigned>(zero) + 70;
  __syncthreads();
  if (threadIdx.x >= 32) done.count_down();  // <late>
  __syncthreads();
  if (threadIdx.x == 0) init(&done, 32);
  __syncthreads();
  done.wait();  // <wait>
}
__global__ void semaphore_whose_init_comes_late(int zero) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) *reinterpret_cast<unsigned long long*>(&ready) = static_cast<unsigned long long>(zero);
  __syncthreads();
  if (threadIdx.x == 32) ready.release();  // <late>
  __syncthreads();
  if (threadIdx.x == 0) init(&ready, 0);
  __syncthreads();
  if (threadIdx.x == 0) ready.acquire();  // <wait>
}
__global__ void counter_barrier_whose_init_comes_late(int zero) {
  __shared__ cuda::barrier<cuda::thread_scope_device> bar;
  if (threadIdx.x == 0) *reinterpret_cast<unsigned long long*>(&bar) = (1ull << 40) + static_cast<unsigned>(zero) + 70;
  __syncthreads();
  if (threadIdx.x >= 32) static_cast<void>(bar.arrive());  // <late>
  __syncthreads();
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x < 32) bar.arrive_and_wait();  // <wait>
}
__device__ cuda::latch<cuda::thread_scope_device> of_the_kernel_before(0);
__global__ void latch_of_the_kernel_before(int) {
  of_the_kernel_before.count_down();  // <again>
}

__device__ cuda::latch<cuda::thread_scope_device> of_three(3);
__global__ void latch_with_an_update_that_is_too_large(int zero) {
  if (threadIdx.x == 0) of_three.count_down(4 + zero);  // <down>
}
__global__ void latches_in_opposite_orders(int) {
  __shared__ block_latch first, second;
  if (threadIdx.x == 0) {
    init(&first, 32);
    init(&second, 32);
  }
  __syncthreads();
  block_latch& mine = threadIdx.x < 32 ? first : second;
  mine.wait();  // <wait>
  (threadIdx.x < 32 ? second : first).count_down();
}
// The producer waits between two passes until the consumer has left its loop.
__global__ void latch_behind_a_loop(int) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ block_latch done;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&done, 32);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    static_cast<void>(full.arrive());
    gpu_test::pause(10000000);  // the other wait is reported
    done.wait();                // <wait>
    static_cast<void>(full.arrive());
  } else if (threadIdx.x < 32) {
    full.wait_parity(false);
    full.wait_parity(true);  // <next>
    done.count_down();
  }
}
__global__ void latch_that_a_warp_passes_by(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, 3);
  __syncthreads();
  if (threadIdx.x % 32 != 0 || threadIdx.x == 32) return;
  if (threadIdx.x < 96)
    done.count_down();
  else
    done.wait();  // <wait>
}

// --- Barriers that are kept as counters ---

__device__ cuda::barrier<cuda::thread_scope_device> without_init;

// The other arrival is that of a kernel that has not started.
__device__ cuda::barrier<cuda::thread_scope_device> of_two_kernels(2);
__global__ void kernel_that_waits_for_another(int) {
  if (threadIdx.x == 0) of_two_kernels.arrive_and_wait();  // <wait>
  __syncthreads();
}

__device__ cuda::barrier<cuda::thread_scope_device> of_three_blocks(3);
__global__ void block_that_passes_by_a_counter(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 2)
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[13]).notify_all();  // <other>
  else
    of_three_blocks.arrive_and_wait();  // <wait>
}

// It was made for a launch with more blocks.
__device__ cuda::barrier<cuda::thread_scope_device> of_eight_blocks(8);
__global__ void counter_of_a_larger_grid(int) {
  if (threadIdx.x == 0) of_eight_blocks.arrive_and_wait();  // <wait>
}

__device__ cuda::barrier<cuda::thread_scope_device> of_all_threads(256);
__device__ cuda::latch<cuda::thread_scope_device> latch_of_all_threads(256);
__global__ void counter_of_threads_for_one_of_each_block(int) {
  if (threadIdx.x == 0) of_all_threads.arrive_and_wait();  // <wait>
}
__global__ void latch_of_threads_for_one_of_each_block(int) {
  if (threadIdx.x == 0) latch_of_all_threads.arrive_and_wait();  // <wait>
}

// The last blocks do not start before others end: each takes most of the shared memory.
__device__ cuda::barrier<cuda::thread_scope_device> of_large_grid;
__device__ latch_of_grid latch_of_large_grid;
__device__ latch_of_grid latch_of_last_block;
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> of_last_block;
__global__ void prepare_large_grid(int blocks) {
  init(&of_large_grid, blocks);
  init(&latch_of_large_grid, blocks);
  init(&latch_of_last_block, 1);
}
__global__ void blocks_that_wait_for_blocks_without_room(int) {
  if (threadIdx.x == 0) of_large_grid.arrive_and_wait();  // <wait>
}
__global__ void blocks_that_wait_at_a_latch_for_blocks_without_room(int) {
  if (threadIdx.x == 0) latch_of_large_grid.arrive_and_wait();  // <wait>
}
__global__ void blocks_that_wait_at_a_latch_of_one_without_room(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == gridDim.x - 1)
    latch_of_last_block.count_down();
  else
    latch_of_last_block.wait();  // <wait>
}
__global__ void blocks_that_wait_for_the_value_of_one_without_room(int) {
  if (blockIdx.x == gridDim.x - 1) {
    of_last_block.store(1);
    of_last_block.notify_all();
  } else if (threadIdx.x == 0) {
    of_last_block.wait(0);  // <wait>
  }
}
void start_large_grid(void (*kernel)(int)) {
  const unsigned blocks = 3 * static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount)) + 140;
  const auto bytes = static_cast<size_t>(gpu_test::attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  gpu_test::run(prepare_large_grid, {1, 1}, static_cast<int>(blocks));
  gpu_test::run(kernel, {blocks, 32, bytes}, 0);
}
void start_blocks_without_room() {
  start_large_grid(blocks_that_wait_for_blocks_without_room);
}
void start_latch_without_room() {
  start_large_grid(blocks_that_wait_at_a_latch_for_blocks_without_room);
}
void start_latch_of_one_without_room() {
  start_large_grid(blocks_that_wait_at_a_latch_of_one_without_room);
}
void start_value_without_room() {
  start_large_grid(blocks_that_wait_for_the_value_of_one_without_room);
}
// The waiting blocks are the first ones. The others have stored, and ended.
__global__ void blocks_that_wait_beside_blocks_that_have_stored(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x < 5) {
    flag.wait(0);  // <wait>
  } else {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[blockIdx.x]).store(1);
  }
}
void start_blocks_beside_others() {
  gpu_test::run(blocks_that_wait_beside_blocks_that_have_stored,
                {static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount)) + 140, 32}, 0);
}
__global__ void counter_without_init(int) {
  without_init.arrive_and_wait();  // <wait>
}

// The end of a row of floats is written over it.
__global__ void latch_under_a_row(int) {
  __shared__ cuda::latch<cuda::thread_scope_block> done;
  if (threadIdx.x == 0) init(&done, blockDim.x);
  __syncthreads();
  auto* const row = reinterpret_cast<volatile float*>(&done);
  if (threadIdx.x < sizeof done / sizeof *row) row[threadIdx.x] = 1234.5f;
  __syncthreads();
  done.arrive_and_wait();  // <wait>
}

// --- Semaphores ---

__global__ void permit_that_an_early_return_keeps(int zero) {
  if (threadIdx.x != 0) return;
  permits.acquire();                                               // <acquire>
  if (results[blockIdx.x] == static_cast<unsigned>(zero)) return;  // nothing to do
  permits.release();
}
// Each of the first two blocks keeps a permit. One of them ends, and one goes on.
__device__ counting workspaces(2);
__global__ void permits_that_two_errors_keep(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 1) gpu_test::pause(1000000);
  for (unsigned part = 0; part <= blockIdx.x; ++part) {
    workspaces.acquire();  // <acquire>
    if (blockIdx.x == 1 && part == 0) gpu_test::pause(1000000);
    if (blockIdx.x < 2) continue;
    workspaces.release();
  }
}
// A thread holds three locks, and gives them back. Another one takes the last of them twice.
__device__ counting first_bucket(1), second_bucket(1), third_bucket(1);
__global__ void bucket_that_is_locked_twice(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    gpu_test::pause(1000000);
    for (unsigned key = 0; key < 2; ++key)
      first_bucket.acquire();  // <acquire>
    return;
  }
  first_bucket.acquire();
  second_bucket.acquire();
  third_bucket.acquire();
  third_bucket.release();
  second_bucket.release();
  first_bucket.release();
}
__device__ counting kept(2);
__global__ void permits_that_a_short_way_keeps(int) {
  if (threadIdx.x != 0) return;
  for (unsigned part = 0; part < 2; ++part) {
    kept.acquire();  // <acquire>
    gpu_test::pause(1000000);
    if (part == 0) continue;
    kept.release();
  }
}
__device__ counting pairs(2);
__global__ void slots_of_which_each_block_takes_two(int) {
  if (threadIdx.x != 0) return;
  pairs.acquire();  // <first>
  gpu_test::pause(1000000);
  pairs.acquire();  // <second>
}
// The last thread that arrives runs the completion function, which wants the lock.
__device__ binary lock_of_total(1);
struct add_to_total {
  __device__ void operator()() const {
    lock_of_total.acquire();  // in the case below
    lock_of_total.release();
  }
};
__global__ void lock_that_is_held_at_a_completion(int) {
  __shared__ cuda::barrier<cuda::thread_scope_block, add_to_total> added;
  if (threadIdx.x == 0) init(&added, 64, add_to_total{});
  __syncthreads();
  if (threadIdx.x == 0) lock_of_total.acquire();  // <lock>
  __syncthreads();
  added.arrive_and_wait();  // <wait>
}
// A queue of two cells. The writer takes the lock before it waits for a free cell, for which the reader needs the lock.
__global__ void lock_before_the_free_cell(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> cells, items;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> guard;
  if (threadIdx.x == 0) {
    init(&cells, 2);
    init(&items, 0);
    init(&guard, 1);
  }
  __syncthreads();
  if (threadIdx.x == 32) gpu_test::pause(1000000);
  for (unsigned item = 0; item < 4; ++item) {
    if (threadIdx.x == 0) {
      guard.acquire();
      cells.acquire();  // <cell>
      guard.release();
      items.release();
    } else if (threadIdx.x == 32) {
      items.acquire();
      guard.acquire();  // <guard>
      guard.release();
      cells.release();
    }
  }
}
// The consumer gives back an item instead of a slot.
__global__ void slots_that_nobody_gives_back(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> items, slots;
  if (threadIdx.x == 0) {
    init(&items, 0);
    init(&slots, 4);
  }
  __syncthreads();
  for (unsigned item = 0; item < 8; ++item)
    if (threadIdx.x == 0) {
      slots.acquire();  // <slot>
      items.release();
    } else if (threadIdx.x == 32) {
      items.acquire();  // <item>
      if (item < 2) items.release();
    }
}
__global__ void lock_that_its_owner_takes_again(int) {
  if (threadIdx.x % 32 != 0) return;
  lock.acquire();  // <first>
  ++results[0];
  lock.acquire();  // <again>
  lock.release();
  lock.release();
}
__global__ void permits_released_by_the_wrong_count(int zero) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> slots;
  if (threadIdx.x == 0) init(&slots, 4);
  __syncthreads();
  slots.release((slots.max)() + zero);  // <release>
}
// Of 64 threads each takes a slot. There are 8, and the threads give them back only after a common barrier.
__global__ void permits_held_over_a_barrier(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> slots;
  if (threadIdx.x == 0) init(&slots, 8);
  __syncthreads();
  slots.acquire();  // <acquire>
  __syncthreads();
  slots.release();
}

// The first lane of each warp takes the same permit, and gives it back after a common barrier.
__global__ void permit_held_over_a_barrier_of_warps(int) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> slot;
  if (threadIdx.x == 0) init(&slot, 1);
  __syncthreads();
  if (threadIdx.x % 32 == 0) slot.acquire();  // <acquire>
  __syncthreads();
  if (threadIdx.x % 32 == 0) slot.release();
}

// Each block holds one lock, and waits for that of the next.
__device__ binary locks[12];
__device__ binary& lock_after_own() {
  binary& own = locks[blockIdx.x];
  init(&own, 1);
  own.acquire();
  gpu_test::pause(3000000);
  return locks[(blockIdx.x + 1) % gridDim.x];
}
__global__ void locks_in_opposite_order(int) {
  if (threadIdx.x == 0) lock_after_own().acquire();  // <second>
}
__global__ void locks_in_a_circle_of_twelve(int) {
  if (threadIdx.x == 0) lock_after_own().acquire();  // <second>
}
__global__ void lock_that_is_held_at_a_latch(int) {
  __shared__ block_latch done;
  if (threadIdx.x == 0) init(&done, 2);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  lock.acquire();          // <acquire>
  done.arrive_and_wait();  // <latch>
  lock.release();
}
// Each thread of the block takes the lock, and the barrier is between acquire and release.
__global__ void lock_that_each_thread_takes_around_a_barrier(int) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
  lock.acquire();         // <acquire>
  bar.arrive_and_wait();  // <wait>
  lock.release();
}
__device__ cuda::binary_semaphore<cuda::thread_scope_device> later(0);
__global__ void permit_of_a_later_kernel(int) {
  if (threadIdx.x == 0) later.acquire();  // <acquire>
}
// Signals between two threads, of which one forgets the last: there is no holder.
__global__ void signal_that_is_not_released(int) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    init(&full, 0);
    init(&empty, 1);
  }
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      empty.acquire();  // <empty>
      full.release();
    } else if (threadIdx.x == 32) {
      full.acquire();
      if (round != 1) empty.release();
    }
  }
}
// The thread that should release stands at the block's barrier, at which the thread that waits comes only after that.
__global__ void release_behind_the_blocks_barrier(int) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> ready;
  __shared__ block_latch begun;
  if (threadIdx.x == 0) {
    init(&ready, 0);
    init(&begun, 96);
  }
  __syncthreads();
  if (threadIdx.x >= 32) begun.count_down();  // <begin>
  if (threadIdx.x == 0) ready.acquire();      // <wait>
  __syncthreads();
  if (threadIdx.x == 32) ready.release();
}
// The producer releases one mark of the end, and two consumers need one.
__global__ void one_end_for_two_consumers(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> items, cells;
  __shared__ int left;
  if (threadIdx.x == 0) {
    init(&items, 0);
    init(&cells, 2);
    left = 5;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int item = 0; item < 5; ++item) {
      cells.acquire();
      items.release();
    }
  else if (threadIdx.x % 32 == 0)
    for (bool is_end = false; !is_end;) {
      items.acquire();  // <item>
      is_end = atomicSub(&left, 1) == 1;
      cells.release();
    }
}
// Workers empty a queue that they also fill: when no place is left, the threads that could free one wait for one.
__global__ void workers_that_fill_their_own_queue(int) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> places;
  if (threadIdx.x == 0) init(&places, 1);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  places.release();
  for (int task = 0; task < 3; ++task)
    places.acquire();  // <acquire>
}

// --- Atomics ---

// The sender counts tiles, and the receiver waits for as many rows.
__global__ void value_in_another_unit(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    static_cast<void>(flag.wait([](unsigned rows) { return rows >= 16; }));  // <wait>
  } else {
    ++flag;
    flag.notify_all();  // <tell>
  }
}
// One block adds for a row without work, too, so the exact number for which the first block waits is passed.
__global__ void counter_that_passes_the_awaited_number(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(results[20]), is_open(results[21]);
  if (blockIdx.x == 0) {
    gpu_test::pause(1000000);
    for (unsigned seen = ready.load(); seen != 3; seen = ready.load())
      ready.wait(seen);  // <passed>
    is_open.store(1);
  } else {
    if (blockIdx.x == 1) ++ready;
    ++ready;
    is_open.wait(0);  // <wait>
  }
}
// The threads that wait for the sum have all added to it, and wait for the block that waits for its flag.
__global__ void flag_of_a_block_that_waits_for_a_sum(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(results[22]), is_open(results[23]);
  if (blockIdx.x == 0) is_open.wait(0);  // <flag>
  ++sum;
  static_cast<void>(sum.wait([](unsigned now) { return now == gridDim.x; }));  // <sum>
}
// Each block takes a share, and two of them want to be alone without giving back their own.
__global__ void shares_of_a_lock(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> holders(results[24]);
  for (unsigned seen = 0; !holders.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire);) {
  }
  gpu_test::pause(3000000);
  if (blockIdx.x >= 2)
    --holders;
  else
    static_cast<void>(holders.wait([](unsigned now) { return now == 1; }));  // <wait>
}
__global__ void shares_that_nobody_gives_back(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> holders(results[24]);
  for (unsigned seen = 0; !holders.compare_exchange_weak(seen, seen + 1, cuda::memory_order_acquire);) {
  }
  gpu_test::pause(3000000);
  static_cast<void>(holders.wait([](unsigned now) { return now == 0; }));  // <wait>
}
__global__ void flag_of_another_block(int) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_device> own;
  if (threadIdx.x == 0) own.store(0);
  __syncthreads();
  if (blockIdx.x == 0) own.store(1);
  own.wait(0);  // <wait>
}
// The last block begins the counter anew in place of filling it, and the others wait until it is full.
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> arrived;
__global__ void counter_that_begins_anew(int) {
  if (threadIdx.x != 0) return;
  for (unsigned step = 0; step < 3; ++step) {
    unsigned before = arrived.load();
    while (!arrived.compare_exchange_weak(before, before + 1 == gridDim.x ? 0 : before + 1)) {
    }
    if (before + 1 == gridDim.x) {
      arrived.notify_all();
    } else {
      for (unsigned now = arrived.load(); now != gridDim.x; now = arrived.load())
        arrived.wait(now);  // <wait>
    }
  }
}

// The number of rounds is that of all launches, and each launch begins with 0.
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> rounds{4}, arrivals_of_round{0};
__global__ void rounds_of_an_earlier_launch(int) {
  if (threadIdx.x != 0) return;
  if (arrivals_of_round.fetch_add(1) + 1 == gridDim.x) {
    arrivals_of_round.store(0);
    rounds.fetch_add(1);
  } else {
    while (rounds.load() == 4) {
    }
  }
  for (unsigned now = rounds.load(); now != 1; now = rounds.load())
    rounds.wait(now);  // <wait>
}

// A thread takes a lock by an exchange, and waits for a flag that the thread stores which waits for the lock.
__global__ void flag_under_a_lock(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> lock(results[40]), is_ready(results[41]);
  if (blockIdx.x == 1) gpu_test::pause(3000000);
  while (lock.exchange(1) != 0)  // <take>
    lock.wait(1);                // <wait>
  if (blockIdx.x == 0)
    is_ready.wait(0);  // <flag>
  else
    is_ready.store(1);
  lock.store(0);
}
// Two locks, taken in opposite order.
__global__ void exchanged_locks_in_two_orders(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> first(results[42 + blockIdx.x]),
      second(results[43 - blockIdx.x]);
  while (first.exchange(1) != 0)  // <take>
    first.wait(1);
  gpu_test::pause(3000000);
  while (second.exchange(1) != 0)
    second.wait(1);  // <wait>
  second.store(0);
  first.store(0);
}
// A thread takes a lock that it holds.
__global__ void lock_taken_twice(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> lock(results[44]);
  for (int depth = 0; depth < 2; ++depth)
    while (lock.exchange(1) != 0)  // <take>
      lock.wait(1);                // <wait>
}

// The thread that takes items waits for one while it holds the lock that those need that put one in.
__device__ cuda::counting_semaphore<cuda::thread_scope_device> items(0);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock_of_items(1);
__global__ void item_awaited_under_a_lock(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) gpu_test::pause(3000000);
  lock_of_items.acquire();  // <lock>
  if (blockIdx.x == 0)
    items.acquire();  // <item>
  else
    items.release();
  lock_of_items.release();
}
// Two of six workers have the bits of two others.
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> ready_bits;
__global__ void bits_of_too_few_workers(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0)
    ready_bits.fetch_or(1u << blockIdx.x % 4, cuda::memory_order_release);
  else
    static_cast<void>(ready_bits.wait([](unsigned now) { return now == 0x3f; }));  // <wait>
}
// All blocks count down once, and the latch expects one more.
__device__ cuda::latch<cuda::thread_scope_device> latch_of_four(4);
__global__ void latch_of_one_block_too_many(int) {
  if (threadIdx.x != 0) return;
  latch_of_four.count_down();
  if (blockIdx.x == 0) latch_of_four.wait();  // <wait>
}

// Three of six blocks count down, and the latch expects five.
__device__ cuda::latch<cuda::thread_scope_device> latch_of_five(5);
__global__ void latch_of_two_blocks_too_many(int) {
  if (threadIdx.x != 0 || blockIdx.x >= 3) return;
  latch_of_five.count_down();                 // <count>
  if (blockIdx.x == 0) latch_of_five.wait();  // <wait>
}

// In a ring, each block sets the flag of the next one. One that waits for an exact number misses it.
__global__ void ring_of_flags_that_misses_a_number(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> own(results[50 + blockIdx.x]),
      next(results[50 + (blockIdx.x + 1) % gridDim.x]);
  next.store(blockIdx.x == 0 ? 2 : 1);
  for (unsigned now = own.load(); now != 1; now = own.load())
    own.wait(now);  // <first>
  next.store(2);
  for (unsigned now = own.load(); now != 3; now = own.load())
    own.wait(now);  // <wait>
}

// One of four blocks does not arrive.
__global__ void arrivals_by_compare_exchange(int) {
  if (threadIdx.x != 0 || blockIdx.x == 3) return;
  unsigned before = arrived.load();
  while (!arrived.compare_exchange_weak(before, before + 1)) {
  }
  static_cast<void>(arrived.wait([](unsigned now) { return now >= gridDim.x; }));  // <wait>
}

// Block 1 resets the counter after block 0 has added to it once.
__global__ void counter_that_is_reset_late(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    static_cast<void>(arrived.wait([](unsigned now) { return now == 1; }));
    arrived.store(0);  // <reset>
    flag.store(1);
    flag.notify_all();
    static_cast<void>(arrived.wait([](unsigned now) { return now == 3; }));  // <wait>
  } else {
    arrived.fetch_add(1);
    arrived.notify_all();
    static_cast<void>(flag.wait([](unsigned now) { return now == 1; }));
    arrived.fetch_add(1);
    arrived.fetch_add(1);
    arrived.notify_all();
  }
}
// One addition comes, and two are awaited.
__global__ void counter_of_one_addition_too_few(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    static_cast<void>(arrived.wait([](unsigned now) { return now == 2; }));  // <wait>
  else
    arrived.fetch_add(1);
}

// The value goes from 4 to 8.
__global__ void predicate_that_misses_the_value(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    static_cast<void>(flag.wait([](unsigned rows) { return rows == 5; }));  // <wait>
  else
    for (unsigned step = 0; step < 2; ++step)
      flag += 4;
}

// Each block resets its flag when it begins, block 1 after block 0 has set it.
__global__ void flag_that_its_waiter_resets(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> mine(results[blockIdx.x]), next(results[1 - blockIdx.x]);
  if (blockIdx.x == 1) gpu_test::pause(1000000);
  mine.store(0);  // <reset>
  next.store(1);  // <set>
  mine.wait(0);   // <wait>
}
// The same, between two blocks that wait for each other then.
__global__ void messages_of_which_the_first_is_reset(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> mine(results[blockIdx.x]), next(results[1 - blockIdx.x]);
  if (blockIdx.x == 1) gpu_test::pause(1000000);
  mine.store(0);  // <reset>
  for (unsigned round = 1; round < 4; ++round) {
    if (blockIdx.x == 0) next.store(round);                     // <send>
    mine.wait([round](unsigned now) { return now == round; });  // <wait>
    if (blockIdx.x == 1) next.store(round);
  }
}
// Blocks without work leave the counter of turns behind for the next launch.
__global__ void turn_left_by_the_launch_before(int) {
  if (threadIdx.x != 0 || blockIdx.x == 1) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> turn(results[1]);
  for (unsigned now = turn.load(); now != 2; now = turn.load())
    turn.wait(now);  // <wait>
}
// The old value that it is given is the new one already.
__global__ void flag_that_was_read_after_its_store(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(results[0]);
  if (blockIdx.x == 1) gpu_test::pause(1000000);
  if (blockIdx.x == 1) return flag.wait(flag.load());  // <wait>
  flag.store(1);                                       // <store>
  flag.notify_all();
}
// In a chain of blocks, the first one stores the value that means not yet.
__global__ void chain_that_begins_with_zero(int zero) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> before(results[(blockIdx.x + 2) % 3]);
  if (blockIdx.x == 0)
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[0]).store(static_cast<unsigned>(zero));  // <zero>
  before.wait(0);                                                                                          // <wait>
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[blockIdx.x]).store(1);
}
// The numbers of tiles run along one side of a grid, and blocks take them along the other one.
__global__ void tiles_in_another_order_than_awaited(int) {
  if (threadIdx.x != 0) return;
  for (unsigned work = blockIdx.x; work < 8; work += 2) {
    const unsigned tile = work % 4 * 2 + work / 4;
    if (tile != 0) cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[tile - 1]).wait(0);  // <wait>
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(results[tile]).store(1);                    // <store>
  }
}
// The sender sends one message less than its receiver expects, which resets the flag after each.
__global__ void flag_that_is_reset_after_its_wait(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[8]);
  if (blockIdx.x == 0) return ref.store(1);
  for (unsigned round = 0; round < 2; ++round) {
    ref.wait(0);  // <wait>
    gpu_test::pause(1000000);
    ref.store(0);  // <reset>
  }
}
// Both store the initial value, and neither of them the awaited one.
__global__ void flag_that_two_threads_reset(int) {
  if (threadIdx.x % 32 != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[9]);
  if (threadIdx.x == 32) gpu_test::pause(1000000);
  ref.store(0);
  if (threadIdx.x == 32) ref.wait(0);  // <wait>
}
// The receiver also answers, between its wait and the reset.
__global__ void flag_that_is_reset_after_an_answer(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[10]), answer(results[11]);
  if (blockIdx.x == 0) return ref.store(1);
  for (unsigned round = 0; round < 2; ++round) {
    ref.wait(0);  // <wait>
    gpu_test::pause(1000000);
    answer.store(round + 1);
    ref.store(0);
  }
}
// The first block resets the counter for the next launch, when the others have not yet seen it full.
__device__ unsigned blocks_done;
__global__ void counter_that_is_reset_too_early(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(blocks_done);
  const auto is_full = [](unsigned now) { return now >= gridDim.x; };
  ref.fetch_add(1, cuda::memory_order_release);
  if (blockIdx.x == 0) {
    static_cast<void>(ref.wait(is_full));
    ref.store(0);  // <reset>
  } else {
    while (ref.load() < gridDim.x) {
    }
    gpu_test::pause(2000000);
    static_cast<void>(ref.wait(is_full));  // <late>
  }
}
// The last block reads the counter from which it computes the awaited number after the others have added to it.
__global__ void base_that_is_read_too_late(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[13]);
  while (blockIdx.x == 2 && ref.load() != 2) {
  }
  const unsigned base = blockIdx.x == 2 ? ref.load() : 0;
  ++ref;
  static_cast<void>(ref.wait([base](unsigned now) { return now >= base + gridDim.x; }));  // <wait>
}
// Each block reads it after its own addition.
__global__ void base_that_all_read_too_late(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[14]);
  ++ref;
  const unsigned base = ref.load();
  static_cast<void>(ref.wait([base](unsigned now) { return now >= base + gridDim.x; }));  // <wait>
}
// The first block leaves out the second of two rounds.
__global__ void block_that_adds_once_less(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[15]);
  for (unsigned round = 1; round < 3 - (blockIdx.x == 0); ++round) {
    ++ref;
    static_cast<void>(ref.wait([round](unsigned now) { return now >= round * gridDim.x; }));  // <wait>
  }
}
// Block 1 does not pass the turn on.
__global__ void turn_of_a_block_that_returns(int) {
  if (threadIdx.x != 0 || blockIdx.x == 1) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[16]);
  static_cast<void>(ref.wait([](unsigned now) { return now >= blockIdx.x; }));  // <wait>
  ++ref;
}
// Block 1 initializes the counter, after block 0 has added to it.
__global__ void counter_whose_initial_value_comes_late(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[12]);
  if (blockIdx.x == 0) {
    ++ref;
    gpu_test::pause(2000000);
    static_cast<void>(ref.wait([](unsigned now) { return now == 2; }));  // <wait>
  } else {
    gpu_test::pause(1000000);
    ref.store(0);  // <reset>
  }
}
// Each block waits for the one before, also in the last row, which the first block leaves out.
__global__ void turn_that_the_first_block_leaves_out(int) {
  if (threadIdx.x != 0) return;
  for (unsigned row = blockIdx.x; row < 4 && row < blockIdx.x + 3; ++row) {
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[20 + row]);
    static_cast<void>(ref.wait([](unsigned now) { return now == blockIdx.x; }));  // <wait>
    ref.store(blockIdx.x + 1);                                                    // <store>
  }
}
__device__ unsigned turn = 3;
__global__ void turn_of_the_launch_before(int) {
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(turn);
  static_cast<void>(ref.wait([](unsigned now) { return now == blockIdx.x; }));  // <wait>
  ref.store(blockIdx.x + 1);
}
// Another kernel should count it down, and this one fills the GPU.
__global__ void latch_of_a_kernel_without_room(int) {
  of_host.wait();  // <wait>
}
void start_latch_on_all_multiprocessors() {
  gpu_test::run(latch_of_a_kernel_without_room,
                {static_cast<unsigned>(gpu_test::attribute(cudaDevAttrMultiProcessorCount)) + 140, 1}, 0);
}

// Every form of a wait.
__global__ void waits_of_all_forms(int) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(results[3]);
  const auto is_set = [](unsigned value) { return value != 0; };
  if (threadIdx.x == 0) flag.wait(0);                               // <value>
  if (threadIdx.x == 32) static_cast<void>(flag.wait(is_set));      // <predicate>
  if (threadIdx.x == 64) ref.wait(0u, cuda::memory_order_acquire);  // <ref>
  if (threadIdx.x == 96) static_cast<void>(ref.wait(is_set));       // <of_ref>
  if (threadIdx.x == 128) cuda::atomic_wait(&flag, 0u);             // <function>
  if (threadIdx.x == 160) {
    cuda::atomic_wait_explicit(&flag, 0u, cuda::memory_order_relaxed);  // <explicit>
  }
}

// --- Named barriers ---

// Pairs of warps are counted in one way by those that arrive, and in another way by those that wait.
__global__ void ids_of_two_formulas(int) {
  const unsigned warp = threadIdx.x / 32;
  const cudasync::dynamic_named_barrier mine(1 + (warp < 4 ? warp / 2 : warp % 4), 64);
  if (warp == 0 || warp == 2) mine.arrive();
  if (warp == 4 || warp == 5) mine.sync();
  __syncthreads();
  if (warp == 1 || warp == 3) mine.arrive();
  if (warp >= 6) mine.sync();  // <wait>
}
// The second warp says of the first buffer that it is empty, and not of the second one.
__global__ void buffer_that_is_never_marked_as_empty(int) {
  using cudasync::named_barrier;
  if (threadIdx.x < 32) {
    named_barrier<1, 64>::sync();  // the first buffer is empty
    named_barrier<2, 64>::arrive();
    named_barrier<3, 64>::sync();  // <empty>
    named_barrier<4, 64>::arrive();
  } else {
    named_barrier<1, 64>::arrive();
    named_barrier<2, 64>::sync();
    named_barrier<1, 64>::arrive();
    named_barrier<4, 64>::sync();  // <full>
  }
}
__global__ void counts_that_differ_in_one_phase(int) {
  if (threadIdx.x < 32) cudasync::named_barrier<2, 64>::arrive();  // <first>
  __syncthreads();
  if (threadIdx.x >= 32) cudasync::named_barrier<2, 96>::sync();  // <second>
}
// Warp 1 arrives, too, while the report is written.
__global__ void counts_that_differ_while_others_arrive(int) {
  if (threadIdx.x < 32) cudasync::named_barrier<2, 64>::arrive();  // <first>
  __syncthreads();
  if (threadIdx.x / 32 == 1) {
    while (cudasync::checked::shared_by_all(cudasync::checked::controls.reporters) == 0) {
    }
    cudasync::named_barrier<2, 64>::arrive();
  }
  if (threadIdx.x >= 64) cudasync::named_barrier<2, 96>::sync();  // <second>
}
__global__ void warp_that_is_missing(int) {
  if (threadIdx.x < 96) cudasync::named_barrier<3, 128>::sync();  // <wait>
}
// Two groups of two warps take the same id. Of the second group, one warp has met one of the first, and the other waits.
__global__ void id_of_two_groups(int) {
  const unsigned warp = threadIdx.x / 32;
  if (warp == 0 || warp == 2) cudasync::named_barrier<4, 64>::sync();  // <both>
  __syncthreads();
  if (warp == 1) cudasync::named_barrier<4, 64>::sync();  // <late>
}
// The other warp comes while the report is written, and goes on to the next phase.
__global__ void consumer_that_comes_during_the_report(int) {
  using ring = cudasync::named_barrier<5, 64>;
  if (threadIdx.x < 32) {
    ring::arrive();
    return ring::arrive();  // <again>
  }
  while (cudasync::checked::shared_by_all(cudasync::checked::controls.reporters) == 0) {
  }
  ring::sync();
  ring::arrive();
}
__global__ void producer_that_arrives_twice(int) {
  using full = cudasync::named_barrier<5, 64>;
  if (threadIdx.x < 32) {
    full::arrive();
    full::arrive();  // <again>
  }
}
__global__ void dynamic_count_that_is_too_large(int zero) {
  const cudasync::dynamic_named_barrier group(6, 96u + static_cast<unsigned>(zero));
  if (threadIdx.x < 64) group.sync();  // <wait>
}

// --- Grids ---

__global__ void block_that_returns_early(int) {
  if (blockIdx.x == 3) return;
  of_grid.arrive_and_wait();  // <wait>
}
__global__ void participants_that_count_one_more(int) {
  of_grid.arrive_and_wait(participant{blockIdx.x, 4});  // <wait>
}
__device__ cudasync::grid_barrier<> of_pair[2];
__global__ void pair_whose_second_block_leaves_out_a_round(int) {
  const participant share{blockIdx.x % 2, 2};
  of_pair[blockIdx.x / 2].arrive_and_wait(share);                       // <first>
  if (blockIdx.x != 3) of_pair[blockIdx.x / 2].arrive_and_wait(share);  // <second>
}
// Two blocks meet at a barrier that expects three. The others are at that of the whole grid, where they wait for these.
__global__ void team_without_its_last_block(int) {
  if (blockIdx.x < 2) of_pair[0].arrive_and_wait(participant{blockIdx.x, 3});  // <team>
  if (blockIdx.x >= 2) gpu_test::pause(1000000);
  of_grid.arrive_and_wait();  // <all>
}
__global__ void participants_that_count_differently(int) {
  of_grid.arrive_and_wait(participant{blockIdx.x, 3 - blockIdx.x});  // <wait>
}
__global__ void second_round_of_some_blocks(int) {
  of_grid.arrive_and_wait();
  if (blockIdx.x < 2) of_grid.arrive_and_wait();  // <wait>
}
// The last block is set aside, but one of the calls counts it.
__global__ void barrier_that_counts_a_block_set_aside(int) {
  if (blockIdx.x == 3) {
    flag.wait(0);  // <value>
    return;
  }
  of_grid.arrive_and_wait(participant{blockIdx.x, 3});  // <first>
  of_grid.arrive_and_wait();                            // <wait>
  flag = 1;
}
// One thread of each block meets those of the other blocks. The rest of its block, or of its warp, waits for it.
__global__ void grid_barrier_of_one_thread(int) {
  for (unsigned step = 0; step < 2; ++step) {
    if (threadIdx.x == 0) of_grid.arrive_and_wait();  // <wait>
    if (blockIdx.x % 2 == 0)
      __syncthreads();
    else
      __syncwarp();
  }
}
__device__ cudasync::grid_barrier<> other_of_grid;
__global__ void grid_barriers_in_different_orders(int) {
  cudasync::grid_barrier<>& first = blockIdx.x == 1 ? other_of_grid : of_grid;
  first.arrive_and_wait();  // <first>
  (blockIdx.x == 1 ? of_grid : other_of_grid).arrive_and_wait();
}

// Block 0 holds the lock for which block 1 waits, and wants a second slot.
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> slot(1);
__device__ binary lock_of_slots(1);
__global__ void lock_for_which_another_block_waits(int) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0) gpu_test::pause(1000000);
  lock_of_slots.acquire();  // <lock>
  slot.acquire();
  slot.acquire();  // <slot>
}

// Each block takes two pages of a pool, under a lock, and gives one back.
__device__ counting pool_of_pages(5);
__device__ binary lock_of_pages(1);
__global__ void pages_of_which_too_few_come_back(int) {
  if (threadIdx.x != 0) return;
  lock_of_pages.acquire();  // <lock>
  pool_of_pages.acquire();
  pool_of_pages.acquire();  // <page>
  lock_of_pages.release();
  pool_of_pages.release();
}
// The two blocks that get the only pages keep them.
__device__ counting pool_of_two(2);
__global__ void pages_that_blocks_keep(int) {
  if (threadIdx.x != 0) return;
  lock_of_pages.acquire();  // <lock>
  pool_of_two.acquire();    // <page>
  lock_of_pages.release();
}

// --- The cases, and what each must print ---

constexpr gpu_test::shape two_warps{1, 64}, four_warps{1, 128}, three_blocks{3, 32}, four_blocks{4, 64};

const misuse cases[] = {
    MISUSE_IN((gpu_test::shape{1, 288}), more_flags_than_lines, "atomic at 0x", " wait at <wait>",
              "... and 64 more threads wait, for other objects or elsewhere.",
              "Threads also wait, perhaps as a consequence, for atomic at 0x",
              ", and for objects that are not listed."),
    MISUSE_IN((gpu_test::shape{16, 1}), flags_of_more_blocks_than_lines, "and 1 of other blocks",
              "2 threads of other blocks wait at <wait>",
              "... and 2 more threads wait, for other objects or elsewhere."),
    MISUSE_OFTEN(4, (gpu_test::shape{7, 32}), pages_of_which_too_few_come_back, " at <lock>", " at <page>",
                 "likely cause: thread 0 of block (", " holds a permit of semaphore at 0x",
                 " and waits for another one of it at <page>; in this kernel, 4 permits of it were released, and 9 "
                 "acquired; of its permits, 5 are known to be held, 4 of them by threads that wait for nothing or have "
                 "ended, such as thread 0 of block (",
                 " waits for such a permit, and holds semaphore at 0x", ", for which ", " at <lock>.",
                 "remedy: release as many permits of semaphore at 0x", " as were acquired, on every path",
                 "!no thread of this kernel", "!take the permit of", "!let a lock guard"),
    MISUSE_OFTEN(4, (gpu_test::shape{4, 32}), pages_that_blocks_keep, " at <lock>", " at <page>",
                 "likely cause: thread 0 of block (", " holds a permit of semaphore at 0x",
                 ", taken at <page>, and does not wait (last call: ",
                 "); of its permits, 2 are known to be held, 2 of them by threads that wait for nothing or have ended",
                 "; thread 0 of block (", " waits for such a permit, and holds semaphore at 0x", ", for which ",
                 " at <lock>.", "remedy: release as many permits of semaphore at 0x",
                 " as were acquired, on every path", "!no thread of this kernel"),
    MISUSE_IN(
        (gpu_test::shape{6, 32}), latch_of_two_blocks_too_many, "thread 0 waits at <wait>",
        "likely cause: the latch still expects 2 arrivals; 3 threads have counted it down, for example thread 0 of "
        "block (",
        " (last call: <count>); no thread waits for anything else."),
    MISUSE_IN((gpu_test::shape{2, 32}), lock_for_which_another_block_waits,
              "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x",
              " and waits for another one of it at <slot>; it also holds semaphore at 0x", " at <lock>."),
    MISUSE_IN(
        two_warps, latch_for_one_thread_more, "latch at 0x", "threads 0-63 wait at <wait>",
        "likely cause: the latch still expects 1 arrival; threads 0-63 have counted it down, and all threads of the "
        "block wait",
        "remedy: construct it with the number of arrivals that count_down and arrive_and_wait really make"),
    MISUSE_IN(two_warps, latch_for_threads_counted_down_by_warps, "threads 0-63 wait at <wait>",
              "likely cause: the latch still expects 62 arrivals",
              "remedy: construct it with the number of arrivals that count_down and arrive_and_wait really make"),
    MISUSE_IN(
        two_warps, latch_behind_a_barrier, "threads 32-63 wait at <wait>",
        "likely cause: the latch still expects 32 arrivals; threads 0-31 wait for nothing in this library",
        "remedy: let threads 0-31 count it down on every path, and before they wait for other threads, for example at "
        "__syncthreads();"),
    MISUSE_IN(four_blocks, latch_of_blocks_of_which_one_returns, "wait at <wait>; and 128 of other blocks",
              "likely cause: the latch still expects 1 arrival",
              "remedy: construct it with the number of arrivals that count_down and arrive_and_wait really make",
              "!never called the library"),
    MISUSE_IN((gpu_test::shape{2, 1}), latches_of_blocks_in_a_circle,
              "expects 1 arrival; 1 thread of other blocks waits for latch at 0x", " at <wait>",
              "If blocks wait for each other, let one of them signal or arrive before its wait", "!declare it"),
    MISUSE_IN(two_warps, latches_in_opposite_orders, "threads 0-31 wait at <wait>", "threads 32-63 wait at <wait>",
              "likely cause: latch at 0x", ": the latch still expects 32 arrivals; threads ", " wait for latch at 0x",
              "If the threads that wait elsewhere are counted, let them arrive here before that wait"),
    MISUSE_IN(two_warps, latch_behind_a_loop, "thread 32 waits at <wait>", "threads 0-31 wait at <next> for parity 1",
              "1 phase is complete, and no thread has arrived in the next one, the phase of this wait: thread 32 waits "
              "for latch at 0x",
              "remedy: find out why that wait does not end, or let these threads arrive before it"),
    MISUSE_IN(
        four_warps, latch_that_a_warp_passes_by, "thread 96 waits at <wait>",
        "likely cause: the latch still expects 1 arrival; threads 0, 64 have counted it down; thread 32 waits for "
        "nothing in this library",
        "a latch cannot be used a second time. An arrival before init is lost: synchronize the block after init"),
    MISUSE_IN(two_warps, latch_under_a_row, "threads 0-63 wait at <wait>", "likely cause: latch at 0x",
              " is not initialized, or something has written over it: it waits for ", "with compute-sanitizer",
              "!count_down and arrive_and_wait really make"),
    MISUSE_IN(three_blocks, counter_without_init, "barrier (kept as a counter) at 0x", "wait at <wait>; and ",
              "likely cause: barrier (kept as a counter) at 0x", " is not initialized", "!arrivals of the phase"),
    MISUSE_IN(
        two_warps, latch_that_is_used_again, "<again>",
        "latch: more arrivals than expected: the count is zero already, so the latch is complete, and it does not reset: "
        "construct it again before each use and each launch"),
    MISUSE_IN(two_warps, latch_that_is_used_before_init, "<early>",
              "latch: used before init: synchronize the threads between init and the first use [", "!second time"),
    MISUSE_IN(two_warps, latch_without_init, "threads 0-63 wait at <wait>", "likely cause: latch at 0x",
              " was used before its init, by thread ", " at <wait>.",
              "remedy: let one thread call init, then synchronize the threads, before the first use.", "!expects"),
    MISUSE_IN(two_warps, latch_whose_init_comes_late, "threads 0-63 wait at <wait>", "likely cause: latch at 0x",
              " was used before its init, by thread ", " at <late>.",
              "remedy: let one thread call init, then synchronize the threads, before the first use.", "!expects"),
    MISUSE_IN(
        two_warps, latch_that_each_warp_makes, "threads 0-63 wait at <wait>", "likely cause: latch at 0x",
        " was initialized again at <again> while threads 0-31 wait for what was before, and after threads 0-31 had "
        "counted it down.",
        "remedy: synchronize all threads that use it, for example by __syncthreads(), before it is initialized "
        "again; or use one for each round.",
        "!construct it with"),
    MISUSE_IN(
        two_warps, latch_of_the_next_row, "threads 0-31 wait at <wait>", "likely cause: latch at 0x",
        " was initialized again at <again>, before threads 0-31 waited, and after threads 32-63 had counted it down",
        "remedy: synchronize all threads that use it", "!construct it with"),
    MISUSE_IN(two_warps, latch_of_two_rounds, "threads 0-31 wait at <wait>",
              "likely cause: the latch still expects 16 arrivals; threads 48-63 have counted it down",
              "!initialized again"),
    MISUSE_IN(two_warps, semaphore_that_is_made_again, "thread 0 waits at <wait>", "likely cause: semaphore at 0x",
              " was initialized again at <again> while thread 0 waits for what was before",
              "remedy: synchronize all threads", "!no permit", "!holds"),
    MISUSE_IN(two_warps, counter_barrier_that_each_warp_makes, "threads 0-63 wait at <wait>",
              "likely cause: barrier (kept as a counter) at 0x",
              " was initialized again at <again> while threads 0-31 wait for what was before",
              "remedy: synchronize all threads", "!missing"),
    MISUSE_IN(two_warps, semaphore_whose_init_comes_late, "thread 0 waits at <wait>", "likely cause: semaphore at 0x",
              " was used before its init, by thread 32 at <late>.",
              "remedy: let one thread call init, then synchronize the threads, before the first use.", "!no permit"),
    MISUSE_IN(two_warps, counter_barrier_whose_init_comes_late, "threads 0-31 wait at <wait>",
              "likely cause: barrier (kept as a counter) at 0x", " was used before its init, by thread ", " at <late>.",
              "remedy: let one thread call init, then synchronize the threads, before the first use.", "!missing"),
    MISUSE_IN(
        (gpu_test::shape{1, 64}), latch_of_the_kernel_before, "<again>",
        "latch: more arrivals than expected: the count is zero already, so the latch is complete, and it does not "
        "reset: construct it again before each use and each launch; at its first use, with the number of arrivals "
        "["),
    MISUSE_IN((gpu_test::shape{1, 64}), latch_with_an_update_that_is_too_large, "<down>",
              "latch: more arrivals than expected: the update is more than what is left of the count ["),
    MISUSE_IN((gpu_test::shape{1, 64}), latch_of_host_threads, "threads 0-63 wait at <wait>",
              "the latch still expects 2 arrivals; no thread of this kernel is known to have counted it down: what is "
              "missing may be an arrival of a host thread or of another kernel.",
              "remedy: let each host thread and each kernel that is counted count it down, also without work",
              "!construct it"),
    {"latch_of_a_kernel_without_room",
     {"at <wait>", "or of another kernel; waiting blocks are on all ",
      " multiprocessors, so another kernel may find no room",
      "remedy: launch the kernel that should count down before this one, or in another stream, with room beside this "
      "one: fewer blocks, or less shared memory; a host thread that is counted must count it down, also without work."},
     start_latch_on_all_multiprocessors,
     __FILE__},
    {"blocks_that_wait_for_blocks_without_room",
     {"at <wait>", " blocks of the grid have ", " cudaLaunchCooperativeKernel, which rejects ",
      "!may be an arrival of another kernel"},
     start_blocks_without_room,
     __FILE__},
    {"blocks_that_wait_at_a_latch_for_blocks_without_room",
     {"at <wait>", " blocks of the grid have not started: the first ", "remedy: launch at most "},
     start_latch_without_room,
     __FILE__},
    {"blocks_that_wait_at_a_latch_of_one_without_room",
     {"at <wait>", " blocks of the grid have not started: the first ", "remedy: launch at most ",
      "or let each block take its number from a counter", "!construct it"},
     start_latch_of_one_without_room,
     __FILE__},
    {"blocks_that_wait_for_the_value_of_one_without_room",
     {"at <wait>", " blocks of the grid have not started: the first ", " blocks wait, and fill all multiprocessors.",
      "remedy: launch at most ",
      ", which rejects a larger grid; or let each block take its number from a counter (fetch_add), and wait only for "
      "smaller numbers: these have started before it.",
      "!find the thread", "!scope", "!if the"},
     start_value_without_room,
     __FILE__},
    {"blocks_that_wait_beside_blocks_that_have_stored",
     {"at <wait>", "!have not started", "!made no call"},
     start_blocks_beside_others,
     __FILE__},
    MISUSE_IN(three_blocks, permit_that_an_early_return_keeps, "semaphore at 0x", "thread 0 waits at <acquire>",
              "likely cause: thread 0 of block (", "holds a permit of semaphore at 0x",
              ", taken at <acquire>, and does not wait (last call: <acquire>)",
              "remedy: release the permit on every path out of the critical section"),
    MISUSE_IN((gpu_test::shape{4, 32}), permits_that_two_errors_keep, "waits at <acquire>",
              "likely cause: thread 0 of block (1,0,0)", " holds a permit of semaphore at 0x",
              ", taken at <acquire>, and waits for another one of it at <acquire>",
              "; of its permits, 2 are known to be held, 1 of them by threads that wait for nothing or have ended",
              "remedy: release the permit before the next acquire, on every path, also before a return"),
    MISUSE_IN((gpu_test::shape{2, 32}), bucket_that_is_locked_twice, "thread 0 waits at <acquire>",
              "likely cause: thread 0 of block (1,0,0) holds a permit of semaphore at 0x",
              ", taken at <acquire>, and waits for another one of it at <acquire>",
              "remedy: release the permit before the next acquire, on every path", "!no permit of"),
    MISUSE_IN((gpu_test::shape{2, 32}), permits_that_a_short_way_keeps, "thread 0 waits at <acquire>",
              ", taken at <acquire>, and waits for another one of it at <acquire>",
              "of its permits, 2 are known to be held, each by a thread that waits for another one of it.",
              "remedy: release the permit before the next acquire, on every path"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), slots_of_which_each_block_takes_two, "thread 0 waits at <second>",
        ", taken at <first>, and waits for another one of it at <second>; no other thread has released one for it; "
        "of its permits, 2 are known to be held, each by a thread that waits for another one of it.",
        "remedy: let a lock guard all acquires of a thread, or release the permit before the next acquire",
        "!on every path", "!signals"),
    MISUSE_IN(two_warps, lock_that_is_held_at_a_completion, "wait at <wait>",
              "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x",
              ", taken at <lock>, and waits", "!as a consequence"),
    MISUSE_IN(two_warps, lock_before_the_free_cell, "thread 0 waits at <cell>",
              "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x",
              "at <cell>; it also holds semaphore at 0x", ", for which thread 32 waits at <guard>",
              "remedy: take the permit of semaphore at 0x"),
    MISUSE_IN(two_warps, slots_that_nobody_gives_back, "thread 0 waits at <slot>",
              "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x",
              "and waits for another one of it at <slot>; no other thread has released one for it",
              "let the threads for which it waits release this semaphore"),
    MISUSE_IN(two_warps, lock_that_its_owner_takes_again, "waits at <again>", "waits at <first>",
              "of block (0,0,0) holds a permit of semaphore at 0x", "and waits for another one of it at <again>",
              "remedy: take it once if both acquires are of the same object."),
    MISUSE_IN((gpu_test::shape{2, 32}), locks_in_opposite_order, "waits at <second>",
              "likely cause: permits are taken in different orders: thread 0 of block (", " holds semaphore at 0x",
              " and waits for semaphore at 0x", "; thread 0 of block (",
              "remedy: let all threads take the permits in the same order"),
    MISUSE_IN((gpu_test::shape{12, 32}), locks_in_a_circle_of_twelve, "waits at <second>",
              "likely cause: permits are taken in different orders: thread 0 of block (", " holds semaphore at 0x",
              " and waits for semaphore at 0x",
              "; and so on, over 9 more threads, the last of which waits for semaphore at 0x",
              "remedy: let all threads take the permits in the same order"),
    MISUSE_IN(
        two_warps, permit_of_a_later_kernel, "thread 0 waits at <acquire>",
        "; no thread of this kernel is known to have acquired or released it: what is missing may be a release of",
        "remedy: let a thread release it on every path, or construct it with the permits that are there at first. "
        "Another kernel that should release must run at the same time",
        "!critical section"),
    MISUSE_IN(two_warps, lock_that_is_held_at_a_latch, "waits at <acquire>", "waits at <latch>"),
    MISUSE_IN((gpu_test::shape{2, 32}), lock_that_each_thread_takes_around_a_barrier,
              ": phase of parity 1, 1 arrival of 32", "likely cause: thread ", " holds a permit of semaphore at 0x",
              ", taken at <acquire>, and waits at <wait> for barrier at 0x", ", which lacks threads ",
              ": they wait for that permit at <acquire>.",
              "remedy: let one thread take and release the permit for all of these threads, between two phases of the "
              "barrier; or release it before the wait at <wait>.",
              "!0 arrivals of 32"),
    MISUSE_IN(
        two_warps, signal_that_is_not_released, "thread 0 waits at <empty>",
        "likely cause: no permit of semaphore at 0x", " in this kernel, 1 permit of it was released, and 2 acquired",
        " in this kernel, 2 permits of it were released, and 2 acquired", " waits for semaphore at 0x",
        "remedy: the permits are signals, which other threads release: let these release one for each that they have "
        "acquired",
        "!holds a permit of"),
    MISUSE_IN(
        (gpu_test::shape{1, 96}), one_end_for_two_consumers, " waits at <item>",
        "and no thread releases one; 1 thread waits; in this kernel, 5 permits of it were released, and 5 acquired; "
        "thread 0 of block (0,0,0) has released it before",
        "let them release as many as are acquired, 1 more", "!for each that they have acquired"),
    MISUSE_IN(
        two_warps, workers_that_fill_their_own_queue, "threads 0, 32 wait at <acquire>",
        "and no thread releases one; 2 threads wait; in this kernel, 2 permits of it were released, and 3 acquired; each "
        "thread that is known to have released it waits for it",
        "remedy: let a thread release a permit that does not wait for one; if the same threads take and release permits, "
        "let them take one with try_acquire",
        "!holds a permit of"),
    MISUSE_IN(two_warps, permits_released_by_the_wrong_count, "<release>", "semaphore: more permits than max()"),
    MISUSE_IN(two_warps, permits_held_over_a_barrier, "wait at <acquire>", "likely cause: thread ",
              "of block (0,0,0) holds a permit", "does not wait (last call: <acquire>)",
              "; other lanes of its warp wait for semaphore at 0x",
              "remedy: release the permit before __syncwarp(), __syncthreads() and other operations of a whole warp"),
    MISUSE_IN(two_warps, permit_held_over_a_barrier_of_warps, " waits at <acquire>", " holds a permit",
              "does not wait (last call: <acquire>)",
              "remedy: release the permit on every path out of the critical section", "!other lanes"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), value_in_another_unit, "atomic at 0x", "thread 0 waits at <wait>",
        "likely cause: the value stays 1, and the wait is for another value: the predicate is false for 1; 1 "
        "addition or compare-exchange by 1 thread is known, thread 0 of block (1,0,0), which does not wait for it; 1 block of the "
        "grid waits for nothing in this library; 1 thread has notified it, for example thread 0 of block (1,0,0) (last "
        "call: <tell>)",
        "remedy: compare the awaited number with the additions that are made",
        "if it is computed, for example from a load that came after some of these additions",
        "!the number of threads that wait"),
    MISUSE_OFTEN(
        8, four_blocks, counter_that_passes_the_awaited_number, " at <wait>", " at <passed>",
        "the value stays 4, and the wait is for another value; 4 additions or compare-exchanges by 3 threads are "
        "known, for example thread 0 of block (",
        ", none of which waits for it; a thread of every block of the grid waits, so none is left to store one.",
        "remedy: compare the awaited number with the additions that are made: it may have been passed",
        "!the value stays 0", "!begins anew"),
    MISUSE_OFTEN(8, four_blocks, flag_of_a_block_that_waits_for_a_sum, " at <flag>", " at <sum>",
                 "likely cause: atomic at 0x", "!each 1 time"),
    MISUSE_OFTEN(
        8, four_blocks, shares_of_a_lock, "thread 0 waits at <wait>; and 1 of",
        "the value stays 2, and the wait is for another value: the predicate is false for 2; the 2 threads that wait have "
        "added 2 to it, and not taken it back; 2 other threads have changed it, and do not wait for it.",
        "remedy: let each thread that waits for the shares of others give back its own before this wait"),
    MISUSE_IN((gpu_test::shape{2, 32}), flag_of_another_block, "threads 0-31 wait at <wait>", "In block (1,0,0)",
              "It is in shared memory, of which each block has its own"),
    MISUSE_IN((gpu_test::shape{2, 32}), predicate_that_misses_the_value, "thread 0 waits at <wait>",
              "the value stays 8, and the wait is for another value: the predicate is false for 8",
              "it may have been passed, if it is compared by == or != (compare by >=,"),
    MISUSE_IN(
        (gpu_test::shape{1, 64}), kernel_that_waits_for_another, "thread 0 waits at <wait>",
        "likely cause: 1 arrival of the phase is missing; 1 thread waits; no other thread of this kernel has called "
        "the library: an arrival of another kernel, or of the host, is missing, which may not have started.",
        "remedy: let the other kernel or the host thread arrive while this kernel runs. Another kernel that should arrive "
        "must run at the same time: kernels of one stream run one after another",
        ": launch it in a stream that was created with this flag.", "!compare the count"),
    MISUSE_IN(three_blocks, block_that_passes_by_a_counter, "thread 0 waits at <wait>; and 1 of",
              "likely cause: 1 arrival of the phase is missing; 2 threads wait; block (2,0,0) is missing (last call of "
              "thread 0 of block (2,0,0): <other>).",
              "remedy: let every block arrive, in every round", "!another kernel", "!compare the count"),
    MISUSE_IN(
        four_blocks, counter_of_a_larger_grid, "thread 0 waits at <wait>; and 3 of",
        "likely cause: 4 arrivals of the phase are missing; 4 threads wait; they are one of each block of the grid",
        "remedy: initialize with the number of threads that arrive in this launch", "!resident"),
    MISUSE_IN(
        four_blocks, counter_of_threads_for_one_of_each_block, "thread 0 waits at <wait>; and 3 of",
        "likely cause: 252 arrivals of the phase are missing; 4 threads wait; 256 are expected, as many as the grid "
        "has threads, but one thread of each of its 4 blocks arrives.",
        "remedy: initialize with 4, the number of threads that arrive", "!parity", "!cudaLaunch"),
    MISUSE_IN(four_blocks, latch_of_threads_for_one_of_each_block, "thread 0 waits at <wait>; and 3 of",
              "256 are expected, as many as the grid has threads, but one thread of each of its 4 blocks arrives.",
              "remedy: initialize with 4, the number of threads that arrive"),
    MISUSE_IN((gpu_test::shape{2, 32}), flag_under_a_lock, "waits at <wait>", "thread 0 waits at <flag>",
              "the value stays 1, and the wait is for another value; thread 0 of block (0,0,0) has given it this value "
              "at <take>, and waits for atomic at 0x",
              " at <flag>.", "remedy: if it is a lock, give it back before the wait at <flag>, or take it after",
              "!in different orders"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), exchanged_locks_in_two_orders, "thread 0 waits at <wait>",
        "likely cause: threads have exchanged values, as one takes locks, and wait for each other: thread 0 of block (",
        ", at <take>, has given atomic at 0x", "remedy: let all threads take these locks in the same order"),
    MISUSE_IN((gpu_test::shape{1, 32}), lock_taken_twice, "thread 0 waits at <wait>",
              "thread 0 of this block, which waits, has stored to it", "!over it"),
    MISUSE_IN((gpu_test::shape{3, 32}), item_awaited_under_a_lock, " waits at <item>",
              "likely cause: thread 0 of block (0,0,0) holds a permit of semaphore at 0x",
              ", taken at <lock>, and waits for "
              "semaphore at 0x",
              " at <item>", "remedy: release the permit before that wait, or find out why it does not end",
              "!are there at first"),
    MISUSE_IN((gpu_test::shape{7, 32}), bits_of_too_few_workers, "thread 0 waits at <wait>",
              "; 6 bitwise operations by 6 threads are known, 2 of which have not changed the value, for example",
              "remedy: compare the bits of the awaited value with those that each thread sets or clears", "!addition"),
    MISUSE_IN(three_blocks, latch_of_one_block_too_many, "thread 0 waits at <wait>",
              "the latch still expects 1 arrival; 3 threads, of all 3 blocks of the grid, have counted it down.",
              "remedy: construct it with the number of arrivals", "!__shared__"),
    MISUSE_OFTEN(4, three_blocks, ring_of_flags_that_misses_a_number, "thread 0 waits at ",
                 "the wait is for another value", "and waits for atomic at 0x", "!one takes locks",
                 "!in different orders"),
    MISUSE_IN(four_blocks, arrivals_by_compare_exchange, "thread 0 waits at <wait>; and 2 of",
              "3 additions or compare-exchanges by 3 threads are known",
              "; 3 of them wait for it; 1 block of the grid waits "
              "for nothing in this library",
              "let each thread that is counted add, on every path", "!taken it back"),
    MISUSE_IN((gpu_test::shape{2, 32}), counter_that_is_reset_late, "thread 0 waits at <wait>", "the value stays 2",
              "; 3 additions were made, so the store of 0 at <reset> came after one of them",
              "remedy: let no thread add before the store at <reset>: store the value before the launch"),
    MISUSE_IN((gpu_test::shape{2, 32}), counter_of_one_addition_too_few, "thread 0 waits at <wait>",
              "1 addition or compare-exchange by 1 thread is known",
              "remedy: compare the awaited number with the additions that are made: it may be more than the number",
              "!=="),
    MISUSE_IN((gpu_test::shape{3, 32}), counter_that_begins_anew, "atomic at 0x", "thread 0 waits at <wait>",
              "; 3 of them wait for it; a thread of every block of the grid waits, so none is left to store one",
              "remedy: if the awaited value was there before, for example of a counter that begins anew"),
    MISUSE_IN(
        (gpu_test::shape{3, 32}), rounds_of_an_earlier_launch, "thread 0 waits at <wait>",
        "the value stays 5, and the wait is for another value; 1 addition or compare-exchange by 1 thread is known",
        "; before, it was 4, from an earlier launch or a change that is not recorded",
        "remedy: if it should begin with 0 in each launch, reset it before the launch", "!>=", "!for each round"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), flag_that_its_waiter_resets, "thread 0 waits at <wait>",
        "likely cause: thread 0 of block (0,0,0) stored 1 to atomic at 0x",
        " at <set>, and then thread 0 of block (1,0,0) stored 0 over it at <reset>, without a wait for it before, and "
        "waits for it at <wait>.",
        "remedy: store the initial value before the launch, or synchronize these threads between the store at <reset> "
        "and their other stores",
        "!cudaLaunchCooperativeKernel", "!later kernel", "!find the thread"),
    MISUSE_IN((gpu_test::shape{2, 32}), messages_of_which_the_first_is_reset,
              "likely cause: thread 0 of block (0,0,0) stored 1 to atomic at 0x",
              " at <send>, and then thread 0 of block (1,0,0) stored 0 over it at <reset>", "waits for it at <wait>."),
    {"turn_left_by_the_launch_before",
     {"thread 0 waits at <wait>",
      "; no thread of this kernel is known to have stored to it, so 3 is from before the launch",
      "remedy: if the value is from an earlier launch, reset it before each one; otherwise "},
     [] {
       const unsigned three = 3;
       cudaMemcpyToSymbol(results, &three, sizeof three, sizeof three);
       gpu_test::run(turn_left_by_the_launch_before, {2, 32}, 0);
     },
     __FILE__,
     turn_left_by_the_launch_before},
    MISUSE_IN(
        (gpu_test::shape{2, 32}), flag_that_was_read_after_its_store, "thread 0 waits at <wait>",
        "likely cause: the value stays 1, and the wait is for another value; thread 0 of block (0,0,0) has stored to "
        "it, this value at <store>",
        "remedy: give wait the value that means not yet: one that the thread has just read may be the new one"),
    MISUSE_IN((gpu_test::shape{3, 32}), chain_that_begins_with_zero, "thread 0 waits at <wait>",
              "the value stays 0, and the wait is for another value; thread 0 of block (0,0,0) has stored to it, this "
              "value at <zero>, and waits for atomic at 0x",
              "and let each thread store the value for which the next one waits", "!8 bytes before"),
    MISUSE_IN((gpu_test::shape{2, 32}), tiles_in_another_order_than_awaited, "thread 0 waits at <wait>",
              "thread 0 of block (0,0,0) has last stored to atomic at 0x",
              " bytes before it, at <store>; a thread of every block",
              "remedy: if the awaited value is also stored at <store>, behind such a wait, blocks wait for each other"),
    MISUSE_IN((gpu_test::shape{2, 32}), flag_that_is_reset_after_its_wait, "thread 0 waits at <wait>",
              "the wait is for another value; thread 0 of this block, which waits, has stored to it; also thread 0 of "
              "block (0,0,0) has stored to it; its value is that of the store by thread 0 of block (1,0,0) at <reset>.",
              "!over it"),
    MISUSE_IN((gpu_test::shape{2, 32}), flag_that_is_reset_after_an_answer, "thread 0 waits at <wait>",
              "likely cause: the value stays 0, and the wait is for another value", "!over it"),
    MISUSE_IN(
        (gpu_test::shape{1, 96}), release_behind_the_blocks_barrier, "thread 0 waits at <wait>",
        "In no wait of this library: threads 32-95, after <begin>. They have returned, compute, run a loop, or wait "
        "outside this library, for example at __syncthreads()."),
    MISUSE_OFTEN(8, three_blocks, counter_that_is_reset_too_early, "thread 0 waits at <late>",
                 "likely cause: 2 threads have added to atomic at 0x", ", which was at least ",
                 ", after the addition of thread 0 of block (", "!at least 1,",
                 "and then thread 0 of block (0,0,0) stored 0 over it at <reset>, after its own wait, while ",
                 "remedy: reset it only after all threads that wait for the value have left their waits", "!stays 0",
                 "!find the thread"),
    MISUSE_OFTEN(
        8, three_blocks, base_that_is_read_too_late, "In block (2,0,0)", "thread 0 waits at <wait>",
        "likely cause: the value stays 3, and the wait is for another value: the predicate is false for 3; 3 "
        "threads have added to it, each 1 time, also the one that waits; thread 0 of block (",
        "has left this wait, although the value only rises, so the awaited numbers differ, or are compared by ==.",
        "remedy: compare by >=; if the number is computed from a load, as base + n, load it before any of these threads adds",
        "!begins anew", "!find the thread"),
    MISUSE_OFTEN(
        8, three_blocks, base_that_all_read_too_late, "thread 0 waits at <wait>; and 2 of",
        "the predicate is false for 3; 3 threads have added to it, each 1 time, also all that wait.",
        "remedy: compare by >=; if the number is computed from a load, as base + n, load it before any of these threads adds",
        "otherwise, compare it with the sum of all additions.", "!begins anew", "!find the thread"),
    MISUSE_OFTEN(8, three_blocks, block_that_adds_once_less, "thread 0 waits at <wait>; and 1 of",
                 "likely cause: the value stays 5", "!base + n"),
    MISUSE_OFTEN(8, four_blocks, turn_of_a_block_that_returns, "thread 0 waits at <wait>; and 1 of",
                 "likely cause: the value stays 1", "!base + n"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), counter_whose_initial_value_comes_late, "thread 0 waits at <wait>",
        "likely cause: 1 thread has added to atomic at 0x",
        ", which was at least 1, after the addition of thread 0 of block (0,0,0), and then thread 0 of block (1,0,0) "
        "stored 0 over it at <reset>, while 1 thread waits for it.",
        "remedy: store the initial value before the launch, or synchronize these threads"),
    MISUSE_IN(
        four_blocks, turn_that_the_first_block_leaves_out, "In block (1,0,0)", "thread 0 waits at <wait>; and 2 of",
        "the value stays 0, and the wait is for another value: the predicate is false for 0; no thread of this kernel "
        "is known to have stored to it, but thread 0 of block (0,0,0) has last stored to atomic at 0x",
        ", 4 bytes before it, at <store>; this is the first block that waits; block (0,0,0) before it waits for "
        "nothing in this library (last call of thread 0 of block (0,0,0): <wait>).",
        "remedy: compare the index of the object that the call at <store> stores to with that of this wait; let the "
        "thread that should store to it do so on every path",
        "!>=", "!scope"),
    MISUSE_IN((gpu_test::shape{1, 64}), flag_that_two_threads_reset, " at <wait>", "!over it"),
    MISUSE_IN(
        (gpu_test::shape{2, 32}), turn_of_the_launch_before, "thread 0 waits at <wait>",
        "the predicate is false for 3; no thread of this kernel is known to have stored to it, so 3 is from before the "
        "launch, or from a change that is not recorded (relaxed additions, functions of CUDA); a thread of",
        "remedy: if it is from an earlier launch, reset it before each one; otherwise, let no thread reset the value",
        "!another stream"),
    MISUSE_IN(four_blocks, shares_that_nobody_gives_back, "thread 0 waits at <wait>; and 3 of", "the value stays 4",
              "the 4 threads that wait have added 4 to it, and not taken it back.",
              "remedy: let each thread that waits for the shares of others give back its own", "!before the launch"),
    MISUSE_IN((gpu_test::shape{1, 192}), waits_of_all_forms, "thread 0 waits at <value>",
              "thread 32 waits at <predicate>", "thread 64 waits at <ref>", "thread 96 waits at <of_ref>",
              "thread 128 waits at <function>", "thread 160 waits at <explicit>"),
    MISUSE_IN((gpu_test::shape{1, 256}), ids_of_two_formulas, "warp 6 waits at <wait>", "warp 7 waits at <wait>",
              "likely cause: only 32 of 64 threads have arrived at named barrier ",
              "; warp 1 has arrived at named barrier 1, "
              "where no thread waits; only warp ",
              " has ever used named barrier "),
    MISUSE_OFTEN(
        4, two_warps, buffer_that_is_never_marked_as_empty, "warp 0 waits at <empty>", "warp 1 waits at <full>",
        "likely cause: only 32 of 64 threads have arrived at named barrier 3; warp 1 has never arrived there, but at named "
        "barrier 1, which both groups use, and waits for named barrier 4 at <full>.",
        "remedy: let warp 1 arrive at named barrier 3 before that wait, also before the first round, as at named barrier 1.",
        "!use one id", "!consequence"),
    MISUSE_IN(
        two_warps, counts_that_differ_in_one_phase, "named barrier 2", "at <second>", "for 96 threads",
        "32 threads have already arrived",
        "likely cause: warps of one phase expect different numbers of threads: this warp 96, the others 64; warp 0 "
        "has arrived, by another call (last call of thread 0: <first>).",
        "remedy: if they are of two groups, give each group an id of its own; otherwise pass the same number"),
    MISUSE_IN((gpu_test::shape{1, 96}), counts_that_differ_while_others_arrive, "named barrier 2", "at <second>",
              "this warp 96, the others 64; warp", " arrived, by another call (last call of thread 0: <first>)."),
    MISUSE_IN(four_warps, warp_that_is_missing, "named barrier 3", "warps 0-2 wait at <wait>",
              "likely cause: only 96 of 128 threads have arrived at named barrier", "threads 96-127 have not",
              "remedy: let all warps that the phase counts arrive"),
    MISUSE_IN(four_warps, id_of_two_groups, "named barrier 4", "likely cause: only 32 of 64 threads",
              "; warps 0-2 have used it, which are more than a phase counts",
              "remedy: pass 96, if all of them arrive in one phase; if they are of several groups, give each an id "
              "of its own, or, if the groups use it in turn, let all warps of the group arrive."),
    MISUSE_IN(two_warps, consumer_that_comes_during_the_report, "named barrier 5", "warp 0, for 64 threads, at <again>",
              "32 threads have already arrived", "this warp arrives a second time before the phase is complete; ",
              "the others have arrived since", "!not arrived yet", "by sync in place of arrive, or at another barrier"),
    MISUSE_IN(two_warps, producer_that_arrives_twice, "named barrier 5", "warp 0", "at <again>",
              "32 threads have already arrived",
              "likely cause: this warp arrives a second time before the phase is complete; warp 1 has not arrived yet.",
              "remedy: let it wait for the other side between its arrivals"),
    MISUSE_IN(four_warps, dynamic_count_that_is_too_large, "named barrier 6", "warps 0-1 wait at <wait>",
              "likely cause: only 64 of 96 threads have arrived at named barrier",
              "remedy: let all warps that the phase counts arrive"),
    MISUSE_IN(four_blocks, block_that_returns_early, "grid_barrier at 0x", "thread 0 waits at <wait>; and",
              "likely cause: 1 participant has not arrived; 3 threads wait; block (3,0,0) is missing.",
              "remedy: let every block arrive", "!more blocks than the GPU can hold", "!In no wait"),
    MISUSE_IN(three_blocks, participants_that_count_one_more, "grid_barrier at 0x", "thread 0 waits at <wait>; and",
              "likely cause: 1 participant has not arrived; 3 threads wait; rank 3 of 4 is missing: no block of this "
              "kernel has arrived at it with this rank.",
              "remedy: let a block or a host thread arrive with each rank below the count, or pass the number",
              "!same count"),
    MISUSE_IN(four_blocks, pair_whose_second_block_leaves_out_a_round, "In block (2,0,0)", "thread 0 waits at <second>",
              "likely cause: 1 participant has not arrived; 1 thread waits; rank 1 of 2 is missing: block (3,0,0) has "
              "arrived at it with this rank 1 time, and those that wait 2 (last call of thread 0 of block (3,0,0): "
              "<first>); it waits for nothing in this library.",
              "remedy: let every participant arrive in every round, on every path", "!same count"),
    MISUSE_OFTEN(4, (gpu_test::shape{5, 32}), team_without_its_last_block, " at <team>", " at <all>", "likely cause: ",
                 "1 participant has not arrived; 2 threads wait; rank 2 of 3 is missing: no block of this kernel has "
                 "arrived at it with this rank.",
                 "remedy: let a block or a host thread arrive with each rank below the count", "!in the same order"),
    MISUSE_IN((gpu_test::shape{2, 32}), participants_that_count_differently, "thread 0 waits at <wait>",
              "likely cause: 1 participant has not arrived; 2 threads wait; block (", " participants, and block (",
              "remedy: let every participant pass the same count.", "!rank"),
    MISUSE_IN(
        four_blocks, second_round_of_some_blocks, "grid_barrier at 0x", "thread 0 waits at <wait>; and",
        "likely cause: 2 participants have not arrived; 2 threads wait; blocks (2,0,0), (3,0,0) are missing (last call "
        "of thread 0 of block (2,0,0): ",
        "; block (2,0,0) has arrived at it 1 time, and the blocks that wait 2;",
        "; they wait for nothing in this library.", "!exited",
        "remedy: let every block arrive, in every round, and let all blocks end in the same round: decide it from a value "
        "that no block changes before all have read it",
        "!pass the same count"),
    MISUSE_IN(four_blocks, barrier_that_counts_a_block_set_aside, "thread 0 waits at <wait>; and 2 of other blocks",
              "likely cause: 1 participant has not arrived; 3 threads wait; block (3,0,0) is missing; block (3,0,0) "
              "waits for atomic at 0x",
              " at <value>; block (3,0,0) has never arrived at it; a thread of every block of the grid waits, so block "
              "(3,0,0) and these wait for each other; the blocks that wait have passed 3 participants before (at "
              "<first>), and pass 4 now.",
              "remedy: pass the same participants in each call, as at <first>: block (3,0,0) is not one of them.",
              "!let every block arrive"),
    MISUSE_IN(four_blocks, grid_barrier_of_one_thread, "the rest of the group, in a call that all of its threads make",
              "thread 0 waits at <wait>",
              "likely cause: all threads of the block make this call, but threads 1-31 have not",
              "remedy: let all threads of the block make the call, in no branch"),
    MISUSE_IN(three_blocks, grid_barriers_in_different_orders, "grid_barrier at 0x", "wait", " at <first>",
              "likely cause: ", " not arrived; ", " for grid_barrier at 0x", " at <first>.",
              "remedy: let all blocks use the grid barriers in the same order"),
};

int main(int argc, char** argv) {
  before_case = [](const char* name) {
    // Room for so many blocks in the model, which spreads them over as many multiprocessors. All of these take seconds.
    const char* const all = getenv("CUDASYNC_MACHINE_NSMID");
    const bool is_full = strstr(name, "one_without_room") != nullptr || strstr(name, "at_a_latch") != nullptr;
    setenv("CUDASYNC_MACHINE_MULTIPROCESSORS", !is_full ? "5" : all != nullptr ? all : "132", 1);
  };
  return run_misuses(argc, argv, cases);
}
