// cudasync::device::store_add_elements: an atomic addition to each element of a small vector.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_STORE_ADD_ELEMENTS_H
#define CUDASYNC_STORE_ADD_ELEMENTS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/atomic/add_elements_device.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace device {

// Adds to each element of a float2, float4, __half2 or __nv_bfloat162, relaxed at Scope, without a result. Each
// addition is atomic by itself: a reader may see one element added and another not. The vector must be aligned to its
// size; the checked build reports others. Other types fail to compile.
//
// In global memory it is one RED: for __half2 on every architecture, for the other types on sm_90 and newer. Otherwise
// it is one addition for each element.
template <thread_scope Scope = thread_scope_device, class Vector>
CUDASYNC_DEVICE void store_add_elements(Vector* vector, Vector operand) {
  CUDASYNC_ASSERT(reinterpret_cast<uintptr>(vector) % sizeof(Vector) == 0,
                  "store_add_elements: the vector is not aligned to its size; declare it alignas(sizeof vector)");
  using device_target = typename target::here_or_minimum<target::sm70>::type;
  backend::add_elements<Scope>(device_target{}, *vector, operand);
}

}}}  // namespace cudasync::CUDASYNC_ABI::device

#endif  // CUDASYNC_CUDA

#endif
