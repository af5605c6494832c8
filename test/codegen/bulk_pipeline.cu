// A ring filled by the copy engine costs what the mbarrier and bulk copy instructions cost that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// TODO: initialization takes 38 instructions by hand (init_ring_by_hand), which adds to one address.
// LIMIT: init_ring sm_90+ 45
// LIMIT: init_ring_by_hand sm_90+ 38
// COUNT: ours_store_in_cluster sm_90+ MEMBAR 0
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_consume:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS-NOT: FENCE
// SASS: SYNCS.ARRIVE.TRANS64.A1T0
// SASS-LABEL: ours_consume_in_cluster:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: FENCE.VIEW.ASYNC.S
// SASS-LABEL: ours_produce:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: FENCE.VIEW.ASYNC.S
// SASS: FENCE.VIEW.ASYNC.G
// SASS: SYNCS.ARRIVE.TRANS64
// SASS: UBLKCP
// SASS-LABEL: ours_produce_box:
// SASS: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS: SYNCS.ARRIVE.TRANS64
// SASS: UTMALDG.2D
#include <cuda/pipeline>

constexpr unsigned stages = 4;
constexpr unsigned warps = 3;
constexpr unsigned blocks = 2;
constexpr unsigned tile_floats = 1024;
constexpr unsigned tile_bytes = tile_floats * sizeof(float);

using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<warps>>;
using cluster_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<warps>, blocks>;
using store_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_threads<1>, blocks>;
using thread_ring = cudasync::bulk_pipeline<stages, cudasync::consumer_threads<32 * warps>>;
using tile_size = cuda::aligned_size_t<16>;

// --- The instructions ---

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__device__ unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// For loops. With %laneid, ptxas computes the address of the barrier again in the branch of the thread that arrives.
__device__ unsigned lane_from_index() {
  return rank_in_block() % 32;
}

__device__ void hand_init(unsigned bar, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}

__device__ void hand_publish() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void hand_wait_for(unsigned bar, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\nbra "
      "again;\nthrough: }" ::"r"(bar),
      "r"(parity)
      : "memory");
}

__device__ bool hand_test_wait(unsigned bar, unsigned parity) {
  unsigned complete;
  asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(complete)
               : "r"(bar), "r"(parity)
               : "memory");
  return complete != 0;
}

__device__ void hand_wait_for_cluster(unsigned bar, unsigned parity) {
  unsigned complete;
  do
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2; selp.u32 "
                 "%0, 1, 0, done; }"
                 : "=r"(complete)
                 : "r"(bar), "r"(parity)
                 : "memory");
  while (complete == 0);
}

__device__ void hand_expect(unsigned bar, unsigned bytes) {
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(bar), "r"(bytes) : "memory");
}

// Loads and stores that are on their way shall be over before the next copy: arriving and waiting do not see to it.
__device__ void hand_fence_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void hand_fence_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

__device__ void hand_arrive_on(unsigned bar) {
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
}

__device__ void hand_arrive_in_block(unsigned bar, unsigned block) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster."
      "b64 _, [there]; }" ::"r"(bar),
      "r"(block)
      : "memory");
}

__device__ void hand_copy(unsigned destination, const void* source, unsigned size, unsigned bar) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
               "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar)
               : "memory");
}

__device__ void hand_copy_box(unsigned destination, const void* map, int x, int y, unsigned bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
               "[%2];" ::"r"(destination),
               "l"(map), "r"(bar), "r"(x), "r"(y)
               : "memory");
}

