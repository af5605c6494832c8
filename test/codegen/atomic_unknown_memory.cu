// In memory that the compiler cannot see, the address is generic, and only operations that ptxas makes loops of test it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// NVCC: 75 90
// LIMIT: store_add sm_70 30
// LIMIT: store_add sm_80 25
// LIMIT: store_add sm_90+ 29
// LIMIT: fetch_add_8_bytes sm_70 37
// LIMIT: fetch_add_8_bytes sm_80 37
// LIMIT: fetch_add_8_bytes sm_90+ 100
// LIMIT: load_in_cluster sm_70+ 12
// LIMIT: fetch_and_store sm_70+ 12
// Kernels are in alphabetical order. The hardware has no test for global memory alone: ptxas makes a dozen instructions of it.
// SASS-NOT: QSPC
// SASS-LABEL: fetch_add_8_bytes:
// SASS-NOT: QSPC.E.{{[GL]}}
// SASS: ATOM.E.ADD.64.STRONG.GPU
// SASS-NOT: QSPC.E.{{[GL]}}
// SASS-LABEL: fetch_and_store:
// SASS: LDG.E.STRONG.GPU
// SASS-NOT: QSPC
// SASS: LD.E.STRONG.GPU
// SASS-NOT: QSPC
// SASS: STG.E.STRONG.GPU
// SASS-NOT: QSPC
// SASS-LABEL: store_add:
// SASS-NOT: QSPC.E.G
// SASS: QSPC.E.{{[SD]}}
// SASS-NOT: QSPC.E.G
// SASS: RED{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: QSPC
#include <cuda/atomic>

using device_atomic = cuda::atomic<unsigned, cuda::thread_scope_device>;
using block_atomic = cuda::atomic<unsigned, cuda::thread_scope_block>;
using cluster_atomic = cuda::atomic<unsigned, cudasync::thread_scope_cluster>;

__device__ unsigned load(const unsigned* word) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ unsigned load_in_block(const unsigned* word) {
  unsigned value;
  asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ unsigned load_acquire(const unsigned* word) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ unsigned char load_byte(const unsigned char* word) {
  unsigned short value;
  asm volatile("ld.relaxed.gpu.u8 %0, [%1];" : "=h"(value) : "l"(word) : "memory");
  return static_cast<unsigned char>(value);
}
__device__ void store(unsigned* word, unsigned value) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
__device__ void store_release(unsigned* word, unsigned value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

extern "C" {

__global__ void ours_load(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}
__global__ void hand_load(unsigned** counters, unsigned* out) {
  *out = load(counters[blockIdx.x]);
}

__global__ void ours_load_in_block(block_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}
__global__ void hand_load_in_block(unsigned** counters, unsigned* out) {
  *out = load_in_block(counters[blockIdx.x]);
}

__global__ void ours_load_acquire(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_acquire);
}
__global__ void hand_load_acquire(unsigned** counters, unsigned* out) {
  *out = load_acquire(counters[blockIdx.x]);
}

__global__ void ours_load_byte(unsigned char** numbers, unsigned char* out) {
  *out =
      cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(*numbers[blockIdx.x]).load(cuda::memory_order_relaxed);
}
__global__ void hand_load_byte(unsigned char** numbers, unsigned char* out) {
  *out = load_byte(numbers[blockIdx.x]);
}

// The compiler knows either of two memories, but not which.
__global__ void ours_load_of_two(unsigned* in_global, unsigned* out) {
  __shared__ unsigned in_shared[32];
  in_shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned* const place = out[1] != 0 ? in_shared + out[2] : in_global;
  *out = cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*place).load(cuda::memory_order_relaxed);
}
__global__ void hand_load_of_two(unsigned* in_global, unsigned* out) {
  __shared__ unsigned in_shared[32];
  in_shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned* const place = out[1] != 0 ? in_shared + out[2] : in_global;
  *out = load(place);
}

__global__ void ours_store(device_atomic** counters, unsigned value) {
  counters[blockIdx.x]->store(value, cuda::memory_order_relaxed);
}
__global__ void hand_store(unsigned** counters, unsigned value) {
  store(counters[blockIdx.x], value);
}

__global__ void ours_store_release(device_atomic** counters, unsigned value) {
  counters[blockIdx.x]->store(value, cuda::memory_order_release);
}
__global__ void hand_store_release(unsigned** counters, unsigned value) {
  store_release(counters[blockIdx.x], value);
}

__global__ void ours_exchange(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->exchange(5, cuda::memory_order_relaxed);
}
__global__ void hand_exchange(unsigned** counters, unsigned* out) {
  asm volatile("atom.relaxed.gpu.exch.b32 %0, [%1], 5;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
}

__global__ void ours_compare_exchange(device_atomic** counters, unsigned* out) {
  unsigned expected = 5;
  counters[blockIdx.x]->compare_exchange_strong(expected, 7, cuda::memory_order_relaxed);
  *out = expected;
}
__global__ void hand_compare_exchange(unsigned** counters, unsigned* out) {
  asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], 5, 7;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
}

__global__ void load_in_cluster(cluster_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->load(cuda::memory_order_relaxed);
}

__global__ void ours_fetch_add(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_fetch_add(unsigned** counters, unsigned* out) {
  asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
}

__global__ void ours_fetch_add_in_block(block_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_fetch_add_in_block(unsigned** counters, unsigned* out) {
  asm volatile("atom.relaxed.cta.add.u32 %0, [%1], 1;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
}

__global__ void ours_fetch_max(device_atomic** counters, unsigned* out) {
  *out = counters[blockIdx.x]->fetch_max(9, cuda::memory_order_acq_rel);
}
__global__ void hand_fetch_max(unsigned** counters, unsigned* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.release.gpu;" ::: "memory");
  asm volatile("atom.relaxed.gpu.max.u32 %0, [%1], 9;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("atom.acq_rel.gpu.max.u32 %0, [%1], 9;" : "=r"(*out) : "l"(counters[blockIdx.x]) : "memory");
#endif
}

__global__ void store_add(device_atomic** counters) {
  counters[blockIdx.x]->store_add(1, cuda::memory_order_relaxed);
}

__global__ void fetch_add_8_bytes(unsigned long long** numbers, unsigned long long* out) {
  *out = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*numbers[threadIdx.x])
             .fetch_add(1, cuda::memory_order_relaxed);
}

// The user tells the compiler that the number is in global memory.
__global__ void ours_assumption(unsigned** numbers) {
  unsigned* const number = numbers[threadIdx.x];
  __builtin_assume(__isGlobal(number));
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*number).store_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_assumption(unsigned** numbers) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(numbers[threadIdx.x]))
               : "memory");
}

// What the compiler knows about one object does not change the code for another.
__global__ void fetch_and_store(device_atomic* index, device_atomic** counters) {
  const unsigned first = index->load(cuda::memory_order_relaxed);
  const unsigned second = counters[first]->load(cuda::memory_order_relaxed);
  index->store(second, cuda::memory_order_relaxed);
}

}  // extern "C"
