// There is no instruction that adds to a vector of doubles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: store_add_elements adds to float2, float4, __half2 or __nv_bfloat162: for others call atomic_ref::store_add
#include <cuda/atomic>

__device__ void misuse(double2* vector, float2* floats) {
  static_cast<void>(floats);                                                                                // wrong
  cudasync::device::store_add_elements(vector, double2{1, 2});                                              // wrong
  cudasync::device::store_add_elements(floats, float2{1, 2});                                               // right
  cuda::atomic_ref<double, cuda::thread_scope_device>(vector->x).store_add(1, cuda::memory_order_relaxed);  // right
}
