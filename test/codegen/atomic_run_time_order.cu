// An order that is a value of memory_order orders as a constant does: here where the compiler knows the value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 90
#include <cuda/atomic>

using reference = cuda::atomic_ref<int, cuda::thread_scope_device>;
static constexpr cuda::memory_order consistent = cuda::memory_order::seq_cst;

// A sequentially consistent operation begins with its fence.
extern "C" {

// PTX-LABEL: .entry load(
// PTX: fence.sc.gpu;
// PTX: ld.acquire.gpu.global.u32
// PTX-LABEL: .entry store(
__global__ void load(int* word, int* result) {
  *result = reference(*word).load(consistent);
}

// PTX: fence.sc.gpu;
// PTX: st.relaxed.gpu.global.u32
// PTX-LABEL: .entry exchange(
__global__ void store(int* word) {
  reference(*word).store(1, consistent);
}

// PTX: fence.sc.gpu;
// PTX: atom.acquire.gpu.exch.b32
// PTX-LABEL: .entry exchange_both(
__global__ void exchange(int* word, int* result) {
  *result = reference(*word).exchange(1, consistent);
}

// PTX-NOT: fence.sc
// PTX-SM70: atom.acq_rel.gpu.exch.b32
// PTX-SM90+: {{fence.(release|acq_rel).gpu;}}
// PTX-SM90+: atom.acquire.gpu.exch.b32
// PTX-LABEL: .entry add(
__global__ void exchange_both(int* word, int* result) {
  *result = reference(*word).exchange(1, cuda::memory_order::acq_rel);
}

// PTX: fence.sc.gpu;
// PTX: red.relaxed.gpu.global.add.u32
// PTX-LABEL: .entry compare_exchange(
__global__ void add(int* word) {
  reference(*word).store_add(1, consistent);
}

// PTX: fence.sc.gpu;
// PTX: atom.acquire.gpu.{{(global\.)?}}cas.b32
// PTX-LABEL: .entry fence(
__global__ void compare_exchange(int* word, int* result) {
  int expected = 1;
  *result = reference(*word).compare_exchange_strong(expected, 2, consistent);
}

// PTX: fence.sc.gpu;
// PTX-LABEL: .entry wait(
__global__ void fence() {
  cuda::atomic_thread_fence(consistent, cuda::thread_scope_device);
}

// PTX: fence.sc.gpu;
// PTX: ld.relaxed.gpu.global.u32
// PTX-LABEL: .entry wait_acquiring(
__global__ void wait(int* word) {
  reference(*word).wait(0, consistent);
}

// PTX-NOT: fence.sc
// PTX: ld.relaxed.gpu.global.u32
// PTX: {{fence.(acquire|acq_rel).gpu;}}
// PTX-LABEL: .entry load_locked(
__global__ void wait_acquiring(int* word) {
  reference(*word).wait(0, cuda::memory_order::acquire);
}

struct large {
  int parts[8];
};

// The lock of a large value is taken with this order.
// PTX: fence.sc.gpu;
// PTX: atom.acquire.gpu{{(.global)?}}.exch.b32
// PTX: st.release.gpu.global.u32
__global__ void load_locked(cuda::atomic<large, cuda::thread_scope_device>* object, int* result) {
  *result = object->load(consistent).parts[7];
}
}
