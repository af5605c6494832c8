// memcpy_async is the copy instructions that a hand would write: cp.async for a thread, the copy engine for a group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// group_of_bytes: less than half of the 664 instructions of libcu++ in CCCL 3.6, which tests no alignment.
// LIMIT: group_of_bytes sm_90+ 289
// LIMIT: thread_by_units sm_80 50
// LIMIT: group_of_16_bytes sm_90+ 50
// LIMIT: group_of_16_bytes_by_hand sm_90+ 33
// The SASS of the kernels, in the order of their names:
// SASS-SM90+-LABEL: group_of_16_bytes:
// SASS-SM90+: UBLKCP
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0TR
// SASS-SM90+-LABEL: group_of_16_bytes_by_hand:
// SASS-SM90+-LABEL: group_of_bytes:
// SASS-SM90+: UBLKCP
// SASS-SM90+: SYNCS.ARRIVE.TRANS64.RED.A0TR
// SASS-SM90+-LABEL: hand_few_words:
// SASS-LABEL: ours_few_rows_of_a_warp:
// SASS-NOT: {{UBLKCP|BRA}}
// SASS: LDGSTS.E [
// SASS: LDGSTS.E [
// SASS: LDGSTS.E [
// SASS: LDGSTS.E [
// SASS-NOT: {{LDGSTS.E|UBLKCP}}
// SASS-LABEL: ours_few_words:
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS: LDGSTS.E [
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS-LABEL: ours_for_barrier_16:
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS: LDGSTS.E.BYPASS.128 [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC}}
// SASS: ARRIVES.LDGSTSBAR.64
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS-LABEL: ours_for_barrier_4:
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS: LDGSTS.E [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC}}
// SASS: ARRIVES.LDGSTSBAR.64
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS-LABEL: ours_for_barrier_8:
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS: LDGSTS.E.64 [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC}}
// SASS: ARRIVES.LDGSTSBAR.64
// SASS-NOT: {{BRA|CALL|QSPC}}
// SASS-LABEL: ours_for_pipeline_16:
// SASS-NOT: {{BRA|CALL|QSPC|ARRIVES}}
// SASS: LDGSTS.E.BYPASS.128 [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC|ARRIVES}}
// SASS-LABEL: ours_for_pipeline_4:
// SASS-NOT: {{BRA|CALL|QSPC|ARRIVES}}
// SASS: LDGSTS.E [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC|ARRIVES}}
// SASS-LABEL: ours_for_pipeline_8:
// SASS-NOT: {{BRA|CALL|QSPC|ARRIVES}}
// SASS: LDGSTS.E.64 [
// SASS-NOT: {{LDGSTS.E|BRA|CALL|QSPC|ARRIVES}}
// SASS-LABEL: ours_for_pipeline_aligned:
// SASS: LDGSTS.E.BYPASS.128 [
// SASS-LABEL: ours_group:
// SASS-SM80: LDGSTS.E.BYPASS.128 [
// SASS-SM90+-NOT: LDGSTS
// SASS-SM90+: FENCE.VIEW.ASYNC.S
// SASS-SM90+: FENCE.VIEW.ASYNC.G
// SASS-SM90+: UBLKCP
// SASS-SM90+-NOT: LDGSTS
// SASS-SM90+-LABEL: ours_group_of_a_word:
// SASS-SM90+: LDGSTS.E [
// SASS-SM80-LABEL: thread_by_units:
// SASS-SM80: LDGSTS.E.BYPASS.128 [
// SASS-SM90+-LABEL: ours_thread:
// SASS-SM90+-NOT: LDGSTS
// SASS-SM90+: FENCE.VIEW.ASYNC.S
// SASS-SM90+: FENCE.VIEW.ASYNC.G
// SASS-SM90+: UBLKCP
// SASS-SM90+-NOT: LDGSTS
// SASS-LABEL: tiles_by_index:
// SASS-NOT: CALL
// SASS: EXIT
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using tile_size = cuda::aligned_size_t<16>;

