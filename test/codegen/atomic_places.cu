// The compiler sees an atomic's memory through members, spans, functions and arrays: no test of the address remains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SASS-NOT: {{QSPC|LD.E|ST.E|ATOM.E}}
#include <cuda/atomic>

using counter = cuda::atomic<unsigned, cuda::thread_scope_block>;

struct node {
  unsigned long long key;
  counter uses;
};

struct span {
  counter* first;
  unsigned size;

  __device__ counter& operator[](unsigned index) const { return first[index]; }
};

__device__ void count(counter& place) {
  place.fetch_add(1, cuda::memory_order_relaxed);
}

__device__ void count_in_shared(const void* place) {
  asm volatile("red.relaxed.cta.shared.add.u32 [%0], 1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(place)))
               : "memory");
}
__device__ void count_in_global(const void* place) {
  asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(place)) : "memory");
}
__device__ unsigned long long exchange_in_shared(const void* place, unsigned long long value) {
  unsigned long long before;
  asm volatile("atom.relaxed.cta.shared.exch.b64 %0, [%1], %2;"
               : "=l"(before)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(place))), "l"(value)
               : "memory");
  return before;
}

extern "C" {

__global__ void ours_member_in_shared() {
  extern __shared__ node nodes[];
  nodes[threadIdx.x].uses.fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_member_in_shared() {
  extern __shared__ node nodes[];
  count_in_shared(&nodes[threadIdx.x].uses);
}

__global__ void ours_member_in_global(node* nodes) {
  nodes[threadIdx.x].uses.fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_member_in_global(node* nodes) {
  count_in_global(&nodes[threadIdx.x].uses);
}

__global__ void ours_ref_to_member() {
  extern __shared__ node nodes[];
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> key(nodes[threadIdx.x].key);
  key.exchange(7, cuda::memory_order_relaxed);
}
__global__ void hand_ref_to_member() {
  extern __shared__ node nodes[];
  exchange_in_shared(&nodes[threadIdx.x].key, 7);
}

__global__ void ours_span_in_shared(unsigned bin) {
  extern __shared__ counter counters[];
  const span bins{counters, 64};
  bins[bin].fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_span_in_shared(unsigned bin) {
  extern __shared__ counter counters[];
  count_in_shared(&counters[bin]);
}

__global__ void ours_span_in_global(span bins, unsigned bin) {
  bins[bin].fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_span_in_global(span bins, unsigned bin) {
  count_in_global(&bins[bin]);
}

__global__ void ours_function_in_shared() {
  __shared__ counter place;
  count(place);
}
__global__ void hand_function_in_shared() {
  __shared__ unsigned place;
  count_in_shared(&place);
}

__global__ void ours_function_in_global(counter* place) {
  count(*place);
}
__global__ void hand_function_in_global(unsigned* place) {
  count_in_global(place);
}

// A histogram: zeros, then counts, of atomics behind other data in dynamic shared memory.
__global__ void ours_array(unsigned bin) {
  extern __shared__ unsigned long long memory[];
  counter* const bins = reinterpret_cast<counter*>(memory + 32);
  bins[threadIdx.x].store(0, cuda::memory_order_relaxed);
  __syncthreads();
  bins[bin].fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void hand_array(unsigned bin) {
  extern __shared__ unsigned long long memory[];
  counter* const bins = reinterpret_cast<counter*>(memory + 32);
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(&bins[threadIdx.x]));
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(own), "r"(0) : "memory");
  __syncthreads();
  count_in_shared(&bins[bin]);
}

}  // extern "C"
