// cuda::ptx: bulk copies for pairs of blocks, of four rows, with a mask of bytes, and bulk stores of zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_COPIES_H
#define CUDASYNC_COMPAT_PTX_COPIES_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async_bulk.h>
#include <cudasync/ptx/cp_async_bulk_tensor_group.h>
#include <cudasync/ptx/cp_async_bulk_tensor_rows.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/st_async.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

template <class Dependent, bool HasIsa = target::has_isa<92>>
CUDASYNC_DEVICE void check_isa_92() {
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 9.2: compile with CUDA 13.2 or newer");
}

namespace ptx_names {

// Begins a copy of size bytes from this block's shared memory to global memory, of those bytes of each 16 whose bits
// are set in the mask. It completes with its bulk group. Does not block. Pointers and size must be multiples of 16.
// cp.async.bulk.cp_mask.
template <class From>
CUDASYNC_DEVICE void cp_async_bulk_cp_mask(space_global_t, From, void* destination, const void* source,
                                           const uint32& size, const uint16& byte_mask) {
  check_blackwell<From>();
  ptx::cp_async_bulk_cp_mask(destination, ptx::to_shared(source), size, byte_mask);
}

// Begins a copy of size bytes to this block's shared memory. The first ignored_left and the last ignored_right bytes of
// the source, 0 to 15 each, may be out of bounds. It completes on the mbarrier bar. Does not block. Pointers and size
// must be multiples of 16. cp.async.bulk.ignore_oob.
template <class To>
CUDASYNC_DEVICE void cp_async_bulk_ignore_oob(To, space_global_t, void* destination, const void* source,
                                              const uint32& size, const uint32& ignored_left,
                                              const uint32& ignored_right, uint64* bar) {
  check_sm90<To>();
  check_isa_92<To>();
  ptx::cp_async_bulk_ignore_oob(ptx::to_shared(destination), source, size, ignored_left, ignored_right,
                                ptx::to_shared(bar));
}

// Begins a copy of the box of a tensor map at these coordinates to shared memory. It completes on the mbarrier bar,
// which with cta_group_2 may be in the other block of the pair. Does not block. cta_mask: the blocks of the cluster
// that receive it (multicast). cp.async.bulk.tensor.cta_group.
template <class To, dot_cta_group Group, size_t Rank, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk_tensor(To to, space_global_t, cta_group_t<Group> group, void* destination,
                                          const void* map, const int32 (&coordinates)[Rank], uint64* bar,
                                          CtaMask... cta_mask) {
  check_tcgen05<To>();
  ptx::cp_async_bulk_tensor(group, address_in(to, destination), map, coordinates, address_in(to, bar),
                            static_cast<uint16>(cta_mask)...);
}

// Begins a copy of four rows of a tensor map of rank 2 to shared memory. at is a column and four rows. It completes on
// the mbarrier bar. Does not block. cta_mask: the blocks of the cluster that receive it (multicast).
// cp.async.bulk.tensor.tile::gather4.
template <class To, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(To to, space_global_t, void* destination, const void* map,
                                                       const int32 (&at)[5], uint64* bar, CtaMask... cta_mask) {
  if constexpr (sizeof...(CtaMask) == 0)
    check_blackwell<To>();
  else
    check_tcgen05<To>();
  ptx::cp_async_bulk_tensor_tile_gather4(address_in(to, destination), map, at, address_in(to, bar),
                                         static_cast<uint16>(cta_mask)...);
}

// Begins a copy of four rows of a tensor map of rank 2 to shared memory. at is a column and four rows. It completes on
// the mbarrier bar, which with cta_group_2 may be in the other block of the pair. Does not block. cta_mask: the blocks
// of the cluster that receive it (multicast). cp.async.bulk.tensor.tile::gather4.cta_group.
template <class To, dot_cta_group Group, class... CtaMask>
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_gather4(To to, space_global_t, cta_group_t<Group> group,
                                                       void* destination, const void* map, const int32 (&at)[5],
                                                       uint64* bar, CtaMask... cta_mask) {
  check_tcgen05<To>();
  ptx::cp_async_bulk_tensor_tile_gather4(group, address_in(to, destination), map, at, address_in(to, bar),
                                         static_cast<uint16>(cta_mask)...);
}

// Begins a copy from this block's shared memory to four rows of a tensor map of rank 2. at is a column and four rows.
// It completes with its bulk group. Does not block. cp.async.bulk.tensor.tile::scatter4.
template <class From>
CUDASYNC_DEVICE void cp_async_bulk_tensor_tile_scatter4(space_global_t, From, const void* map, const int32 (&at)[5],
                                                        const void* source) {
  check_tcgen05<From>();
  ptx::cp_async_bulk_tensor_tile_scatter4(map, at, ptx::to_shared(source));
}

// Zeroes size bytes of this block's shared memory. Address and size must be multiples of 8, the number 0. st.bulk.
template <int Number>
CUDASYNC_DEVICE void st_bulk(void* destination, uint64 size, n32_t<Number>) {
  check_blackwell<n32_t<Number>>();
  static_assert(Number == 0, "st_bulk stores only zeros: pass n32_t<0>{}");
  ptx::st_bulk(ptx::to_shared(destination), size);
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
