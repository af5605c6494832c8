// Barriers, signals and mailboxes between all GPUs that have access to each other, and between several ranks on one GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/peers.h"

#include <cudasync/peer_barrier.h>

#include <stdio.h>
#include <stdlib.h>

#include <utility>

using cudasync::participant;
using part = cudasync::peer_part<>;

// What a rank knows: the addresses in the memory of all ranks.
struct world {
  part* const* parts;
  int* const* data;
  unsigned ranks;
  unsigned first_rank;  // of this launch
  unsigned ranks_here;
  unsigned threads;  // of all ranks

  __device__ unsigned blocks_of_rank() const { return gridDim.x / ranks_here; }
  __device__ unsigned rank() const { return first_rank + blockIdx.x / blocks_of_rank(); }
  __device__ unsigned block() const { return blockIdx.x % blocks_of_rank(); }
  __device__ participant own() const { return {block(), blocks_of_rank()}; }
  __device__ unsigned thread(unsigned rank, unsigned block, unsigned index) const {
    return (rank * blocks_of_rank() + block) * blockDim.x + index;
  }
};

// Each thread stores a number into the memory of every rank. After the barrier it finds the numbers of threads of all ranks
// in the memory of its own.
template <class Meet>
__device__ void exchange(const world& all, unsigned first, unsigned count, int rounds, Meet meet) {
  const unsigned own = all.thread(all.rank(), all.block(), threadIdx.x);
  for (int round = 1; round <= rounds; ++round) {
    const unsigned half = static_cast<unsigned>(round % 2) * all.threads;
    if (threadIdx.x == 0 && (own / blockDim.x + static_cast<unsigned>(round)) % 61 == 0) gpu_test::pause(2000);
    for (unsigned rank = 0; rank < all.ranks; ++rank)
      all.data[rank][half + own] = round;
    meet(round);
    const int* const here = all.data[all.rank()] + half;
    for (unsigned rank = 0; rank < all.ranks; ++rank) {
      const unsigned block = first + (all.block() + static_cast<unsigned>(round)) % count;
      DEVICE_CHECK(here[all.thread(rank, block, blockDim.x - 1 - threadIdx.x)] == round);
      DEVICE_CHECK(here[all.thread(rank, first, threadIdx.x)] == round);
    }
  }
}

__global__ void meet_all(world all, int rounds) {
  cudasync::peer_barrier bar(all.parts, all.rank(), all.ranks);
  exchange(all, 0, all.blocks_of_rank(), rounds, [&](int) { bar.arrive_and_wait(all.own()); });
}
__global__ void meet_all_in_two_steps(world all, int rounds) {
  cudasync::peer_barrier bar(all.parts, all.rank(), all.ranks);
  exchange(all, 0, all.blocks_of_rank(), rounds, [&](int round) {
    if (round % 3 == 0) return bar.arrive_and_wait(all.own());
    auto token = bar.arrive(all.own());
    if (round % 7 == 0) __nanosleep(500);
    bar.wait(std::move(token));
  });
}
__global__ void meet_namesakes(world all, int rounds) {
  cudasync::peer_block_barrier bar(all.parts, all.rank(), all.ranks, all.block());
  exchange(all, all.block(), 1, rounds, [&](int round) {
    if (round % 3 == 0) return bar.wait(bar.arrive());
    bar.arrive_and_wait();
  });
}

using kernel = void (*)(world, int);

// The shapes of a run: how many ranks, and how many of them each GPU plays.
void run_ranks(kernel what, unsigned ranks, unsigned ranks_here, unsigned blocks, unsigned threads, int rounds,
               int launches = 2) {
  const peer_memory<part> parts(ranks, ranks_here, blocks);
  const unsigned all_threads = ranks * blocks * threads;
  const peer_memory<int> data(ranks, ranks_here, 2 * all_threads);
  for (int launch = 0; launch <= launches; ++launch) {  // the first loads the kernel, without rounds
    for (unsigned first = 0; first < ranks; first += ranks_here) {
      const int gpu = static_cast<int>(first / ranks_here);
      use_gpu(gpu);
      gpu_test::shape how{ranks_here * blocks, threads};
      how.cooperative = true;
      const world all{parts.addresses(gpu), data.addresses(gpu), ranks, first, ranks_here, all_threads};
      gpu_test::start(what, how, all, launch == 0 ? 0 : rounds);
    }
    for (unsigned first = 0; first < ranks; first += ranks_here) {
      use_gpu(static_cast<int>(first / ranks_here));
      gpu_test::collect_device_failures();
    }
  }
  use_gpu(0);
}