extern __shared__ block_barrier bars[];

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <int Size>
__device__ void hand_copy_unit(unsigned destination, const void* source) {
  if constexpr (Size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(__cvta_generic_to_global(source))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(destination), "l"(__cvta_generic_to_global(source)),
                 "n"(Size)
                 : "memory");
}

__device__ void hand_hold(unsigned bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar) : "memory");
}

__device__ void hand_bulk_copy(unsigned destination, const void* source, unsigned size, unsigned bar) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("fence.proxy.async.global;" ::: "memory");
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
               "l"(__cvta_generic_to_global(source)), "r"(size), "r"(bar)
               : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(size) : "memory");
}

// --- One thread, one element ---

template <class Value>
__device__ void ours_copy_for_barrier(const Value* source) {
  __shared__ Value tile[256];
  cuda::memcpy_async(tile + threadIdx.x, source + threadIdx.x, sizeof(Value), bars[0]);
}

template <class Value>
__device__ void hand_copy_for_barrier(const Value* source) {
  __shared__ Value tile[256];
  hand_copy_unit<sizeof(Value)>(address_of(tile + threadIdx.x), source + threadIdx.x);
  hand_hold(address_of(bars));
}

template <class Value>
__device__ void ours_copy_for_pipeline(const Value* source) {
  __shared__ Value tile[256];
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(tile + threadIdx.x, source + threadIdx.x, sizeof(Value), pipe);
}

template <class Value>
__device__ void hand_copy_for_pipeline(const Value* source) {
  __shared__ Value tile[256];
  hand_copy_unit<sizeof(Value)>(address_of(tile + threadIdx.x), source + threadIdx.x);
}

