// Records the trace of a block with a ring of one stage and of four stages, for the pictures in docs/guide/trace.md.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#undef CUDASYNC_TRACE
#define CUDASYNC_TRACE 1
#include <cuda/pipeline>
#include <cudasync/trace.h>

#include "library.h"

namespace bench {
namespace {

constexpr unsigned tile = 16384, tiles = 8, consumers = 64;

// Represents work on a tile: takes one microsecond.
__device__ void work() {
  const unsigned long long start = cuda::ptx::get_sreg_globaltimer();
  while (cuda::ptx::get_sreg_globaltimer() - start < 1000) {
  }
}

template <unsigned Stages>
__global__ void __launch_bounds__(consumers + 32) traced_ring(const char* source) {
  using pipeline = cudasync::bulk_pipeline<Stages, cudasync::consumer_warps<consumers / 32>>;
  extern __shared__ __align__(128) char stages[];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= consumers) {
    if (threadIdx.x == consumers) {
      typename pipeline::producer_state at;
      for (unsigned index = 0; index < tiles; ++index, at.advance())
        pipe.acquire_and_copy(at, stages + at.index() * tile, source + std::size_t{index} * tile,
                              cuda::aligned_size_t<16>(tile));
      pipe.producer_tail(at);
    }
    return;
  }
  typename pipeline::consumer_state at;
  for (unsigned index = 0; index < tiles; ++index, at.advance()) {
    pipe.consumer_wait(at);
    work();
    pipe.consumer_release(at);
  }
}

void record(const void* kernel, unsigned stages, const std::string& path) {
  const device_array<char> source(std::size_t{tile} * tiles);
  const char* data = source.data();
  void* arguments[] = {&data};
  // The first launch loads the code.
  for (int launches = 0; launches < 2; ++launches) {
    check(cudasync::trace::clear(), "clear");
    launch(kernel, 1, consumers + 32, arguments, static_cast<int>(stages * tile), false, path);
  }
  check(cudasync::trace::save(path.c_str()), "cannot write " + path);
}

}  // namespace

int record_traces(const std::string& folder) {
  record(reinterpret_cast<const void*>(&traced_ring<1>), 1, folder + "/one_stage.json");
  record(reinterpret_cast<const void*>(&traced_ring<4>), 4, folder + "/four_stages.json");
  return 0;
}

}  // namespace bench
