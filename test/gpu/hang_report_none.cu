// Correct programs that look like hangs, or like mistakes: the checked build lets them finish without a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/checked_build.h"
#include "../support/gpu_test.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

#include <utility>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using cluster_wide = cuda::barrier<cuda::thread_scope_cluster>;
using cuda::aligned_size_t;
using cuda::device::barrier_arrive_tx;
using cuda::device::memcpy_async_tx;
using gpu_test::device_array;

constexpr unsigned long long most_of_the_timeout = CUDASYNC_HANG_TIMEOUT_MS * 700000ull;  // nanoseconds

__device__ alignas(16) unsigned char source[4096];
__device__ unsigned results[4096];
__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock(1);

__device__ void start_barrier(block_barrier& bar, unsigned count) {
  if (threadIdx.x == 0) init(&bar, count);
  __syncthreads();
}

// --- Slow, but they move ---

// Each tile takes more than half the time-out, all of them several times as long.
__global__ void slow_producer() {
  __shared__ block_barrier full, empty;
  __shared__ unsigned value;
  if (threadIdx.x == 0) {
    init(&full, 32);
    init(&empty, 32);
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 4; ++tile) {
    if (threadIdx.x < 32) {
      empty.wait_parity(tile % 2 == 0);
      gpu_test::pause(most_of_the_timeout);
      if (threadIdx.x == 0) value = tile;
      static_cast<void>(full.arrive());
    } else {
      full.wait_parity(tile % 2 != 0);
      DEVICE_CHECK(value == tile);
      static_cast<void>(empty.arrive());
    }
  }
}
TEST(slow_producers_are_not_reported) {
  gpu_test::run(slow_producer, {1, 64});
}

// The last warp waits for much longer than the time-out, while arrivals come one after the other.
__global__ void slow_arrivals() {
  __shared__ block_barrier bar;
  start_barrier(bar, 4);
  if (threadIdx.x == 0)
    for (unsigned part = 0; part < 4; ++part) {
      gpu_test::pause(most_of_the_timeout);
      static_cast<void>(bar.arrive());
    }
  if (threadIdx.x >= 32) bar.wait_parity(false);
}
TEST(arrivals_that_come_one_after_the_other_are_progress) {
  gpu_test::run(slow_arrivals, {1, 64});
}

__global__ void slow_queue() {
  if (threadIdx.x != 0) return;
  lock.acquire();
  ++results[0];
  gpu_test::pause(most_of_the_timeout);
  lock.release();
}
TEST(queues_that_move_slowly_are_not_reported) {
  gpu_test::run(slow_queue, {4, 32});
}

// The queue is always as long, because each thread enters it again.
__device__ cuda::counting_semaphore<cuda::thread_scope_device> permit(1);
template <class Semaphore>
__device__ void take_often(Semaphore& semaphore) {
  if (threadIdx.x != 0) return;
  for (unsigned round = 0; round < 4; ++round) {
    semaphore.acquire();
    gpu_test::pause(most_of_the_timeout);
    semaphore.release();
  }
}
__global__ void slow_queue_for_a_lock() {
  take_often(lock);
}
__global__ void slow_queue_for_a_permit() {
  take_often(permit);
}
TEST(queues_of_the_same_length_move) {
  gpu_test::run(slow_queue_for_a_lock, {4, 32});
  gpu_test::run(slow_queue_for_a_permit, {4, 32});
}

// A pipeline is made a second time. Of two warps that produce, one commits after the other.
__global__ void slow_commits() {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  for (unsigned item = 0; item < 2; ++item) {
    auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 64);
    if (threadIdx.x < 64) {
      pipe.producer_acquire();
      gpu_test::pause(item * most_of_the_timeout * (1 + threadIdx.x / 32));
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
    pipe.quit();
    __syncthreads();
  }
}
TEST(commits_that_come_one_after_the_other_are_progress) {
  gpu_test::run(slow_commits, {1, 96});
}

// The last arrival comes while the report of the waits for it is written.
__device__ void await_report() {
  while (cudasync::checked::shared_by_all(cudasync::checked::controls.reporters) == 0)
    __nanosleep(1000);
}
__global__ void arrivals_during_a_report() {
  __shared__ block_barrier bar, other;
  if (threadIdx.x == 0) init(&other, 1);
  start_barrier(bar, blockDim.x);
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 32 * round) await_report();
    bar.arrive_and_wait();
  }
  if (threadIdx.x < 32) return other.wait_parity(false);
  if (threadIdx.x != 32) return;
  await_report();
  static_cast<void>(other.arrive());
}
__global__ void commits_during_a_report() {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 32);
  for (unsigned item = 0; item < 3; ++item) {
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      if (threadIdx.x == 3) await_report();
      __syncwarp();
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      pipe.consumer_release();
    }
  }
}
TEST(arrivals_that_come_during_a_report_end_it) {
  gpu_test::run(arrivals_during_a_report, {1, 96});
  gpu_test::run(commits_during_a_report, {1, 64});
}