// --- One GPU as several ranks ---

void run_on_one(kernel what, int rounds) {
  for (const unsigned threads : {1u, 32u, 33u, 256u, 1024u}) {
    const unsigned most = gpu_test::resident_blocks(what, static_cast<int>(threads));
    for (const unsigned ranks : {1u, 2u, 3u, 8u})
      for (const unsigned blocks : {1u, 2u, 16u})
        if (ranks * blocks <= most && ranks * blocks <= 132) run_ranks(what, ranks, ranks, blocks, threads, rounds, 1);
  }
}
TEST(one_gpu_as_ranks) {
  run_on_one(meet_all, 201);
}
TEST(one_gpu_as_ranks_in_two_steps) {
  run_on_one(meet_all_in_two_steps, 201);
}
TEST(one_gpu_as_ranks_block_by_block) {
  run_on_one(meet_namesakes, 201);
}
TEST(thousands_of_phases_on_one_gpu) {
  for (const kernel what : {kernel(meet_all), kernel(meet_namesakes)})
    run_ranks(what, 4, 4, 16, 256, 10000);
}
// The number of a phase has 16 bits.
TEST(phases_wrap_around) {
  run_ranks(meet_all, 2, 2, 2, 64, 70000, 1);
  run_ranks(meet_namesakes, 2, 2, 2, 64, 70000, 1);
}

