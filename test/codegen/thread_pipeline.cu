// A thread's pipeline costs what groups of cp.async cost that a hand would write, and consumer_wait is one wait_group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// NVCC: 75 80 90
// In guide_ring how many stages are in flight is only known at run time. The hand knows that there are at most 4, and
// takes 60 instructions on sm_80, 71 on sm_90 (guide_ring_by_hand). TODO: ours tells 8 cases apart, for which the limits
// of guide_ring make room; its goal is 64 and 76.
// LIMIT: guide_ring_by_hand sm_80 60
// LIMIT: guide_ring_by_hand sm_90+ 71
// LIMIT: guide_ring sm_80 88
// LIMIT: guide_ring sm_90+ 98
// The SASS of the kernels, in the order of their names:
// SASS-SM80+-LABEL: ours_oldest_of_three:
// SASS-SM80+: DEPBAR.LE SB0, 0x2
// SASS-SM80+-NOT: DEPBAR.LE
// SASS-SM80+-LABEL: ours_prior:
// SASS-SM80+: DEPBAR.LE SB0, 0x1
// SASS-SM80+-NOT: DEPBAR.LE SB0, 0x{{[1-9]}}
// SASS-SM80+: DEPBAR.LE SB0, 0x0
// SASS-SM80+-NOT: DEPBAR.LE
// SASS-SM80+-LABEL: ours_ring:
// SASS-SM80+: DEPBAR.LE SB0, 0x3
// SASS-SM80+-NOT: DEPBAR.LE
#include <cuda/pipeline>

constexpr unsigned stages = 4;
constexpr unsigned threads = 128;

// --- The instructions ---

__device__ void hand_copy(void* destination, const void* source) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(destination))),
      "l"(__cvta_generic_to_global(source))
      : "memory");
#else
  *static_cast<uint4*>(destination) = *static_cast<const uint4*>(source);
#endif
}

__device__ void hand_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int Pending>
__device__ void hand_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

__device__ void hand_wait(unsigned pending) {
  switch (pending) {
  case 0:
    return hand_wait<0>();
  case 1:
    return hand_wait<1>();
  case 2:
    return hand_wait<2>();
  default:
    return hand_wait<3>();
  }
}

__device__ float sum_of(float4 element) {
  return element.x + element.y + element.z + element.w;
}

extern "C" {

// --- A ring in which every round commits a stage, which may be empty ---

__global__ void ours_ring(float* sums, const float4* elements, unsigned count) {
  __shared__ float4 ring[stages][threads];
  auto pipe = cuda::make_pipeline();
  for (unsigned tile = 0; tile < stages; ++tile) {
    pipe.producer_acquire();
    if (tile < count)
      cuda::memcpy_async(&ring[tile][threadIdx.x], &elements[tile * threads + threadIdx.x], sizeof(float4), pipe);
    pipe.producer_commit();
  }
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = 0; tile < count; ++tile) {
    float4* const mine = &ring[tile % stages][threadIdx.x];
    pipe.consumer_wait();
    sum += sum_of(*mine);
    pipe.consumer_release();
    pipe.producer_acquire();
    if (tile + stages < count)
      cuda::memcpy_async(mine, &elements[(tile + stages) * threads + threadIdx.x], sizeof(float4), pipe);
    pipe.producer_commit();
  }
  sums[threadIdx.x] = sum;
}
__global__ void hand_ring(float* sums, const float4* elements, unsigned count) {
  __shared__ float4 ring[stages][threads];
  for (unsigned tile = 0; tile < stages; ++tile) {
    if (tile < count) hand_copy(&ring[tile][threadIdx.x], &elements[tile * threads + threadIdx.x]);
    hand_commit();
  }
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = 0; tile < count; ++tile) {
    float4* const mine = &ring[tile % stages][threadIdx.x];
    hand_wait<stages - 1>();
    sum += sum_of(*mine);
    if (tile + stages < count) hand_copy(mine, &elements[(tile + stages) * threads + threadIdx.x]);
    hand_commit();
  }
  sums[threadIdx.x] = sum;
}

// --- The ring of the CUDA guide, whose last rounds commit nothing ---

__global__ void guide_ring(float* sums, const float4* elements, unsigned count) {
  __shared__ float4 ring[stages][threads];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = 0, fetched = 0; tile < count; ++tile) {
#pragma unroll 1
    for (; fetched < count && fetched < tile + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&ring[fetched % stages][threadIdx.x], &elements[fetched * threads + threadIdx.x],
                         sizeof(float4), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += sum_of(ring[tile % stages][threadIdx.x]);
    pipe.consumer_release();
  }
  sums[threadIdx.x] = sum;
}
__global__ void guide_ring_by_hand(float* sums, const float4* elements, unsigned count) {
  __shared__ float4 ring[stages][threads];
  float sum = 0;
#pragma unroll 1
  for (unsigned tile = 0, fetched = 0; tile < count; ++tile) {
#pragma unroll 1
    for (; fetched < count && fetched < tile + stages; ++fetched) {
      hand_copy(&ring[fetched % stages][threadIdx.x], &elements[fetched * threads + threadIdx.x]);
      hand_commit();
    }
    hand_wait(fetched - tile - 1);
    sum += sum_of(ring[tile % stages][threadIdx.x]);
  }
  sums[threadIdx.x] = sum;
}

// --- Single calls ---

__global__ void ours_commit_and_wait(float4* element, const float4* from) {
  __shared__ float4 tile[threads];
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&tile[threadIdx.x], from, sizeof(float4), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  *element = tile[threadIdx.x];
}
__global__ void hand_commit_and_wait(float4* element, const float4* from) {
  __shared__ float4 tile[threads];
  hand_copy(&tile[threadIdx.x], from);
  hand_commit();
  hand_wait<0>();
  *element = tile[threadIdx.x];
}

// One stage of three, by consumer_wait and by pipeline_consumer_wait_prior.
__global__ void ours_oldest_of_three() {
  auto pipe = cuda::make_pipeline();
  pipe.producer_commit();
  pipe.producer_commit();
  pipe.producer_commit();
  pipe.consumer_wait();
}
__global__ void ours_prior() {
  auto pipe = cuda::make_pipeline();
  pipe.producer_commit();
  pipe.producer_commit();
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<1>(pipe);
  pipe.consumer_wait();
}
__global__ void hand_oldest_of_three() {
  hand_commit();
  hand_commit();
  hand_commit();
  hand_wait<2>();
}
__global__ void hand_prior() {
  hand_commit();
  hand_commit();
  hand_commit();
  hand_wait<1>();
  hand_wait<0>();
}

#if __CUDA_ARCH__ >= 800
__global__ void ours_commit_to_barrier() {
  extern __shared__ cuda::barrier<cuda::thread_scope_block> bars[];
  auto pipe = cuda::make_pipeline();
  cuda::pipeline_producer_commit(pipe, bars[0]);
}
__global__ void hand_commit_to_barrier() {
  extern __shared__ cuda::barrier<cuda::thread_scope_block> bars[];
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(bars)))
               : "memory");
}
#endif

}  // extern "C"
