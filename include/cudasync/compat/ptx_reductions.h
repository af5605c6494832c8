// cuda::ptx: atomic operations of the copy engine on arrays and on boxes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_REDUCTIONS_H
#define CUDASYNC_COMPAT_PTX_REDUCTIONS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_reduce_async_bulk_operations.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

// Whether ptx/ has a function cp_reduce_async_bulk with these arguments.
template <class Enable, class... Arguments>
inline constexpr bool can_reduce = false;
template <class... Arguments>
inline constexpr bool can_reduce<decltype(ptx::cp_reduce_async_bulk(declval<Arguments>()...)), Arguments...> = true;

namespace ptx_names {

// Begins to combine size bytes in this block's shared memory with those of a block of the cluster, which completes on
// the mbarrier bar there. Does not block. Pointers and size must be multiples of 16. cp.reduce.async.bulk.
template <class Op, class Value>
CUDASYNC_DEVICE void cp_reduce_async_bulk(space_cluster_t, space_shared_t, Op op, Value* destination,
                                          const Value* source, uint32 size, uint64* bar) {
  check_sm90<Value>();
  using element = typename combined_as<Op, Value>::type;
  using pointer = ptx::cluster_pointer<element>;
  constexpr bool exists = can_reduce<void, Op, pointer, ptx::shared_address, uint32, ptx::cluster_address>;
  static_assert(exists,
                "cp_reduce_async_bulk has no such operation on this type in shared memory: it adds integers of 4 or 8 "
                "bytes, takes the minimum and the maximum of integers of 4 bytes, increments and decrements uint32_t, "
                "and combines the bits of any type of 4 bytes; for others, reduce to space_global");
  if constexpr (exists)
    ptx::cp_reduce_async_bulk(op, pointer{ptx::to_cluster(destination).value}, ptx::to_shared(source), size,
                              ptx::to_cluster(bar));
}

// Begins to combine an array in this block's shared memory, of size bytes, with one in global memory, which completes
// with its bulk group. Does not block. Pointers and size must be multiples of 16. cp.reduce.async.bulk.
template <class Op, class Value>
CUDASYNC_DEVICE void cp_reduce_async_bulk(space_global_t, space_shared_t, Op op, Value* destination,
                                          const Value* source, uint32 size) {
  check_sm90<Value>();
  using element = typename combined_as<Op, Value>::type;
  using pointer = ptx::global_pointer<element>;
  constexpr bool exists = can_reduce<void, Op, pointer, ptx::shared_address, uint32>;
  static_assert(exists,
                "cp_reduce_async_bulk has no such operation on this type in global memory: it adds integers of 4 or 8 "
                "bytes, float, double, __half and __nv_bfloat16, takes the minimum and the maximum of the same types "
                "except float and double, increments and decrements uint32_t, and combines the bits of any type of 4 "
                "or 8 bytes");
  if constexpr (exists)
    ptx::cp_reduce_async_bulk(op, pointer{ptx::offset_in_global(destination)}, ptx::to_shared(source), size);
}

// Begins to combine a box in this block's shared memory with the box of a tensor map at these coordinates, which
// completes with its bulk group. Does not block. cp.reduce.async.bulk.tensor.
template <class Op, size_t Rank>
CUDASYNC_DEVICE void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, Op op, const void* map,
                                                 const int32 (&coordinates)[Rank], const void* source) {
  check_sm90<Op>();
  ptx::cp_reduce_async_bulk_tensor(op, map, coordinates, ptx::to_shared(source));
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
