// cuda::ptx: changes of tensor maps on the device, and the fences that publish them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_TENSORMAP_H
#define CUDASYNC_COMPAT_PTX_TENSORMAP_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/tensormap.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

CUDASYNC_DEVICE ptx::shared_address map_in(ptx::space_shared_t, void* map) {
  return ptx::to_shared(map);
}
CUDASYNC_DEVICE void* map_in(ptx::space_global_t, void* map) {
  return map;
}

template <class Dependent>
CUDASYNC_DEVICE void check_swizzle_atomicity() {
  check_tensormap_replace<Dependent>();
  check_blackwell<Dependent>();
}

namespace ptx_names {

// The map is in global memory or in this block's shared memory. tensormap.replace.
// clang-format off
#define CUDASYNC_REPLACE(FIELD, BITS)                                                          \
  template <class Space, class Word>                                                           \
  CUDASYNC_DEVICE void tensormap_replace_##FIELD(Space space, void* map, Word value) {         \
    check_tensormap_replace<Space>();                                                          \
    ptx::tensormap_replace_##FIELD(map_in(space, map), operand_bits<BITS>(value));             \
  }
#define CUDASYNC_REPLACE_OF(NAME, FIELD, BITS)                                                 \
  template <class Space, int Dimension, class Word>                                            \
  CUDASYNC_DEVICE void tensormap_replace_##NAME(Space space, void* map, n32_t<Dimension>, Word value) { \
    check_tensormap_replace<Space>();                                                          \
    ptx::tensormap_replace_##FIELD<Dimension>(map_in(space, map), operand_bits<BITS>(value));  \
  }
#define CUDASYNC_REPLACE_BY(FIELD, CHECK)                                                      \
  template <class Space, int Value>                                                            \
  CUDASYNC_DEVICE void tensormap_replace_##FIELD(Space space, void* map, n32_t<Value>) {       \
    CHECK<Space>();                                                                            \
    ptx::tensormap_replace_##FIELD<Value>(map_in(space, map));                                 \
  }
// Changes the address of the tensor in a tensor map.
CUDASYNC_REPLACE   (global_address, uint64)
// Changes the rank of the tensor, minus 1, in a tensor map.
CUDASYNC_REPLACE   (rank, uint32)
// Changes the extent of the box in a dimension.
CUDASYNC_REPLACE_OF(box_dim, box_dim, uint32)
// Changes the extent of the tensor in a dimension.
CUDASYNC_REPLACE_OF(global_dim, global_dim, uint32)
// Changes the stride of the tensor in a dimension.
CUDASYNC_REPLACE_OF(global_stride, global_stride, uint64)
// Changes the step between the elements of a dimension that are copied.
CUDASYNC_REPLACE_OF(element_stride, element_stride, uint32)
// Changes the step between the elements of a dimension that are copied, by another name of libcu++.
CUDASYNC_REPLACE_OF(element_size, element_stride, uint32)
// Changes the type of the elements, as PTX numbers it.
CUDASYNC_REPLACE_BY(elemtype, check_tensormap_replace)
// Changes the interleaving, as PTX numbers it.
CUDASYNC_REPLACE_BY(interleave_layout, check_tensormap_replace)
// Changes the swizzling, as PTX numbers it.
CUDASYNC_REPLACE_BY(swizzle_mode, check_tensormap_replace)
// Changes the atomicity of the swizzling, as PTX numbers it.
CUDASYNC_REPLACE_BY(swizzle_atomicity, check_swizzle_atomicity)
// Changes the values of elements out of bounds, as PTX numbers them.
CUDASYNC_REPLACE_BY(fill_mode, check_tensormap_replace)
#undef CUDASYNC_REPLACE
#undef CUDASYNC_REPLACE_OF
#undef CUDASYNC_REPLACE_BY
// clang-format on

// Copies a tensor map from this block's shared memory to global memory and releases it to the copy engine, at the
// scope. All threads of the warp call it, converged. The size must be 128. tensormap.cp_fenceproxy.
template <class Scope, int Size>
CUDASYNC_DEVICE void tensormap_cp_fenceproxy(sem_release_t sem, Scope scope, void* destination, const void* source,
                                             n32_t<Size>) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  static_assert(Size == 128, "a tensor map has 128 bytes: pass n32_t<128>{}");
  ptx::tensormap_cp_fenceproxy(sem, scope, destination, ptx::to_shared(source));
}

// Publishes the changes of this thread to tensor maps, at the scope. fence.proxy.tensormap::generic.
template <class Scope>
CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_release_t sem, Scope scope) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  ptx::fence_proxy_tensormap_generic(sem, scope);
}

// Makes a changed tensor map visible to later copies of this thread, at the scope. The size must be 128.
// fence.proxy.tensormap::generic.
template <class Scope, int Size>
CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_acquire_t sem, Scope scope, const void* map, n32_t<Size>) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  static_assert(Size == 128, "a tensor map has 128 bytes: pass n32_t<128>{}");
  ptx::fence_proxy_tensormap_generic(sem, scope, map);
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