// Nothing is reset, and no argument changes: a graph can be launched any number of times.
TEST(launched_by_a_graph) {
  constexpr unsigned ranks = 2, blocks = 4, threads = 64;
  const peer_memory<part> parts(ranks, ranks, blocks);
  const peer_memory<int> data(ranks, ranks, 2 * ranks * blocks * threads);
  world all{parts.addresses(0), data.addresses(0), ranks, 0, ranks, ranks * blocks * threads};
  int rounds = 7;
  void* arguments[] = {&all, &rounds};
  const void* const what = reinterpret_cast<const void*>(meet_all);
  cudaFuncAttributes loaded;
  gpu_test::expect_success(cudaFuncGetAttributes(&loaded, what), "cudaFuncGetAttributes");
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  gpu_test::expect_success(cudaStreamCreate(&stream), "cudaStreamCreate");
  gpu_test::expect_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  gpu_test::expect_success(cudaLaunchCooperativeKernel(what, ranks * blocks, threads, arguments, 0, stream), "launch");
  gpu_test::expect_success(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  gpu_test::expect_success(cudaGraphInstantiateWithFlags(&executable, graph, 0), "cudaGraphInstantiateWithFlags");
  for (int launch = 0; launch < 20; ++launch)
    gpu_test::expect_success(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  const double deadline = gpu_test::seconds() + gpu_test::kernel_limit();
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    if (gpu_test::seconds() > deadline) gpu_test::give_up("watchdog: the graph does not finish");
  gpu_test::expect_success(cudaStreamSynchronize(stream), "graph");
  static_cast<void>(cudaGraphExecDestroy(executable));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

// --- Several GPUs ---

TEST(several_gpus) {
  const int gpus = connected_gpus(8);
  SKIP_IF(gpus < 2, "no two GPUs that have access to each other");
  for (int count = 2; count <= gpus; ++count)
    for (const kernel what : {kernel(meet_all), kernel(meet_all_in_two_steps), kernel(meet_namesakes)}) {
      for (const unsigned threads : {1u, 32u, 256u})
        run_ranks(what, static_cast<unsigned>(count), 1, 16, threads, 501);
      run_ranks(what, static_cast<unsigned>(count), 1, 132, 256, 10000);
    }
}
TEST(two_ranks_on_each_gpu) {
  const int gpus = connected_gpus(4);
  SKIP_IF(gpus < 2, "no two GPUs that have access to each other");
  run_ranks(meet_all, static_cast<unsigned>(2 * gpus), 2, 32, 128, 2000);
  run_ranks(meet_namesakes, static_cast<unsigned>(2 * gpus), 2, 32, 128, 2000);
}

// As many phases as fit into CUDASYNC_PEER_SECONDS seconds, on all GPUs, or on one GPU as four ranks: short
// phases, whose threads also check the words of others, and phases of all multiprocessors.
TEST(phases_for_some_time) {
  const char* const wanted = getenv("CUDASYNC_PEER_SECONDS");
  SKIP_IF(wanted == nullptr, "CUDASYNC_PEER_SECONDS is not set");
  const int gpus = connected_gpus(8);
  const unsigned ranks = gpus < 2 ? 4 : static_cast<unsigned>(gpus), ranks_here = gpus < 2 ? 4 : 1;
  const double end = gpu_test::seconds() + atof(wanted);
  unsigned long long phases = 0, words = 0;
  constexpr kernel kinds[] = {meet_all, meet_namesakes, meet_all_in_two_steps};
  for (unsigned turn = 0; gpu_test::seconds() < end && !gpu_test::current_failed; ++turn) {
    const bool is_wide = turn % 4 == 3;
    const unsigned blocks = is_wide ? 128 / ranks_here : 2, threads = is_wide ? 256 : 32;
    const int rounds = is_wide ? 20000 : 250000;
    run_ranks(kinds[turn % 3], ranks, ranks_here, blocks, threads, rounds, 2);
    phases += 2ull * static_cast<unsigned>(rounds);
    words += 2ull * static_cast<unsigned>(rounds) * 2 * ranks * ranks * blocks * threads;
  }
  printf("%llu phases of %u ranks on %d GPUs, %llu words compared\n", phases, ranks, gpus < 2 ? 1 : gpus, words);
}

// --- Signals and mailboxes, of the first rank and the last ---

struct ring_ends {
  cudasync::peer_signal full;
  cudasync::peer_signal empty;
  int stages[2][256];
};

// Data goes from the first rank to the last through two stages in the memory of the last.
__global__ void send_through_ring(ring_ends* const* ends, unsigned side, unsigned sides_here, unsigned rounds) {
  const unsigned own = side + blockIdx.x % sides_here;
  for (unsigned round = 1; round <= rounds; ++round) {
    int* const stage = ends[1]->stages[round % 2];
    if (own == 0) {
      if (round > 2) ends[0]->empty.wait(round - 2);
      stage[threadIdx.x] = static_cast<int>(round);
      ends[1]->full.signal(round);
    } else {
      ends[1]->full.wait(round);
      DEVICE_CHECK(stage[blockDim.x - 1 - threadIdx.x] == static_cast<int>(round));
      ends[0]->empty.signal(round);
    }
  }
}

struct boxes {
  cudasync::peer_mailbox<unsigned, 256> small;
  cudasync::peer_mailbox<unsigned long long, 256> large;
};

// A value of 8 bytes with halves that must belong together.
__global__ void exchange_by_mail(boxes* const* all, unsigned side, unsigned sides_here, unsigned rounds) {
  const unsigned own = side + blockIdx.x % sides_here;
  boxes &here = *all[own], &there = *all[1 - own];
  for (unsigned round = 1; round <= rounds; ++round) {
    const unsigned value = round * 1024 + threadIdx.x;
    there.small.put(round, threadIdx.x, 2 * value + own);
    DEVICE_CHECK(here.small.take(round, threadIdx.x) == 2 * value + 1 - own);
    there.large.put(round, threadIdx.x, static_cast<unsigned long long>(~value) << 32 | (value + own));
    const unsigned long long found = here.large.take(round, threadIdx.x);
    DEVICE_CHECK(static_cast<unsigned>(found) == value + 1 - own && static_cast<unsigned>(found >> 32) == ~value);
  }
}

template <class Object>
void run_two_sides(void (*what)(Object* const*, unsigned, unsigned, unsigned), bool is_one_gpu, unsigned rounds) {
  const unsigned sides_here = is_one_gpu ? 2 : 1;
  const peer_memory<Object> objects(2, sides_here, 1);
  for (const unsigned now : {0u, rounds}) {
    for (unsigned side = 0; side < 2; side += sides_here) {
      use_gpu(static_cast<int>(side));
      gpu_test::shape how{sides_here, 256};
      how.cooperative = true;
      gpu_test::start(what, how, objects.addresses(static_cast<int>(side)), side, sides_here, now);
    }
    for (unsigned side = 0; side < 2; side += sides_here) {
      use_gpu(static_cast<int>(side));
      gpu_test::collect_device_failures();
    }
  }
  use_gpu(0);
}
TEST(signals_on_one_gpu) {
  run_two_sides(send_through_ring, true, 10000);
}
TEST(mailboxes_on_one_gpu) {
  run_two_sides(exchange_by_mail, true, 10000);
}
TEST(signals_between_gpus) {
  SKIP_IF(connected_gpus(2) < 2, "no two GPUs that have access to each other");
  run_two_sides(send_through_ring, false, 10000);
}
TEST(mailboxes_between_gpus) {
  SKIP_IF(connected_gpus(2) < 2, "no two GPUs that have access to each other");
  run_two_sides(exchange_by_mail, false, 10000);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