__global__ void slow_value(cuda::atomic<unsigned, cuda::thread_scope_device>* progress) {
  if (blockIdx.x == 0)
    for (unsigned step = 1; step < 5; ++step) {
      gpu_test::pause(most_of_the_timeout);
      progress->store(step);
      progress->notify_all();
    }
  else
    static_cast<void>(progress->wait([](unsigned value) { return value == 4; }));
}
TEST(values_that_change_slowly_are_progress) {
  const device_array<cuda::atomic<unsigned, cuda::thread_scope_device>> progress(1);
  gpu_test::run(slow_value, {2, 1}, progress.get());
}

// More than the time-out passes from one look at the clock to the next, of which there is one in 32 polls, as if a debugger
// had stopped the thread.
__device__ void sleep_for(unsigned milliseconds) {
  for (unsigned passed = 0; passed < milliseconds; ++passed)
    __nanosleep(1000000);
}
__global__ void slow_look(cuda::atomic<unsigned, cuda::thread_scope_device>* progress) {
  if (blockIdx.x == 0) {
    sleep_for(4 * CUDASYNC_HANG_TIMEOUT_MS);
    progress->store(1);
  } else {
    progress->wait([](unsigned value) {
      sleep_for(CUDASYNC_HANG_TIMEOUT_MS / 25);
      return value == 1;
    });
  }
}
TEST(time_between_two_looks_is_not_waited_for) {
  const device_array<cuda::atomic<unsigned, cuda::thread_scope_device>> progress(1);
  gpu_test::run(slow_look, {2, 1}, progress.get());
}

// The first eight bytes of the value stay the same.
struct numbered {
  unsigned long long id;
  unsigned long long step;
};
__global__ void slow_large_value(cuda::atomic<numbered, cuda::thread_scope_device>* progress) {
  if (blockIdx.x == 0)
    for (unsigned step = 1; step < 4; ++step) {
      gpu_test::pause(most_of_the_timeout);
      progress->store(numbered{0, step});
      progress->notify_all();
    }
  else
    static_cast<void>(progress->wait([](numbered value) { return value.step == 3; }));
}
TEST(any_byte_of_a_value_is_progress) {
  const device_array<cuda::atomic<numbered, cuda::thread_scope_device>> progress(1);
  gpu_test::run(slow_large_value, {2, 1}, progress.get());
}

// The others wait for longer than the time-out for the last block, which moves at a barrier of its own.
__global__ void block_with_more_work(cuda::barrier<cuda::thread_scope_device>* meeting) {
  __shared__ block_barrier pass;
  start_barrier(pass, blockDim.x);
  for (unsigned step = 0; blockIdx.x == 1 && step < 5; ++step) {
    if (threadIdx.x == 0) gpu_test::pause(CUDASYNC_HANG_TIMEOUT_MS * 300000ull);
    pass.arrive_and_wait();
  }
  if (threadIdx.x == 0) meeting->arrive_and_wait();
}
__global__ void make_meeting(cuda::barrier<cuda::thread_scope_device>* meeting) {
  init(meeting, 2);
}
TEST(blocks_that_move_at_barriers_of_their_own_are_only_late) {
  const device_array<cuda::barrier<cuda::thread_scope_device>> meeting(1);
  gpu_test::run(make_meeting, {1, 1}, meeting.get());
  gpu_test::run(block_with_more_work, {2, 64}, meeting.get());
}

// --- Unusual roles ---

__global__ void lanes_of_one_warp() {
  __shared__ block_barrier full, empty;
  __shared__ unsigned value[16];
  if (threadIdx.x == 0) {
    init(&full, 16);
    init(&empty, 16);
  }
  __syncthreads();
  for (unsigned tile = 0; tile < 6; ++tile) {
    if (threadIdx.x % 2 == 0) {
      empty.wait_parity(tile % 2 == 0);
      value[threadIdx.x / 2] = tile;
      static_cast<void>(full.arrive());
    } else {
      full.wait_parity(tile % 2 != 0);
      DEVICE_CHECK(value[threadIdx.x / 2] == tile);
      static_cast<void>(empty.arrive());
    }
  }
}
TEST(lanes_of_one_warp_produce_and_consume) {
  gpu_test::run(lanes_of_one_warp, {1, 32});
}

