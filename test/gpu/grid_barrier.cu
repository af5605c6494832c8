// cudasync::grid_barrier: whole grids, some of their blocks, launch after launch, with the host, on two GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/common_memory.h"
#include "../support/exchange.h"
#include "../support/gpu_test.h"
#include "../support/time_limits.h"

#include <cooperative_groups.h>
#include <cudasync/grid_barrier.h>

#include <thread>
#include <utility>

using cudasync::participant;
using gpu_test::device_array;
using device_barrier = cudasync::grid_barrier<>;
using system_barrier = cudasync::grid_barrier<cudasync::thread_scope_system>;
static_assert(sizeof(device_barrier) == 8 && sizeof(system_barrier) == 8);

__host__ __device__ inline unsigned volume(dim3 size) {
  return size.x * size.y * size.z;
}
__device__ unsigned block_rank() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ unsigned rank_in_grid() {
  return block_rank() * volume(blockDim) + gpu_test::thread_rank();
}

inline gpu_test::shape together(dim3 grid, dim3 block) {
  gpu_test::shape how{grid, block};
  how.cooperative = true;
  return how;
}

// --- The ways to name all blocks of the grid ---

struct by_participant {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool) {
    bar.arrive_and_wait(participant{block_rank(), volume(gridDim)});
  }
};
struct by_participant_and_token {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool) {
    const participant own{volume(gridDim) - 1 - block_rank(), volume(gridDim)};
    bar.wait(bar.arrive(own), own);
  }
};
struct by_group {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    const auto grid = cooperative_groups::this_grid();
    parity ? bar.arrive_and_wait(grid) : bar.wait(bar.arrive(grid), grid);
  }
};
// Each block in another way than its neighbours, and than in the round before.
struct by_any_of_them {
  template <class Barrier>
  static __device__ __forceinline__ void sync(Barrier& bar, bool parity) {
    switch ((block_rank() + (parity ? 1 : 0)) % 4) {
    case 0:
      return bar.arrive_and_wait();
    case 1:
      return bar.wait(bar.arrive());
    case 2:
      return by_participant::sync(bar, parity);
    default:
      return bar.arrive_and_wait(cooperative_groups::this_grid());
    }
  }
};

// --- All threads of the grid exchange numbers ---

// Slots of other multiprocessors go through caches that only an acquire passes by.
template <class Sync, class Barrier>
__global__ void __launch_bounds__(1024) exchange_in_grid(Barrier* bar, int* slots, int rounds) {
  exchange<Sync>(*bar, slots, volume(gridDim) * volume(blockDim), rank_in_grid(), rounds);
}
template <class Sync, class Barrier>
void exchange_with(Barrier* bar, dim3 grid, dim3 block, int rounds) {
  const device_array<int> slots(2 * volume(grid) * volume(block));
  gpu_test::run(exchange_in_grid<Sync, Barrier>, together(grid, block), bar, slots.get(), rounds);
}
template <class Sync, class Barrier>
void exchange_in_grids() {
  const device_array<Barrier> bar(1);
  for (const unsigned threads : {1u, 32u, 33u, 96u, 256u, 1024u}) {
    const unsigned most = gpu_test::resident_blocks(exchange_in_grid<Sync, Barrier>, static_cast<int>(threads));
    CHECK(most > 1);
    for (const unsigned blocks : {1u, 2u, 132u, most})
      exchange_with<Sync>(bar.get(), blocks < most ? blocks : most, threads, 101);
  }
}
TEST(whole_grids) {
  exchange_in_grids<by_arrive_and_wait, device_barrier>();
  exchange_in_grids<by_token, device_barrier>();
}
TEST(whole_grids_at_system_scope) {
  exchange_in_grids<by_arrive_and_wait, system_barrier>();
  exchange_in_grids<by_token, system_barrier>();
}
TEST(whole_grids_as_participants) {
  exchange_in_grids<by_participant, device_barrier>();
  exchange_in_grids<by_participant_and_token, device_barrier>();
}
TEST(whole_grids_as_cooperative_groups) {
  exchange_in_grids<by_group, device_barrier>();
}
TEST(whole_grids_in_any_way) {
  exchange_in_grids<by_any_of_them, device_barrier>();
  exchange_in_grids<by_any_of_them, system_barrier>();
}
template <class Sync>
void exchange_in_spaces() {
  const device_array<device_barrier> bar(1);
  for (const dim3 grid : {dim3(4, 15), dim3(3, 4, 5), dim3(1, 1, 37), dim3(2, 1, 2)})
    for (const dim3 block : {dim3(8, 5), dim3(4, 4, 7), dim3(1, 33, 2), dim3(1, 1, 64), dim3(2, 3, 3)})
      exchange_with<Sync>(bar.get(), grid, block, 101);
}
TEST(grids_and_blocks_of_several_dimensions) {
  exchange_in_spaces<by_arrive_and_wait>();
  exchange_in_spaces<by_token>();
  exchange_in_spaces<by_any_of_them>();
}