struct hand_position {
  unsigned stage;
  unsigned parity;

  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// A ring in dynamic shared memory: full barriers, empty barriers; tiles behind them.
alignas(128) extern __shared__ char memory[];

__device__ unsigned hand_full(unsigned stage) {
  return address_of(memory) + 8 * stage;
}
__device__ unsigned hand_empty(unsigned stage) {
  return address_of(memory) + 8 * stages + 8 * stage;
}
__device__ float* tile_of(unsigned stage) {
  return reinterpret_cast<float*>(memory + 128) + stage * tile_floats;
}
template <class Ring>
__device__ Ring& our_ring() {
  return *reinterpret_cast<Ring*>(memory);
}

extern "C" {

// --- Once ---

__global__ void init_ring() {
  our_ring<ring>().init(cudasync::this_thread_block());
}
__global__ void init_ring_by_hand() {
  if (rank_in_block() == 0) {
    for (unsigned stage = 0; stage < stages; ++stage)
      hand_init(hand_full(stage), 1);
    for (unsigned stage = 0; stage < stages; ++stage)
      hand_init(hand_empty(stage), warps);
    hand_publish();
  }
  __syncthreads();
}

// --- The producer of a persistent kernel ---

__global__ void ours_produce(const float* source, unsigned tiles) {
  ring& pipe = our_ring<ring>();
  ring::producer_state at;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pipe.producer_acquire(at, tile_bytes);
    pipe.copy(at, tile_of(at.index()), source + size_t{tile} * tile_floats, tile_size(tile_bytes));
    at.advance();
  }
  pipe.producer_tail(at);
}
__global__ void hand_produce(const float* source, unsigned tiles) {
  hand_position at{};
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    hand_wait_for(hand_empty(at.stage), at.parity ^ 1);
    hand_fence_shared();
    hand_fence_global();
    hand_expect(hand_full(at.stage), tile_bytes);
    hand_copy(address_of(tile_of(at.stage)), source + size_t{tile} * tile_floats, tile_bytes, hand_full(at.stage));
    at.advance();
  }
  for (unsigned stage = 0; stage < stages; ++stage) {
    hand_wait_for(hand_empty(at.stage), at.parity ^ 1);
    at.advance();
  }
}

__global__ void ours_produce_box(const CUtensorMap* map, int row) {
  ring& pipe = our_ring<ring>();
  const ring::producer_state at;
  pipe.producer_acquire(at, tile_bytes);
  pipe.copy(at, tile_of(at.index()), map, {0, row});
}
__global__ void hand_produce_box(const CUtensorMap* map, int row) {
  hand_wait_for(hand_empty(0), 1);
  hand_fence_shared();
  hand_fence_global();
  hand_expect(hand_full(0), tile_bytes);
  hand_copy_box(address_of(tile_of(0)), map, 0, row, hand_full(0));
}

// --- Its consumers ---

__global__ void ours_consume(float* sums, unsigned tiles) {
  ring& pipe = our_ring<ring>();
  ring::consumer_state at;
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pipe.consumer_wait(at);
    sum += tile_of(at.index())[threadIdx.x];
    pipe.consumer_release(at);
    at.advance();
  }
  sums[threadIdx.x] = sum;
}
__global__ void hand_consume(float* sums, unsigned tiles) {
  hand_position at{};
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    hand_wait_for(hand_full(at.stage), at.parity);
    sum += tile_of(at.stage)[threadIdx.x];
    __syncwarp();
    if (lane_from_index() == 0) hand_arrive_on(hand_empty(at.stage));
    at.advance();
  }
  sums[threadIdx.x] = sum;
}

// try_... looks once, and does not suspend the thread as mbarrier.try_wait may.
// PTX-LABEL: .entry ours_consume_in_threads(
// PTX-NOT: mbarrier.try_wait
// PTX: mbarrier.test_wait.parity.shared.b64
// PTX-NOT: mbarrier.try_wait
// PTX-LABEL: .entry hand_consume_in_threads(
__global__ void ours_consume_in_threads(float* sums, unsigned tiles) {
  thread_ring& pipe = our_ring<thread_ring>();
  thread_ring::consumer_state at;
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    while (!pipe.try_consumer_wait(at)) {
    }
    sum += tile_of(at.index())[threadIdx.x];
    pipe.consumer_release(at);
    at.advance();
  }
  sums[threadIdx.x] = sum;
}
__global__ void hand_consume_in_threads(float* sums, unsigned tiles) {
  hand_position at{};
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    while (!hand_test_wait(hand_full(at.stage), at.parity)) {
    }
    sum += tile_of(at.stage)[threadIdx.x];
    hand_arrive_on(hand_empty(at.stage));
    at.advance();
  }
  sums[threadIdx.x] = sum;
}