__global__ void arrivals_of_one_thread() {
  __shared__ block_barrier bar;
  start_barrier(bar, 32);
  for (unsigned round = 0; round < 8; ++round) {
    if (threadIdx.x == 0) {
      static_cast<void>(bar.arrive(7));
      static_cast<void>(bar.arrive(24));
      static_cast<void>(bar.arrive());
    }
    bar.wait_parity(round % 2 != 0);
    __syncthreads();
  }
}
TEST(one_thread_arrives_for_many) {
  gpu_test::run(arrivals_of_one_thread, {1, 64});
}

// A barrier for one arrival, which two threads make in turn: even phases are the one's, odd ones the other's.
__global__ void barrier_in_turn() {
  __shared__ block_barrier turn;
  __shared__ unsigned value;
  if (threadIdx.x == 0) value = 0;
  start_barrier(turn, 1);
  if (threadIdx.x % 32 != 0) return;
  const bool is_second = threadIdx.x != 0;
  for (unsigned round = 0; round < 16; ++round) {
    if (is_second) turn.wait_parity(false);
    DEVICE_CHECK(value++ == 2 * round + is_second);
    static_cast<void>(turn.arrive());
    if (!is_second) turn.wait_parity(true);
  }
}
TEST(threads_arrive_in_turn) {
  gpu_test::run(barrier_in_turn, {1, 64});
}

__global__ void threads_that_are_not_counted() {
  __shared__ block_barrier bar;
  start_barrier(bar, 48);
  if (threadIdx.x >= 48) return;
  for (unsigned round = 0; round < 4; ++round)
    bar.arrive_and_wait();
}
TEST(threads_that_are_not_counted_leave_early) {
  gpu_test::run(threads_that_are_not_counted, {1, 96});
}

// --- Lifetimes ---

__global__ void init_between_phases() {
  __shared__ block_barrier bar;
  for (unsigned group = 32; group <= 96; group += 32) {
    start_barrier(bar, group);
    if (threadIdx.x < group) bar.arrive_and_wait();
    __syncthreads();
    if (threadIdx.x == 0) invalidate(&bar);
    __syncthreads();
  }
}
TEST(barriers_begin_again_between_phases) {
  gpu_test::run(init_between_phases, {1, 96});
}

// The memory of a barrier becomes data, and then another barrier.
__global__ void memory_of_a_barrier() {
  alignas(8) __shared__ unsigned char memory[sizeof(block_barrier)];
  auto& bar = reinterpret_cast<block_barrier&>(memory);
  start_barrier(bar, 64);
  bar.arrive_and_wait();
  static_cast<void>(bar.arrive());
  bar.wait_parity(true);
  __syncthreads();
  if (threadIdx.x == 0) invalidate(&bar);
  __syncthreads();
  if (threadIdx.x < sizeof memory) memory[threadIdx.x] = 255;
  __syncthreads();
  start_barrier(bar, 32);
  if (threadIdx.x < 32) bar.arrive_and_wait();
}
TEST(memory_of_a_barrier_is_used_again) {
  gpu_test::run(memory_of_a_barrier, {1, 64});
}

__global__ void drops() {
  __shared__ block_barrier bar;
  start_barrier(bar, 64);
  for (unsigned round = 0; round < 63; ++round) {
    if (threadIdx.x == 63 - round) {
      bar.arrive_and_drop();
      return;
    }
    bar.arrive_and_wait();
  }
  bar.arrive_and_wait();  // alone
  bar.arrive_and_drop();  // nobody is left
}
TEST(threads_drop_out_until_nobody_is_left) {
  gpu_test::run(drops, {1, 64});
}

// Lanes of a part of a warp make different numbers of arrivals in one call.
__global__ void unequal_updates() {
  __shared__ block_barrier bar;
  start_barrier(bar, 72);
  if (threadIdx.x % 32 >= 24) return;
  for (unsigned round = 0; round < 8; ++round) {
    auto token = bar.arrive(threadIdx.x % 2 + 1);
    bar.wait(std::move(token));
  }
}
TEST(lanes_arrive_with_different_updates) {
  gpu_test::run(unequal_updates, {1, 64});
}

// --- Phases ---