// Every block reads what each of the others has written; its last thread writes, and all of them read.
template <class Barrier>
__global__ void read_all(Barrier* bar, int* slots, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    int* const now = slots + static_cast<unsigned>(round % 2) * gridDim.x;
    if (threadIdx.x == blockDim.x - 1) {
      if (blockIdx.x == static_cast<unsigned>(round) * 7 % gridDim.x) gpu_test::pause(500);
      now[blockIdx.x] = round + 1;
    }
    bar->arrive_and_wait();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
      DEVICE_CHECK(now[block] == round + 1);
  }
}
TEST(thousands_of_phases) {
  const device_array<device_barrier> bar(1);
  const device_array<system_barrier> bar_of_system(1);
  for (const unsigned threads : {64u, 256u}) {
    const unsigned most = gpu_test::resident_blocks(read_all<system_barrier>, static_cast<int>(threads));
    const unsigned blocks = most < 132 ? most : 132;
    const device_array<int> slots(2 * blocks);
    gpu_test::run(read_all<device_barrier>, together(blocks, threads), bar.get(), slots.get(), 10000);
    gpu_test::run(read_all<system_barrier>, together(blocks, threads), bar_of_system.get(), slots.get(), 4000);
  }
}

// --- Work between arrival and wait ---

// In each round another block arrives last: when it has seen that all others have arrived and gone on. What blocks
// write between arrival and wait belongs to the next round.
template <class Barrier>
__global__ void work_between(Barrier* bar, int* slots, unsigned* gone_on, int rounds) {
  const unsigned size = gridDim.x * blockDim.x;
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  slots[rank] = 1;
  for (int round = 0; round < rounds; ++round) {
    const bool is_last = blockIdx.x == static_cast<unsigned>(round) * 5 % gridDim.x;
    const unsigned others = (gridDim.x - 1) * static_cast<unsigned>(round + 1);
    if (is_last && threadIdx.x == 0) DEVICE_CHECK(comes_true([&] { return atomicAdd(gone_on, 0u) == others; }));
    typename Barrier::arrival_token token = bar->arrive();
    if (!is_last && threadIdx.x == 0) atomicAdd(gone_on, 1u);
    slots[static_cast<unsigned>((round + 1) % 3) * size + rank] = round + 2;
    bar->wait(std::move(token));
    int* const now = slots + static_cast<unsigned>(round % 3) * size;
    DEVICE_CHECK(now[(rank + 1) % size] == round + 1);
    DEVICE_CHECK(now[(rank + blockDim.x) % size] == round + 1);
    DEVICE_CHECK(now[(rank + size / 2) % size] == round + 1);
  }
}
template <class Barrier>
void work_in_grids() {
  const device_array<Barrier> bar(1);
  for (const unsigned threads : {1u, 40u, 256u}) {
    const unsigned most = gpu_test::resident_blocks(work_between<Barrier>, static_cast<int>(threads));
    for (const unsigned wanted : {1u, 2u, 132u}) {
      const unsigned blocks = wanted < most ? wanted : most;
      const device_array<int> slots(3 * blocks * threads);
      const device_array<unsigned> gone_on(1);
      gpu_test::run(work_between<Barrier>, together(blocks, threads), bar.get(), slots.get(), gone_on.get(), 501);
    }
  }
}
TEST(arrive_does_not_wait_for_other_blocks) {
  work_in_grids<device_barrier>();
  work_in_grids<system_barrier>();
}

// --- Some of the blocks ---

template <class Barrier>
struct member {
  Barrier& bar;
  participant own;
};
struct as_member {
  template <class Barrier>
  static __device__ __forceinline__ void sync(member<Barrier>& one, bool parity) {
    if (parity)
      one.bar.arrive_and_wait(one.own);
    else
      one.bar.wait(one.bar.arrive(one.own), one.own);
  }
};

