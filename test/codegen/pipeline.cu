// Each step of a block's pipeline is the mbarrier instructions of a hand. A commit is a hold and an arrival.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// What follows is no twins but below a limit. make_pipeline stores a word for quit that the hand does without: 4
// instructions, 8 on sm_80. In block_copy the compiler does not know how many threads share the copy, so it generates the
// code of both ways, of which a hand chooses one. In the rings, the hand's arithmetic holds for two stages only. There, a
// stage and its round are 32-bit numbers. In the handle they have 16 bits, as it has the size of libcu++'s. In group_ring,
// the compiler knows neither the size nor the alignment of the copies, which the hand takes for granted.
// LIMIT: block_copy_by_hand sm_80 100
// LIMIT: block_copy sm_80 103
// LIMIT: block_copy_by_hand sm_90+ 160
// LIMIT: block_copy sm_90+ 202
// LIMIT: make_2_by_hand sm_80 23
// LIMIT: make_2_by_hand sm_90+ 37
// LIMIT: make_2 sm_80 31
// LIMIT: make_2 sm_90+ 41
// LIMIT: make_4_by_hand sm_80 27
// LIMIT: make_4_by_hand sm_90+ 45
// LIMIT: make_4 sm_80 35
// LIMIT: make_4 sm_90+ 49
// LIMIT: one_round_by_hand sm_80 75
// LIMIT: one_round_by_hand sm_90+ 82
// LIMIT: one_round sm_80 75
// LIMIT: one_round sm_90+ 82
// LIMIT: thread_ring_by_hand sm_80 154
// LIMIT: thread_ring_by_hand sm_90+ 164
// LIMIT: thread_ring sm_80 177
// LIMIT: thread_ring sm_90+ 173
// LIMIT: group_ring_by_hand sm_90+ 182
// LIMIT: group_ring sm_90+ 412
// The SASS of the kernels, in the order of their names:
// SASS-SM80-LABEL: block_copy:
// SASS-SM80: BAR.SYNC
// SASS-SM80-COUNT-7: LDGSTS.E.BYPASS.128
// SASS-SM80: ATOMS.ADD.S32 RZ
// SASS-SM80: ARRIVES.LDGSTSBAR.64 [
// SASS-SM80: MEMBAR.ALL.CTA
// SASS-SM80: ATOMS.ARRIVE.64 RZ
// SASS-SM80-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-SM80-LABEL: block_copy_by_hand:
// SASS-LABEL: make_2:
// SASS-LABEL: one_round:
// SASS-LABEL: ours_commit:
// SASS: BAR.SYNC
// SASS-SM80: ATOMS.ADD.S32 RZ
// SASS-SM80: ARRIVES.LDGSTSBAR.64 [
// SASS-SM80: MEMBAR.ALL.CTA
// SASS-SM80: ATOMS.ARRIVE.64 RZ
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ
// SASS-SM90+: ARRIVES.LDGSTSBAR.64.TRANSCNT [
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.A1T0 RZ
// SASS-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-LABEL: ours_commit_copy:
// SASS: BAR.SYNC
// SASS: LDGSTS.E.BYPASS.128
// SASS-SM80: ATOMS.ADD.S32 RZ
// SASS-SM80: ARRIVES.LDGSTSBAR.64 [
// SASS-SM80: MEMBAR.ALL.CTA
// SASS-SM80: ATOMS.ARRIVE.64 RZ
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ
// SASS-SM90+: ARRIVES.LDGSTSBAR.64.TRANSCNT [
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.A1T0 RZ
// SASS-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-SM90+-LABEL: ours_commit_group_copy:
// SASS-SM90+: BAR.SYNC
// SASS-SM90+: LDGSTS.E.BYPASS.128
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ
// SASS-SM90+: ARRIVES.LDGSTSBAR.64.TRANSCNT [
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.A1T0 RZ
// SASS-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-SM90+-LABEL: ours_commit_large_copy:
// SASS-SM90+: BAR.SYNC
// SASS-SM90+: FENCE.VIEW.ASYNC.S
// SASS-SM90+: FENCE.VIEW.ASYNC.G
// SASS-SM90+: UBLKCP
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ
// SASS-SM90+: ARRIVES.LDGSTSBAR.64.TRANSCNT [
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.A1T0 RZ
// SASS-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-LABEL: ours_release:
// SASS: BAR.SYNC
// SASS-SM80: ATOMS.ARRIVE.64 RZ
// SASS-SM90+-NOT: FENCE
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.A1T0 RZ
// SASS-NOT: {{ATOMS|SYNCS|ARRIVES}}
// SASS-LABEL: ours_wait:
#include <cuda/pipeline>