__global__ void late_tokens() {
  __shared__ block_barrier bar;
  start_barrier(bar, 64);
  for (unsigned round = 0; round < 5; ++round) {
    auto token = bar.arrive();
    if (threadIdx.x % 3 == round % 3) gpu_test::pause(20000);
    bar.wait(std::move(token));
  }
}
TEST(tokens_are_waited_for_late) {
  gpu_test::run(late_tokens, {1, 64});
}

// The bytes may be there before the thread that expects them has arrived.
__global__ void bytes_before_they_are_expected() {
  __shared__ block_barrier full;
  alignas(16) __shared__ unsigned char tile[1024];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(full, 2));  // also for the copy engine
  if (threadIdx.x == 0) {
    memcpy_async_tx(tile, source, aligned_size_t<16>(1024), full);
    static_cast<void>(full.arrive());
  }
  if (threadIdx.x == 32) {
    gpu_test::pause(30000);
    static_cast<void>(barrier_arrive_tx(full, 1, 1024));
  }
  full.wait_parity(false);
  DEVICE_CHECK(tile[threadIdx.x] == 0);
}
TEST(bytes_come_before_they_are_expected) {
  gpu_test::run(bytes_before_they_are_expected, {1, 64});
}

__global__ void parity_of_the_phase_before() {
  __shared__ block_barrier bar;
  start_barrier(bar, 64);
  bar.wait_parity(true);
  __syncthreads();
  static_cast<void>(bar.arrive());
  bar.wait_parity(false);
}
TEST(fresh_barriers_have_completed_parity_1) {
  gpu_test::run(parity_of_the_phase_before, {1, 64});
}

// --- Many blocks, clusters, groups ---

__global__ void many_blocks() {
  __shared__ block_barrier bar;
  start_barrier(bar, blockDim.x);
  for (unsigned round = 0; round < 3; ++round)
    bar.arrive_and_wait();
  if (threadIdx.x == 0) atomicAdd(&results[2], 1u);
}
TEST(more_blocks_than_run_together) {
  gpu_test::run(many_blocks, {160, 4, 128 << 10});  // one on each multiprocessor
}

__global__ void remote_arrivals() {
  __shared__ cluster_wide ready;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects(ready, 64));
  for (unsigned round = 0; round < 3; ++round) {
    cudasync::remote_barrier(ready, 1 - cluster.block_rank()).arrive();
    static_cast<void>(ready.arrive());
    ready.wait_parity(round % 2 != 0);
    cudasync::cluster_barrier::arrive_and_wait();
  }
}
TEST(blocks_of_a_cluster_arrive_at_each_other) {
  gpu_test::run(remote_arrivals, {4, 32, 0, false, 2});
}

// One id, for pairs of warps that change: 0 and 1, 1 and 2, 2 and 3, then all.
__global__ void changing_groups() {
  using pair = cudasync::named_barrier<1, 64>;
  const unsigned warp = threadIdx.x / 32;
  if (warp <= 1) pair::sync();
  __syncthreads();
  if (warp == 1 || warp == 2) pair::sync();
  __syncthreads();
  if (warp >= 2) pair::sync();
  __syncthreads();
  cudasync::named_barrier<1, 128>::sync();
}
TEST(groups_of_a_named_barrier_change) {
  gpu_test::run(changing_groups, {1, 128});
}

// Both warps look for a record at the same time, among those of earlier kernels.
__global__ void first_use_of_named_barriers() {
  for (unsigned id = 1; id < 16; ++id)
    cudasync::dynamic_named_barrier(id, 64).sync();
}
TEST(warps_use_a_named_barrier_first_at_the_same_time) {
  for (unsigned launch = 0; launch < 60; ++launch)
    gpu_test::run(first_use_of_named_barriers, {1, 64});
}

__global__ void pipeline_with_early_leavers() {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 32);
  for (unsigned tile = 0; tile < 6; ++tile) {
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      pipe.consumer_release();
      if (threadIdx.x % 4 == 3 && tile == 2) break;
    }
  }
  pipe.quit();
}
TEST(consumers_leave_a_pipeline_by_quit) {
  gpu_test::run(pipeline_with_early_leavers, {1, 64});
}