// A third of the blocks meets at one barrier, the others, more often, at a second one; then all meet at a third one.
__global__ void meet_in_groups(device_barrier* bars, int* slots, int rounds) {
  const unsigned third = gridDim.x / 3, block = blockIdx.x, size = gridDim.x * blockDim.x;
  if (block % 3 == 0) {
    member<device_barrier> one{bars[0], {block / 3, third}};
    exchange<as_member>(one, slots, third * blockDim.x, one.own.rank * blockDim.x + threadIdx.x, rounds);
  } else {
    member<device_barrier> one{bars[1], {block - block / 3 - 1, 2 * third}};
    exchange<as_member>(one, slots + 2 * third * blockDim.x, 2 * third * blockDim.x,
                        one.own.rank * blockDim.x + threadIdx.x, 3 * rounds);
  }
  exchange<by_arrive_and_wait>(bars[2], slots + 2 * size, size, block * blockDim.x + threadIdx.x, rounds);
}
TEST(some_blocks_while_others_go_on) {
  const device_array<device_barrier> bars(3);
  for (const unsigned blocks : {3u, 6u, 132u}) {
    const device_array<int> slots(4 * blocks * 64);
    gpu_test::run(meet_in_groups, together(blocks, 64), bars.get(), slots.get(), 301);
  }
}

// After each phase half of the blocks stay away, and rank 0 moves. The others go on when all have returned.
// Each phase has slots of its own, since those who leave may read theirs late.
__global__ void stay_away(device_barrier* bar, int* slots, unsigned* returned) {
  unsigned remaining = gridDim.x, expected = 0;
  for (unsigned round = 0; blockIdx.x < remaining; ++round) {
    int* const now = slots + round * gridDim.x;
    if (threadIdx.x == blockDim.x - 1) now[blockIdx.x] = 1;
    bar->arrive_and_wait(participant{(blockIdx.x + round) % remaining, remaining});
    for (unsigned block = threadIdx.x; block < remaining; block += blockDim.x)
      DEVICE_CHECK(now[block] == 1);
    expected += remaining;
    if (threadIdx.x == 0) {
      atomicAdd(returned, 1u);
      DEVICE_CHECK(comes_true([&] { return atomicAdd(returned, 0u) >= expected; }));
    }
    remaining = remaining / 2;
  }
}
TEST(fewer_blocks_in_each_phase) {
  const device_array<device_barrier> bar(1);
  for (int repetition = 0; repetition < 50; ++repetition) {
    const device_array<int> slots(7 * 100);
    const device_array<unsigned> returned(1);
    gpu_test::run(stay_away, together(100, 96), bar.get(), slots.get(), returned.get());
  }
}

// --- The object ---

__device__ device_barrier global_barrier;
__device__ system_barrier global_barriers[2];

__global__ void meet_at_global_barriers(int* slots, int rounds) {
  const unsigned size = gridDim.x * blockDim.x, rank = blockIdx.x * blockDim.x + threadIdx.x;
  exchange<by_arrive_and_wait>(global_barrier, slots, size, rank, rounds);
  exchange<by_token>(global_barriers[1], slots + 2 * size, size, rank, rounds);
}
TEST(static_storage_needs_no_init_between_launches) {
  for (const unsigned blocks : {1u, 2u, 7u, 132u, 60u, 3u, 132u, 1u, 131u})
    for (const int rounds : {1, 2, 33}) {
      const device_array<int> slots(4 * blocks * 64);
      gpu_test::run(meet_at_global_barriers, together(blocks, 64), slots.get(), rounds);
    }
}

template <class Barrier>
__global__ void init_barrier(Barrier* bar) {
  init(bar);
}
TEST(init_makes_a_barrier_of_any_bytes) {
  const device_array<device_barrier> bar(1, 0xa5);
  const device_array<system_barrier> bar_of_system(1, 0xff);
  gpu_test::run(init_barrier<device_barrier>, {1, 1}, bar.get());
  gpu_test::run(init_barrier<system_barrier>, {1, 1}, bar_of_system.get());
  exchange_with<by_arrive_and_wait>(bar.get(), 50, 96, 101);
  exchange_with<by_token>(bar_of_system.get(), 50, 96, 101);
}
TEST(cleared_memory_is_a_barrier) {
  const device_array<device_barrier> bar(1, 0xa5);
  for (const unsigned blocks : {5u, 64u}) {
    gpu_test::expect_success(cudaMemset(bar.get(), 0, sizeof(device_barrier)), "cudaMemset");
    exchange_with<by_arrive_and_wait>(bar.get(), blocks, 96, 11);
  }
}

