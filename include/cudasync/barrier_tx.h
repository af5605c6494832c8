// Transactions on a block's or a cluster's barrier: it counts the bytes of asynchronous copies as well as arrivals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BARRIER_TX_H
#define CUDASYNC_BARRIER_TX_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/phase/block_phase_device.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/mbarrier_qualified.h>

// A phase completes when its arrivals and its bytes are complete. Bytes may complete before they are expected, as long
// as an arrival of the phase is still pending. All of these functions need a barrier of block or cluster scope in this
// block's shared memory. On another barrier they trap. Barriers of other scopes fail to compile.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace device {

// The largest number of bytes that a phase can have outstanding.
inline constexpr ptrdiff_t max_transaction_count = (1 << 20) - 1;

template <thread_scope Scope>
CUDASYNC_DEVICE constexpr void check_scope_of_transactions() {
  static_assert(Scope == thread_scope_block || Scope == thread_scope_cluster,
                "transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes");
}

template <class Here, thread_scope Scope>
CUDASYNC_DEVICE void check_transaction([[maybe_unused]] ptrdiff_t transaction_count,
                                       [[maybe_unused]] caller where = caller::here()) {
  check_scope_of_transactions<Scope>();
  static_assert(!target::lacks<Here, target::sm90>,
                "transactions need sm_90: older architectures cannot count bytes; use arrive or arrive_and_drop there, "
                "or compile with -arch=sm_90 or newer");
  CUDASYNC_ASSERT(transaction_count <= max_transaction_count && transaction_count >= 0,
                  "barrier_tx: transaction_count must be 0 to 2^20 - 1; split the copy between several phases");
}

// Returns the mbarrier's address, for PTX. The barrier must be in shared memory, which is not checked. sm_80 and newer.
template <class Here = target::here, thread_scope Scope>
CUDASYNC_DEVICE uint64* barrier_native_handle(barrier<Scope>& bar) {
  check_scope_of_transactions<Scope>();
  static_assert(!target::lacks<Here, target::sm80>,
                "barrier_native_handle needs sm_80: on older architectures, a barrier is not an mbarrier; compile with "
                "-arch=sm_80 or newer");
  return reinterpret_cast<uint64*>(&bar);
}

// Expects transaction_count bytes in the current phase, then arrives arrive_count times. Does not block. Returns the
// token of the phase. Releases at Scope, as barrier::arrive does. arrive_count: 1 to the number that the phase still
// expects. transaction_count: 0 to 2^20 - 1. The checked build reports other values. sm_90 and newer.
template <class Here = target::here, thread_scope Scope>
CUDASYNC_DEVICE uint64 barrier_arrive_tx(barrier<Scope>& bar, ptrdiff_t arrive_count, ptrdiff_t transaction_count,
                                         caller where = caller::here()) {
  check_transaction<Here, Scope>(transaction_count, where);
  CUDASYNC_ASSERT(arrive_count <= (bar.max)() && arrive_count > 0,
                  "barrier_arrive_tx: arrive_count must be 1 to max(); to make no arrival, call barrier_expect_tx");
  const ptx::shared_address address = backend::require_mbarrier(&bar);
  const uint32 bytes = static_cast<uint32>(transaction_count);
  return checked::arrive_with_bytes(
      address, static_cast<uint32>(arrive_count), bytes,
      [=] {
        if constexpr (Scope == thread_scope_cluster) {
          if (arrive_count == 1)
            return ptx::mbarrier_arrive_expect_tx(ptx::sem_release_t{}, ptx::scope_cluster_t{}, address, bytes);
          ptx::mbarrier_expect_tx(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{}, address, bytes);
          return ptx::mbarrier_arrive(ptx::sem_release_t{}, ptx::scope_cluster_t{}, address,
                                      static_cast<uint32>(arrive_count));
        } else {
          if (arrive_count == 1) return ptx::mbarrier_arrive_expect_tx(address, bytes);
          ptx::mbarrier_expect_tx(address, bytes);
          return ptx::mbarrier_arrive(address, static_cast<uint32>(arrive_count));
        }
      },
      where);
}

// Expects transaction_count bytes in this phase, arrives once, and lowers the expected count of later phases by one.
// Does not block. Returns the token of the phase. Releases at Scope. transaction_count: 0 to 2^20 - 1. sm_90 and newer.
template <class Here = target::here, thread_scope Scope>
CUDASYNC_DEVICE uint64 barrier_arrive_and_drop_tx(barrier<Scope>& bar, ptrdiff_t transaction_count,
                                                  caller where = caller::here()) {
  check_transaction<Here, Scope>(transaction_count, where);
  const ptx::shared_address address = backend::require_mbarrier(&bar);
  const uint32 bytes = static_cast<uint32>(transaction_count);
  return checked::drop_with_bytes(
      address, bytes,
      [=] {
        if constexpr (Scope == thread_scope_cluster)
          return ptx::mbarrier_arrive_drop_expect_tx(ptx::sem_release_t{}, ptx::scope_cluster_t{}, address, bytes);
        else
          return ptx::mbarrier_arrive_drop_expect_tx(address, bytes);
      },
      where);
}

