// The contestant cudasync: the classes of libcu++, and bulk_pipeline. It is compiled once for each part of library.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cuda/pipeline>

#include "library.h"

#if !defined(CUDASYNC_VERSION)
#error "cudasync's <cuda/pipeline> is to be measured here: its include folder comes first"
#endif

namespace bench { namespace {

struct wait_for {
  template <class Barrier>
  static __device__ __forceinline__ void wait(const Barrier& bar, bool parity) {
    while (!bar.try_wait_parity(parity)) {
    }
  }
};

#if BENCH_PART == 0
struct bulk_ring {
  static constexpr u32 threads = ring_consumers + warp_size;
  template <u32 Stages>
  using shared = cudasync::bulk_pipeline<Stages, cudasync::consumer_warps<ring_consumers / warp_size>>;

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& pipe, char* stages, const tile_range& all) {
    pipe.init(cudasync::this_thread_block());
    float4 sum{0, 0, 0, 0};
    if (threadIdx.x >= ring_consumers) {
      if (cudasync::elect_one_of_warp()) {
        typename shared<Stages>::producer_state at;
        for (u32 tile = all.first; tile < all.end; tile += all.step) {
          pipe.producer_acquire(at, Tile);
          pipe.copy(at, stages + at.index() * Tile, tile_at<Tile>(all, tile), cuda::aligned_size_t<16>(Tile));
          at.advance();
        }
        pipe.producer_tail(at);
      }
      return sum;
    }
    typename shared<Stages>::consumer_state at;
    for (u32 tile = all.first; tile < all.end; tile += all.step) {
      pipe.consumer_wait(at);
      consume<Tile>(stages + at.index() * Tile, threadIdx.x, sum);
      pipe.consumer_release(at);
      at.advance();
    }
    return sum;
  }
};
#endif

const bool is_enrolled = [] {
#if BENCH_PART == 0
  enroll_ring<bulk_ring>("cudasync, bulk_pipeline", "ours");
#endif
  enroll_library<wait_for>("cudasync", "ours");
  return true;
}();

}}  // namespace bench
