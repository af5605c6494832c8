// Named barriers: warps that meet, ids, votes, and a channel between producers and consumers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/named_barrier>

__device__ float tile[128];
__device__ void work();

__device__ void halves() {  // of a block of 512 threads
  // [sync]
  if (threadIdx.x < 256)
    cudasync::named_barrier<1, 256>::sync();  // the first 256 threads, among themselves
  else
    cudasync::named_barrier<2, 256>::sync();  // the others
  // [end sync]
}

// [ids]
struct loaded;  // names: types that need no definition
struct stored;
using ids = cudasync::named_barrier_ids<loaded, stored>;  // 1 and 2

__device__ void meet() {
  ids::barrier<loaded, 256>::sync();
}
// [end ids]

// [append]
struct printed;
using more_ids = ids::append<printed>;  // 1, 2, and 3 for the new one
static_assert(more_ids::end == 4);      // the first id that is free
using others = cudasync::named_barrier_ids_from<more_ids::end, struct reduced>;
// [end append]

// [channel]
struct full;
struct empty;
using names = cudasync::named_barrier_ids<full, empty>;
using channel = cudasync::named_channel<names::barrier<full, 256>, names::barrier<empty, 256>>;

__global__ void filter(const float* in, float* out, int rounds) {  // launch 256 threads
  __shared__ float buffer[128];
  const int lane = threadIdx.x % 128;
  if (threadIdx.x < 128) {
    channel::producer to;
    for (int round = 0; round < rounds; ++round) {
      to.acquire();
      buffer[lane] = in[round * 128 + lane];
      to.commit();
    }
  } else {
    channel::consumer from;
    for (int round = 0; round < rounds; ++round) {
      from.wait();
      out[round * 128 + lane] = buffer[lane] + buffer[lane ^ 1];
      from.release();
    }
  }
}
// [end channel]

// [twice]
using ready = cudasync::named_barrier<1, 64>;  // one warp produces, one waits

__device__ void produce_wrongly(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    work();
    ready::arrive();  // wrong from the second time on: has the other warp come?
  }
}
// [end twice]

__device__ bool vote(bool has_converged) {
  // [vote]
  const bool is_done = cudasync::named_barrier<1, 256>::sync_and(has_converged);  // true in all if it is in all
  // [end vote]
  return is_done;
}

__device__ void diverged(bool is_first) {
  // [unaligned]
  if (is_first) work();
  cudasync::named_barrier<1, 256>::sync(cudasync::unaligned);  // the lanes of a warp may come one by one
  // [end unaligned]
}

__device__ void one_of_several(unsigned team) {
  // [dynamic]
  const cudasync::dynamic_named_barrier bar(1 + team, 128);  // team: 0 to 3
  bar.sync();
  // [end dynamic]
}
