// l2_cache_hint: what the L2 cache does with the lines that a bulk copy reads or writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_L2_CACHE_HINT_H
#define CUDASYNC_L2_CACHE_HINT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/ptx/cp_async_bulk.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// A policy for the L2 cache: what it does with the lines that a copy reads.
class l2_cache_hint {
 public:
  // For data that is read once: it leaves the cache first.
  [[nodiscard]] static CUDASYNC_DEVICE l2_cache_hint evict_first() {
    return l2_cache_hint(ptx::createpolicy_evict_first());
  }
  // For data that this block or another block reads again soon: it leaves the cache last.
  [[nodiscard]] static CUDASYNC_DEVICE l2_cache_hint evict_last() {
    return l2_cache_hint(ptx::createpolicy_evict_last());
  }

  // A hint with a policy from the PTX instruction createpolicy. Other values are undefined behavior.
  explicit CUDASYNC_DEVICE l2_cache_hint(uint64 policy) : policy_(policy) {}
  // The policy, as a number for PTX.
  [[nodiscard]] CUDASYNC_DEVICE uint64 policy() const { return policy_; }

 private:
  uint64 policy_;
};

// In place of a hint: the cache does what it does by default.
struct no_cache_hint {};

// The instruction with the policy of the hint as the last operand, or without one.
template <class... Operands>
CUDASYNC_DEVICE void bulk_copy(no_cache_hint, const Operands&... operands) {
  ptx::cp_async_bulk(operands...);
}
template <class... Operands>
CUDASYNC_DEVICE void bulk_copy(l2_cache_hint hint, const Operands&... operands) {
  ptx::cp_async_bulk(operands..., hint.policy());
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