// Expects transaction_count more bytes in the current phase. Does not arrive, does not block, and orders nothing. An
// arrival of the phase must still be pending. transaction_count: 0 to 2^20 - 1. sm_90 and newer.
template <class Here = target::here, thread_scope Scope>
CUDASYNC_DEVICE void barrier_expect_tx(barrier<Scope>& bar, ptrdiff_t transaction_count,
                                       caller where = caller::here()) {
  check_transaction<Here, Scope>(transaction_count, where);
  const ptx::shared_address address = backend::require_mbarrier(&bar);
  const uint32 bytes = static_cast<uint32>(transaction_count);
  checked::record_expected(address, bytes, where);
  if constexpr (Scope == thread_scope_cluster)
    ptx::mbarrier_expect_tx(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{}, address, bytes);
  else
    ptx::mbarrier_expect_tx(address, bytes);
}

// Counts transaction_count bytes as complete, as a copy does when it completes. Does not block, and orders nothing.
// transaction_count: 0 to 2^20 - 1. sm_90 and newer.
template <class Here = target::here, thread_scope Scope>
CUDASYNC_DEVICE void barrier_complete_tx(barrier<Scope>& bar, ptrdiff_t transaction_count,
                                         caller where = caller::here()) {
  check_transaction<Here, Scope>(transaction_count, where);
  const ptx::shared_address address = backend::require_mbarrier(&bar);
  checked::record_copied(address, static_cast<uint32>(transaction_count), where);
  ptx::mbarrier_complete_tx(address, static_cast<uint32>(transaction_count));
}

// A template that deduces the scope accepts no conversions. So, as in libcu++, each function has an overload for a
// block's barrier, which also accepts what converts to one.

// Returns the address of the mbarrier of a block's barrier, for PTX.
template <class Here = target::here>
CUDASYNC_DEVICE uint64* barrier_native_handle(barrier<thread_scope_block>& bar) {
  return barrier_native_handle<Here, thread_scope_block>(bar);
}
// Expects transaction_count bytes, then arrives arrive_count times at a block's barrier. Releases at block scope.
template <class Here = target::here>
CUDASYNC_DEVICE uint64 barrier_arrive_tx(barrier<thread_scope_block>& bar, ptrdiff_t arrive_count,
                                         ptrdiff_t transaction_count, caller where = caller::here()) {
  return barrier_arrive_tx<Here, thread_scope_block>(bar, arrive_count, transaction_count, where);
}
// Expects transaction_count bytes, then arrives once at a block's barrier, and drops out. Releases at block scope.
template <class Here = target::here>
CUDASYNC_DEVICE uint64 barrier_arrive_and_drop_tx(barrier<thread_scope_block>& bar, ptrdiff_t transaction_count,
                                                  caller where = caller::here()) {
  return barrier_arrive_and_drop_tx<Here, thread_scope_block>(bar, transaction_count, where);
}
// Expects transaction_count more bytes in the current phase of a block's barrier. Orders nothing.
template <class Here = target::here>
CUDASYNC_DEVICE void barrier_expect_tx(barrier<thread_scope_block>& bar, ptrdiff_t transaction_count,
                                       caller where = caller::here()) {
  barrier_expect_tx<Here, thread_scope_block>(bar, transaction_count, where);
}
// Counts transaction_count bytes of a block's barrier as complete. Orders nothing.
template <class Here = target::here>
CUDASYNC_DEVICE void barrier_complete_tx(barrier<thread_scope_block>& bar, ptrdiff_t transaction_count,
                                         caller where = caller::here()) {
  barrier_complete_tx<Here, thread_scope_block>(bar, transaction_count, where);
}

// Returns the number of arrivals that the phase still expected when the arrive that returned this token began. The
// token must be from a barrier in shared memory; the library does not check this. sm_80 and newer.
template <class Here = target::here>
[[nodiscard]] CUDASYNC_DEVICE uint32 barrier_pending_count(uint64 token) {
  static_assert(
      !target::lacks<Here, target::sm80>,
      "barrier_pending_count needs sm_80: on older architectures, a token is not the state of an mbarrier; compile "
      "with -arch=sm_80");
  return ptx::mbarrier_pending_count(token);
}

}}}  // namespace cudasync::CUDASYNC_ABI::device

#endif  // CUDASYNC_CUDA

#endif