constexpr auto block = cuda::thread_scope_block;

template <unsigned char Stages>
using shared_state = cuda::pipeline_shared_state<block, Stages>;

// --- The instructions ---

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ unsigned threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}

__device__ void hand_init(unsigned bar, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}

__device__ void hand_arrive_on(unsigned bar) {
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
}

__device__ void hand_commit_to(unsigned bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar) : "memory");
  hand_arrive_on(bar);
}

__device__ void hand_wait_for(unsigned bar, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again; }" ::"r"(bar),
      "r"(parity)
      : "memory");
#else
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\nbra again;\n"
      "through: }" ::"r"(bar),
      "r"(parity)
      : "memory");
#endif
}

template <int Size>
__device__ void hand_copy_unit(void* destination, const void* source) {
  if constexpr (Size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(destination)),
                 "l"(__cvta_generic_to_global(source))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address_of(destination)),
                 "l"(__cvta_generic_to_global(source)), "n"(Size)
                 : "memory");
}

#if __CUDA_ARCH__ >= 900
__device__ void hand_bulk_copy(void* destination, const void* source, unsigned size, unsigned bar) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("fence.proxy.async.global;" ::: "memory");
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   address_of(destination)),
               "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar)
               : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(size) : "memory");
}
#endif

// --- Single steps ---

struct warp {
  __device__ static unsigned thread_rank() { return rank_in_block() % 32; }
  __device__ static unsigned size() { return 32; }
};

// On sm_90 and newer, a group whose size the compiler knows: it then knows who makes the copy.
#if __CUDA_ARCH__ >= 900
using copiers = warp;
#else
using copiers = decltype(cudasync::this_thread_block());
#endif

template <unsigned char Stages>
__device__ auto make(shared_state<Stages>& state) {
  return cuda::make_pipeline(cudasync::this_thread_block(), &state);
}

// The barriers of the first stage: first that of the producers, then that of the consumers.
template <unsigned char Stages>
__device__ unsigned produced(const shared_state<Stages>& state) {
  return address_of(&state);
}
template <unsigned char Stages>
__device__ unsigned consumed(const shared_state<Stages>& state) {
  return address_of(&state) + 8;
}

template <unsigned char Stages>
__device__ void hand_make_pipeline() {
  __shared__ struct {
    unsigned threads;
    unsigned long long bars[2 * Stages];
  } state;
  if (rank_in_block() == 0) {
    state.threads = threads_of_block();
    for (unsigned long long& bar : state.bars)
      hand_init(address_of(&bar), threads_of_block());
  }
  __syncthreads();
}

// Four units in each iteration, and then up to three. An address cannot change before the copies that use it have begun.
__device__ void hand_copy_by_fours(char* tile, const char* source, unsigned size) {
  const unsigned step = threads_of_block() * 16;
  unsigned at = rank_in_block() * 16;
#pragma unroll 1
  for (; at + 3 * step < size; at += 4 * step)
#pragma unroll
    for (unsigned unit = 0; unit < 4; ++unit)
      hand_copy_unit<16>(tile + at + unit * step, source + at + unit * step);
  if (at < size)
#pragma unroll
    for (unsigned unit = 0; unit < 3; ++unit)
      if (unit == 0 || at + unit * step < size) hand_copy_unit<16>(tile + at + unit * step, source + at + unit * step);
}

