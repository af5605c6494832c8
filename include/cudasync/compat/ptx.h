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

// Pointers are generic, as in libcu++; a tag of a state space says where they point. Only one of two functions of the
// same name, here and in CCCL's <cuda/ptx>, must match a call that finds both (after `using namespace cuda::ptx`). So
// what stands here is either no template, and the better match, or a template of less special parameters, and the worse
// one.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {

CUDASYNC_DEVICE ptx::shared_address address_in(ptx::space_shared_t, const void* pointer) {
  return ptx::to_shared(pointer);
}
CUDASYNC_DEVICE ptx::cluster_address address_in(ptx::space_cluster_t, const void* pointer) {
  return ptx::to_cluster(pointer);
}
CUDASYNC_DEVICE const void* address_in(ptx::space_global_t, const void* pointer) {
  return pointer;
}

// Dependent is any template parameter of the caller: the check waits until the caller is used.
template <class Dependent, class Here = target::here>
CUDASYNC_DEVICE void check_sm90() {
  static_assert(!target::lacks<Here, target::sm90>,
                "this function of cuda::ptx needs sm_90: compile with -arch=sm_90 or newer, or use cuda::barrier");
}

namespace ptx_names {

using namespace ptx::qualifiers;
using namespace ptx::special_registers;

using ptx::barrier_cluster_arrive;
using ptx::barrier_cluster_wait;
using ptx::cp_async_bulk_commit_group;
using ptx::elect_sync;
using ptx::fence;
using ptx::fence_mbarrier_init;
using ptx::fence_proxy_async;

template <class Space>
CUDASYNC_DEVICE uint32 getctarank(Space space, const void* pointer) {
  check_sm90<Space>();
  return ptx::getctarank(address_in(space, pointer));
}

// Without qualifiers: release or acquire at .cta, on a barrier of this block.

template <class Word>
CUDASYNC_DEVICE void mbarrier_init(Word* bar, uint32 count) {
  ptx::mbarrier_init(ptx::to_shared(bar), count);
}

template <class Word>
CUDASYNC_DEVICE void mbarrier_inval(Word* bar) {
  ptx::mbarrier_inval(ptx::to_shared(bar));
}

template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive(Word* bar) {
  return ptx::mbarrier_arrive(ptx::to_shared(bar));
}

template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive(Word* bar, uint32 count) {
  check_sm90<Word>();
  return ptx::mbarrier_arrive(ptx::to_shared(bar), count);
}

template <class Word>
CUDASYNC_DEVICE uint64 mbarrier_arrive_no_complete(Word* bar, uint32 count) {
  return ptx::mbarrier_arrive_no_complete(ptx::to_shared(bar), count);
}

template <class Word>
CUDASYNC_DEVICE bool mbarrier_test_wait(Word* bar, uint64 state) {
  return ptx::mbarrier_test_wait(ptx::to_shared(bar), state);
}

template <class Word>
CUDASYNC_DEVICE bool mbarrier_test_wait_parity(Word* bar, uint32 parity) {
  return ptx::mbarrier_test_wait_parity(ptx::to_shared(bar), parity);
}

template <class Word, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait(Word* bar, uint64 state, SuspendNs... suspend_ns) {
  check_sm90<Word>();
  return ptx::mbarrier_try_wait(ptx::to_shared(bar), state, static_cast<uint32>(suspend_ns)...);
}

template <class Word, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait_parity(Word* bar, uint32 parity, SuspendNs... suspend_ns) {
  check_sm90<Word>();
  return ptx::mbarrier_try_wait_parity(ptx::to_shared(bar), parity, static_cast<uint32>(suspend_ns)...);
}

// With qualifiers.

template <class Sem, class Scope, class Space>
CUDASYNC_DEVICE auto mbarrier_arrive(Sem sem, Scope scope, Space space, uint64* bar, uint32 count = 1) {
  check_sm90<Sem>();
  return ptx::mbarrier_arrive(sem, scope, address_in(space, bar), count);
}

template <class Sem, class Scope, class Space>
CUDASYNC_DEVICE auto mbarrier_arrive_expect_tx(Sem sem, Scope scope, Space space, uint64* bar, uint32 tx_count) {
  check_sm90<Sem>();
  return ptx::mbarrier_arrive_expect_tx(sem, scope, address_in(space, bar), tx_count);
}

template <class Sem, class Scope, class Space>
CUDASYNC_DEVICE void mbarrier_expect_tx(Sem sem, Scope scope, Space space, uint64* bar, uint32 tx_count) {
  check_sm90<Sem>();
  ptx::mbarrier_expect_tx(sem, scope, address_in(space, bar), tx_count);
}

template <class Sem, class Scope>
CUDASYNC_DEVICE bool mbarrier_test_wait(Sem sem, Scope scope, uint64* bar, uint64 state) {
  check_sm90<Sem>();
  return ptx::mbarrier_test_wait(sem, scope, ptx::to_shared(bar), state);
}

template <class Sem, class Scope>
CUDASYNC_DEVICE bool mbarrier_test_wait_parity(Sem sem, Scope scope, uint64* bar, uint32 parity) {
  check_sm90<Sem>();
  return ptx::mbarrier_test_wait_parity(sem, scope, ptx::to_shared(bar), parity);
}

template <class Sem, class Scope, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait(Sem sem, Scope scope, uint64* bar, uint64 state, SuspendNs... suspend_ns) {
  check_sm90<Sem>();
  return ptx::mbarrier_try_wait(sem, scope, ptx::to_shared(bar), state, static_cast<uint32>(suspend_ns)...);
}

template <class Sem, class Scope, class... SuspendNs>
CUDASYNC_DEVICE bool mbarrier_try_wait_parity(Sem sem, Scope scope, uint64* bar, uint32 parity,
                                              SuspendNs... suspend_ns) {
  check_sm90<Sem>();
  return ptx::mbarrier_try_wait_parity(sem, scope, ptx::to_shared(bar), parity, static_cast<uint32>(suspend_ns)...);
}

// Copies.

template <class To, class From, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk(To to, From from, void* destination, const void* source, uint32 size, uint64* bar,
                                   CtaMask... cta_mask) {
  check_sm90<To>();
  ptx::cp_async_bulk(address_in(to, destination), address_in(from, source), size, address_in(to, bar),
                     static_cast<uint16>(cta_mask)...);
}

template <class From>
CUDASYNC_DEVICE void cp_async_bulk(space_global_t, From from, void* destination, const void* source, uint32 size) {
  check_sm90<From>();
  ptx::cp_async_bulk(destination, address_in(from, source), size);
}

template <class To, size_t Rank, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk_tensor(To to, space_global_t, void* destination, const void* map,
                                          const int32 (&coordinates)[Rank], uint64* bar, CtaMask... cta_mask) {
  check_sm90<To>();
  ptx::cp_async_bulk_tensor(address_in(to, destination), map, coordinates, address_in(to, bar),
                            static_cast<uint16>(cta_mask)...);
}

template <class From, size_t Rank>
CUDASYNC_DEVICE void cp_async_bulk_tensor(space_global_t, From from, const void* map, const int32 (&coordinates)[Rank],
                                          const void* source) {
  check_sm90<From>();
  ptx::cp_async_bulk_tensor(map, coordinates, address_in(from, source));
}

template <class Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group(Pending) {
  check_sm90<Pending>();
  ptx::cp_async_bulk_wait_group<Pending{}>();
}

template <class Pending>
CUDASYNC_DEVICE void cp_async_bulk_wait_group_read(Pending) {
  check_sm90<Pending>();
  ptx::cp_async_bulk_wait_group_read<Pending{}>();
}

}  // namespace ptx_names
}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

// Qualified lookup follows a using-directive only for names that are not declared directly: CCCL's are, so these are
// weak. The inline namespace is CCCL's, which qualifies some names with it.
namespace cuda {
namespace ptx {
inline namespace __4 {
using namespace cudasync::compat::ptx_names;
}  // namespace __4
}  // namespace ptx
}  // namespace cuda

#endif  // CUDASYNC_CUDA

#endif
