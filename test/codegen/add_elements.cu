// Additions to the elements of a vector are one RED of the scope in global memory: of halves everywhere, of floats since sm_90.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 90
struct __half {
  unsigned short bits;
};
struct alignas(4) __half2 {
  __half x, y;
};

#include <cuda/atomic>

extern "C" {

// PTX-LABEL: .entry add_halves(
// PTX: red.relaxed.gpu.global.add.noftz.f16x2
// PTX-NOT: {{red|atom}}.
// PTX-LABEL: .entry add_floats(
__global__ void add_halves(__half2* place, __half2 operand) {
  cudasync::device::store_add_elements(place, operand);
}

// PTX-SM90+: red.relaxed.gpu.global.add.v2.f32
// PTX-SM70-COUNT-2: red.relaxed.gpu.global.add.f32
__global__ void add_floats(float2* place, float2 operand) {
  cudasync::device::store_add_elements<cuda::thread_scope_device>(place, operand);
}
}
