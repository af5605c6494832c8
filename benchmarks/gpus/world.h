// The ranks of a measurement, their memory, and launches of a kernel on all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_GPUS_WORLD_H
#define CUDASYNC_BENCHMARKS_GPUS_WORLD_H

#include <cudasync/peer_barrier.h>

#include <cstring>
#include <string>
#include <vector>

#include "../harness.h"

namespace bench {

inline constexpr unsigned most_ranks = 8;
inline constexpr unsigned most_blocks = 264;
inline constexpr std::size_t most_floats = 1u << 20;  // 4 MiB
inline constexpr std::size_t most_mailed = most_floats;
using mailbox = cudasync::peer_mailbox<float, most_mailed>;
using part = cudasync::peer_part<most_ranks>;

// The memory of one rank, all of it on its GPU.
struct rank_memory {
  part all;                  // for peer_barrier
  part blocks[most_blocks];  // for peer_block_barrier
  cudasync::grid_barrier<cudasync::thread_scope_system> grid;
  alignas(128) unsigned counter;  // for barriers written by hand
  alignas(128) unsigned flags[2][most_blocks][most_ranks];
  alignas(128) unsigned counts[most_blocks];  // phases of a block
  alignas(128) float input[most_floats];
  float slice[most_floats];
  float result[most_floats];
  mailbox boxes[most_ranks];  // by sender
};

// What the kernels get.
struct world {
  rank_memory* memory[most_ranks];
  part* all[most_ranks];
  part* blocks[most_ranks];
  unsigned ranks;
  unsigned ranks_here;  // of this launch
  unsigned first_rank;

  __device__ unsigned blocks_of_rank() const { return gridDim.x / ranks_here; }
  __device__ unsigned rank() const { return first_rank + blockIdx.x / blocks_of_rank(); }
  __device__ unsigned block() const { return blockIdx.x % blocks_of_rank(); }
  __device__ rank_memory& own() const { return *memory[rank()]; }
};

// Several ranks: one on each GPU, if there are two or more with access to each other; otherwise all on GPU 0.
class ranks {
 public:
  explicit ranks(unsigned count) : count_(count), here_(connected() >= 2 ? 1 : count) {
    for (unsigned rank = 0; rank < count; ++rank) {
      use(rank);
      void* memory = nullptr;
      check(cudaMalloc(&memory, sizeof(rank_memory)), "cudaMalloc");
      check(cudaMemset(memory, 0, sizeof(rank_memory)), "cudaMemset");
      check(cudaDeviceSynchronize(), "cudaMemset");
      memory_.push_back(static_cast<rank_memory*>(memory));
    }
  }
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  ~ranks() {
    for (rank_memory* each : memory_)
      cudaFree(each);
    cudaSetDevice(0);
  }

  // The numbers of ranks that this machine measures.
  static std::vector<unsigned> counts() {
    const int gpus = connected();
    if (gpus < 2) return {2, 4};
    std::vector<unsigned> found;
    for (const unsigned each : {2u, 4u, 8u})
      if (each <= static_cast<unsigned>(gpus)) found.push_back(each);
    return found;
  }
  static std::string place() { return connected() >= 2 ? "GPUs" : "ranks on one GPU"; }
  // The blocks of a rank that fit.
  static unsigned blocks_that_fit(unsigned count) {
    const unsigned all = static_cast<unsigned>(gpu::current().multiprocessors);
    return connected() >= 2 ? all : all / count;
  }

  unsigned launches() const { return count_ / here_; }
  void use(unsigned rank) const { check(cudaSetDevice(static_cast<int>(rank / here_)), "cudaSetDevice"); }
  rank_memory* memory(unsigned rank) const { return memory_[rank]; }

  // Starts the kernel, whose parameters are a world and two numbers, on all GPUs.
  void start(const void* kernel, unsigned blocks, unsigned threads, unsigned first, unsigned second) const {
    for (unsigned launch = 0; launch < launches(); ++launch) {
      use(launch * here_);
      world what{};
      for (unsigned rank = 0; rank < count_; ++rank) {
        what.memory[rank] = memory_[rank];
        what.all[rank] = &memory_[rank]->all;
        what.blocks[rank] = memory_[rank]->blocks;
      }
      what.ranks = count_;
      what.ranks_here = here_;
      what.first_rank = launch * here_;
      void* arguments[] = {&what, &first, &second};
      check(cudaLaunchCooperativeKernel(kernel, dim3(blocks * here_), dim3(threads), arguments, 0, nullptr), "launch");
    }
  }
  void finish() const {
    for (unsigned launch = 0; launch < launches(); ++launch) {
      use(launch * here_);
      check(cudaDeviceSynchronize(), "kernel");
    }
    use(0);
  }

 private:
  // The number of GPUs, from the first on, that have access to each other.
  static int connected() {
    static const int gpus = [] {
      int found = 0;
      check(cudaGetDeviceCount(&found), "cudaGetDeviceCount");
      if (found > static_cast<int>(most_ranks)) found = static_cast<int>(most_ranks);
      for (int first = 0; first < found; ++first)
        for (int second = 0; second < first; ++second) {
          int there = 0, back = 0;
          check(cudaDeviceCanAccessPeer(&there, first, second), "cudaDeviceCanAccessPeer");
          check(cudaDeviceCanAccessPeer(&back, second, first), "cudaDeviceCanAccessPeer");
          if (there == 0 || back == 0) found = first;
        }
      for (int first = 0; first < found; ++first) {
        check(cudaSetDevice(first), "cudaSetDevice");
        for (int second = 0; second < found; ++second)
          if (first != second) check(cudaDeviceEnablePeerAccess(second, 0), "cudaDeviceEnablePeerAccess");
      }
      check(cudaSetDevice(0), "cudaSetDevice");
      return found;
    }();
    return gpus;
  }

  unsigned count_;
  unsigned here_;
  std::vector<rank_memory*> memory_;
};

// A barrier that kernels on several GPUs write by hand: each block has a flag on every GPU for each of two phases in turn.
class flags_by_hand {
 public:
  __device__ explicit flags_by_hand(const world& all) : all_(all), count_(all.own().counts[all.block()]) {}
  __device__ ~flags_by_hand() {
    if (threadIdx.x == 0) all_.own().counts[all_.block()] = count_;
  }
  __device__ void meet() {
    ++count_;
    __syncthreads();
    if (threadIdx.x < all_.ranks) {
      unsigned* const there = &all_.memory[threadIdx.x]->flags[count_ % 2][all_.block()][all_.rank()];
      asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(there)), "r"(count_)
                   : "memory");
      const unsigned* const here = &all_.own().flags[count_ % 2][all_.block()][threadIdx.x];
      unsigned found;
      do
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                     : "=r"(found)
                     : "l"(__cvta_generic_to_global(here))
                     : "memory");
      while (found != count_);
    }
    __syncthreads();
  }

 private:
  const world& all_;
  unsigned count_;
};

}  // namespace bench

#endif
