// cuda::memory_order, and types that contain an order, so that an invalid order is a compile-time error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_MEMORY_ORDER_H
#define CUDASYNC_CORE_MEMORY_ORDER_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The ordering that an atomic operation imposes on other accesses. Each order has two names, because memory_order is
// unscoped in C++17 and scoped in C++20, and programs use both.
enum class memory_order : unsigned int {
  relaxed,
  consume,
  acquire,
  release,
  acq_rel,
  seq_cst,
  memory_order_relaxed = relaxed,
  memory_order_consume = consume,
  memory_order_acquire = acquire,
  memory_order_release = release,
  memory_order_acq_rel = acq_rel,
  memory_order_seq_cst = seq_cst,
};

// An order that is known at compile time. It converts to memory_order.
template <memory_order Order>
struct order_constant {
  CUDASYNC_API constexpr operator memory_order() const noexcept { return Order; }
  CUDASYNC_API explicit constexpr operator int() const noexcept { return static_cast<int>(Order); }
};

using memory_order_relaxed_t = order_constant<memory_order::relaxed>;
using memory_order_consume_t = order_constant<memory_order::consume>;
using memory_order_acquire_t = order_constant<memory_order::acquire>;
using memory_order_release_t = order_constant<memory_order::release>;
using memory_order_acq_rel_t = order_constant<memory_order::acq_rel>;
using memory_order_seq_cst_t = order_constant<memory_order::seq_cst>;
using seq_cst_t = memory_order_seq_cst_t;

template <class Type>
inline constexpr bool is_order = false;
template <>
inline constexpr bool is_order<memory_order> = true;
template <memory_order Order>
inline constexpr bool is_order<order_constant<Order>> = true;

// Whether an operation with this order acquires, or releases.
[[nodiscard]] CUDASYNC_API constexpr bool acquires(memory_order order) {
  return order == memory_order::consume || order == memory_order::acquire || order == memory_order::acq_rel ||
         order == memory_order::seq_cst;
}
[[nodiscard]] CUDASYNC_API constexpr bool releases(memory_order order) {
  return order == memory_order::release || order == memory_order::acq_rel || order == memory_order::seq_cst;
}

// Whether an operation accepts an order. An order that is known only at run time passes; the checked build checks it.
[[nodiscard]] CUDASYNC_API constexpr bool is_load_order(memory_order order) {
  return order != memory_order::release && order != memory_order::acq_rel;
}
[[nodiscard]] CUDASYNC_API constexpr bool is_store_order(memory_order order) {
  return !acquires(order) || order == memory_order::seq_cst;
}
template <class Order>
inline constexpr bool may_load = true;
template <memory_order Order>
inline constexpr bool may_load<order_constant<Order>> = is_load_order(Order);
template <class Order>
inline constexpr bool may_store = true;
template <memory_order Order>
inline constexpr bool may_store<order_constant<Order>> = is_store_order(Order);

// The failure order of a compare-exchange for which only the success order is given.
[[nodiscard]] CUDASYNC_API constexpr memory_order failure_order(memory_order success) {
  return success == memory_order::acq_rel   ? memory_order::acquire
         : success == memory_order::release ? memory_order::relaxed
                                            : success;
}

// The weakest order that is as strong as both. A compare-exchange needs it: one instruction for success and failure.
[[nodiscard]] CUDASYNC_API constexpr memory_order joined_order(memory_order left, memory_order right) {
  if (left == memory_order::seq_cst || right == memory_order::seq_cst) return memory_order::seq_cst;
  const bool is_acquiring = acquires(left) || acquires(right);
  if (releases(left) || releases(right)) return is_acquiring ? memory_order::acq_rel : memory_order::release;
  return is_acquiring ? memory_order::acquire : memory_order::relaxed;
}
template <memory_order Left, memory_order Right>
[[nodiscard]] CUDASYNC_API constexpr order_constant<joined_order(Left, Right)> joined(order_constant<Left>,
                                                                                      order_constant<Right>) {
  return {};
}
[[nodiscard]] CUDASYNC_API constexpr memory_order joined(memory_order left, memory_order right) {
  return joined_order(left, right);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
