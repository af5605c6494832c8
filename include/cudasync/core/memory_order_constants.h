// The constants of cuda::memory_order, each of its own type. NVRTC keeps each constant, so few headers include them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_MEMORY_ORDER_CONSTANTS_H
#define CUDASYNC_CORE_MEMORY_ORDER_CONSTANTS_H

#include <cudasync/core/memory_order.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// Does not order other accesses.
inline constexpr memory_order_relaxed_t memory_order_relaxed{};
// The same as memory_order_acquire.
inline constexpr memory_order_consume_t memory_order_consume{};
// If this operation reads a released value, what the releasing thread did before is visible after this operation.
inline constexpr memory_order_acquire_t memory_order_acquire{};
// What this thread did before this operation is visible to threads that acquire its value.
inline constexpr memory_order_release_t memory_order_release{};
// Both an acquire and a release.
inline constexpr memory_order_acq_rel_t memory_order_acq_rel{};
// Both an acquire and a release. All threads also observe all operations with this order in the same order.
inline constexpr memory_order_seq_cst_t memory_order_seq_cst{};

}}  // namespace cudasync::CUDASYNC_ABI

#endif