extern "C" {

__global__ void make_2() {
  __shared__ shared_state<2> state;
  [[maybe_unused]] auto pipe = make(state);
}
__global__ void make_2_by_hand() {
  hand_make_pipeline<2>();
}

__global__ void make_4() {
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
}
__global__ void make_4_by_hand() {
  hand_make_pipeline<4>();
}

// From here on both make the pipeline in the same way.

__global__ void ours_acquire() {
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  pipe.producer_acquire();
}
__global__ void hand_acquire() {
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_wait_for(consumed(state), 1);
}

__global__ void ours_commit() {
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  pipe.producer_commit();
}
__global__ void hand_commit() {
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_commit_to(produced(state));
}

__global__ void ours_commit_copy(const int4* source) {
  __shared__ int4 tile[256];
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  cuda::memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], sizeof(int4), pipe);
  pipe.producer_commit();
}
__global__ void hand_commit_copy(const int4* source) {
  __shared__ int4 tile[256];
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_copy_unit<16>(&tile[threadIdx.x], &source[threadIdx.x]);
  hand_commit_to(produced(state));
}

#if __CUDA_ARCH__ >= 900
__global__ void ours_commit_group_copy(const char* source) {
  alignas(16) __shared__ char tile[4096];
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  cuda::memcpy_async(copiers(), tile, source, cuda::aligned_size_t<16>(4096), pipe);
  pipe.producer_commit();
}
__global__ void hand_commit_group_copy(const char* source) {
  alignas(16) __shared__ char tile[4096];
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  for (unsigned unit = 0; unit < 8; ++unit)
    hand_copy_unit<16>(tile + unit * 512 + warp::thread_rank() * 16, source + unit * 512 + warp::thread_rank() * 16);
  hand_commit_to(produced(state));
}

__global__ void ours_commit_large_copy(const char* source) {
  alignas(16) __shared__ char tile[8192];
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  cuda::memcpy_async(copiers(), tile, source, cuda::aligned_size_t<16>(8192), pipe);
  pipe.producer_commit();
}
__global__ void hand_commit_large_copy(const char* source) {
  alignas(16) __shared__ char tile[8192];
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  if (warp::thread_rank() == 0) hand_bulk_copy(tile, source, 8192, produced(state));
  hand_commit_to(produced(state));
}
#endif

__global__ void ours_wait() {
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  pipe.consumer_wait();
}
__global__ void hand_wait() {
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_wait_for(produced(state), 0);
}

__global__ void ours_release() {
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  pipe.consumer_release();
}
__global__ void hand_release() {
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_arrive_on(consumed(state));
}

__global__ void block_copy(const char* source) {
  alignas(16) __shared__ char tile[4096];
  __shared__ shared_state<4> state;
  auto pipe = make(state);
  cuda::memcpy_async(cudasync::this_thread_block(), tile, source, cuda::aligned_size_t<16>(4096), pipe);
  pipe.producer_commit();
}
__global__ void block_copy_by_hand(const char* source) {
  alignas(16) __shared__ char tile[4096];
  __shared__ shared_state<4> state;
  [[maybe_unused]] auto pipe = make(state);
#if __CUDA_ARCH__ >= 900
  for (unsigned at = rank_in_block() * 16; at < 4096; at += threads_of_block() * 16)
    hand_copy_unit<16>(tile + at, source + at);
#else
  hand_copy_by_fours(tile, source, 4096);
#endif
  hand_commit_to(produced(state));
}

// A whole round, on the first stage of one.
__global__ void one_round(int4* out, const int4* source) {
  __shared__ int4 tile[256];
  __shared__ shared_state<2> state;
  auto pipe = make(state);
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], sizeof(int4), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
  pipe.consumer_release();
}
__global__ void one_round_by_hand(int4* out, const int4* source) {
  __shared__ int4 tile[256];
  __shared__ shared_state<2> state;
  [[maybe_unused]] auto pipe = make(state);
  hand_wait_for(consumed(state), 1);
  hand_copy_unit<16>(&tile[threadIdx.x], &source[threadIdx.x]);
  hand_commit_to(produced(state));
  hand_wait_for(produced(state), 0);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
  hand_arrive_on(consumed(state));
}

}  // extern "C"

// --- A ring of two stages, of which one is filled ahead ---

extern __shared__ int ring[];

