// The block, the cluster and the grid as groups of threads, without cooperative_groups.h, and the choice of one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_THREAD_BLOCK_H
#define CUDASYNC_THREAD_BLOCK_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/checked/meeting.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// All threads of a block, as a group.
struct thread_block {
  // Blocks until all threads of the block have called it, as __syncthreads() does. All of them must call it.
  CUDASYNC_DEVICE static void sync(caller where = caller::here()) { checked::sync_block(where); }
  // Returns the number of threads of the block.
  [[nodiscard]] CUDASYNC_DEVICE static uint32 size() { return blockDim.x * blockDim.y * blockDim.z; }
  // Returns the rank of this thread in the block, 0 to size() - 1. threadIdx.x counts fastest.
  [[nodiscard]] CUDASYNC_DEVICE static uint32 thread_rank() { return backend::rank_in_block(); }
};

// Returns the threads of the calling thread's block, as a group.
[[nodiscard]] CUDASYNC_DEVICE thread_block this_thread_block() {
  return {};
}

// Returns true in exactly one thread of the block, which is in warp 0. All threads of warp 0 must call it together,
// converged. On sm_90 and newer, the compiler sees that at most one thread enters the branch.
[[nodiscard]] CUDASYNC_DEVICE bool elect_one() {
  return backend::elect_one(target::here{}, thread_block::thread_rank());
}

// Returns true in exactly one thread of the warp. All threads of the warp must call it together, converged.
[[nodiscard]] CUDASYNC_DEVICE bool elect_one_of_warp() {
  return backend::elect_one_of_warp(target::here{});
}

// The blocks of a grid, as a group.
struct thread_grid {
  // Returns the number of blocks of the grid.
  [[nodiscard]] CUDASYNC_DEVICE static uint32 num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  // Returns the rank of this block in the grid, 0 to num_blocks() - 1. blockIdx.x counts fastest.
  [[nodiscard]] CUDASYNC_DEVICE static uint32 block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  }
};

// Returns the blocks of the calling thread's grid, as a group.
[[nodiscard]] CUDASYNC_DEVICE thread_grid this_grid() {
  return {};
}

// All threads of a cluster, as a group. sm_90 and newer.
struct thread_cluster {
  // Blocks until all threads of the cluster have called it. Releases and acquires at cluster scope. Each thread may
  // call it by itself. barrier.cluster.
  template <class Here = target::here>
  CUDASYNC_DEVICE static void sync(caller where = caller::here()) {
    require_clusters<Here>();
    checked::sync_members<true>(checked::barrier_of_cluster{}, where);
  }
  // Returns the rank of this block in its cluster.
  template <class Here = target::here>
  [[nodiscard]] CUDASYNC_DEVICE static uint32 block_rank() {
    require_clusters<Here>();
    return ptx::get_sreg_cluster_ctarank();
  }
  // Returns the number of blocks of the cluster.
  template <class Here = target::here>
  [[nodiscard]] CUDASYNC_DEVICE static uint32 num_blocks() {
    require_clusters<Here>();
    return ptx::get_sreg_cluster_nctarank();
  }
  // Returns the number of threads of the cluster.
  template <class Here = target::here>
  [[nodiscard]] CUDASYNC_DEVICE static uint32 size() {
    return num_blocks<Here>() * thread_block::size();
  }
  // Returns the rank of this thread in its cluster.
  template <class Here = target::here>
  [[nodiscard]] CUDASYNC_DEVICE static uint32 thread_rank() {
    return block_rank<Here>() * thread_block::size() + thread_block::thread_rank();
  }

 private:
  template <class Here>
  CUDASYNC_DEVICE static void require_clusters() {
    static_assert(
        !target::lacks<Here, target::sm90>,
        "thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer");
  }
};

// Returns the threads of the calling thread's cluster, as a group. sm_90 and newer.
[[nodiscard]] CUDASYNC_DEVICE thread_cluster this_cluster() {
  return {};
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