// Two groups of consumers take the tiles in turn, so that a warp releases a stage in every other round alone. A group
// waits for a tile after the other has waited for the tile before.
using ring_of_two_groups = cudasync::bulk_pipeline<3, cudasync::consumer_warps<2>>;
__global__ void consumers_take_turns() {
  __shared__ ring_of_two_groups ring;
  __shared__ block_barrier has_waited[2];
  alignas(16) __shared__ unsigned char stages[3][512];
  ring.init(cudasync::this_thread_block());
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<64>(has_waited));
  const unsigned group = threadIdx.x / 64;
  if (threadIdx.x == 128) {
    ring_of_two_groups::producer_state at;
    for (unsigned tile = 0; tile < 24; ++tile, at.advance())
      ring.acquire_and_copy(at, stages[at.index()], source, aligned_size_t<16>(512));
  } else if (group < 2) {
    ring_of_two_groups::consumer_state at;
    for (unsigned tile = 0; tile < 24; ++tile, at.advance()) {
      if (tile % 2 != group) continue;
      if (tile != 0) has_waited[1 - group].wait_parity((tile - 1) / 2 % 2 != 0);
      ring.consumer_wait(at);
      static_cast<void>(has_waited[group].arrive());
      ring.consumer_release(at);
    }
  }
}
TEST(groups_of_consumers_take_turns) {
  gpu_test::run(consumers_take_turns, {1, 160});
}

// Barriers of one thread, each in its local memory.
__global__ void barriers_of_one_thread() {
  cuda::barrier<cuda::thread_scope_thread> bar;
  init(&bar, 3);
  auto token = bar.arrive(2);
  bar.arrive_and_wait();
  DEVICE_CHECK(bar.try_wait(token));
}
TEST(each_thread_has_a_barrier_of_thread_scope) {
  gpu_test::run(barriers_of_one_thread, {1, 64});
}

// --- Barriers of the grid ---

// The block does not wait, so its record keeps the arrival.
__global__ void arrive_once(cudasync::grid_barrier<>* bar) {
  static_cast<void>(bar->arrive());
}
__global__ void do_nothing() {}

// Each launch begins with a barrier of zeros at the same address. An arrival of an earlier launch is not one of this
// block, although the records of the two are in the same place, and 16 bits of their hashes are the same.
TEST(barriers_of_the_grid_begin_again_in_each_launch) {
  const device_array<cudasync::grid_barrier<>> bar(1);
  const auto arrive = [&bar](dim3 grid) {
    gpu_test::expect_success(cudaMemset(bar.get(), 0, sizeof(cudasync::grid_barrier<>)), "cudaMemset");
    gpu_test::run(arrive_once, {grid, 32}, bar.get());
  };
  for (unsigned round = 0; round < 4; ++round) {
    arrive({4, 1});
    for (unsigned launch = 0; launch < 44; ++launch)
      gpu_test::run(do_nothing, {});
    arrive({1, 4});
  }
}

// The same barrier with and without a token.
__global__ void tokens_in_some_phases(cudasync::grid_barrier<>* bar) {
  for (unsigned round = 0; round < 3; ++round) {
    bar->wait(bar->arrive());
    for (unsigned phase = 0; phase <= round; ++phase)
      bar->arrive_and_wait();
  }
}
TEST(phases_of_the_grid_with_and_without_tokens) {
  const device_array<cudasync::grid_barrier<>> bar(1);
  gpu_test::run(tokens_in_some_phases, {4, 64, 0, true}, bar.get());
}

// A block makes the barrier anew in the middle of the kernel, after all blocks have waited.
__global__ void barrier_made_anew(cudasync::grid_barrier<>* bars) {
  for (unsigned round = 0; round < 4; ++round) {
    bars[0].wait(bars[0].arrive());
    bars[1].arrive_and_wait();
    if (blockIdx.x == 0 && threadIdx.x == 0) init(&bars[0]);
    bars[1].arrive_and_wait();
  }
}
TEST(barriers_of_the_grid_begin_again_in_a_kernel) {
  const device_array<cudasync::grid_barrier<>> bars(2);
  gpu_test::run(barrier_made_anew, {4, 64, 0, true}, bars.get());
}

// Lanes of a warp arrive by different functions, from different lines. A group of lanes that came from one function does
// not wait for lanes that came from another.
__global__ void lanes_arrive_in_different_ways() {
  __shared__ block_barrier bar;
  start_barrier(bar, blockDim.x);
  for (unsigned phase = 0; phase < 3; ++phase) {
    if (threadIdx.x % 32 < 16)
      bar.arrive_and_wait();
    else
      bar.wait(bar.arrive());
    if ((threadIdx.x + phase) % 3 == 0)
      bar.arrive_and_wait();
    else
      bar.arrive_and_wait();
  }
}
TEST(lanes_of_a_warp_arrive_in_different_ways) {
  for (unsigned launch = 0; launch < 50; ++launch)
    gpu_test::run(lanes_arrive_in_different_ways, {1, 32});
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
