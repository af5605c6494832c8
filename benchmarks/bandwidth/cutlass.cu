// The contestant CUTLASS: PipelineTmaAsync, released by every consumer as in CUTLASS, or by one lane of each warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cutlass/version.h>

#include <cute/arch/copy_sm90_tma.hpp>
#include <cutlass/pipeline/sm90_pipeline.hpp>

#include "ring.h"

namespace bench { namespace {

template <bool ReleasesByWarp>
struct cutlass_ring {
  static constexpr u32 threads = ring_consumers + warp_size;

  // The type has a constructor, which nvcc does not call for a __shared__ variable.
  template <u32 Stages>
  struct shared {
    using type = typename cutlass::PipelineTmaAsync<Stages>::SharedStorage;
    alignas(type) unsigned char bytes[sizeof(type)];
    __device__ __forceinline__ type& storage() { return reinterpret_cast<type&>(bytes); }
  };

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    using pipeline = cutlass::PipelineTmaAsync<Stages>;
    const bool is_producer = threadIdx.x >= ring_consumers;
    const bool is_elected = cute::elect_one_sync() != 0;
    typename pipeline::Params parameters;
    parameters.transaction_bytes = Tile;
    parameters.role = is_producer ? pipeline::ThreadCategory::Producer : pipeline::ThreadCategory::Consumer;
    parameters.is_leader = is_producer && is_elected;
    parameters.num_consumers = ReleasesByWarp ? ring_consumers / warp_size : ring_consumers;
    pipeline pipe(barriers.storage(), parameters, cute::Shape<cute::_1, cute::_1, cute::_1>{});
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    if (is_producer) {
      if (is_elected) {
        auto at = cutlass::make_producer_start_state<pipeline>();
        for (u32 tile = all.first; tile < all.end; tile += all.step) {
          pipe.producer_acquire(at);
          cute::SM90_BULK_COPY_G2S::copy(tile_at<Tile>(all, tile), pipe.producer_get_barrier(at),
                                         stages + static_cast<u32>(at.index()) * Tile, static_cast<int>(Tile));
          ++at;
        }
        pipe.producer_tail(at);
      }
      return sum;
    }
    typename pipeline::PipelineState at;
    for (u32 tile = all.first; tile < all.end; tile += all.step) {
      pipe.consumer_wait(at);
      consume<Tile>(stages + static_cast<u32>(at.index()) * Tile, threadIdx.x, sum);
      if constexpr (ReleasesByWarp) __syncwarp();
      if (!ReleasesByWarp || threadIdx.x % warp_size == 0) pipe.consumer_release(at);
      ++at;
    }
    return sum;
  }
};

const bool is_enrolled = [] {
  const std::string name = "CUTLASS " + std::to_string(CUTLASS_MAJOR) + "." + std::to_string(CUTLASS_MINOR) + "." +
                           std::to_string(CUTLASS_PATCH) + ", PipelineTmaAsync";
  enroll_ring<cutlass_ring<false>>(name, "peer");
  enroll_ring<cutlass_ring<true>>(name + ", by warp", "peer");
  return true;
}();

}}  // namespace bench