// Where the copies come from: each thread copies its own element, or the block copies the stage.
struct own_element {
  template <class Pipeline>
  __device__ static void copy(int* stage, const int* source, Pipeline& pipe) {
    cuda::memcpy_async(stage + rank_in_block(), source + rank_in_block(), sizeof(int), pipe);
  }
  __device__ static void hand_copy_and_commit(int* stage, const int* source, unsigned bar) {
    hand_copy_unit<4>(stage + rank_in_block(), source + rank_in_block());
    hand_commit_to(bar);
  }
};

struct whole_stage {
  template <class Pipeline>
  __device__ static void copy(int* stage, const int* source, Pipeline& pipe) {
    cuda::memcpy_async(cudasync::this_thread_block(), stage, source, sizeof(int) * threads_of_block(), pipe);
  }
#if __CUDA_ARCH__ >= 900
  __device__ static void hand_copy_and_commit(int* stage, const int* source, unsigned bar) {
    if (rank_in_block() == 0) hand_bulk_copy(stage, source, sizeof(int) * threads_of_block(), bar);
    hand_arrive_on(bar);
  }
#endif
};

template <class Copies>
__device__ void sum_tiles(int* sums, const int* source, size_t tiles) {
  __shared__ shared_state<2> state;
  auto pipe = make(state);
  const unsigned threads = threads_of_block();
  pipe.producer_acquire();
  Copies::copy(ring, source, pipe);
  pipe.producer_commit();
  int sum = 0;
#pragma unroll 1
  for (size_t tile = 1; tile < tiles; ++tile) {
    pipe.producer_acquire();
    Copies::copy(ring + tile % 2 * threads, source + tile * threads, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += ring[(tile - 1) % 2 * threads + (threadIdx.x ^ 1)];
    pipe.consumer_release();
  }
  pipe.consumer_wait();
  sum += ring[(tiles - 1) % 2 * threads + (threadIdx.x ^ 1)];
  pipe.consumer_release();
  sums[threadIdx.x] = sum;
}

struct hand_position {
  unsigned stage;
  unsigned parity;

  __device__ void advance() {
    stage ^= 1;
    parity ^= stage ^ 1;
  }
};

template <class Copies>
__device__ void hand_sum_tiles(int* sums, const int* source, size_t tiles) {
  __shared__ shared_state<2> state;
  [[maybe_unused]] auto pipe = make(state);
  const unsigned produced_bars = produced(state);
  const unsigned consumed_bars = consumed(state);
  const unsigned threads = threads_of_block();
  hand_position head{};
  hand_position tail{};
  hand_wait_for(consumed_bars + 16 * head.stage, head.parity ^ 1);
  Copies::hand_copy_and_commit(ring, source, produced_bars + 16 * head.stage);
  head.advance();
  int sum = 0;
#pragma unroll 1
  for (size_t tile = 1; tile < tiles; ++tile) {
    hand_wait_for(consumed_bars + 16 * head.stage, head.parity ^ 1);
    Copies::hand_copy_and_commit(ring + tile % 2 * threads, source + tile * threads, produced_bars + 16 * head.stage);
    head.advance();
    hand_wait_for(produced_bars + 16 * tail.stage, tail.parity);
    sum += ring[(tile - 1) % 2 * threads + (threadIdx.x ^ 1)];
    hand_arrive_on(consumed_bars + 16 * tail.stage);
    tail.advance();
  }
  hand_wait_for(produced_bars + 16 * tail.stage, tail.parity);
  sum += ring[(tiles - 1) % 2 * threads + (threadIdx.x ^ 1)];
  hand_arrive_on(consumed_bars + 16 * tail.stage);
  sums[threadIdx.x] = sum;
}

extern "C" {

__global__ void thread_ring(int* sums, const int* source, size_t tiles) {
  sum_tiles<own_element>(sums, source, tiles);
}
__global__ void thread_ring_by_hand(int* sums, const int* source, size_t tiles) {
  hand_sum_tiles<own_element>(sums, source, tiles);
}

__global__ void group_ring(int* sums, const int* source, size_t tiles) {
  sum_tiles<whole_stage>(sums, source, tiles);
}
#if __CUDA_ARCH__ >= 900
__global__ void group_ring_by_hand(int* sums, const int* source, size_t tiles) {
  hand_sum_tiles<whole_stage>(sums, source, tiles);
}
#endif

}  // extern "C"
