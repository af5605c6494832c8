// Objects of 16 bytes are loaded and stored by one instruction everywhere, exchanged by one since sm_90.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the compiler does not know their memory space, no operand goes through local memory.
// SASS-SM90+-LABEL: chain_of_compare_exchanges:
// SASS-SM90+-NOT: STL
// SASS-SM90+: EXIT
// SASS-SM90+-LABEL: chain_of_exchanges:
// SASS-SM90+-NOT: STL
// SASS-SM90+: EXIT
// SASS-SM90+-LABEL: ours_compare_exchange:
// SASS-SM90+-NOT: BRA
// SASS-SM90+: ATOM.E.CAS.128.STRONG.GPU
// SASS-SM90+-NOT: BRA
// SASS-SM90+: EXIT
// SASS-SM90+-LABEL: ours_exchange:
// SASS-SM90+: ATOM.E.EXCH.128.STRONG.GPU
// SASS-LABEL: ours_load:
// SASS: LDG.E.128.STRONG.GPU
// SASS-LABEL: ours_store:
// SASS: STG.E.128.STRONG.GPU
//
// Nor in a loop: an operand whose address is known to be aligned would stay in memory.
// SASS-LABEL: stores:
// SASS-NOT: STL
// SASS: STG.E.128.STRONG.GPU
// SASS-NOT: STL
// SASS: EXIT
// SASS-SM90+-LABEL: tries:
// SASS-SM90+-NOT: {{STL|LDL}}
// SASS-SM90+: ATOM.E.CAS.128
// SASS-SM90+-NOT: {{STL|LDL}}
// SASS-SM90+: EXIT
#include <cuda/atomic>

struct alignas(16) pair {
  unsigned long long low;
  unsigned long long high;
};

using device_atomic = cuda::atomic<pair, cuda::thread_scope_device>;

__device__ unsigned long long global_address(const void* object) {
  return __cvta_generic_to_global(object);
}

extern "C" {

__global__ void ours_load(const device_atomic* place, pair* out) {
  *out = place->load(cuda::memory_order_relaxed);
}
__global__ void hand_load(const pair* place, pair* out) {
  pair value;
  asm volatile("{ .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%2]; mov.b128 {%0, %1}, all; }"
               : "=l"(value.low), "=l"(value.high)
               : "l"(global_address(place))
               : "memory");
  *out = value;
}

__global__ void ours_store(device_atomic* place, pair value) {
  place->store(value, cuda::memory_order_relaxed);
}
__global__ void hand_store(pair* place, pair value) {
  asm volatile(
      "{ .reg .b128 all; mov.b128 all, {%1, %2}; st.relaxed.gpu.global.b128 [%0], all; }" ::"l"(global_address(place)),
      "l"(value.low), "l"(value.high)
      : "memory");
}

__global__ void stores(pair* place, pair value, unsigned rounds) {
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round)
    cuda::atomic_ref<pair, cuda::thread_scope_device>(*place).store(value, cuda::memory_order_relaxed);
}

#if __CUDA_ARCH__ >= 900

__global__ void tries(pair* place, pair start, pair desired, unsigned rounds, bool* done) {
  const cuda::atomic_ref<pair, cuda::thread_scope_device> reference(*place);
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    pair expected = start;
    *done = reference.compare_exchange_strong(expected, desired, cuda::memory_order_relaxed);
  }
}

__global__ void ours_exchange(device_atomic* place, pair value, pair* out) {
  *out = place->exchange(value, cuda::memory_order_relaxed);
}
__global__ void hand_exchange(pair* place, pair value, pair* out) {
  pair before;
  asm volatile("{ .reg .b128 old, new; mov.b128 new, {%3, %4}; atom.relaxed.gpu.exch.b128 old, [%2], new; "
               "mov.b128 {%0, %1}, old; }"
               : "=l"(before.low), "=l"(before.high)
               : "l"(place), "l"(value.low), "l"(value.high)
               : "memory");
  *out = before;
}

__global__ void ours_compare_exchange(device_atomic* place, pair expected, pair desired, bool* done) {
  *done = place->compare_exchange_strong(expected, desired, cuda::memory_order_relaxed);
}
__global__ void hand_compare_exchange(pair* place, pair expected, pair desired, bool* done) {
  pair before;
  asm volatile("{ .reg .b128 old, same, new; mov.b128 same, {%3, %4}; mov.b128 new, {%5, %6}; "
               "atom.relaxed.gpu.cas.b128 old, [%2], same, new; mov.b128 {%0, %1}, old; }"
               : "=l"(before.low), "=l"(before.high)
               : "l"(place), "l"(expected.low), "l"(expected.high), "l"(desired.low), "l"(desired.high)
               : "memory");
  *done = before.low == expected.low && before.high == expected.high;
}

// Each operand is computed from the result before it.
__device__ pair next(pair before, unsigned step) {
  return {before.low + step, before.high ^ step};
}
__global__ void chain_of_exchanges(device_atomic* const* place, unsigned steps, pair* out) {
  pair value{};
  for (unsigned step = 0; step < steps; ++step)
    value = (*place)->exchange(next(value, step), cuda::memory_order_relaxed);
  *out = value;
}
__global__ void chain_of_compare_exchanges(device_atomic* const* place, unsigned steps, pair* out) {
  pair value{};
  for (unsigned step = 0; step < steps; ++step)
    (*place)->compare_exchange_strong(value, next(value, step), cuda::memory_order_relaxed);
  *out = value;
}

#endif

}  // extern "C"
