// Stores and additions by the copy engine are the instructions that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: ours_add_double:
// SASS: UBLKRED
// SASS-LABEL: ours_add_half:
// SASS: UBLKRED
// SASS-LABEL: ours_prefetch:
// SASS: UBLKPF
// SASS-LABEL: ours_ring:
// SASS: UBLKCP
// SASS: UTMACMDFLUSH
// SASS-LABEL: ours_store_box:
// SASS: UTMASTG.3D
#include <cuda/pipeline>

// As <cuda_fp16.h> and <cuda_bf16.h> lay them out; bulk_store_add looks at their names alone.
struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};

constexpr unsigned stages = 2;
constexpr unsigned tile_floats = 1024;
constexpr unsigned tile_bytes = tile_floats * sizeof(float);

using tile_size = cuda::aligned_size_t<16>;

alignas(128) extern __shared__ char memory[];

__device__ float* tile_of(unsigned stage) {
  return reinterpret_cast<float*>(memory) + stage * tile_floats;
}

// --- The instructions ---

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ void hand_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

__device__ void hand_store(void* destination, const void* source, unsigned size) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(destination)),
      "r"(address_of(source)), "r"(size)
      : "memory");
}

__device__ void hand_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int Pending>
__device__ void hand_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

template <int Pending>
__device__ void hand_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

extern "C" {

// --- Single calls ---

__global__ void ours_store_tile(float* destination) {
  cudasync::device::fence_before_bulk_copy();
  cudasync::device::bulk_store(destination, tile_of(0), tile_size(tile_bytes));
  cudasync::device::bulk_commit();
  cudasync::device::bulk_wait();
}
__global__ void hand_store_tile(float* destination) {
  hand_fence();
  hand_store(destination, tile_of(0), tile_bytes);
  hand_commit();
  hand_wait<0>();
}

__global__ void ours_store_evict_first(float* destination) {
  cudasync::device::bulk_store(destination, tile_of(0), tile_size(tile_bytes), cudasync::l2_cache_hint::evict_first());
}
__global__ void hand_store_evict_first(float* destination) {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
                   __cvta_generic_to_global(destination)),
               "r"(address_of(memory)), "r"(tile_bytes), "l"(policy)
               : "memory");
}

__global__ void ours_store_box(const CUtensorMap* map, int x, int y, int z) {
  cudasync::device::bulk_store(map, {x, y, z}, memory);
}
__global__ void hand_store_box(const CUtensorMap* map, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map),
               "r"(address_of(memory)), "r"(x), "r"(y), "r"(z)
               : "memory");
}

__global__ void ours_wait_for_all_but_3() {
  cudasync::device::bulk_wait<3>();
  cudasync::device::bulk_wait_read<3>();
}
__global__ void hand_wait_for_all_but_3() {
  hand_wait<3>();
  hand_wait_read<3>();
}

__global__ void ours_prefetch(const float* source, unsigned size) {
  cudasync::device::prefetch_to_l2(source, tile_size(size));
}
__global__ void hand_prefetch(const float* source, unsigned size) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(source)), "r"(size)
               : "memory");
}

// --- Additions ---

#define ADD "cp.reduce.async.bulk.global.shared::cta.bulk_group.add"
#define OPERANDS \
  " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(destination)), "r"(address_of(memory)), "r"(tile_bytes) : "memory"

// PTX-LABEL: .entry ours_add_int(
// PTX: .bulk_group.add.{{[us]}}32 [
__global__ void ours_add_int(int* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<int*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_int(
__global__ void hand_add_int(int* destination) {
  asm volatile(ADD ".s32" OPERANDS);
}

// PTX-LABEL: .entry ours_add_long(
// PTX: .bulk_group.add.u64 [
__global__ void ours_add_long(long long* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<long long*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_long(
__global__ void hand_add_long(long long* destination) {
  asm volatile(ADD ".u64" OPERANDS);
}

// PTX-LABEL: .entry ours_add_float(
// PTX: .bulk_group.add.f32 [
__global__ void ours_add_float(float* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<float*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_float(
__global__ void hand_add_float(float* destination) {
  asm volatile(ADD ".f32" OPERANDS);
}

// PTX-LABEL: .entry ours_add_double(
// PTX: .bulk_group.add.f64 [
__global__ void ours_add_double(double* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<double*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_double(
__global__ void hand_add_double(double* destination) {
  asm volatile(ADD ".f64" OPERANDS);
}

// PTX-LABEL: .entry ours_add_half(
// PTX: .bulk_group.add.noftz.f16 [
__global__ void ours_add_half(__half* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<__half*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_half(
__global__ void hand_add_half(__half* destination) {
  asm volatile(ADD ".noftz.f16" OPERANDS);
}

// PTX-LABEL: .entry ours_add_bfloat(
// PTX: .bulk_group.add.noftz.bf16 [
__global__ void ours_add_bfloat(__nv_bfloat16* destination) {
  cudasync::device::bulk_store_add(destination, reinterpret_cast<__nv_bfloat16*>(memory), tile_size(tile_bytes));
}
// PTX-LABEL: .entry hand_add_bfloat(
__global__ void hand_add_bfloat(__nv_bfloat16* destination) {
  asm volatile(ADD ".noftz.bf16" OPERANDS);
}

// --- The ring of a block that writes tiles and stores them ---

// PTX-LABEL: .entry ours_ring(
// PTX: cp.async.bulk.wait_group.read 1;
// PTX: fence.proxy.async.shared::cta;
// PTX: fence.proxy.async.global;
// PTX: cp.async.bulk.global.shared::cta.bulk_group [
// PTX: cp.async.bulk.commit_group;
// PTX: cp.async.bulk.wait_group 0;
// PTX-LABEL: .entry hand_ring(
__global__ void ours_ring(float* destination, unsigned tiles) {
  cudasync::bulk_store_ring<stages> ring;
  const bool stores = threadIdx.x == 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (stores) ring.acquire();
    __syncthreads();
    tile_of(ring.index())[threadIdx.x] = static_cast<float>(tile);
    __syncthreads();
    if (stores) {
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(destination + size_t{tile} * tile_floats, tile_of(ring.index()),
                                   tile_size(tile_bytes));
      ring.commit();
    } else {
      ring.skip();
    }
  }
  if (stores) ring.drain();
}
__global__ void hand_ring(float* destination, unsigned tiles) {
  unsigned stage = 0;
  const bool stores = threadIdx.x == 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (stores) hand_wait_read<stages - 1>();
    __syncthreads();
    tile_of(stage)[threadIdx.x] = static_cast<float>(tile);
    __syncthreads();
    if (stores) {
      hand_fence();
      hand_store(destination + size_t{tile} * tile_floats, tile_of(stage), tile_bytes);
      hand_commit();
    }
    if (++stage == stages) stage = 0;
  }
  if (stores) hand_wait<0>();
}

}  // extern "C"
