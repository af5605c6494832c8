// A barrier and a ring, compiled with and without the trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/pipeline>

#include "library.h"

namespace bench { namespace {

__global__ void barrier_phases(unsigned count) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(bar, blockDim.x));
  for (unsigned phase = 0; phase < count; ++phase)
    bar.arrive_and_wait();
}

template <unsigned Tile>
__global__ void __launch_bounds__(ring_consumers + 32) ring(const char* source, unsigned tiles, float* total) {
  using pipeline = cudasync::bulk_pipeline<ring_stages, cudasync::consumer_warps<ring_consumers / 32>>;
  extern __shared__ __align__(128) char stages[];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= ring_consumers) {
    if (threadIdx.x == ring_consumers) {
      typename pipeline::producer_state at;
      for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance())
        pipe.acquire_and_copy(at, stages + at.index() * Tile, source + std::size_t{tile} * Tile,
                              cuda::aligned_size_t<16>(Tile));
      pipe.producer_tail(at);
    }
    return;
  }
  float sum = 0;
  typename pipeline::consumer_state at;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, at.advance()) {
    pipe.consumer_wait(at);
    const float4* const vectors = reinterpret_cast<const float4*>(stages + at.index() * Tile);
#pragma unroll
    for (unsigned index = threadIdx.x; index < Tile / sizeof(float4); index += ring_consumers) {
      const float4 vector = vectors[index];
      sum += vector.x + vector.y + vector.z + vector.w;
    }
    pipe.consumer_release(at);
  }
  if (sum != 0) atomicAdd(total, sum);
}

const bool is_enrolled = [] {
  const char* const name = CUDASYNC_TRACE != 0 ? "CUDASYNC_TRACE=1" : "without it";
  const char* const kind = CUDASYNC_TRACE != 0 ? "ours" : hand;  // the build without a trace is the reference
  contestant barrier{"trace", "arrive_and_wait", name, kind, "native", reinterpret_cast<const void*>(&barrier_phases),
                     nullptr};
  contestant rings{"trace", "bulk_pipeline", name, kind, "native", nullptr, nullptr};
  rings.kernels = {reinterpret_cast<const void*>(&ring<ring_tiles[0]>),
                   reinterpret_cast<const void*>(&ring<ring_tiles[1]>),
                   reinterpret_cast<const void*>(&ring<ring_tiles[2]>)};
  contestants().push_back(barrier);
  contestants().push_back(rings);
  return true;
}();

}}  // namespace bench