// --- With the host ---

__global__ void meet_the_host(system_barrier* bar, int* slots, unsigned first_rank, int rounds) {
  const unsigned size = gridDim.x * blockDim.x;
  member<system_barrier> one{*bar, {first_rank + blockIdx.x, gridDim.x + 1}};
  exchange<as_member>(one, slots, size + 1, blockIdx.x * blockDim.x + threadIdx.x, rounds);
}
TEST(a_host_thread_takes_part) {
  SKIP_IF(!has_common_memory(), "no atomics between host and device");
  constexpr unsigned blocks = 3, threads = 64, size = blocks * threads;
  const int rounds = rounds_in_common_memory(600);
  const host_array<system_barrier> bar(1);
  const host_array<int> slots(2 * (size + 1));
  for (const unsigned host_rank : {0u, blocks}) {
    gpu_test::start(meet_the_host, together(blocks, threads), bar.get(), slots.get(), host_rank == 0 ? 1u : 0u, rounds);
    std::thread host([&] {
      const participant own{host_rank, blocks + 1};
      for (int round = 0; round < rounds; ++round) {
        int* const now = slots.get() + static_cast<unsigned>(round % 2) * (size + 1);
        now[size] = round + 1;
        if (round % 2 == 0)
          bar[0].arrive_and_wait(own);
        else
          bar[0].wait(bar[0].arrive(own), own);
        for (unsigned index = 0; index < size; ++index)
          CHECK(now[index] == round + 1);
      }
    });
    gpu_test::finish();
    host.join();
  }
}

// --- On two GPUs ---

__global__ void meet_the_other_gpu(system_barrier* bar, int* slots, unsigned gpu, int rounds) {
  const unsigned rank = gpu * gridDim.x + blockIdx.x;
  member<system_barrier> one{*bar, {rank, 2 * gridDim.x}};
  exchange<as_member>(one, slots, 2 * gridDim.x * blockDim.x, rank * blockDim.x + threadIdx.x, rounds);
}
bool have_common_atomics(int first, int second) {
  int access = 0, atomics = 0;
  gpu_test::expect_success(cudaDeviceCanAccessPeer(&access, second, first), "cudaDeviceCanAccessPeer");
  if (access == 0) return false;
  const cudaError_t status = cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, second, first);
  gpu_test::expect_success(status, "cudaDeviceGetP2PAttribute");
  return atomics != 0;
}
void use_gpu(int gpu) {
  gpu_test::expect_success(cudaSetDevice(gpu), "cudaSetDevice");
}
TEST(blocks_of_two_gpus) {
  int gpus = 0;
  gpu_test::expect_success(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  SKIP_IF(gpus < 2, "only one GPU");
  SKIP_IF(!have_common_atomics(0, 1), "no atomics between the GPUs");
  constexpr unsigned blocks = 64;
  const device_array<system_barrier> bar(1);
  for (const unsigned threads : {32u, 256u}) {
    const device_array<int> slots(2 * 2 * blocks * threads);
    for (const int gpu : {1, 0}) {  // loads the kernel, which a launch could not do while another one runs
      use_gpu(gpu);
      CHECK(gpu_test::resident_blocks(meet_the_other_gpu, static_cast<int>(threads)) >= blocks);
      gpu_test::finish();
    }
    use_gpu(1);
    const cudaError_t status = cudaDeviceEnablePeerAccess(0, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
      static_cast<void>(cudaGetLastError());
    else
      gpu_test::expect_success(status, "cudaDeviceEnablePeerAccess");
    gpu_test::start(meet_the_other_gpu, together(blocks, threads), bar.get(), slots.get(), 1u, 3001);
    use_gpu(0);
    gpu_test::start(meet_the_other_gpu, together(blocks, threads), bar.get(), slots.get(), 0u, 3001);
    gpu_test::finish();
    use_gpu(1);
    gpu_test::collect_device_failures();
    use_gpu(0);
  }
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
