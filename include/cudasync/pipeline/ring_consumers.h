// Who consumes the stages of a ring: warps, of which one thread arrives, or threads, which arrive by themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PIPELINE_RING_CONSUMERS_H
#define CUDASYNC_PIPELINE_RING_CONSUMERS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/pipeline/ring_state.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The consumers of a bulk_pipeline or a launch_queue are this number of warps of 32 threads. All threads of a warp call
// consumer_release, or launch_queue::next, converged, and one of them arrives.
template <uint32 Warps>
struct consumer_warps {
  static_assert(Warps <= 32, "consumer_warps<n>: n counts warps, not threads, and a block has at most 32 of them");
  static constexpr bool uses_tensor_cores = false;
  static constexpr bool is_pair = false;
  static constexpr uint32 arrivals = Warps;
  static constexpr uint32 threads = 32;  // that share the arrivals
  template <uint32 Stages>
  using state = ring_state<Stages>;
  CUDASYNC_DEVICE static uint32 rank() { return ptx::get_sreg_laneid(); }
  CUDASYNC_DEVICE static void synchronize() { __syncwarp(); }
};
// The consumers of a bulk_pipeline or a launch_queue are this number of threads. Each of them calls consumer_release,
// or launch_queue::next, and arrives. For a bulk_pipeline, it is also suitable if one thread arrives for a group of
// threads that it has synchronized with. In a cluster (Blocks > 1), the other threads of the group then call
// device::fence_before_bulk_copy() before they synchronize.
template <uint32 Threads>
struct consumer_threads {
  static constexpr bool uses_tensor_cores = false;
  static constexpr bool is_pair = false;
  static constexpr uint32 arrivals = Threads;
  static constexpr uint32 threads = 1;
  template <uint32 Stages>
  using state = ring_state<Stages>;
  CUDASYNC_DEVICE static uint32 rank() { return 0; }
  CUDASYNC_DEVICE static void synchronize() {}
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
