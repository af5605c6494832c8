// The synchronization part of libcu++'s cuda::ptx, which programs use after including <cuda/barrier> alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_H
#define CUDASYNC_COMPAT_PTX_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/barrier_cluster.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/ptx/tags.h>

// Pointers are generic, as in libcu++; a tag of a state space says where they point. After `using namespace cuda::ptx`,
// a call can find a function here and a function of the same name in CCCL's <cuda/ptx>. The call must not be ambiguous.
// So each function here is either not a template, and is the better match, or is a template with less specialized
// parameters, and is the worse match.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

CUDASYNC_DEVICE ptx::shared_address address_in(ptx::space_shared_t, const void* pointer) {
  return ptx::to_shared(pointer);
}
CUDASYNC_DEVICE ptx::cluster_address address_in(ptx::space_cluster_t, const void* pointer) {
  return ptx::to_cluster(pointer);
}
CUDASYNC_DEVICE const void* address_in(ptx::space_global_t, const void* pointer) {
  return pointer;
}

// Dependent is any template parameter of the caller. It delays the check until the caller is instantiated.
template <class Dependent, class Here = target::here>
CUDASYNC_DEVICE void check_sm90() {
  static_assert(!target::lacks<Here, target::sm90>,
                "this function of cuda::ptx needs sm_90: compile with -arch=sm_90 or newer, or use cuda::barrier");
}