extern "C" {

__global__ void ours_for_barrier_4(const int* source) {
  ours_copy_for_barrier(source);
}
__global__ void hand_for_barrier_4(const int* source) {
  hand_copy_for_barrier(source);
}

__global__ void ours_for_barrier_8(const int2* source) {
  ours_copy_for_barrier(source);
}
__global__ void hand_for_barrier_8(const int2* source) {
  hand_copy_for_barrier(source);
}

__global__ void ours_for_barrier_16(const int4* source) {
  ours_copy_for_barrier(source);
}
__global__ void hand_for_barrier_16(const int4* source) {
  hand_copy_for_barrier(source);
}

__global__ void ours_for_pipeline_4(const int* source) {
  ours_copy_for_pipeline(source);
}
__global__ void hand_for_pipeline_4(const int* source) {
  hand_copy_for_pipeline(source);
}

__global__ void ours_for_pipeline_8(const int2* source) {
  ours_copy_for_pipeline(source);
}
__global__ void hand_for_pipeline_8(const int2* source) {
  hand_copy_for_pipeline(source);
}

__global__ void ours_for_pipeline_16(const int4* source) {
  ours_copy_for_pipeline(source);
}
__global__ void hand_for_pipeline_16(const int4* source) {
  hand_copy_for_pipeline(source);
}

// A few words, which nobody knows to be aligned better: no test, and no loop.
__global__ void ours_few_words(const int* source) {
  alignas(16) __shared__ int tile[16];
  cuda::memcpy_async(tile, source, sizeof tile, bars[0]);
}
__global__ void hand_few_words(const int* source) {
  alignas(16) __shared__ int tile[16];
#pragma unroll
  for (int index = 0; index < 16; ++index)
    hand_copy_unit<4>(address_of(tile + index), source + index);
  hand_hold(address_of(bars));
}

// Bytes that the size says are aligned.
__global__ void ours_for_pipeline_aligned(const char* source) {
  alignas(16) __shared__ char tile[4096];
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(tile + threadIdx.x * 16, source + threadIdx.x * 16, tile_size(16), pipe);
}
__global__ void hand_for_pipeline_aligned(const char* source) {
  alignas(16) __shared__ char tile[4096];
  hand_copy_unit<16>(address_of(tile + threadIdx.x * 16), source + threadIdx.x * 16);
}

// --- A tile ---

#if __CUDA_ARCH__ >= 900
__global__ void ours_thread(const char* source) {
  alignas(16) __shared__ char tile[1024];
  cuda::memcpy_async(tile, source, tile_size(1024), bars[0]);
}
__global__ void hand_thread(const char* source) {
  alignas(16) __shared__ char tile[1024];
  hand_bulk_copy(address_of(tile), source, 1024, address_of(bars));
}
#else
// Blocks of sixteen units at one address. In blocks of eight, it takes 42 instructions, and more time.
__global__ void thread_by_units(const char* source) {
  alignas(16) __shared__ char tile[1024];
  cuda::memcpy_async(tile, source, tile_size(1024), bars[0]);
}
#endif

__global__ void ours_group(const char* source) {
  alignas(16) __shared__ char tile[4096];
  cuda::memcpy_async(cudasync::this_thread_block(), tile, source, tile_size(4096), bars[0]);
}
__global__ void hand_group(const char* source) {
  alignas(16) __shared__ char tile[4096];
#if __CUDA_ARCH__ >= 900
  if (rank_in_block() == 0) hand_bulk_copy(address_of(tile), source, 4096, address_of(bars));
#else
  const unsigned step = blockDim.x * blockDim.y * blockDim.z * 16;
  for (unsigned at = rank_in_block() * 16; at < 4096; at += step)
    hand_copy_unit<16>(address_of(tile) + at, source + at);
  hand_hold(address_of(bars));
#endif
}

// Nothing but the pointers is known: their alignment, and whether the size is worth a bulk copy, is tested once.
__global__ void group_of_bytes(const char* source, unsigned long long size) {
  alignas(16) __shared__ char tile[4096];
  cuda::memcpy_async(cudasync::this_thread_block(), tile, source, size, bars[0]);
}
__global__ void group_of_16_bytes(const char* source, unsigned size) {
  alignas(16) __shared__ char tile[4096];
  cuda::memcpy_async(cudasync::this_thread_block(), tile, source, tile_size(size), bars[0]);
}

// A group whose type says that it is a warp: no test of the alignment, and no fences of the copy engine.
struct one_warp {
  __device__ static unsigned thread_rank() { return threadIdx.x % 32; }
  __device__ static constexpr unsigned size() { return 32; }
};
__global__ void ours_few_rows_of_a_warp(const float* source) {
  __shared__ float tile[128];
  cuda::memcpy_async(one_warp{}, tile, source, sizeof tile, bars[0]);
}
__global__ void hand_few_rows_of_a_warp(const float* source) {
  __shared__ float tile[128];
  for (unsigned at = threadIdx.x % 32; at < 128; at += 32)
    hand_copy_unit<4>(address_of(tile + at), source + at);
  hand_hold(address_of(bars));
}

// The compiler does not compute the source again for each unit, with a division that it would widen to 64 bits.
struct box {
  const float* data;
  unsigned tiles;
};
__global__ void tiles_by_index(const box* unknown, unsigned rounds) {
  __shared__ float tile[512];
  for (unsigned round = 0; round < rounds; ++round) {
    const float* const source = unknown->data + size_t{(blockIdx.x + round * gridDim.x) % unknown->tiles} * 512;
    cuda::memcpy_async(cudasync::this_thread_block(), tile, source, sizeof tile, bars[0]);
    bars[0].arrive_and_wait();
  }
}

#if __CUDA_ARCH__ >= 900
// Less than a word for each thread of a group: one of them copies it.
__global__ void ours_group_of_a_word(const int* source) {
  __shared__ int tile;
  cuda::memcpy_async(cudasync::this_thread_block(), &tile, source, sizeof tile, bars[0]);
}
__global__ void hand_group_of_a_word(const int* source) {
  __shared__ int tile;
  if (rank_in_block() * 4 < sizeof tile) hand_copy_unit<4>(address_of(&tile), source);
  hand_hold(address_of(bars));
}

__global__ void group_of_16_bytes_by_hand(const char* source, unsigned size) {
  alignas(16) __shared__ char tile[4096];
  if (rank_in_block() == 0 && size != 0) hand_bulk_copy(address_of(tile), source, size, address_of(bars));
}
#endif

}  // extern "C"
