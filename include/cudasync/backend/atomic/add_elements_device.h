// Additions to the elements of a small vector, each atomic by itself, with one instruction if there is one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_ADD_ELEMENTS_DEVICE_H
#define CUDASYNC_BACKEND_ATOMIC_ADD_ELEMENTS_DEVICE_H

#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

#if CUDASYNC_DEVICE_PASS

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/order/access_device.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/red.h>

struct __half2;
struct __nv_bfloat162;

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <class Vector>
struct elements_of {
  static_assert(sizeof(Vector) == 0,
                "store_add_elements adds to float2, float4, __half2 or __nv_bfloat162: for others call "
                "atomic_ref::store_add on each element");
};
// clang-format off
template <> struct elements_of<float2>           { using type = float; };
template <> struct elements_of<float4>           { using type = float; };
template <> struct elements_of<::__half2>        { using type = ::__half; };
template <> struct elements_of<::__nv_bfloat162> { using type = ::__nv_bfloat16; };
// clang-format on

// Adds one element at a time: for memory that is not global, and for targets without the instruction.
template <thread_scope Scope, class Vector>
CUDASYNC_DEVICE void add_one_by_one(Vector& place, const Vector& operand) {
  using element = typename elements_of<Vector>::type;
  element* elements = reinterpret_cast<element*>(&place);
  const element* operands = reinterpret_cast<const element*>(&operand);
#pragma unroll
  for (uint32 index = 0; index < sizeof(Vector) / sizeof(element); ++index)
    update<Scope, sizeof(element), operation::add>(target::here{}, elements[index], operands[index],
                                                   memory_order_relaxed_t{});
}

template <class Vector>
CUDASYNC_DEVICE ptx::global_pointer<uint32> packed(const Vector& place) {
  return ptx::to_global_pointer(reinterpret_cast<const uint32*>(&place));
}

template <thread_scope Scope, class Vector>
CUDASYNC_DEVICE void add_elements(target::sm70, Vector& place, const Vector& operand) {
  if (Scope == thread_scope_thread || !ptx::is_global(&place)) return add_one_by_one<Scope>(place, operand);
  if constexpr (is_same<Vector, ::__half2>)
    ptx::red(ptx::sem_relaxed_t{}, scope_on_device<Scope>{}, ptx::op_add_f16x2_t{}, packed(place),
             to_bits<uint32>(operand));
  else
    add_one_by_one<Scope>(place, operand);
}

template <thread_scope Scope, class Vector>
CUDASYNC_DEVICE void add_elements(target::sm90, Vector& place, const Vector& operand) {
  constexpr scope_on_device<Scope> scope{};
  if (Scope == thread_scope_thread || !ptx::is_global(&place)) return add_one_by_one<Scope>(place, operand);
  if constexpr (is_same<Vector, float2>)
    ptx::red_v2_f32(ptx::sem_relaxed_t{}, scope, ptx::op_add_t{}, ptx::to_global_pointer(&place), operand);
  else if constexpr (is_same<Vector, float4>)
    ptx::red_v4_f32(ptx::sem_relaxed_t{}, scope, ptx::op_add_t{}, ptx::to_global_pointer(&place), operand);
  else if constexpr (is_same<Vector, ::__half2>)
    ptx::red(ptx::sem_relaxed_t{}, scope, ptx::op_add_f16x2_t{}, packed(place), to_bits<uint32>(operand));
  else
    ptx::red(ptx::sem_relaxed_t{}, scope, ptx::op_add_bf16x2_t{}, packed(place), to_bits<uint32>(operand));
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#elif CUDASYNC_CUDA

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Parsed but never called: an empty function saves compile time.
template <thread_scope Scope, class Target, class Vector>
CUDASYNC_DEVICE void add_elements(Target, Vector&, const Vector&) {}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_DEVICE_PASS

#endif