namespace ptx_names {

// Tags and their types. cudafe++ takes longer for a using-directive than for all these declarations.
using ptx::cta_group_1_t, ptx::cta_group_2_t, ptx::cta_group_t, ptx::dot_cta_group, ptx::dot_op, ptx::dot_scope,
    ptx::dot_sem, ptx::dot_space, ptx::n32_t;
using ptx::op_add_t, ptx::op_and_op_t, ptx::op_cas_t, ptx::op_dec_t, ptx::op_exch_t, ptx::op_inc_t, ptx::op_max_t,
    ptx::op_min_t, ptx::op_or_op_t, ptx::op_t, ptx::op_xor_op_t;
using ptx::scope_cluster, ptx::scope_cluster_t, ptx::scope_cta, ptx::scope_cta_t, ptx::scope_gpu, ptx::scope_gpu_t,
    ptx::scope_sys, ptx::scope_sys_t, ptx::scope_t;
using ptx::sem_acq_rel, ptx::sem_acq_rel_t, ptx::sem_acquire, ptx::sem_acquire_t, ptx::sem_relaxed, ptx::sem_relaxed_t,
    ptx::sem_release, ptx::sem_release_t, ptx::sem_sc, ptx::sem_sc_t, ptx::sem_t, ptx::sem_weak, ptx::sem_weak_t;
using ptx::space_cluster, ptx::space_cluster_t, ptx::space_global, ptx::space_global_t, ptx::space_shared,
    ptx::space_shared_t, ptx::space_t;

// Special registers: of the block, clocks, of the cluster, of the grid, of the thread and its warp.
using ptx::get_sreg_aggr_smem_size, ptx::get_sreg_ctaid_x, ptx::get_sreg_ctaid_y, ptx::get_sreg_ctaid_z,
    ptx::get_sreg_dynamic_smem_size, ptx::get_sreg_ntid_x, ptx::get_sreg_ntid_y, ptx::get_sreg_ntid_z,
    ptx::get_sreg_total_smem_size;
using ptx::get_sreg_clock, ptx::get_sreg_clock64, ptx::get_sreg_clock_hi, ptx::get_sreg_globaltimer,
    ptx::get_sreg_globaltimer_hi, ptx::get_sreg_globaltimer_lo;
using ptx::get_sreg_cluster_ctaid_x, ptx::get_sreg_cluster_ctaid_y, ptx::get_sreg_cluster_ctaid_z,
    ptx::get_sreg_cluster_ctarank, ptx::get_sreg_cluster_nctaid_x, ptx::get_sreg_cluster_nctaid_y,
    ptx::get_sreg_cluster_nctaid_z, ptx::get_sreg_cluster_nctarank, ptx::get_sreg_is_explicit_cluster;
using ptx::get_sreg_clusterid_x, ptx::get_sreg_clusterid_y, ptx::get_sreg_clusterid_z, ptx::get_sreg_current_graph_exec,
    ptx::get_sreg_gridid, ptx::get_sreg_nclusterid_x, ptx::get_sreg_nclusterid_y, ptx::get_sreg_nclusterid_z,
    ptx::get_sreg_nctaid_x, ptx::get_sreg_nctaid_y, ptx::get_sreg_nctaid_z, ptx::get_sreg_nsmid, ptx::get_sreg_smid;
using ptx::get_sreg_laneid, ptx::get_sreg_lanemask_eq, ptx::get_sreg_lanemask_ge, ptx::get_sreg_lanemask_gt,
    ptx::get_sreg_lanemask_le, ptx::get_sreg_lanemask_lt, ptx::get_sreg_nwarpid, ptx::get_sreg_tid_x,
    ptx::get_sreg_tid_y, ptx::get_sreg_tid_z, ptx::get_sreg_warpid;

// Arrives at the hardware barrier of the cluster. Does not block. Releases, or is relaxed with that tag.
using ptx::barrier_cluster_arrive;
// Blocks until all threads of the cluster have arrived at its hardware barrier. Acquires at cluster scope.
using ptx::barrier_cluster_wait;
// Makes a group of the bulk copies to global memory that this thread has begun since its last group. Does not block.
using ptx::cp_async_bulk_commit_group;
// Returns true in one of the threads of the warp that the mask contains. All of them call it, converged.
using ptx::elect_sync;
// Orders the memory accesses of this thread before the fence and after it, with the order and at the scope of the tags.
using ptx::fence;
// Makes the mbarriers that this thread has initialized visible to the cluster and to the copy engine.
using ptx::fence_mbarrier_init;
// Orders ordinary accesses of this thread and accesses of the copy engine, in all memory or in that of the tag.
using ptx::fence_proxy_async;

// Returns the rank in the cluster of the block to whose shared memory the pointer points. getctarank.
template <class Space>
CUDASYNC_DEVICE uint32 getctarank(Space space, const void* pointer) {
  check_sm90<Space>();
  return ptx::getctarank(address_in(space, pointer));
}

// --- mbarrier without qualifiers: arrives release and waits acquire at scope .cta, on a barrier of this block ---

// Initializes an mbarrier in this block's shared memory, whose phases expect count arrivals. mbarrier.init.
template <class Word>
CUDASYNC_DEVICE void mbarrier_init(Word* bar, const uint32& count) {
  ptx::mbarrier_init(ptx::to_shared(bar), count);
}

// Ends the lifetime of an mbarrier. Afterwards, its memory may be used for something else. mbarrier.inval.
template <class Word>
CUDASYNC_DEVICE void mbarrier_inval(Word* bar) {
  ptx::mbarrier_inval(ptx::to_shared(bar));
}

// Arrives once at an mbarrier, and returns the state of the phase. Does not block. mbarrier.arrive.
template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive(Word* bar) {
  return ptx::mbarrier_arrive(ptx::to_shared(bar));
}

// Arrives count times at an mbarrier, and returns the state of the phase. Does not block. mbarrier.arrive.
template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive(Word* bar, const uint32& count) {
  check_sm90<Word>();
  return ptx::mbarrier_arrive(ptx::to_shared(bar), count);
}

// Arrives count times at an mbarrier and returns the state of the phase. Other arrivals must complete the phase.
// Does not block. mbarrier.arrive.noComplete.
template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive_no_complete(Word* bar, const uint32& count) {
  return ptx::mbarrier_arrive_no_complete(ptx::to_shared(bar), count);
}

// Returns whether the phase of the state has completed. Does not block. mbarrier.test_wait.
template <class Word>
CUDASYNC_DEVICE bool mbarrier_test_wait(Word* bar, const uint64& state) {
  return ptx::mbarrier_test_wait(ptx::to_shared(bar), state);
}

// Returns whether the phase of this parity has completed. Does not block. mbarrier.test_wait.parity.
template <class Word>
CUDASYNC_DEVICE bool mbarrier_test_wait_parity(Word* bar, const uint32& parity) {
  return ptx::mbarrier_test_wait_parity(ptx::to_shared(bar), parity);
}

// Returns whether the phase of the state has completed. May suspend the thread for a limited time: suspend_ns
// nanoseconds, or a limit of the system. mbarrier.try_wait.
template <class Word, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait(Word* bar, const uint64& state, SuspendNs... suspend_ns) {
  check_sm90<Word>();
  return ptx::mbarrier_try_wait(ptx::to_shared(bar), state, static_cast<uint32>(suspend_ns)...);
}

// Returns whether the phase of this parity has completed. May suspend the thread for a limited time: suspend_ns
// nanoseconds, or a limit of the system. mbarrier.try_wait.parity.
template <class Word, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait_parity(Word* bar, const uint32& parity, SuspendNs... suspend_ns) {
  check_sm90<Word>();
  return ptx::mbarrier_try_wait_parity(ptx::to_shared(bar), parity, static_cast<uint32>(suspend_ns)...);
}

// --- mbarrier with an order, a scope and a memory space ---

// Arrives count times at an mbarrier, with an order and a scope. Does not block. Returns the state of the phase if the
// barrier is in this block's shared memory. mbarrier.arrive.
template <class Sem, class Scope, class Space, class... Count>
CUDASYNC_DEVICE auto mbarrier_arrive(Sem sem, Scope scope, Space space, uint64* bar, Count... count) {
  check_sm90<Sem>();
  return ptx::mbarrier_arrive(sem, scope, address_in(space, bar), (1U * ... * count));  // 1 if there is no count
}

// Expects tx_count bytes in the current phase of an mbarrier, then arrives once. Does not block. Returns the state of
// the phase if the barrier is in this block's shared memory. mbarrier.arrive.expect_tx.
template <class Sem, class Scope, class Space>
CUDASYNC_DEVICE auto mbarrier_arrive_expect_tx(Sem sem, Scope scope, Space space, uint64* bar, const uint32& tx_count) {
  check_sm90<Sem>();
  return ptx::mbarrier_arrive_expect_tx(sem, scope, address_in(space, bar), tx_count);
}

// Expects tx_count more bytes in the current phase of an mbarrier. Does not arrive. mbarrier.expect_tx.
template <class Sem, class Scope, class Space>
CUDASYNC_DEVICE void mbarrier_expect_tx(Sem sem, Scope scope, Space space, uint64* bar, uint32 tx_count) {
  check_sm90<Sem>();
  ptx::mbarrier_expect_tx(sem, scope, address_in(space, bar), tx_count);
}

// Returns whether the phase of the state has completed, with an order and a scope. Does not block. mbarrier.test_wait.
template <class Sem, class Scope>
CUDASYNC_DEVICE bool mbarrier_test_wait(Sem sem, Scope scope, uint64* bar, const uint64& state) {
  check_sm90<Sem>();
  return ptx::mbarrier_test_wait(sem, scope, ptx::to_shared(bar), state);
}

// Returns whether the phase of this parity has completed, with an order and a scope. Does not block.
// mbarrier.test_wait.parity.
template <class Sem, class Scope>
CUDASYNC_DEVICE bool mbarrier_test_wait_parity(Sem sem, Scope scope, uint64* bar, const uint32& parity) {
  check_sm90<Sem>();
  return ptx::mbarrier_test_wait_parity(sem, scope, ptx::to_shared(bar), parity);
}

// Returns whether the phase of the state has completed, with an order and a scope. May suspend the thread for a limited
// time: suspend_ns nanoseconds, or a limit of the system. mbarrier.try_wait.
template <class Sem, class Scope, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait(Sem sem, Scope scope, uint64* bar, const uint64& state,
                                       SuspendNs... suspend_ns) {
  check_sm90<Sem>();
  return ptx::mbarrier_try_wait(sem, scope, ptx::to_shared(bar), state, static_cast<uint32>(suspend_ns)...);
}

// Returns whether the phase of this parity has completed, with an order and a scope. May suspend the thread for a
// limited time: suspend_ns nanoseconds, or a limit of the system. mbarrier.try_wait.parity.
template <class Sem, class Scope, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait_parity(Sem sem, Scope scope, uint64* bar, const uint32& parity,
                                              SuspendNs... suspend_ns) {
  check_sm90<Sem>();
  return ptx::mbarrier_try_wait_parity(sem, scope, ptx::to_shared(bar), parity, static_cast<uint32>(suspend_ns)...);
}

// --- Copies by the copy engine ---

// Begins a copy of size bytes to shared memory that completes on the mbarrier bar. Does not block. cta_mask: the blocks
// of the cluster that receive it (multicast). Pointers and size must be multiples of 16. cp.async.bulk.
template <class To, class From, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk(To to, From from, void* destination, const void* source, const uint32& size,
                                   uint64* bar, CtaMask... cta_mask) {
  check_sm90<To>();
  ptx::cp_async_bulk(address_in(to, destination), address_in(from, source), size, address_in(to, bar),
                     static_cast<uint16>(cta_mask)...);
}

// Begins a copy of size bytes from this block's shared memory to global memory, which completes with its bulk group.
// Does not block. Pointers and size must be multiples of 16. cp.async.bulk.
template <class From>
CUDASYNC_DEVICE void cp_async_bulk(space_global_t, From from, void* destination, const void* source,
                                   const uint32& size) {
  check_sm90<From>();
  ptx::cp_async_bulk(destination, address_in(from, source), size);
}

// Begins a copy of the box of a tensor map at these coordinates to shared memory, which completes on the mbarrier bar.
// Does not block. cta_mask: the blocks of the cluster that receive it (multicast). cp.async.bulk.tensor.
template <class To, size_t Rank, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk_tensor(To to, space_global_t, void* destination, const void* map,
                                          const int32 (&coordinates)[Rank], uint64* bar, CtaMask... cta_mask) {
  check_sm90<To>();
  ptx::cp_async_bulk_tensor(address_in(to, destination), map, coordinates, address_in(to, bar),
                            static_cast<uint16>(cta_mask)...);
}

// Begins a copy from this block's shared memory to the box of a tensor map at these coordinates, which completes with
// its bulk group. Does not block. cp.async.bulk.tensor.
template <class From, size_t Rank>
CUDASYNC_DEVICE void cp_async_bulk_tensor(space_global_t, From from, const void* map, const int32 (&coordinates)[Rank],
                                          const void* source) {
  check_sm90<From>();
  ptx::cp_async_bulk_tensor(map, coordinates, address_in(from, source));
}

// Blocks until all bulk groups of this thread except the latest Pending are complete. cp.async.bulk.wait_group.
template <class Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group(Pending) {
  check_sm90<Pending>();
  ptx::cp_async_bulk_wait_group<Pending{}>();
}

// Blocks until this thread's bulk groups but the last Pending have read their sources. cp.async.bulk.wait_group.read.
template <class Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group_read(Pending) {
  check_sm90<Pending>();
  ptx::cp_async_bulk_wait_group_read<Pending{}>();
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

// Qualified lookup follows a using-directive only for names that the namespace itself does not declare. So a name that
// CCCL declares there hides the one here. The inline namespace is CCCL's: CCCL qualifies some names with it.
namespace cuda::ptx { inline namespace __4 {
using namespace cudasync::compat::ptx_names;
}}  // namespace cuda::ptx::__4

#endif  // CUDASYNC_CUDA

#endif