// PTX-LABEL: .entry try_to_acquire(
// PTX-NOT: mbarrier.try_wait
// PTX: mbarrier.test_wait.parity.shared.b64
// PTX: mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64
// PTX-NOT: mbarrier.try_wait
__global__ void try_to_acquire(bool* out) {
  out[0] = our_ring<thread_ring>().try_producer_acquire({}, 1024);
  out[1] = our_ring<cluster_ring>().try_producer_acquire({}, 1024);
}

// --- In a cluster: stages are released in every block, and acquired from every block ---

// PTX-LABEL: .entry ours_acquire_in_cluster(
// PTX: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// PTX: mbarrier.arrive.expect_tx.shared.b64
// PTX-LABEL: .entry hand_acquire_in_cluster(
__global__ void ours_acquire_in_cluster(unsigned tiles) {
  cluster_ring& pipe = our_ring<cluster_ring>();
  cluster_ring::producer_state at;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pipe.producer_acquire(at, tile_bytes);
    at.advance();
  }
}
__global__ void hand_acquire_in_cluster(unsigned tiles) {
  hand_position at{};
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    hand_wait_for_cluster(hand_empty(at.stage), at.parity ^ 1);
    hand_fence_global();
    hand_expect(hand_full(at.stage), tile_bytes);
    at.advance();
  }
}

// PTX-LABEL: .entry ours_store_in_cluster(
// PTX: cp.async.bulk.wait_group.read 0;
// PTX-NOT: fence
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,
// PTX-LABEL: .entry hand_store_in_cluster(
__global__ void ours_store_in_cluster(float* destination) {
  store_ring& pipe = our_ring<store_ring>();
  const store_ring::consumer_state at;
  pipe.consumer_wait(at);
  cudasync::device::bulk_store(destination, tile_of(at.index()), cuda::aligned_size_t<16>(tile_bytes));
  cudasync::device::bulk_commit();
  cudasync::device::bulk_wait_read();
  pipe.consumer_release_unfenced(at);
}
__global__ void hand_store_in_cluster(float* destination) {
  hand_wait_for(hand_full(0), 0);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group.read 0;" ::"l"(__cvta_generic_to_global(destination)),
               "r"(address_of(tile_of(0))), "r"(tile_bytes)
               : "memory");
  for (unsigned block = 0; block < blocks; ++block)
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.relaxed.cluster.shared::cluster.b64 "
        "_, [there], 1; }" ::"r"(hand_empty(0)),
        "r"(block)
        : "memory");
}

// PTX-LABEL: .entry ours_consume_in_cluster(
// PTX: mbarrier.try_wait.parity.shared.b64
// PTX: mapa.shared::cluster.u32
// PTX: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
// PTX-LABEL: .entry hand_consume_in_cluster(
__global__ void ours_consume_in_cluster(float* sums, unsigned tiles) {
  cluster_ring& pipe = our_ring<cluster_ring>();
  cluster_ring::consumer_state at;
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    pipe.consumer_wait(at);
    sum += tile_of(at.index())[threadIdx.x];
    pipe.consumer_release(at);
    at.advance();
  }
  sums[threadIdx.x] = sum;
}
__global__ void hand_consume_in_cluster(float* sums, unsigned tiles) {
  hand_position at{};
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    hand_wait_for(hand_full(at.stage), at.parity);
    sum += tile_of(at.stage)[threadIdx.x];
    hand_fence_shared();
    __syncwarp();
    if (lane_from_index() < blocks) hand_arrive_in_block(hand_empty(at.stage), lane_from_index());
    at.advance();
  }
  sums[threadIdx.x] = sum;
}

// Every thread lets what it has done to the stages come before copies of other blocks, not only the one that initializes.
// PTX-LABEL: .entry init_ring_in_cluster(
// PTX-NOT: bra
// PTX: fence.proxy.async.shared::cta
// PTX: mbarrier.init
// PTX: barrier.cluster.arrive
__global__ void init_ring_in_cluster() {
  our_ring<cluster_ring>().init(cudasync::this_cluster());
}

}  // extern "C"
